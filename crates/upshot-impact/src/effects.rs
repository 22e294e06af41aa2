//! What a program may do in code that a path does not run: which memory it may write, and whether it may keep the path from going on.
//!
//! Potential dependence (FSE'11, Def. 3) asks what a branch could have defined had it gone the other way. Registers can be seen in the program; for memory this module
//! answers with the [points-to analysis](crate::points_to), per block, callees included. A side that may fail, exit or run for ever decides whether there is any output at
//! all, so that is answered too, by the same rules as for [impact](crate::ends).

use rustc_hash::FxHashMap;
use upshot_ir::{BlockId, Callee, FuncId, Function, GlobalId, InstId, Intrinsic, Op, Program};

use crate::calls::CallGraph;
use crate::ends::{Definitions, Ends, Failures};
use crate::extents::Extents;
use crate::externals::prints;
use crate::flow::block_graph;
use crate::loops;
use crate::memory;
use crate::points_to::{ObjectKind, PointsTo, Set};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Global(GlobalId),
    /// What this alloca makes.
    Local(FuncId, InstId),
    /// What this call allocates.
    Heap(FuncId, InstId),
    /// Memory behind the entry's pointers.
    Input,
    /// Copies of arguments.
    Passed,
    /// A stream that somebody may look at.
    Stream,
    /// Files, what functions without a body remember, and the like.
    World,
}

/// A write that may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    pub target: Target,
    /// From which byte up to which; `None`: anywhere.
    pub bytes: Option<(u32, u32)>,
}

/// Checks of the executor that make more operations fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checks {
    pub overflow: bool,
    pub uninit: bool,
}

/// A block, with all that it calls.
#[derive(Clone, Debug, Default)]
pub struct BlockEffects {
    /// Something in it may fail, end the program, or not return.
    pub may_end: bool,
    /// What it may write, by [number](Effects::write).
    pub writes: Vec<u32>,
}

#[derive(Debug, Default)]
struct FunctionEffects {
    blocks: Vec<BlockEffects>,
    /// By operation.
    may_fail: Vec<bool>,
    /// Instructions that read and write what functions without a body remember.
    remembers: Vec<InstId>,
    endless: Vec<(BlockId, BlockId)>,
}

/// The effects of all code of a program.
#[derive(Debug, Default)]
pub struct Effects {
    writes: Vec<Write>,
    functions: Vec<FunctionEffects>,
}

impl Effects {
    /// `entry` is what runs: its arguments may be anything.
    pub fn new(program: &Program, entry: FuncId, checks: Checks) -> Self {
        let points_to = PointsTo::new(program, &vec![false; program.globals.len()]);
        let extents = Extents::new(program, entry);
        let calls = CallGraph::with_extents(program, &points_to, Failures::Possible, &extents);
        let mut builder = Builder {
            program,
            points_to: &points_to,
            calls: &calls,
            extents: &extents,
            checks,
            numbers: FxHashMap::default(),
        };
        let mut effects = Effects::default();
        let own = builder.own_writes(&mut effects.writes);
        let all = memory::closure(&calls, |function| {
            let mut set = Set::default();
            own[function.index()].iter().for_each(|&(_, number)| {
                set.insert(number);
            });
            set
        });
        for (id, function) in (0..).map(FuncId).zip(&program.functions) {
            effects.functions.push(builder.function(id, function, &own[id.index()], &all));
        }
        effects
    }

    pub fn write(&self, number: u32) -> Write {
        self.writes[number as usize]
    }

    pub fn block(&self, function: FuncId, block: BlockId) -> &BlockEffects {
        &self.functions[function.index()].blocks[block.index()]
    }

    /// Whether an operation by itself may keep the path from going on; calls of functions with a body apart.
    pub fn may_fail(&self, function: FuncId, op: u32) -> bool {
        self.functions[function.index()].may_fail[op as usize]
    }

    /// Whether a call hangs together with earlier and later ones by what functions without a body remember.
    pub fn remembers(&self, function: FuncId, inst: InstId) -> bool {
        self.functions[function.index()].remembers.binary_search(&inst).is_ok()
    }

    /// The jumps that close loops which may run for ever.
    pub fn endless(&self, function: FuncId) -> &[(BlockId, BlockId)] {
        &self.functions[function.index()].endless
    }
}

struct Builder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    calls: &'a CallGraph,
    extents: &'a Extents,
    checks: Checks,
    numbers: FxHashMap<Write, u32>,
}

impl Builder<'_> {
    fn number(&mut self, writes: &mut Vec<Write>, write: Write) -> u32 {
        *self.numbers.entry(write).or_insert_with(|| {
            writes.push(write);
            writes.len() as u32 - 1
        })
    }

    /// By function: what its instructions may write, calls of functions with a body apart.
    fn own_writes(&mut self, writes: &mut Vec<Write>) -> Vec<Vec<(InstId, u32)>> {
        let found = memory::writes(self.program, self.points_to, self.calls);
        let mut own = Vec::new();
        for (id, list) in (0..).map(FuncId).zip(found) {
            let mut numbers = Vec::new();
            for (inst, object, bytes) in list {
                let target = match self.points_to.objects.get(object).kind {
                    ObjectKind::Global(global) => Target::Global(global),
                    ObjectKind::Stack(function, inst) => Target::Local(function, inst),
                    ObjectKind::Heap(function, inst) => Target::Heap(function, inst),
                    ObjectKind::ByValue(..) | ObjectKind::Variadic(_) => Target::Passed,
                    ObjectKind::Input(_) => Target::Input,
                    ObjectKind::World => Target::World,
                    ObjectKind::Literals | ObjectKind::Function(_) => continue,
                };
                numbers.push((inst, self.number(writes, Write { target, bytes })));
            }
            let function = self.program.function(id);
            for (op, &inst) in function.ops.iter().zip(&function.op_inst) {
                if self.may_print(id, inst, op) {
                    numbers.push((inst, self.number(writes, Write { target: Target::Stream, bytes: None })));
                }
            }
            own.push(numbers);
        }
        own
    }

    fn may_print(&self, id: FuncId, inst: InstId, op: &Op) -> bool {
        let Op::Call(call) = op else { return false };
        let targets = self.points_to.callees(id, inst, &call.callee);
        let is_printer = |target: &FuncId| {
            let function = self.program.function(*target);
            function.is_declaration && prints(&function.name)
        };
        targets.iter().any(is_printer) || matches!(call.callee, Callee::Indirect(_)) && targets.is_empty()
    }

    fn function(&self, id: FuncId, function: &Function, own: &[(InstId, u32)], all: &[Set]) -> FunctionEffects {
        let definitions = Definitions::with_extents(function, self.extents.of(id));
        let ends = Ends { program: self.program, function, definitions: &definitions, failures: Failures::Possible };
        let may_fail: Vec<bool> = (0..function.ops.len()).map(|op| self.may_fail(id, function, &ends, op)).collect();
        let mut blocks: Vec<BlockEffects> = vec![BlockEffects::default(); function.blocks.len()];
        for (block, effects) in function.blocks.iter().zip(&mut blocks) {
            effects.may_end = (block.start..block.end).any(|op| {
                let is_call = matches!(function.ops[op as usize], Op::Call(_));
                let call = || self.calls.call(id, function.op_inst[op as usize]);
                may_fail[op as usize] || is_call && call().is_none_or(|call| self.calls.call_may_end(call))
            });
        }
        for &(inst, number) in own {
            blocks[function.insts[inst.index()].block.index()].writes.push(number);
        }
        for call in &self.calls.calls[id.index()] {
            let block = &mut blocks[function.insts[call.inst.index()].block.index()];
            call.bodies.iter().for_each(|body| block.writes.extend(all[body.index()].iter()));
        }
        for block in &mut blocks {
            block.writes.sort_unstable();
            block.writes.dedup();
        }
        let remembers = |call: &&crate::calls::CallInst| call.externals.iter().any(|it| it.history || it.unknown);
        let remembers = self.calls.calls[id.index()].iter().filter(remembers).map(|call| call.inst).collect();
        let mut endless = Vec::new();
        if !function.blocks.is_empty() {
            let jumps = block_graph(function);
            let may_not_end = |&(from, to): &(u32, u32)| !loops::ends(function, &jumps, from, to);
            let found = loops::retreating(&jumps).into_iter().filter(may_not_end);
            endless.extend(found.map(|(from, to)| (BlockId(from), BlockId(to))));
        }
        FunctionEffects { blocks, may_fail, remembers, endless }
    }

    fn may_fail(&self, id: FuncId, function: &Function, ends: &Ends<'_>, number: usize) -> bool {
        let op = &function.ops[number];
        let checked = match op {
            Op::Bin { flags, .. } => self.checks.overflow && flags.nsw(),
            Op::Intrinsic { which: Intrinsic::Abs, .. } => self.checks.overflow,
            Op::Load { .. } | Op::SlotLoad { .. } => self.checks.uninit,
            Op::Unreachable => true,
            // Comparing an input pointer decides what it points to.
            Op::Cmp { width: 64, a, b, .. } => [a, b].into_iter().any(|operand| {
                let pointees = self.points_to.pointees(function, id, number, *operand);
                let mut places = self.points_to.places(pointees);
                places.any(|place| matches!(self.points_to.objects.get(place.object).kind, ObjectKind::Input(_)))
            }),
            Op::Call(call) => {
                self.calls
                    .call(id, function.op_inst[number])
                    .is_none_or(|it| it.indirect || it.externals.iter().any(|effects| effects.may_end))
                    || call.args.iter().any(|argument| {
                        let size = argument.by_value.map(|(size, _)| u32::try_from(size).unwrap_or(u32::MAX));
                        size.is_some_and(|size| !ends.within(argument.value, 0, size, false))
                    })
            }
            _ => false,
        };
        checked || ends.deciders(op).is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::externals::{external, prints};

    #[test]
    fn who_prints() {
        assert!(prints("printf") && prints("putchar") && prints("some_function_of_theirs") && prints("fwrite"));
        assert!(!prints("malloc") && !prints("memcpy") && !prints("sqrt"));
        assert!(external("malloc").allocates);
    }
}
