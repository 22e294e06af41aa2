//! The control flow of a function as impact sees it: blocks cut into segments after every instruction that may end the path.
//!
//! A segment runs as a whole or not at all, so control dependence is between segments. Whatever may end the path has an edge to the exit besides the one to what
//! follows it; so has the jump back of a loop that may not end. Both make what follows depend on them, by the ordinary definition over
//! post-dominators, and give functions that never return, return in many places or loop for ever the one exit that it needs.

use crate::ends::{Definitions, Ends, Failures};
use crate::loops;
use upshot_ir::{Adjacency, Const, Edge, Function, InstId, Intrinsic, Op, Operand, Program};

/// A run of instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) first: InstId,
    pub(crate) last: InstId,
    /// The last instruction is not a terminator, but may end the path.
    pub(crate) may_end: bool,
}

/// The segments of one function. Unreachable blocks have none.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) segments: Vec<Segment>,
    /// By instruction; [`Flow::NOWHERE`] in unreachable code.
    pub(crate) segment_of: Vec<u32>,
    /// By segment: the segments whose last instruction decides whether it runs; [`Flow::entry`] stands for the call itself.
    pub(crate) controllers: Adjacency,
    /// Segments whose jump closes a loop that may not end.
    pub(crate) endless: Vec<u32>,
    /// The operands that decide whether an instruction ends the path; by instruction, for those that may.
    deciders: Vec<(InstId, Vec<Operand>)>,
    /// Between the segments, their virtual entry and exit.
    pub(crate) successors: Adjacency,
}

impl Flow {
    pub(crate) const NOWHERE: u32 = u32::MAX;

    pub(crate) fn exit(&self) -> u32 {
        self.segments.len() as u32
    }

    pub(crate) fn entry(&self) -> u32 {
        self.segments.len() as u32 + 1
    }

    /// Cuts a function up. `call_may_end` says of each call instruction whether it may not return.
    pub(crate) fn new(
        program: &Program,
        function: &Function,
        failures: Failures,
        call_may_end: &dyn Fn(InstId) -> bool,
    ) -> Self {
        let mut flow = Flow { segment_of: vec![Self::NOWHERE; function.insts.len()], ..Flow::default() };
        if function.blocks.is_empty() {
            return flow;
        }
        let jumps: Adjacency = block_graph(function);
        let reachable = upshot_ir::reverse_postorder(&jumps, 0);
        let definitions = Definitions::new(function);
        let ends = Ends { program, function, definitions: &definitions, failures };
        flow.find_deciders(&ends, &reachable, call_may_end);
        let starts = flow.cut(function, &reachable);
        flow.connect(function, &jumps, &starts, failures);
        let exit = flow.exit();
        flow.controllers = upshot_ir::control_dependence(&flow.successors, exit);
        flow
    }

    fn find_deciders(&mut self, ends: &Ends<'_>, reachable: &[u32], call_may_end: &dyn Fn(InstId) -> bool) {
        let function = ends.function;
        let jumps_back = calls_setjmp(function);
        let mut blocks: Vec<u32> = reachable.to_vec();
        blocks.sort_unstable();
        for block in blocks {
            let block = &function.blocks[block as usize];
            for inst in (block.first_inst.0..=block.last_inst.0).map(InstId) {
                let mut deciding = Vec::new();
                let mut may_end = false;
                for op in function.insts[inst.index()].ops.clone() {
                    let operation = &function.ops[op as usize];
                    if matches!(operation, Op::Call(_)) {
                        may_end |= jumps_back || call_may_end(inst);
                    }
                    if let Some(operands) = ends.deciders(operation) {
                        may_end = true;
                        deciding.extend(operands);
                    }
                }
                if may_end {
                    self.deciders.push((inst, deciding));
                }
            }
        }
    }

    /// Makes the segments; returns the first of each block.
    fn cut(&mut self, function: &Function, reachable: &[u32]) -> Vec<u32> {
        let mut may_end = vec![false; function.insts.len()];
        for (inst, _) in &self.deciders {
            may_end[inst.index()] = true;
        }
        let mut starts = vec![Self::NOWHERE; function.blocks.len()];
        for &number in reachable {
            let block = &function.blocks[number as usize];
            starts[number as usize] = self.segments.len() as u32;
            let mut first = block.first_inst;
            for inst in (block.first_inst.0..=block.last_inst.0).map(InstId) {
                self.segment_of[inst.index()] = self.segments.len() as u32;
                let last = inst == block.last_inst;
                if last || may_end[inst.index()] {
                    self.segments.push(Segment { first, last: inst, may_end: !last });
                    first = InstId(inst.0 + 1);
                }
            }
        }
        starts
    }

    fn connect(&mut self, function: &Function, jumps: &Adjacency, starts: &[u32], failures: Failures) {
        let (exit, entry) = (self.exit(), self.entry());
        let mut successors = vec![Vec::new(); self.segments.len() + 2];
        successors[entry as usize] = vec![starts[0], exit];
        let resumes = self.after_setjmp(function);
        for (number, segment) in self.segments.iter().enumerate() {
            let list = &mut successors[number];
            if segment.may_end {
                list.extend([number as u32 + 1, exit]);
                if matches!(last_op(function, segment.last), Some(Op::Call(_))) {
                    list.extend(&resumes);
                }
                continue;
            }
            let block = function.insts[segment.last.index()].block;
            list.extend(jumps[block.index()].iter().map(|&to| starts[to as usize]));
            let stuck = self.deciders.binary_search_by_key(&segment.last, |(inst, _)| *inst).is_ok();
            if list.is_empty() || stuck {
                list.push(exit);
            }
        }
        for (from, to) in loops::retreating(jumps) {
            let last = function.blocks[from as usize].last_inst;
            let segment = self.segment_of[last.index()];
            let endless = failures == Failures::Possible && !loops::ends(function, jumps, from, to);
            if endless && !self.endless.contains(&segment) {
                self.endless.push(segment);
                successors[segment as usize].push(exit);
            }
        }
        self.successors = successors;
    }

    /// Where a jump out of a callee may come back to.
    fn after_setjmp(&self, function: &Function) -> Vec<u32> {
        let is_set = |segment: &Segment| {
            let op = last_op(function, segment.last);
            matches!(op, Some(Op::Intrinsic { which: Intrinsic::SetJmp, .. }))
        };
        let found = (0..).zip(&self.segments).filter(|(_, segment)| segment.may_end && is_set(segment));
        found.map(|(number, _)| number).collect()
    }

    /// The operands that decide whether the instruction ends the path; `None` if it cannot.
    pub(crate) fn deciders(&self, inst: InstId) -> Option<&[Operand]> {
        let at = self.deciders.binary_search_by_key(&inst, |(inst, _)| *inst).ok()?;
        Some(&self.deciders[at].1)
    }

    pub(crate) fn is_reachable(&self, inst: InstId) -> bool {
        self.segment_of[inst.index()] != Self::NOWHERE
    }
}

/// The jumps between blocks.
pub(crate) fn block_graph(function: &Function) -> Adjacency {
    let targets = |block: &upshot_ir::Block| {
        let mut targets: Vec<u32> = Vec::new();
        for edge in possible_edges(function, &function.ops[block.end as usize - 1]) {
            if !targets.contains(&edge.target.0) {
                targets.push(edge.target.0);
            }
        }
        targets
    };
    function.blocks.iter().map(targets).collect()
}

/// The edges of a terminator, without those that a constant condition rules out: `if (0)` around a label is emitted all the same.
pub(crate) fn possible_edges<'f>(function: &'f Function, op: &'f Op) -> Vec<&'f Edge> {
    let constant = |operand: Operand| match function.constants.get(operand.as_constant()?)? {
        Const::Int { value, .. } => Some(*value),
        _ => None,
    };
    match op {
        Op::Branch { cond, edges } => match constant(*cond) {
            Some(0) => vec![&edges.1],
            Some(_) => vec![&edges.0],
            None => vec![&edges.0, &edges.1],
        },
        Op::Switch(switch) => match constant(switch.value) {
            Some(value) => {
                let case = switch.cases.iter().find(|(case, _)| *case == value);
                vec![case.map_or(&switch.default, |(_, edge)| edge)]
            }
            None => upshot_ir::edges(op),
        },
        _ => upshot_ir::edges(op),
    }
}

fn calls_setjmp(function: &Function) -> bool {
    function.ops.iter().any(|op| matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp, .. }))
}

fn last_op(function: &Function, inst: InstId) -> Option<&Op> {
    let ops = &function.insts[inst.index()].ops;
    function.ops.get(ops.clone().last()? as usize)
}
