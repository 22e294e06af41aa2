//! The state's own model, tried on the question. At a decision it satisfies one side for certain, since it satisfies the path; so
//! evaluating answers at least one of the questions that a decision asks, and no solver is ever asked about that side.

use crate::query::{Query, Verdict};

pub(crate) fn answer(query: &Query) -> Option<Verdict> {
    query.model.eval_bool(query.terms, query.condition).then(|| Verdict::Sat(query.model.clone()))
}

#[cfg(test)]
mod tests {
    use upshot_expr::{Assignment, IntPredicate, Terms};

    use super::*;
    use crate::path::PathCondition;

    #[test]
    fn the_model_answers_for_the_side_it_takes_and_for_no_other() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 1);
        let (byte, ten) = (terms.byte(symbol, 0), terms.constant(8, 10));
        let (small, large) = (terms.compare(IntPredicate::Ult, byte, ten), terms.compare(IntPredicate::Uge, byte, ten));
        let (path, mut model) = (PathCondition::new(), Assignment::new());
        model.set(symbol, 0, 200);
        assert!(answer(&Query::new(&mut terms, &path, &model, small, true)).is_none());
        match answer(&Query::new(&mut terms, &path, &model, large, true)) {
            Some(Verdict::Sat(input)) => assert_eq!(input.byte(symbol, 0), 200),
            other => panic!("{other:?}"),
        }
    }
}
