//! Sums. A number read digit by digit is a sum of digits with weights; to give it a value, each digit is moved within its range, the one
//! with the largest weight first, until nothing is missing.

use upshot_expr::fold::{mask, signed};
use upshot_expr::{BinOp, Node, TermId, Terms};

use super::{Goal, Inversion};

/// Addends beyond which a sum is left alone.
const ADDENDS: usize = 64;

/// A term with its weight in a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Addend {
    term: TermId,
    weight: i128,
}

/// The unknown addends of a sum; `None` if the term is no sum of at least two.
fn addends(terms: &Terms, term: TermId) -> Option<Vec<Addend>> {
    let mut pending = vec![Addend { term, weight: 1 }];
    let mut found: Vec<Addend> = Vec::new();
    while let Some(Addend { term, weight }) = pending.pop() {
        let scaled = |term: TermId, factor: i128| Some(Addend { term, weight: weight.checked_mul(factor)? });
        match (terms.node(term), factor(terms, term)) {
            (Node::Bin(BinOp::Add, a, b), _) => pending.extend([scaled(b, 1)?, scaled(a, 1)?]),
            (Node::Bin(BinOp::Sub, a, b), _) => pending.extend([scaled(b, -1)?, scaled(a, 1)?]),
            (_, Some((inner, factor))) => pending.push(scaled(inner, factor)?),
            _ if terms.as_const(term).is_some() => {}
            _ => match found.iter_mut().find(|addend| addend.term == term) {
                Some(known) => known.weight = known.weight.checked_add(weight)?,
                None => found.push(Addend { term, weight }),
            },
        }
        if found.len() + pending.len() > ADDENDS {
            return None;
        }
    }
    found.retain(|addend| addend.weight != 0);
    (found.len() > 1).then_some(found)
}

/// A term as another one times a constant.
fn factor(terms: &Terms, term: TermId) -> Option<(TermId, i128)> {
    let width = terms.width(term);
    match terms.node(term) {
        Node::Bin(BinOp::Mul, a, b) => match (terms.as_const(a), terms.as_const(b)) {
            (Some(factor), None) => Some((b, signed(factor, width))),
            (None, Some(factor)) => Some((a, signed(factor, width))),
            _ => None,
        },
        Node::Bin(BinOp::Shl, a, b) => {
            let amount = terms.as_const(b).filter(|&amount| amount < u128::from(width) - 1 && amount < 120)?;
            Some((a, 1 << amount))
        }
        _ => None,
    }
}

/// Values of the addends that give the sum its value; `None` if it is not a sum, or moving digits does not do.
pub(super) fn distribute(inversion: &Inversion, term: TermId, target: u128) -> Option<Vec<Goal>> {
    let terms = inversion.terms;
    let width = terms.width(term);
    let mut addends = addends(terms, term)?;
    // Stable, so that addends of one weight stay in the order in which they occur.
    addends.sort_by_key(|addend| std::cmp::Reverse(addend.weight.unsigned_abs()));
    let missing = signed(target.wrapping_sub(inversion.value(term)) & mask(width), width);
    let digits: Vec<Digit> = addends.iter().map(|&addend| Digit::of(inversion, addend, width)).collect();
    let (mut start, mut rest) = (Vec::with_capacity(digits.len()), missing);
    for digit in &digits {
        // From the end of the range at which the sum is smallest.
        let end = if digit.weight > 0 { digit.least } else { digit.most };
        rest = rest.checked_add(digit.weight.checked_mul(digit.value.checked_sub(end)?)?)?;
        start.push(end);
    }
    let current = digits.iter().map(|digit| digit.value).collect();
    let values = moved(&digits, current, missing).or_else(|| moved(&digits, start, rest))?;
    let goals = digits.iter().zip(values).filter(|(digit, value)| digit.value != *value);
    Some(goals.map(|(digit, value)| (digit.term, value as u128 & mask(width))).collect())
}

/// An addend with its value now and the values that it can have.
struct Digit {
    term: TermId,
    weight: i128,
    value: i128,
    least: i128,
    most: i128,
}

impl Digit {
    fn of(inversion: &Inversion, Addend { term, weight }: Addend, width: u8) -> Digit {
        let value = signed(inversion.value(term), width);
        let range = inversion.facts.range(inversion.terms, term);
        Digit { term, weight, value, least: range.least.min(value), most: range.most.max(value) }
    }
}

/// The digits, each moved from where it starts as far as what is missing allows.
fn moved(digits: &[Digit], start: Vec<i128>, mut missing: i128) -> Option<Vec<i128>> {
    let mut values = start;
    for (digit, value) in digits.iter().zip(&mut values) {
        let wanted = value.checked_add(missing.checked_div(digit.weight)?)?.clamp(digit.least, digit.most);
        missing = missing.checked_sub(digit.weight.checked_mul(wanted.checked_sub(*value)?)?)?;
        *value = wanted;
    }
    (missing == 0).then_some(values)
}

#[cfg(test)]
mod tests {
    use upshot_expr::{Assignment, IntPredicate};

    use super::*;
    use crate::interval::Facts;
    use crate::repair::Preference;

    /// The value of three digits, with what is known of them.
    fn number(terms: &mut Terms) -> (TermId, Facts) {
        let symbol = terms.symbol("buf", 3);
        let mut facts = Facts::default();
        let mut value = terms.constant(32, 0);
        for offset in 0..3 {
            let byte = terms.byte(symbol, offset);
            for (predicate, end) in [(IntPredicate::Uge, b'0'), (IntPredicate::Ule, b'9')] {
                let end = terms.constant(8, u128::from(end));
                let constraint = terms.compare(predicate, byte, end);
                facts.assume(terms, constraint).expect("possible");
            }
            let (wide, ten, zero) = (terms.sext(byte, 32), terms.constant(32, 10), terms.constant(32, 48));
            let scaled = terms.mul(value, ten);
            let digit = terms.sub(wide, zero);
            value = terms.add(scaled, digit);
        }
        (value, facts)
    }

    #[test]
    fn every_number_of_three_digits_is_reached_from_any_other() {
        let mut terms = Terms::new();
        let (value, facts) = number(&mut terms);
        let symbol = terms.symbol("buf", 3);
        let mut input = Assignment::new();
        for (start, target) in [(0, 42), (190, 200), (999, 0), (500, 499), (123, 987), (99, 100)] {
            for (offset, digit) in format!("{start:03}").bytes().enumerate() {
                input.set(symbol, offset as u32, digit);
            }
            let inversion =
                Inversion { terms: &terms, input: &input, facts: &facts, preference: Preference::RaiseGreater };
            let goals = distribute(&inversion, value, target).expect("digits");
            let mut changed = input.clone();
            for (term, target) in goals {
                for (var, value) in inversion.changes_for(term, target).expect("a byte") {
                    changed.set(var.symbol, var.offset, value);
                }
            }
            assert_eq!(changed.eval(&terms, value), target, "from {start}");
        }
        let inversion = Inversion { terms: &terms, input: &input, facts: &facts, preference: Preference::RaiseGreater };
        assert!(distribute(&inversion, value, 1000).is_none());
    }
}
