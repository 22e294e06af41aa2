//! Sides of decisions that nobody has asked about yet.
//!
//! A side that the state's own input does not show costs a question, and most sides of unimpacted decisions lead to where nothing new can follow. So the question waits: the side is run as
//! if it existed, up to its next decision or its end. If it is given up there, it did not matter whether it exists; else the question is put then. Nothing is reported
//! of a state before it has been answered.

use upshot_exec::PathEnd;
use upshot_expr::TermId;
use upshot_solver::{Answer, PathCondition};

use super::Prune;
use crate::record::{self, End};
use crate::worker::{Node, Worker};

/// What is to be asked about a state: can this hold in addition?
pub(crate) struct Unasked {
    pub before: PathCondition,
    pub condition: TermId,
}

impl Worker<'_> {
    /// Whether questions wait. A bound on the depth counts decisions that leave a choice, which is not known before they are asked about.
    pub(crate) fn defers(&self) -> bool {
        let sound = self.config.guide.as_ref().is_some_and(|guide| matches!(guide.prune, Prune::Sound));
        sound && self.config.max_depth.is_none()
    }

    /// The state, if some input takes its path.
    pub(crate) fn confirm(&mut self, mut node: Node) -> Option<Node> {
        let Some(question) = node.unasked.take() else { return Some(node) };
        self.totals.asked += 1;
        node.asked += 1;
        let terms = &mut self.machine.terms;
        match self.solver.check(terms, &question.before, &node.model, question.condition) {
            Answer::Sat(model) => {
                node.model = model.into();
                self.totals.cut.states += 1;
                Some(node)
            }
            Answer::Unsat => {
                self.totals.cut.infeasible += 1;
                self.machine.abandon(&node.state);
                None
            }
            Answer::Unknown(why) => {
                let location = self.machine.location(&node.state);
                self.totals.cut.states += 1;
                self.finish(node, PathEnd::Unknown { why: why.to_string(), location });
                None
            }
        }
    }

    /// Gives a state up.
    pub(crate) fn give_up(&mut self, node: &Node) {
        // One that was made, though nobody knows whether it exists; others are counted already.
        self.totals.cut.states += u64::from(node.unasked.is_some());
        self.machine.abandon(&node.state);
    }

    /// Whether the end of a path would be of no interest, or is known from an earlier path.
    pub(crate) fn is_old(&mut self, node: &Node, end: &PathEnd) -> bool {
        let plain = record::end_of(&self.machine, end, None);
        if matches!(plain, End::Bound(_) | End::Unsupported { .. } | End::Unknown { .. }) {
            return false;
        }
        let sequence = record::sequence_of(&self.machine, &node.state, &plain);
        if sequence.is_empty() {
            self.totals.cut.untouched += 1;
            return true;
        }
        let known = self.directed.as_ref().is_some_and(|directed| directed.has_before(sequence.hash, &node.path));
        self.totals.cut.repeated += u64::from(known);
        known
    }
}
