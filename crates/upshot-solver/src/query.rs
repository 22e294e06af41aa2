//! One question on its way down the layers: the condition, the parts of the path that it shares input bytes with, and the
//! model that the state had. The rest of the path cannot matter, because the model satisfies it and no byte of it changes.

use std::cell::OnceCell;
use std::rc::Rc;

use upshot_expr::{Assignment, TermId, Terms, Var};

use crate::answer::{Answer, UnknownReason};
use crate::fingerprint::Fingerprint;
use crate::interval::Facts;
use crate::path::{Part, PathCondition};

/// What a layer concludes.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// Satisfies the constraints of the query and its condition.
    Sat(Assignment),
    Unsat,
    Unknown(UnknownReason),
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Answer {
        match verdict {
            Verdict::Sat(model) => Answer::Sat(model),
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

pub(crate) struct Query<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) model: &'a Assignment,
    pub(crate) condition: TermId,
    pub(crate) negation: TermId,
    /// Input bytes of the condition, sorted.
    pub(crate) support: Rc<[Var]>,
    pub(crate) parts: Vec<Rc<Part>>,
    /// Of the set of all constraints, the condition included.
    pub(crate) fingerprint: Fingerprint,
    /// What follows from all constraints, the condition included; set by the layer that finds out.
    pub(crate) facts: OnceCell<Facts>,
}

impl<'a> Query<'a> {
    /// The question restricted to what it depends on; with `independent` false, all of the path.
    pub(crate) fn new(
        terms: &'a mut Terms,
        path: &PathCondition,
        model: &'a Assignment,
        condition: TermId,
        independent: bool,
    ) -> Query<'a> {
        let support = terms.support(condition);
        let negation = terms.not(condition);
        let parts: Vec<Rc<Part>> = if independent {
            path.parts_of(&support).into_iter().cloned().collect()
        } else {
            path.parts().cloned().collect()
        };
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(condition);
        for part in &parts {
            fingerprint.add_all(part.fingerprint);
        }
        Query { terms, model, condition, negation, support, parts, fingerprint, facts: OnceCell::new() }
    }

    /// The constraints of the path, without the condition.
    pub(crate) fn path_constraints(&self) -> impl Iterator<Item = TermId> + '_ {
        self.parts.iter().flat_map(|part| part.terms())
    }

    /// The condition last: a layer that stops early does so after the path, which is shared with other questions.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = TermId> + '_ {
        self.path_constraints().chain([self.condition])
    }

    /// All input bytes that may change. A byte may come twice.
    pub(crate) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.parts.iter().flat_map(|part| part.vars.iter().copied()).chain(self.support.iter().copied())
    }

    /// Whether the assignment satisfies everything. The condition first: it is the one that usually fails.
    pub(crate) fn is_satisfied_by(&self, assignment: &Assignment) -> bool {
        assignment.eval_bool(self.terms, self.condition)
            && self.path_constraints().all(|constraint| assignment.eval_bool(self.terms, constraint))
    }

    /// The state's model with these bytes changed.
    pub(crate) fn changed_model(&self, bytes: impl IntoIterator<Item = (Var, u8)>) -> Assignment {
        let mut changed = self.model.clone();
        for (var, value) in bytes {
            if changed.byte(var.symbol, var.offset) != value {
                changed.set(var.symbol, var.offset, value);
            }
        }
        changed
    }
}
