//! A worker's part in a directed search: what to do with a state before its next decision, and what to do with a path that has ended.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_exec::{Bound, Fork, PathEnd, Pause, PointerTarget, State};
use upshot_expr::{Assignment, TermId, Var};
use upshot_ir::Program;
use upshot_solver::PathCondition;

use super::paper::Explored;
use super::{Covered, Effort, Guide, Possible, Prune, Window};
use crate::ending::Values;
use crate::path::Path;
use crate::record::{self, Affected, End, PathRecord};
use crate::worker::{Node, Worker};

/// What a worker knows of a directed search.
pub(crate) struct Directed<'a> {
    guide: &'a Guide,
    window: Window<'a>,
    covered: Covered,
    possible: Possible<'a>,
    /// The first path on which this worker has found each sequence.
    finished: FxHashMap<u128, Path>,
    pub(crate) effort: Effort,
}

/// What becomes of a state, as far as that can be told without a question.
#[derive(Clone, Copy)]
pub(crate) enum Verdict {
    GoOn,
    GiveUp,
    /// Nothing impacted can follow: one input is enough.
    FinishAlong,
}

impl<'a> Directed<'a> {
    pub(crate) fn new(program: &'a Program, guide: &'a Guide) -> Self {
        Directed {
            guide,
            window: Window::new(program, guide),
            covered: Covered::default(),
            possible: Possible::new(program, guide),
            finished: FxHashMap::default(),
            effort: Effort::default(),
        }
    }

    /// These bytes matter to a state.
    pub(crate) fn note(&mut self, nearest: Option<u32>, vars: &FxHashSet<Var>) {
        self.covered.note(nearest, vars.iter().copied());
    }

    pub(crate) fn guide(&self) -> &'a Guide {
        self.guide
    }

    /// Whether the sequence is complete on an earlier path.
    pub(crate) fn has_before(&self, sequence: u128, path: &Path) -> bool {
        self.finished.get(&sequence).is_some_and(|first| first < path)
    }

    /// A state goes to another worker.
    pub(crate) fn give_away(&mut self, node: &Node) {
        self.covered.share(node.nearest);
    }

    /// The terms of explored states are gone.
    pub(crate) fn forget_states(&mut self) {
        self.covered.clear();
    }
}

impl Worker<'_> {
    pub(crate) fn is_as_papers(&self) -> bool {
        self.directed.as_ref().is_some_and(|directed| matches!(directed.guide.prune, Prune::Paper(_)))
    }

    /// Whether a state is worth its next decision.
    pub(crate) fn judge(&mut self, node: &mut Node) -> Verdict {
        let Some(directed) = &mut self.directed else { return Verdict::GoOn };
        if !matches!(directed.guide.prune, Prune::Sound) {
            return Verdict::GoOn;
        }
        let program = self.machine.program();
        let sequence = node.state.sequence();
        if !directed.guide.is_ahead(program, &node.state) {
            if sequence.is_empty() {
                self.totals.cut.untouched += 1;
                return Verdict::GiveUp;
            }
            if directed.has_before(sequence.hash, &node.path) {
                self.totals.cut.repeated += 1;
                return Verdict::GiveUp;
            }
            if !directed.guide.is_restricted(program, &node.state) {
                return Verdict::FinishAlong;
            }
            return Verdict::GoOn;
        }
        if let Some(possible) = directed.possible.after(&node.state)
            && possible.iter().all(|sequence| directed.has_before(*sequence, &node.path))
        {
            self.totals.cut.repeated += 1;
            return Verdict::GiveUp;
        }
        if node.strayed && directed.covered.covers(&directed.window, node) {
            self.totals.cut.covered += 1;
            return Verdict::GiveUp;
        }
        if self.is_hopeless(node) {
            self.totals.cut.repeated += 1;
            return Verdict::GiveUp;
        }
        Verdict::GoOn
    }

    /// A state is about to be explored: it may cover others from now on, and what is decided may matter.
    pub(crate) fn note_decision(&mut self, node: &mut Node, fork: &Fork) {
        let Some(directed) = &mut self.directed else { return };
        if !matches!(directed.guide.prune, Prune::Sound)
            || !directed.guide.is_ahead(self.machine.program(), &node.state)
        {
            return;
        }
        if node.strayed {
            directed.covered.add(&directed.window, node);
        }
        if self.is_relevant(&node.state) {
            self.note_relevant(node, &fork.choices);
        }
    }

    /// A path has come to its end.
    pub(crate) fn end(&mut self, node: Node, end: PathEnd) {
        if node.unasked.is_some() && self.is_old(&node, &end) {
            return self.give_up(&node);
        }
        if let Some(node) = self.confirm(node) {
            self.finish(node, end);
        }
    }

    /// Impacted code depends on which of these conditions holds.
    pub(crate) fn note_relevant(&mut self, node: &Node, conditions: &[TermId]) {
        let (Some(directed), Some(_)) = (&mut self.directed, node.nearest) else { return };
        for &condition in conditions {
            let vars = self.machine.terms.support(condition);
            directed.covered.note(node.nearest, vars.iter().copied());
        }
    }

    /// Whether impacted code depends on the instruction at hand.
    pub(crate) fn is_relevant(&self, state: &State) -> bool {
        self.is_at(state, |guide| &guide.direction.relevant)
    }

    /// Whether the instruction at hand is in a table of the guide.
    fn is_at(&self, state: &State, table: impl Fn(&Guide) -> &upshot_impact::Table) -> bool {
        let Some(directed) = &self.directed else { return false };
        let Some((function, pc)) = state.positions().next() else { return true };
        let inst = self.machine.program().function(function).op_inst.get(pc as usize);
        inst.is_none_or(|inst| table(directed.guide)[function.index()][inst.index()])
    }

    /// Whether what is decided here is decided by code that is not impacted. Only states that have done so can be covered by others: any other decision is in their sequences.
    pub(crate) fn strays(&self, node: &Node) -> bool {
        self.directed.is_some() && !(self.is_at(&node.state, |guide| &guide.marked) && node.state.heeds_marks())
    }

    /// Runs a path to its end along one input, the same one whoever does it. The solver is asked for that input only.
    pub(crate) fn finish_along(&mut self, mut node: Node, fork: Fork) {
        let found = self.solver.canonical(&mut self.machine.terms, &node.condition, node.state.preferences());
        let mut values = match found {
            Ok(values) => values,
            Err(why) => {
                let location = self.machine.location(&node.state);
                return self.finish(node, PathEnd::Unknown { why: why.to_string(), location });
            }
        };
        self.follow_side(&mut node, &fork, &mut values);
        loop {
            match self.step(&mut node) {
                Pause::Fork(fork) => self.follow_side(&mut node, &fork, &mut values),
                Pause::Ended(end) => return self.finish_with(node, end, Values::Found(values)),
                Pause::Assume(condition) => {
                    let holds = values.eval_bool(&self.machine.terms, condition);
                    self.machine.answer(&mut node.state, u32::from(!holds));
                }
                Pause::Yield if self.stopping() => {
                    return self.finish_with(node, PathEnd::Bound(Bound::Time), Values::Found(values));
                }
                Pause::Yield | Pause::Mark(_) => {}
            }
        }
    }

    /// Takes the side that the values take. An input pointer that the path has said nothing of leads to an object, so that the run does not end there for want of one.
    fn follow_side(&mut self, node: &mut Node, fork: &Fork, values: &mut Assignment) {
        let mut side =
            self.solver.satisfied_by(&self.machine.terms, values, &fork.choices).unwrap_or(fork.choices.len() - 1);
        if let Some((pointer, targets)) = &fork.pointer
            && let Some(made) = targets.iter().position(|target| matches!(target, PointerTarget::Object { .. }))
        {
            let pointer = &node.state.pointers()[*pointer];
            let (holder, offset) = (node.state.inputs()[pointer.holder].symbol, pointer.offset);
            let bytes: Vec<_> = (0..8).map(|byte| upshot_expr::Var { symbol: holder, offset: offset + byte }).collect();
            if !node.condition.mentions(&bytes) {
                side = made;
                let PointerTarget::Object { address, .. } = targets[made] else { return };
                for (byte, value) in (0..).zip(address.to_le_bytes()) {
                    values.set(holder, offset + byte, value);
                }
            }
        }
        self.take(node, fork, side as u32, true);
    }

    /// Notes how a path runs through impacted code. False if that is of no interest, or known from an earlier path.
    pub(crate) fn is_news(&mut self, state: &State, condition: &PathCondition, record: &mut PathRecord) -> bool {
        let Some(directed) = &mut self.directed else { return true };
        let sequence = record::sequence_of(&self.machine, state, &record.end);
        let terms = &self.machine.terms;
        record.affected = Some(Affected {
            sequence: sequence.hash,
            length: sequence.length,
            marks: sequence.marks().collect(),
            condition: condition.iter().map(|term| terms.display(term).to_string()).collect(),
        });
        if matches!(directed.guide.prune, Prune::Off) {
            return true;
        }
        // What was cut off by a bound or is not supported must be told, whatever it met before.
        if matches!(record.end, End::Bound(_) | End::Unsupported { .. } | End::Unknown { .. }) {
            return true;
        }
        if sequence.is_empty() {
            self.totals.cut.untouched += 1;
            return false;
        }
        if matches!(directed.guide.prune, Prune::Paper(_)) {
            return true;
        }
        match directed.finished.get_mut(&sequence.hash) {
            Some(first) if *first <= record.path => {
                self.totals.cut.repeated += 1;
                false
            }
            Some(first) => {
                *first = record.path.clone();
                true
            }
            None => {
                directed.finished.insert(sequence.hash, record.path.clone());
                true
            }
        }
    }

    /// Depth-first search with the papers' set of explored nodes.
    pub(crate) fn explore_as_papers(&mut self, start: Node) {
        let Some(directed) = &self.directed else { return };
        let guide = directed.guide;
        let Prune::Paper(paper) = &guide.prune else { return };
        let program = self.machine.program();
        let mut explored = Explored::new(paper);
        self.totals.rows.push(explored.row(&[], false));
        // Each with the nodes that it has come by; whether its last step was a decision.
        let mut stack: Vec<(Node, Rc<Vec<u32>>, bool)> = vec![(start, Rc::default(), false)];
        while let Some((mut node, mut passed, mut decided)) = stack.pop() {
            loop {
                if self.stopping() {
                    let range = self.range_of(node);
                    self.totals.open.push(range);
                    break;
                }
                match self.step(&mut node) {
                    Pause::Yield => {}
                    Pause::Mark(mark) => {
                        let Some(at) = guide.nodes[mark as usize] else { continue };
                        Rc::make_mut(&mut passed).push(at);
                        explored.check_loops(at);
                        if std::mem::take(&mut decided) && explored.prune(at, program, &node.state) {
                            self.totals.cut.paper += 1;
                            self.totals.rows.push(explored.row(&passed, true));
                            self.machine.abandon(&node.state);
                            break;
                        }
                        if explored.visit(at) {
                            self.totals.rows.push(explored.row(&passed, false));
                        }
                    }
                    Pause::Ended(end) => {
                        self.finish(node, end);
                        break;
                    }
                    Pause::Assume(condition) => {
                        if let Err(end) = self.assume(&mut node, condition) {
                            self.finish(node, end);
                            break;
                        }
                    }
                    Pause::Fork(fork) => {
                        let targets = paper.targets(program, &node.state);
                        let sides = self.sides(node, &fork);
                        decided = sides.len() > 1;
                        let target = |node: &Node| {
                            let side = node.path.0.last().map_or(0, |decision| decision.side);
                            targets.get(side as usize).copied()
                        };
                        let mut sides: Vec<_> = sides
                            .into_iter()
                            .map(|side| {
                                let at = target(&side);
                                (side, at)
                            })
                            .collect();
                        explored.arrange(&mut sides);
                        for (side, _) in sides.into_iter().rev() {
                            stack.push((side, passed.clone(), decided));
                        }
                        break;
                    }
                }
            }
        }
    }
}
