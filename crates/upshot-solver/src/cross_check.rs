//! A second opinion on every answer: a Z3 that has never seen anything else is asked about the whole path, not only about the parts that
//! the layers looked at. It is the slow way to find a layer that is wrong, meant for tests.

use std::cell::OnceCell;

use upshot_expr::{Assignment, TermId, Terms};

use crate::options::{Limits, Options};
use crate::path::{Part, PathCondition};
use crate::query::{Query, Verdict};
use crate::smt::{Problem, SmtAnswer, SmtSolver, Z3};

/// What is true of one question.
pub(crate) struct Reference {
    constraints: Vec<TermId>,
    satisfiable: OnceCell<Option<bool>>,
}

impl Reference {
    pub(crate) fn new(path: &PathCondition, query: &Query) -> Reference {
        Reference { constraints: path.iter().chain([query.condition]).collect(), satisfiable: OnceCell::new() }
    }

    /// What is wrong with the verdict, if anything is.
    pub(crate) fn compare(&self, query: &Query, verdict: &Verdict) -> Result<(), String> {
        let satisfiable = *self.satisfiable.get_or_init(|| satisfiable(query.terms, &self.constraints));
        match (verdict, satisfiable) {
            (Verdict::Unsat, Some(true)) => Err("it says no, Z3 found a model".to_string()),
            (Verdict::Sat(_), Some(false)) => Err("it says yes, Z3 says no".to_string()),
            (Verdict::Sat(model), _) => evaluate(query.terms, &self.constraints, model),
            _ => Ok(()),
        }
    }
}

/// What is wrong with a solution of a part, if anything is.
pub(crate) fn compare_part(terms: &Terms, part: &Part, solution: Option<&Assignment>) -> Result<(), String> {
    let constraints: Vec<TermId> = part.terms().collect();
    match solution {
        Some(input) => evaluate(terms, &constraints, input),
        None if satisfiable(terms, &constraints) == Some(true) => Err("no solution, but Z3 found one".to_string()),
        None => Ok(()),
    }
}

fn evaluate(terms: &Terms, constraints: &[TermId], input: &Assignment) -> Result<(), String> {
    // A copy remembers no values.
    let input = input.clone();
    match constraints.iter().find(|&&constraint| !input.eval_bool(terms, constraint)) {
        Some(&broken) => Err(format!("its model does not satisfy {}", terms.display(broken))),
        None => Ok(()),
    }
}

/// `None` if Z3 does not know.
fn satisfiable(terms: &Terms, constraints: &[TermId]) -> Option<bool> {
    let limits = Limits::start(&Options::default());
    let mut z3 = Z3::new(None).ok()?;
    match z3.solve(&Problem::new(terms, constraints.iter().copied()), &limits) {
        SmtAnswer::Sat(_) => Some(true),
        SmtAnswer::Unsat => Some(false),
        SmtAnswer::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use upshot_expr::IntPredicate;

    use super::*;

    #[test]
    fn a_wrong_answer_is_noticed() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 1);
        let (byte, ten) = (terms.byte(symbol, 0), terms.constant(8, 10));
        let condition = terms.compare(IntPredicate::Ugt, byte, ten);
        let (path, model) = (PathCondition::new(), Assignment::new());
        let query = Query::new(&mut terms, &path, &model, condition, true);
        let reference = Reference::new(&path, &query);
        assert!(reference.compare(&query, &Verdict::Unsat).is_err());
        assert!(reference.compare(&query, &Verdict::Sat(Assignment::new())).is_err());
        let mut right = Assignment::new();
        right.set(symbol, 0, 11);
        assert!(reference.compare(&query, &Verdict::Sat(right)).is_ok());
    }
}
