//! A function's body with the questions answered that comparing asks often: who writes a register, which registers are
//! locals, where a phi's values come from.

use std::ops::Range;

use rustc_hash::FxHashMap;
use upshot_ir::{FuncId, Function, Inst, InstId, Op, Operand, Program, Reg, edges};

use crate::alike::operations;
use crate::anatomy::Anatomy;

/// Where the value in a register comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A parameter's scalar, by position.
    Parameter(u32),
    /// The scalar at this position of an instruction's result.
    Result(InstId, u32),
    /// A local that lives in a register.
    Slot(InstId),
    /// Only meaningful within the instruction that writes it.
    Temporary,
}

/// One value that reaches a phi: from which edge of which terminator, and what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub(crate) terminator: InstId,
    pub(crate) edge: u32,
    /// The scalar of the phi's value that is written.
    pub(crate) part: u32,
    pub(crate) value: Operand,
}

pub(crate) struct Body<'a> {
    pub(crate) program: &'a Program,
    pub(crate) function: &'a Function,
    origins: Vec<Origin>,
    /// By instruction; empty for all but phis.
    incoming: Vec<Vec<Incoming>>,
    names: FxHashMap<InstId, &'a str>,
}

impl<'a> Body<'a> {
    pub(crate) fn new(program: &'a Program, id: FuncId) -> Self {
        let function = program.function(id);
        let mut origins = vec![Origin::Temporary; function.registers as usize];
        let hidden = usize::from(function.struct_return.is_some());
        let scalars: usize = function.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
        for (position, origin) in origins.iter_mut().take(hidden + scalars).enumerate() {
            *origin = Origin::Parameter(position as u32);
        }
        for (number, inst) in function.insts.iter().enumerate() {
            let id = InstId(number as u32);
            let is_slot = is_slot(inst);
            for (part, register) in inst.result.clone().enumerate() {
                if let Some(origin) = origins.get_mut(register as usize) {
                    *origin = if is_slot { Origin::Slot(id) } else { Origin::Result(id, part as u32) };
                }
            }
        }
        let incoming = vec![Vec::new(); function.insts.len()];
        let mut body = Body { program, function, origins, incoming, names: FxHashMap::default() };
        body.find_incoming();
        body.names = body.named_locals().map(|(name, inst)| (inst, name)).collect();
        body
    }

    fn find_incoming(&mut self) {
        for (number, op) in self.function.ops.iter().enumerate() {
            for (position, edge) in edges(op).into_iter().enumerate() {
                for &(register, value) in &edge.moves {
                    if let Origin::Result(phi, part) = self.origin(register) {
                        let terminator = self.function.op_inst[number];
                        let edge = position as u32;
                        self.incoming[phi.index()].push(Incoming { terminator, edge, part, value });
                    }
                }
            }
        }
    }

    pub(crate) fn origin(&self, register: Reg) -> Origin {
        self.origins.get(register.index()).copied().unwrap_or(Origin::Temporary)
    }

    pub(crate) fn incoming(&self, phi: InstId) -> &[Incoming] {
        &self.incoming[phi.index()]
    }

    /// Whether it makes a local that lives in a register.
    pub(crate) fn is_slot(&self, inst: InstId) -> bool {
        is_slot(&self.function.insts[inst.index()])
    }

    /// Whether it makes a local: once per call, of a size that is known.
    pub(crate) fn is_local(&self, inst: InstId) -> bool {
        is_local(self.function, &self.function.insts[inst.index()])
    }

    /// The locals that have a name, by the instructions that make them.
    pub(crate) fn named_locals(&self) -> impl Iterator<Item = (&'a str, InstId)> {
        self.function.locals.iter().filter_map(|local| {
            let inst = local.alloca.or_else(|| match self.origin(local.slot?) {
                Origin::Slot(inst) => Some(inst),
                _ => None,
            });
            Some((local.name.as_str(), inst?))
        })
    }

    pub(crate) fn local_name(&self, inst: InstId) -> Option<&'a str> {
        self.names.get(&inst).copied()
    }

    /// The instructions whose results this one reads, in order, locals not counted.
    pub(crate) fn used_results(&self, inst: InstId) -> Vec<InstId> {
        let mut used = Vec::new();
        for op in operations(self, inst) {
            for operand in Anatomy::of(op).reads {
                match operand.as_reg().map(|register| self.origin(register)) {
                    Some(Origin::Result(from, _)) if from != inst && !self.is_local(from) => used.push(from),
                    _ => {}
                }
            }
        }
        used
    }

    /// Cuts the blocks into runs at whose ends no value is waiting to be used in the same block.
    pub(crate) fn statements(&self) -> Vec<Range<u32>> {
        let mut last_use: Vec<u32> = (0..self.len() as u32).collect();
        for user in 0..self.len() as u32 {
            for used in self.used_results(InstId(user)) {
                let same_block = self.function.insts[used.index()].block == self.function.insts[user as usize].block;
                if same_block {
                    last_use[used.index()] = last_use[used.index()].max(user);
                }
            }
        }
        let mut statements = Vec::new();
        for block in &self.function.blocks {
            let mut start = block.first_inst.0;
            let mut waits_for = start;
            for inst in block.first_inst.0..=block.last_inst.0 {
                if self.is_local(InstId(inst)) {
                    start = inst + 1;
                    continue;
                }
                waits_for = waits_for.max(last_use[inst as usize]);
                if waits_for <= inst {
                    statements.push(start..inst + 1);
                    start = inst + 1;
                }
            }
        }
        statements
    }

    pub(crate) fn len(&self) -> usize {
        self.function.insts.len()
    }
}

fn is_slot(inst: &Inst) -> bool {
    inst.opcode == "alloca" && inst.ops.is_empty()
}

/// Whether an instruction makes a local: once per call, of a size that is known.
pub(crate) fn is_local(function: &Function, inst: &Inst) -> bool {
    let fixed = |op: &Op| matches!(op, Op::Alloca { count, .. } if count.as_constant().is_some());
    let ops = &function.ops[inst.ops.start as usize..inst.ops.end as usize];
    inst.opcode == "alloca" && inst.block.0 == 0 && ops.iter().all(fixed)
}
