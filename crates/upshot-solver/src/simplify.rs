//! The first layer: what needs no thought. The condition is a constant, or the path says it, or its opposite, literally.

use crate::query::{Query, Verdict};

pub(crate) fn answer(query: &Query) -> Option<Verdict> {
    match query.terms.as_const(query.condition) {
        Some(0) => return Some(Verdict::Unsat),
        Some(_) => return Some(Verdict::Sat(query.model.clone())),
        None => {}
    }
    for constraint in query.path_constraints() {
        if constraint == query.condition {
            return Some(Verdict::Sat(query.model.clone()));
        }
        if constraint == query.negation {
            return Some(Verdict::Unsat);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use upshot_expr::{Assignment, IntPredicate, Terms};

    use super::*;
    use crate::path::PathCondition;

    #[test]
    fn what_the_path_says_is_answered() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 2);
        let (a, b) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
        let less = terms.compare(IntPredicate::Ult, a, b);
        let not_less = terms.not(less);
        let equal = terms.eq(a, b);
        let mut path = PathCondition::new();
        path.push(&mut terms, less);
        let mut model = Assignment::new();
        model.set(symbol, 1, 1);
        let mut ask = |condition| answer(&Query::new(&mut terms, &path, &model, condition, true));
        assert!(matches!(ask(less), Some(Verdict::Sat(_))));
        assert!(matches!(ask(not_less), Some(Verdict::Unsat)));
        assert!(ask(equal).is_none());
    }

    #[test]
    fn constants_are_answered() {
        let mut terms = Terms::new();
        let (truth, lie) = (terms.bool(true), terms.bool(false));
        let (path, model) = (PathCondition::new(), Assignment::new());
        assert!(matches!(answer(&Query::new(&mut terms, &path, &model, truth, true)), Some(Verdict::Sat(_))));
        assert!(matches!(answer(&Query::new(&mut terms, &path, &model, lie, true)), Some(Verdict::Unsat)));
    }
}
