//! The layer that decides by ranges. If the condition leaves no value for some term, it cannot hold. Otherwise the ranges suggest an
//! input: the state's model, with each byte that lies outside its range moved to the nearest end. That input is often right, and
//! evaluating it costs next to nothing.

use upshot_expr::{Node, Var};

use super::facts::{Contradiction, Facts};
use crate::query::{Query, Verdict};

pub(crate) fn answer(query: &Query) -> Option<Verdict> {
    let facts = match assumed(query) {
        Ok(facts) => facts,
        Err(Contradiction) => return Some(Verdict::Unsat),
    };
    let candidate = query.changed_model(moved_into_range(query, &facts));
    let answer = query.is_satisfied_by(&candidate).then_some(Verdict::Sat(candidate));
    if answer.is_none() {
        let _ = query.facts.set(facts);
    }
    answer
}

/// The facts of the query's parts and its condition.
fn assumed(query: &Query) -> Result<Facts, Contradiction> {
    let mut parts = query.parts.iter();
    let mut facts = match parts.next() {
        Some(first) => {
            let facts = first.facts(query.terms)?;
            if query.parts.len() == 1 && facts.range(query.terms, query.condition).as_bool() == Some(false) {
                return Err(Contradiction);
            }
            facts.copied()
        }
        None => Facts::default(),
    };
    for part in parts {
        facts.extend(part.facts(query.terms)?.as_ref());
    }
    facts.assume(query.terms, query.condition)?;
    Ok(facts)
}

fn moved_into_range<'a>(query: &'a Query, facts: &'a Facts) -> impl Iterator<Item = (Var, u8)> + 'a {
    facts.order().iter().filter_map(|&term| {
        let Node::Byte { symbol, offset } = query.terms.node(term) else { return None };
        let range = facts.known(term)?;
        let value = query.model.byte(symbol, offset);
        let inside = range.contains(u128::from(value));
        let moved = if u128::from(value) < range.low { range.low } else { range.high };
        (!inside).then_some((Var { symbol, offset }, moved as u8))
    })
}

#[cfg(test)]
mod tests {
    use upshot_expr::{Assignment, IntPredicate, Terms};

    use super::*;
    use crate::path::PathCondition;

    #[test]
    fn a_condition_out_of_range_is_refuted_and_one_in_range_is_met() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 1);
        let byte = terms.byte(symbol, 0);
        let mut compare = |predicate, value| {
            let value = terms.constant(8, value);
            terms.compare(predicate, byte, value)
        };
        let (digit, not_above) = (compare(IntPredicate::Uge, 48), compare(IntPredicate::Ule, 57));
        let (letter, five) = (compare(IntPredicate::Uge, 65), compare(IntPredicate::Ugt, 52));
        let mut path = PathCondition::new();
        path.push(&mut terms, digit);
        path.push(&mut terms, not_above);
        let mut model = Assignment::new();
        model.set(symbol, 0, 48);
        assert!(matches!(answer(&Query::new(&mut terms, &path, &model, letter, true)), Some(Verdict::Unsat)));
        match answer(&Query::new(&mut terms, &path, &model, five, true)) {
            Some(Verdict::Sat(input)) => assert_eq!(input.byte(symbol, 0), 53),
            other => panic!("{other:?}"),
        }
    }
}
