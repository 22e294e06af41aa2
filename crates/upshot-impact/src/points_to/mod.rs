//! Which objects a pointer may point to: Andersen's inclusion-based analysis, with constant offsets told apart.
//!
//! Every register, and every eight bytes of every object that hold pointers, is a node with a set of places; assignments are inclusions
//! between them. The treatment of what C allows beyond plain assignments:
//!
//! - *casts*: types play no part, values carry their places through every cast; integers of 64 bits through all arithmetic but multiplication and
//!   division (the result points anywhere into the same objects); a narrower store of what was loaded as narrowly in the same function counts as a copy of memory, so that
//!   pointers copied byte by byte are followed, but not those that are put together by arithmetic on their parts;
//! - *arrays*: a variable index leads anywhere in the object;
//! - *unions*: contents are kept per eight bytes, whatever is read or written there;
//! - *varargs*: one object per variadic function holds the arguments of all its calls;
//! - *inputs*: a pointer from outside (a parameter of a function that others may call, a pointer in a global) leads to the input object of its C type;
//! - *unknown externals*: all that escapes to one may be read, written with anything that has escaped, and called.

mod constraints;
mod inputs;
mod objects;
mod set;
mod solver;

pub(crate) use objects::{ObjectId, ObjectKind, Objects, Place};
pub(crate) use set::Set;

use rustc_hash::FxHashMap;
use upshot_ir::{Callee, FuncId, Function, InstId, Op, Operand, Program, Reg};

/// A node of the inclusion graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

/// The result.
pub(crate) struct PointsTo {
    pub(crate) objects: Objects,
    registers: Registers,
    constants: FxHashMap<(FuncId, usize), NodeId>,
    /// The place set of each node, shared by those that are equal.
    set_of: Vec<u32>,
    sets: Vec<Set>,
    /// What has escaped to unknown functions.
    escaped: u32,
    /// The set that holds the outside world alone.
    world: u32,
    /// The sets that hold one object of arguments each (variadic ones, copies of structs), by function.
    passed: FxHashMap<FuncId, Vec<SetId>>,
    /// The functions that an indirect call may reach, by call: sorted.
    targets: FxHashMap<(FuncId, InstId), Vec<FuncId>>,
}

/// A set of places by number: equal sets have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SetId(pub(crate) u32);

impl PointsTo {
    /// Analyses a program. `separate[g]` keeps a constant global apart from the other literals.
    pub(crate) fn new(program: &Program, separate: &[bool]) -> Self {
        solver::solve(constraints::generate(program, separate), program)
    }

    /// Where the operand, as operation number `op` reads it, may point.
    pub(crate) fn pointees(&self, function: &Function, id: FuncId, op: usize, operand: Operand) -> SetId {
        let node = match (operand.as_reg(), operand.as_constant()) {
            (Some(reg), _) => Some(self.registers.node(function, id, op, reg)),
            (_, Some(index)) => self.constants.get(&(id, index)).copied(),
            _ => None,
        };
        SetId(node.map_or(0, |node| self.set_of[node.0 as usize]))
    }

    pub(crate) fn places(&self, set: SetId) -> impl Iterator<Item = Place> + '_ {
        self.sets[set.0 as usize].iter().map(|place| self.objects.at(place))
    }

    pub(crate) fn escaped(&self) -> SetId {
        SetId(self.escaped)
    }

    pub(crate) fn world(&self) -> SetId {
        SetId(self.world)
    }

    /// The objects that a call of the function fills with arguments.
    pub(crate) fn passed(&self, function: FuncId) -> &[SetId] {
        self.passed.get(&function).map_or(&[], |sets| sets)
    }

    /// The functions that a call may enter, bodies or not.
    pub(crate) fn callees<'a>(&'a self, id: FuncId, inst: InstId, callee: &'a Callee) -> &'a [FuncId] {
        match callee {
            Callee::Direct(target) => std::slice::from_ref(target),
            Callee::Indirect(_) => self.targets.get(&(id, inst)).map_or(&[], |targets| targets),
        }
    }
}

/// The nodes of registers. Temporaries, which several instructions share, have a node per operation that writes them.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    base: Vec<u32>,
    shared: Vec<Vec<bool>>,
    temporaries: FxHashMap<(FuncId, u32, Reg), NodeId>,
}

impl Registers {
    fn node(&self, function: &Function, id: FuncId, op: usize, reg: Reg) -> NodeId {
        let plain = NodeId(self.base[id.index()] + reg.0);
        if !self.shared[id.index()][reg.index()] {
            return plain;
        }
        let start = function.insts[function.op_inst[op].index()].ops.start as usize;
        let writes = |&before: &usize| self.temporaries.contains_key(&(id, before as u32, reg));
        let writer = (start..op).rev().find(writes);
        writer.and_then(|writer| self.temporaries.get(&(id, writer as u32, reg)).copied()).unwrap_or(plain)
    }

    fn written(&self, id: FuncId, op: usize, reg: Reg) -> NodeId {
        let temporary = self.temporaries.get(&(id, op as u32, reg)).copied();
        temporary.unwrap_or(NodeId(self.base[id.index()] + reg.0))
    }
}

/// Registers that more than one instruction computes: temporaries. Slots and phis, which are written by moves, are none.
pub(crate) fn shared_registers(function: &Function) -> Vec<bool> {
    let mut writer: Vec<Option<InstId>> = vec![None; function.registers as usize];
    let mut shared = vec![false; function.registers as usize];
    let mut slot = vec![false; function.registers as usize];
    for (op, &inst) in function.ops.iter().zip(&function.op_inst) {
        if let Op::SlotLoad { slot: reg, .. } | Op::SlotReset { slot: reg } = op {
            slot[reg.index()] = true;
        }
        let is_store = matches!(op, Op::Move { .. }) && function.insts[inst.index()].opcode == "store";
        for reg in upshot_ir::accesses(op).0 {
            if is_store {
                slot[reg.index()] = true;
            }
            let first = writer[reg.index()].get_or_insert(inst);
            shared[reg.index()] |= *first != inst;
        }
        for (reg, _) in upshot_ir::edges(op).iter().flat_map(|edge| &edge.moves) {
            slot[reg.index()] = true;
        }
    }
    shared.iter().zip(slot).map(|(shared, slot)| *shared && !slot).collect()
}
