//! What can follow a state, looked at before any question is asked.
//!
//! From a state the program is run ahead on all sides of every decision, but for those that are false of themselves or that the path denies in so many words. Where this comes to an end, it is known
//! which sequences of impacted instructions can follow at all, and under which conditions: every input of the state takes one of these ways. Ways whose sequence is
//! complete on an earlier path are of no interest. If none is left, the state is given up; else one question tells whether any input takes one of those that are, and its answer
//! shows one that does. So each question either gives up all that follows a state, or leads to a sequence that is new.
//!
//! Running ahead may be in vain, as where each way is a sequence of its own. It is kept within a small part of the states explored, unless it pays.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use upshot_exec::{PathEnd, Pause};
use upshot_expr::{TermId, Var};
use upshot_solver::Answer;

use super::Prune;
use crate::record::{self, End};
use crate::worker::{Node, Worker};

/// States that may be run ahead for nothing.
const FREE: u64 = 256;
/// One more for so many states explored.
const SHARE: u64 = 64;
/// States of one forecast.
const MOST: u64 = 4_096;
/// Ways after which it shows whether there are fewer sequences than ways.
const ENOUGH_WAYS: usize = 64;
/// Ways that go into one question.
const MOST_WAYS: usize = 512;
/// Where a forecast was given up, decisions before the next is tried.
const PATIENCE: usize = 2;

/// A way to go on from a state.
struct Way {
    /// The sides of its decisions from the forecast's state on.
    sides: Box<[u32]>,
    sequence: u128,
    /// Conditions, each with the number of decisions before it.
    conditions: Box<[(usize, TermId)]>,
}

/// All ways to go on from a state that may run impacted code.
pub(crate) struct Forecast {
    /// Decisions before the state.
    start: usize,
    ways: Vec<Way>,
    sequences: FxHashSet<u128>,
    /// The input bytes on which impacted code depends there.
    matters: FxHashSet<Var>,
}

/// What a node knows of what follows it.
#[derive(Clone, Default)]
pub(crate) struct Outlook {
    forecast: Option<Rc<Forecast>>,
    /// No forecast is tried before so many decisions.
    patience: usize,
}

/// How many states were run ahead, and what for.
#[derive(Default)]
pub(crate) struct Effort {
    spent: u64,
    spared: u64,
}

impl Effort {
    fn left(&self, explored: u64) -> u64 {
        (FREE + explored / SHARE + 2 * self.spared).saturating_sub(self.spent)
    }
}

/// What the ways that are left come to.
enum Hope {
    /// Nothing is known.
    Unknown,
    /// No way is left.
    None,
    /// The conditions of each way that is left.
    Ways(Vec<Vec<TermId>>),
}

impl Worker<'_> {
    /// Whether it can be foreseen that nothing new follows a state. What decides that matters to the states that it follows.
    pub(crate) fn is_hopeless(&mut self, node: &mut Node) -> bool {
        let hopeless = match self.hope(node) {
            Hope::Unknown => false,
            Hope::None => true,
            Hope::Ways(ways) => !self.can_be(node, &ways),
        };
        if hopeless && let (Some(directed), Some(forecast)) = (&mut self.directed, &node.outlook.forecast) {
            directed.note(node.nearest, &forecast.matters);
        }
        hopeless
    }

    /// The ways from a state whose sequence is not complete on an earlier path.
    fn hope(&mut self, node: &mut Node) -> Hope {
        let Some(forecast) = self.forecast_of(node) else { return Hope::Unknown };
        let Some(directed) = &mut self.directed else { return Hope::Unknown };
        let decided = &node.path.0[forecast.start..];
        let below = |way: &&Way| {
            way.sides.len() >= decided.len()
                && decided.iter().zip(&way.sides).all(|(decision, &side)| decision.side == side)
        };
        let below: Vec<&Way> = forecast.ways.iter().filter(below).collect();
        let left: Vec<&&Way> = below.iter().filter(|way| !directed.has_before(way.sequence, &node.path)).collect();
        if left.is_empty() {
            directed.effort.spared += below.len() as u64;
            return Hope::None;
        }
        if left.len() > MOST_WAYS {
            return Hope::Unknown;
        }
        let ahead = |way: &&&Way| {
            let after = way.conditions.iter().filter(|(place, _)| *place >= decided.len());
            after.map(|&(_, condition)| condition).collect()
        };
        Hope::Ways(left.iter().map(ahead).collect())
    }

    fn forecast_of(&mut self, node: &mut Node) -> Option<Rc<Forecast>> {
        if let Some(forecast) = &node.outlook.forecast {
            return Some(forecast.clone());
        }
        let directed = self.directed.as_ref()?;
        let guide = directed.guide();
        let left = directed.effort.left(self.totals.cut.states);
        let wanted = matches!(guide.prune, Prune::Sound)
            && left > 0
            && node.path.0.len() >= node.outlook.patience
            && guide.is_left_open(self.machine.program(), &node.state);
        if !wanted {
            return None;
        }
        let forecast = self.look_ahead(node, left).map(Rc::new);
        if forecast.is_none() {
            node.outlook.patience = node.path.0.len() + PATIENCE;
        }
        node.outlook.forecast = forecast.clone();
        forecast
    }

    /// Runs ahead, making so many states at most.
    fn look_ahead(&mut self, node: &Node, most: u64) -> Option<Forecast> {
        let start = node.path.0.len();
        let mut forecast =
            Forecast { start, ways: Vec::new(), sequences: FxHashSet::default(), matters: FxHashSet::default() };
        let mut pending: Vec<(Node, Vec<(usize, TermId)>)> = vec![(self.copy(node), Vec::new())];
        let mut made = 0;
        let mut whole = true;
        while let Some((mut node, mut conditions)) = pending.pop() {
            made += 1;
            whole &= forecast.may_go_on(made, most)
                && self.advance(&mut node, &mut conditions, &mut forecast, &mut pending).is_some();
            if !whole {
                break;
            }
        }
        if let Some(directed) = &mut self.directed {
            directed.effort.spent += made;
            if whole {
                directed.effort.spared += (forecast.ways.len() - forecast.sequences.len()) as u64;
            }
        }
        whole.then_some(forecast)
    }

    /// Runs a state ahead to its next decision or its end. `None` if what follows cannot be foreseen.
    fn advance(
        &mut self,
        node: &mut Node,
        conditions: &mut Vec<(usize, TermId)>,
        forecast: &mut Forecast,
        pending: &mut Vec<(Node, Vec<(usize, TermId)>)>,
    ) -> Option<()> {
        loop {
            let place = node.path.0.len() - forecast.start;
            match self.step(node) {
                Pause::Mark(_) => {}
                Pause::Yield => return None,
                Pause::Assume(condition) => {
                    forecast.matters.extend(self.machine.terms.support(condition).iter());
                    conditions.push((place, condition));
                    node.condition.push(&mut self.machine.terms, condition);
                    self.machine.answer(&mut node.state, 0);
                }
                Pause::Ended(end) => return self.foresee_end(node, &end, conditions, forecast),
                Pause::Fork(fork) => {
                    let guide = self.directed.as_ref()?.guide();
                    if !guide.is_ahead(self.machine.program(), &node.state) {
                        let sequence = node.state.sequence();
                        forecast.add(node, sequence.is_empty(), sequence.hash, conditions);
                        return Some(());
                    }
                    if self.is_relevant(&node.state) {
                        for &condition in &fork.choices {
                            forecast.matters.extend(self.machine.terms.support(condition).iter());
                        }
                    }
                    for (side, &condition) in fork.choices.iter().enumerate().rev() {
                        let terms = &mut self.machine.terms;
                        if terms.is_false(condition) || node.condition.denies(terms, condition) {
                            continue;
                        }
                        let mut ahead = self.copy(node);
                        self.take(&mut ahead, &fork, side as u32, false);
                        let mut conditions = conditions.clone();
                        conditions.push((place, condition));
                        pending.push((ahead, conditions));
                    }
                    return Some(());
                }
            }
        }
    }

    fn foresee_end(
        &mut self,
        node: &Node,
        end: &PathEnd,
        conditions: &[(usize, TermId)],
        forecast: &mut Forecast,
    ) -> Option<()> {
        if *end == PathEnd::Infeasible {
            return Some(());
        }
        let plain = record::end_of(&self.machine, end, None);
        if matches!(plain, End::Bound(_) | End::Unsupported { .. } | End::Unknown { .. }) {
            return None;
        }
        let sequence = record::sequence_of(&self.machine, &node.state, &plain);
        forecast.add(node, sequence.is_empty(), sequence.hash, conditions);
        Some(())
    }

    /// Whether some input of the state takes one of these ways; if so, the state's input is one. A state of which it was not known whether it exists is known to, then.
    fn can_be(&mut self, node: &mut Node, ways: &[Vec<TermId>]) -> bool {
        let terms = &self.machine.terms;
        if node.unasked.is_none()
            && ways.iter().any(|way| way.iter().all(|&condition| node.model.eval_bool(terms, condition)))
        {
            return true;
        }
        let terms = &mut self.machine.terms;
        let mut any = terms.bool(false);
        for way in ways {
            let mut all = terms.bool(true);
            for &condition in way {
                all = terms.and(all, condition);
            }
            any = terms.or(any, all);
        }
        let before = match &node.unasked {
            Some(question) => {
                any = terms.and(question.condition, any);
                &question.before
            }
            None => &node.condition,
        };
        if terms.is_false(any) {
            return false;
        }
        self.totals.asked += 1;
        node.asked += 1;
        match self.solver.check(terms, before, &node.model, any) {
            Answer::Sat(model) => {
                node.model = Rc::new(model);
                self.totals.cut.states += u64::from(node.unasked.take().is_some());
                true
            }
            Answer::Unsat => {
                if let Some(directed) = &mut self.directed {
                    directed.effort.spared += ways.len() as u64;
                }
                false
            }
            // Too hard all at once; then step by step.
            Answer::Unknown(_) => true,
        }
    }
}

impl Forecast {
    /// Whether to run further ahead. Where many ways have one sequence it pays, where each has its own it never will.
    fn may_go_on(&self, made: u64, most: u64) -> bool {
        let (ways, sequences) = (self.ways.len(), self.sequences.len());
        let pays = ways >= ENOUGH_WAYS && 2 * sequences <= ways;
        let in_vain = ways >= ENOUGH_WAYS && 8 * sequences > 7 * ways;
        !in_vain && made <= if pays { MOST } else { most }
    }

    fn add(&mut self, node: &Node, empty: bool, sequence: u128, conditions: &[(usize, TermId)]) {
        if !empty {
            let sides = node.path.0[self.start..].iter().map(|decision| decision.side).collect();
            self.sequences.insert(sequence);
            self.ways.push(Way { sides, sequence, conditions: conditions.into() });
        }
    }
}
