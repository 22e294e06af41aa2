//! Floats. An operation is undone by its inverse, which rounding may miss by a little; for the comparisons that programs make, a value
//! near enough usually does, and whatever is found is evaluated anyway. Solving floats exactly takes Z3 seconds.

use rustc_hash::FxHashSet;
use upshot_expr::fold::{self, mask};
use upshot_expr::{FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, Node, TermId, Terms};

use super::{Goal, Inversion, Preference};

/// What operands must be for a node of float arithmetic, or a comparison of floats, to be `target`.
pub(super) fn push_down(inversion: &Inversion, term: TermId, target: u128) -> Option<Goal> {
    match inversion.terms.node(term) {
        Node::FloatLt(format, a, b) => compare(inversion, format, a, b, target != 0),
        // Not below or equal: the second is below the first.
        Node::FloatLe(format, a, b) if target == 0 => compare(inversion, format, b, a, true),
        Node::FloatLe(format, a, b) => compare(inversion, format, b, a, false),
        Node::FloatEq(format, a, b) => equal(inversion, format, a, b, target != 0),
        Node::FloatIsNan(format, a) => Some((a, if target != 0 { nan(format) } else { one(format) })),
        Node::FloatBin(op, format, a, b) => binary(inversion, op, format, a, b, target),
        Node::FloatUn(FloatUnOp::Sqrt, format, a) => {
            number(format, a, fold::float_bin(FloatBinOp::Mul, format, target, target))
        }
        Node::FloatUn(_, format, a) => number(format, a, target),
        Node::FloatFma(format, a, b, c) => {
            let (factor, addend) = (inversion.value(b), inversion.value(c));
            let product = fold::float_bin(FloatBinOp::Sub, format, target, addend);
            number(format, a, fold::float_bin(FloatBinOp::Div, format, product, factor))
        }
        Node::FloatCast { from, to, term: a } => number(from, a, fold::float_cast(to, from, target)),
        Node::FloatToInt { from, signed, term: a } => {
            let width = inversion.terms.width(term);
            number(from, a, fold::int_to_float(signed, from, width, target))
        }
        Node::IntToFloat { signed, to, term: a } => {
            let width = inversion.terms.width(a);
            Some((a, fold::float_to_int(to, signed, width, target) & mask(width)))
        }
        _ => None,
    }
}

/// A goal, unless it is a NaN: no inverse leads through one.
fn number(format: FloatFormat, term: TermId, bits: u128) -> Option<Goal> {
    (!fold::float_is_nan(format, bits)).then_some((term, bits))
}

fn one(format: FloatFormat) -> u128 {
    fold::int_to_float(false, format, 8, 1)
}

/// Zero divided by zero.
fn nan(format: FloatFormat) -> u128 {
    fold::float_bin(FloatBinOp::Div, format, 0, 0)
}

fn is_below(format: FloatFormat, a: u128, b: u128) -> bool {
    fold::float_compare(FloatPredicate(4), format, a, b)
}

/// A number above or below another: by one, or, if that is asked for or rounds away, the next one.
fn neighbour(inversion: &Inversion, format: FloatFormat, bits: u128, above: bool) -> Option<u128> {
    let op = if above { FloatBinOp::Add } else { FloatBinOp::Sub };
    let far = fold::float_bin(op, format, bits, one(format));
    let moved = if above { is_below(format, bits, far) } else { is_below(format, far, bits) };
    if moved && inversion.preference == Preference::RaiseGreater {
        return Some(far);
    }
    next(format, bits, above)
}

/// The next number of the format. Within one sign, the order of floats is the order of their bits.
fn next(format: FloatFormat, bits: u128, above: bool) -> Option<u128> {
    if format == FloatFormat::X87 || fold::float_is_nan(format, bits) {
        return None;
    }
    let sign = 1u128 << (format.width() - 1);
    let (negative, magnitude) = (bits & sign != 0, bits & !sign);
    let next = match (magnitude, negative == above) {
        (0, _) => (if above { 0 } else { sign }) | 1,
        (_, true) => bits - 1,
        (_, false) => bits + 1,
    };
    number_bits(format, next)
}

fn number_bits(format: FloatFormat, bits: u128) -> Option<u128> {
    (!fold::float_is_nan(format, bits)).then_some(bits)
}

/// `a < b` if `less`, else `b <= a`.
fn compare(inversion: &Inversion, format: FloatFormat, a: TermId, b: TermId, less: bool) -> Option<Goal> {
    let (left, right) = (inversion.value(a), inversion.value(b));
    let goal = |term: TermId, bits: Option<u128>| {
        bits.filter(|_| !inversion.is_constant(term)).and_then(|bits| number(format, term, bits))
    };
    let (raised, lowered) = if less {
        (goal(b, neighbour(inversion, format, left, true)), goal(a, neighbour(inversion, format, right, false)))
    } else {
        (goal(a, Some(right)), goal(b, Some(left)))
    };
    match inversion.preference {
        Preference::RaiseGreater => raised.or(lowered),
        Preference::LowerLesser => lowered.or(raised),
    }
}

fn equal(inversion: &Inversion, format: FloatFormat, a: TermId, b: TermId, equal: bool) -> Option<Goal> {
    let (changed, other) = if inversion.is_constant(a) { (b, a) } else { (a, b) };
    let bits = inversion.value(other);
    number(format, changed, if equal { bits } else { neighbour(inversion, format, bits, true)? })
}

fn binary(
    inversion: &Inversion,
    op: FloatBinOp,
    format: FloatFormat,
    a: TermId,
    b: TermId,
    target: u128,
) -> Option<Goal> {
    let (left, right) = (inversion.value(a), inversion.value(b));
    let first = !inversion.is_constant(a);
    let by = |op, x, y| fold::float_bin(op, format, x, y);
    let (changed, bits) = match op {
        FloatBinOp::Add if first => (a, by(FloatBinOp::Sub, target, right)),
        FloatBinOp::Add => (b, by(FloatBinOp::Sub, target, left)),
        FloatBinOp::Sub if first => (a, by(FloatBinOp::Add, target, right)),
        FloatBinOp::Sub => (b, by(FloatBinOp::Sub, left, target)),
        // A square.
        FloatBinOp::Mul if a == b => (a, fold::float_un(FloatUnOp::Sqrt, format, target)),
        FloatBinOp::Mul if first => (a, by(FloatBinOp::Div, target, right)),
        FloatBinOp::Mul => (b, by(FloatBinOp::Div, target, left)),
        FloatBinOp::Div if first => (a, by(FloatBinOp::Mul, target, right)),
        FloatBinOp::Div => (b, by(FloatBinOp::Div, left, target)),
        _ => return None,
    };
    number(format, changed, bits)
}

/// Terms looked at for floats in the input.
const VISITED: usize = 512;

/// Floats of the input that special values are tried for.
const INPUTS: usize = 4;

/// Terms of the input that are read as floats: those that a float operation takes, and that are bytes put together.
fn inputs(terms: &Terms, constraints: &[TermId]) -> Vec<(TermId, FloatFormat)> {
    let (mut pending, mut seen) = (constraints.to_vec(), FxHashSet::default());
    pending.reverse();
    let mut found: Vec<(TermId, FloatFormat)> = Vec::new();
    while let Some(term) = pending.pop() {
        if seen.len() > VISITED || !seen.insert(term) {
            continue;
        }
        let node = terms.node(term);
        for operand in node.operands() {
            match format_of_operands(node) {
                Some(format) if matches!(terms.node(operand), Node::Concat(..)) => {
                    if !found.contains(&(operand, format)) && found.len() < INPUTS {
                        found.push((operand, format));
                    }
                }
                _ => pending.push(operand),
            }
        }
    }
    found
}

fn format_of_operands(node: Node) -> Option<FloatFormat> {
    match node {
        Node::FloatBin(_, format, ..)
        | Node::FloatUn(_, format, _)
        | Node::FloatFma(format, ..)
        | Node::FloatEq(format, ..)
        | Node::FloatLt(format, ..)
        | Node::FloatLe(format, ..)
        | Node::FloatIsNan(format, _) => Some(format),
        Node::FloatCast { from, .. } | Node::FloatToInt { from, .. } => Some(from),
        _ => None,
    }
}

/// Goals that make an input a special number: those for which arithmetic does what it does for no other.
pub(super) fn special_goals(terms: &Terms, constraints: &[TermId]) -> Vec<Goal> {
    let specials = [1.0, -1.0, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -0.0];
    let of_input = |(term, format)| {
        specials.map(|value: f64| (term, fold::float_cast(FloatFormat::F64, format, u128::from(value.to_bits()))))
    };
    inputs(terms, constraints).into_iter().flat_map(of_input).collect()
}

#[cfg(test)]
mod tests {
    use upshot_expr::Assignment;

    use super::*;
    use crate::interval::Facts;
    use crate::repair::repaired;

    fn bits(value: f64) -> u128 {
        u128::from(value.to_bits())
    }

    fn double(terms: &mut Terms) -> TermId {
        let symbol = terms.symbol("d", 8);
        let first = terms.byte(symbol, 0);
        (1..8).fold(first, |low, offset| {
            let byte = terms.byte(symbol, offset);
            terms.concat(byte, low)
        })
    }

    #[test]
    fn inequalities_of_doubles_are_met() {
        let mut terms = Terms::new();
        let d = double(&mut terms);
        let (low, high) = (terms.constant(64, bits(1.5)), terms.constant(64, bits(1.6)));
        let square = terms.float_bin(FloatBinOp::Mul, FloatFormat::F64, d, d);
        let limit = terms.constant(64, bits(2.3));
        let constraints = [
            terms.float_compare(FloatPredicate(2), FloatFormat::F64, d, low),
            terms.float_compare(FloatPredicate(4), FloatFormat::F64, d, high),
            terms.float_compare(FloatPredicate(4), FloatFormat::F64, square, limit),
        ];
        let found = repaired(&terms, &constraints, &Facts::default(), &Assignment::new()).expect("a double");
        let value = f64::from_bits(found.eval(&terms, d) as u64);
        assert!(value > 1.5 && value * value < 2.3);
    }

    #[test]
    fn a_number_that_one_cannot_be_added_to_is_found() {
        let mut terms = Terms::new();
        let d = double(&mut terms);
        let one = terms.constant(64, bits(1.0));
        let sum = terms.float_bin(FloatBinOp::Add, FloatFormat::F64, d, one);
        let same = terms.float_compare(FloatPredicate(1), FloatFormat::F64, sum, d);
        let found = repaired(&terms, &[same], &Facts::default(), &Assignment::new()).expect("a double");
        let value = f64::from_bits(found.eval(&terms, d) as u64);
        assert!(value + 1.0 == value);
    }

    #[test]
    fn the_next_number_is_the_next() {
        for value in [0.0f64, 1.0, -1.0, 1e300, -5e-324, 5e-324, f64::MAX] {
            let up = next(FloatFormat::F64, bits(value), true).map(|bits| f64::from_bits(bits as u64));
            let down = next(FloatFormat::F64, bits(value), false).map(|bits| f64::from_bits(bits as u64));
            assert_eq!((up, down), (Some(value.next_up()), Some(value.next_down())));
        }
        assert_eq!(next(FloatFormat::F64, bits(f64::INFINITY), true), None);
    }
}
