//! Which sequences of impacted instructions can follow a state at all, by the control flow alone.
//!
//! Where impacted code is in no loop ahead, there are finitely many, often few. Once all of them are found on earlier paths, nothing new can follow, whatever the inputs are:
//! the papers' question (is an unexplored impacted node reachable?), asked of sequences instead of nodes.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_exec::{Sequence, State};
use upshot_ir::{Callee, FuncId, Function, InstId, Op, Program};

use super::Guide;

/// Sequences, and places looked at, before this is given up.
const MOST_SEQUENCES: usize = 256;
const MOST_STEPS: usize = 20_000;

/// All of them; `None` if that cannot be told.
type Sequences = Option<Rc<[u128]>>;

/// An activation: where it is, and whether its marks count.
type Frame = (FuncId, u32, bool);

pub(crate) struct Possible<'a> {
    program: &'a Program,
    guide: &'a Guide,
    /// By stack and sequence so far.
    known: FxHashMap<(Vec<Frame>, u128), Sequences>,
    /// Stacks for which there are too many.
    too_many: FxHashSet<Vec<Frame>>,
}

impl<'a> Possible<'a> {
    pub(crate) fn new(program: &'a Program, guide: &'a Guide) -> Self {
        Possible { program, guide, known: FxHashMap::default(), too_many: FxHashSet::default() }
    }

    /// The sequences of all paths that go on from a state; `None` if that cannot be told.
    pub(crate) fn after(&mut self, state: &State) -> Sequences {
        let handlers = self.program.destructors.iter().copied().chain(state.awaited());
        let mut stack = Vec::new();
        for (depth, (function, pc, heeded)) in state.activations().enumerate() {
            let inst = *self.program.function(function).op_inst.get(pc as usize)?;
            // A caller goes on after its call.
            let inst = if depth == 0 { inst.0 } else { inst.0 + 1 };
            if self.guide.direction.repeating[function.index()].get(inst as usize).copied().unwrap_or(true) {
                return None;
            }
            stack.push((function, inst, heeded));
        }
        stack.reverse();
        if handlers.into_iter().any(|function| self.guide.direction.enters[function.index()])
            || self.too_many.contains(&stack)
        {
            return None;
        }
        let sequence = state.sequence();
        let key = (stack, sequence.hash);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = Walk::new(self.program, self.guide).from(key.0.clone(), sequence.clone());
        if found.is_none() {
            self.too_many.insert(key.0.clone());
        }
        self.known.insert(key, found.clone());
        found
    }
}

struct Walk<'a> {
    program: &'a Program,
    guide: &'a Guide,
    seen: FxHashSet<(Vec<Frame>, u128)>,
    pending: Vec<(Vec<Frame>, Sequence)>,
    found: FxHashSet<u128>,
    steps: usize,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, guide: &'a Guide) -> Self {
        Walk { program, guide, seen: FxHashSet::default(), pending: Vec::new(), found: FxHashSet::default(), steps: 0 }
    }

    /// The mark of the first instruction is passed already.
    fn from(mut self, stack: Vec<Frame>, sequence: Sequence) -> Sequences {
        let first = *stack.last()?;
        self.go(stack, sequence, Some(first.1))?;
        while let Some((stack, sequence)) = self.pending.pop() {
            self.go(stack, sequence, None)?;
        }
        Some(self.found.into_iter().collect())
    }

    fn end(&mut self, sequence: &Sequence) -> Option<()> {
        if !sequence.is_empty() {
            self.found.insert(sequence.hash);
        }
        (self.found.len() <= MOST_SEQUENCES).then_some(())
    }

    /// Goes on until control flow splits. `None` if this cannot be followed.
    fn go(&mut self, mut stack: Vec<Frame>, mut sequence: Sequence, mut passed: Option<u32>) -> Option<()> {
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            let Some(&(id, inst, heeded)) = stack.last() else { return self.end(&sequence) };
            if !self.is_ahead(&stack) {
                return self.end(&sequence);
            }
            let function = self.program.function(id);
            let mark = self.guide.numbers[id.index()][inst as usize]
                .filter(|_| heeded && self.guide.marked[id.index()][inst as usize]);
            if let Some(mark) = mark
                && passed.take() != Some(inst)
            {
                sequence.pass(mark);
            }
            passed = None;
            if self.guide.direction.ends[id.index()][inst as usize] {
                // How an impacted instruction fails is part of the sequence, and cannot be told in advance.
                if mark.is_some() && !self.calls_body(function, inst) {
                    return None;
                }
                self.end(&sequence)?;
            }
            let block = &function.blocks[function.insts[inst as usize].block.index()];
            if inst == block.last_inst.0 {
                return self.leave(function, block.end as usize - 1, stack, sequence);
            }
            if let Some(frame) = stack.last_mut() {
                frame.1 += 1;
            }
            if let Some(callee) = self.entered(id, InstId(inst))? {
                let counts = self.counts(id, InstId(inst), callee, heeded);
                if stack.len() > 64 {
                    return None;
                }
                stack.push((callee, 0, counts));
            }
        }
    }

    /// Whether it is what an instruction calls that may end the path there, which is no event of the instruction's own.
    fn calls_body(&self, function: &Function, inst: u32) -> bool {
        let mut ops = function.insts[inst as usize].ops.clone().map(|op| &function.ops[op as usize]);
        ops.any(|op| matches!(op, Op::Call(call) if matches!(call.callee, Callee::Direct(callee) if !self.program.function(callee).is_declaration)))
    }

    /// Whether anything impacted can follow. The innermost activation runs the instruction it is at; so do the others, which are past their calls.
    fn is_ahead(&self, stack: &[Frame]) -> bool {
        stack.iter().any(|(function, inst, _)| {
            self.guide.direction.ahead[function.index()].get(*inst as usize).copied().unwrap_or(false)
        })
    }

    /// At the end of a block.
    fn leave(&mut self, function: &Function, terminator: usize, stack: Vec<Frame>, sequence: Sequence) -> Option<()> {
        let op = &function.ops[terminator];
        if matches!(op, Op::Return { .. }) {
            let mut stack = stack;
            stack.pop();
            if stack.is_empty() {
                return self.end(&sequence);
            }
            self.push(stack, sequence);
            return Some(());
        }
        let edges = upshot_ir::edges(op);
        if edges.is_empty() {
            return self.end(&sequence);
        }
        for edge in edges {
            let mut stack = stack.clone();
            if let Some(frame) = stack.last_mut() {
                frame.1 = function.blocks[edge.target.index()].first_inst.0;
            }
            self.push(stack, sequence.clone());
        }
        Some(())
    }

    fn push(&mut self, stack: Vec<Frame>, sequence: Sequence) {
        if self.seen.insert((stack.clone(), sequence.hash)) {
            self.pending.push((stack, sequence));
        }
    }

    /// The function that an instruction calls and in which impacted code may run. `None` if it is not known which.
    fn entered(&self, id: FuncId, inst: InstId) -> Option<Option<FuncId>> {
        let function = self.program.function(id);
        for op in function.insts[inst.index()].ops.clone() {
            let Op::Call(call) = &function.ops[op as usize] else { continue };
            return match call.callee {
                Callee::Direct(callee) if self.program.function(callee).is_declaration => {
                    if self.guide.direction.callbacks[id.index()][inst.index()] { None } else { Some(None) }
                }
                Callee::Direct(callee) => Some(self.guide.direction.enters[callee.index()].then_some(callee)),
                Callee::Indirect(_) => {
                    if self.guide.direction.callbacks[id.index()][inst.index()] {
                        None
                    } else {
                        Some(None)
                    }
                }
            };
        }
        Some(None)
    }

    fn counts(&self, caller: FuncId, inst: InstId, callee: FuncId, heeded: bool) -> bool {
        self.guide.always[callee.index()] || heeded && self.guide.calls.contains(&(caller, inst, callee))
    }
}
