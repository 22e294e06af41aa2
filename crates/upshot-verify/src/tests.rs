//! Tests of an existing suite that go with a pair of states.
//!
//! They decide nothing. Where a pair splits, each test goes with the side that its values take, and pairs that have tests come first; so what the suite takes is
//! compared before what no test takes. Where the values satisfy the whole condition of a side, which is evaluated and not believed, the side exists, and nobody has to be asked.
//! The partitions and what is said of them depend on conditions alone, so they are the same without tests, unless the solver gives up.

use std::sync::Arc;

use upshot_exec::{Fork, Machine, State};
use upshot_explore::{Follower, Seed};
use upshot_expr::{Assignment, TermId, Terms};
use upshot_solver::PathCondition;

/// Those that take the same way so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tests(Vec<Follower>);

impl Tests {
    pub fn new(seeds: &[Arc<Seed>]) -> Self {
        Tests(seeds.iter().enumerate().map(|(number, seed)| Follower::new(number, seed.clone())).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn seeds(&self) -> Vec<Arc<Seed>> {
        self.0.iter().map(Follower::seed).collect()
    }

    /// Gives values to inputs that have come up in the version that runs.
    pub fn take_in(&mut self, state: &State) {
        self.0.iter_mut().for_each(|test| test.take_in(state));
    }

    /// The other version begins, with inputs that the tests have values for and others.
    pub fn begin_again(&mut self) {
        self.0.iter_mut().for_each(Follower::begin_again);
    }

    /// Those whose values satisfy all of some conditions.
    pub fn keep(&mut self, terms: &Terms, conditions: &[TermId]) {
        self.0.retain(|test| conditions.iter().all(|&condition| test.values.eval_bool(terms, condition)));
    }

    /// The tests by the side of a decision that they take. One that meets the condition of none is left behind.
    pub fn sides(mut self, machine: &Machine<'_>, state: &State, fork: &Fork) -> Vec<Tests> {
        let mut sides = vec![Tests::default(); fork.choices.len()];
        self.take_in(state);
        for mut test in self.0 {
            if let (side, true) = test.side(machine, state, fork) {
                sides[side as usize].0.push(test);
            }
        }
        sides
    }

    /// Values that satisfy a path condition, and one more: an input that is known without a question.
    pub fn model(&self, terms: &Terms, path: &PathCondition, condition: TermId) -> Option<Assignment> {
        let holds =
            |values: &Assignment| path.iter().chain([condition]).all(|condition| values.eval_bool(terms, condition));
        self.0.iter().map(|test| &test.values).find(|values| holds(values)).cloned()
    }
}
