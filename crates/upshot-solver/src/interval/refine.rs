//! What a known range of a result says about the operands: the inverse of [`transfer`](super::transfer). A rule may say less than could
//! be said, never more; where an operation can wrap around, only what holds in all cases is concluded.

use upshot_expr::fold::mask;
use upshot_expr::{BinOp, Node, TermId, Terms};

use super::range::{Range, highest, lowest};

/// Ranges of operands that follow from `result`, the range of `term`. `None`: there is no such value.
pub(crate) fn backward(
    terms: &Terms,
    term: TermId,
    result: Range,
    range_of: impl Fn(TermId) -> Range,
    found: &mut Vec<(TermId, Range)>,
) -> Option<()> {
    match terms.node(term) {
        Node::Not(a) => found.push((a, not(result))),
        Node::Eq(a, b) => match result.as_bool() {
            Some(true) => found.extend([(a, range_of(b)), (b, range_of(a))]),
            Some(false) => different(a, b, range_of(a), range_of(b), found)?,
            None => {}
        },
        Node::Ult(a, b) => less(result, a, b, range_of(a), range_of(b), found, unsigned_less)?,
        Node::Ule(a, b) => less(opposite(result), b, a, range_of(b), range_of(a), found, unsigned_less)?,
        Node::Slt(a, b) => less(result, a, b, range_of(a), range_of(b), found, signed_less)?,
        Node::Sle(a, b) => less(opposite(result), b, a, range_of(b), range_of(a), found, signed_less)?,
        Node::Ite(condition, a, b) => choice(condition, a, b, result, &range_of, found)?,
        Node::ZExt(a) => {
            let width = terms.width(a);
            let high = result.high.min(mask(width));
            if result.low > high {
                return None;
            }
            found.push((a, Range::unsigned(width, result.low, high)));
        }
        Node::SExt(a) => {
            let width = terms.width(a);
            let (least, most) = (result.least.max(lowest(width)), result.most.min(highest(width)));
            if least > most {
                return None;
            }
            found.push((a, Range::signed(width, least, most)));
        }
        Node::Extract { term: a, low } => found.extend(extract(a, range_of(a), low, result)),
        Node::Concat(high, low) => concat(terms, high, low, result, found),
        Node::Bin(op, a, b) => binary(op, a, b, range_of(a), range_of(b), result, found),
        _ => {}
    }
    Some(())
}

fn not(a: Range) -> Range {
    let all = mask(a.width);
    Range { width: a.width, low: all - a.high, high: all - a.low, least: !a.most, most: !a.least }
}

/// The range of the negation of a truth value.
fn opposite(truth: Range) -> Range {
    not(truth)
}

type Found = Vec<(TermId, Range)>;

fn different(a: TermId, b: TermId, left: Range, right: Range, found: &mut Found) -> Option<()> {
    if let Some(value) = right.as_constant() {
        found.push((a, left.without(value)?));
    }
    if let Some(value) = left.as_constant() {
        found.push((b, right.without(value)?));
    }
    Some(())
}

/// Ranges of `a` and `b` with `a < b` (first), or `b <= a`.
type Compared = fn(bool, Range, Range) -> Option<(Range, Range)>;

fn less(
    result: Range,
    a: TermId,
    b: TermId,
    left: Range,
    right: Range,
    found: &mut Found,
    compared: Compared,
) -> Option<()> {
    if let Some(truth) = result.as_bool() {
        let (left, right) = compared(truth, left, right)?;
        found.extend([(a, left), (b, right)]);
    }
    Some(())
}

fn unsigned_less(truth: bool, a: Range, b: Range) -> Option<(Range, Range)> {
    let width = a.width;
    if truth {
        let (high, low) = (b.high.checked_sub(1)?, a.low.checked_add(1).filter(|&low| low <= mask(width))?);
        Some((Range::unsigned(width, 0, high), Range::unsigned(width, low, mask(width))))
    } else {
        Some((Range::unsigned(width, b.low, mask(width)), Range::unsigned(width, 0, a.high)))
    }
}

fn signed_less(truth: bool, a: Range, b: Range) -> Option<(Range, Range)> {
    let (width, first, last) = (a.width, lowest(a.width), highest(a.width));
    if truth {
        let most = b.most.checked_sub(1).filter(|&most| most >= first)?;
        let least = a.least.checked_add(1).filter(|&least| least <= last)?;
        Some((Range::signed(width, first, most), Range::signed(width, least, last)))
    } else {
        Some((Range::signed(width, b.least, last), Range::signed(width, first, a.most)))
    }
}

/// A branch that cannot give the result is not taken; the one that is has the result.
fn choice(
    condition: TermId,
    a: TermId,
    b: TermId,
    result: Range,
    range_of: impl Fn(TermId) -> Range,
    found: &mut Found,
) -> Option<()> {
    let taken = range_of(condition).as_bool();
    let first = taken != Some(false) && range_of(a).intersect(result).is_some();
    let second = taken != Some(true) && range_of(b).intersect(result).is_some();
    match (first, second) {
        (true, true) => {}
        (true, false) => found.extend([(condition, Range::truth(true)), (a, result)]),
        (false, true) => found.extend([(condition, Range::truth(false)), (b, result)]),
        (false, false) => return None,
    }
    Some(())
}

/// If the bits above those extracted are fixed, the whole lies between.
fn extract(a: TermId, whole: Range, low: u8, result: Range) -> Option<(TermId, Range)> {
    let top = u32::from(low) + u32::from(result.width);
    let above = |value: u128| value.checked_shr(top).unwrap_or(0);
    if above(whole.low) != above(whole.high) {
        return None;
    }
    let prefix = above(whole.low).checked_shl(top).unwrap_or(0);
    let (first, last) = (prefix | result.low << low, prefix | result.high << low | mask(low));
    Some((a, Range::unsigned(whole.width, first, last)))
}

fn concat(terms: &Terms, high: TermId, low: TermId, result: Range, found: &mut Found) {
    let (upper, lower) = (terms.width(high), terms.width(low));
    let (first, last) = (result.low >> lower, result.high >> lower);
    let signed = Range::signed(upper, result.least >> lower, result.most >> lower);
    found.push((high, Range::unsigned(upper, first, last).and(signed)));
    if first == last {
        found.push((low, Range::unsigned(lower, result.low & mask(lower), result.high & mask(lower))));
    }
}

fn binary(op: BinOp, a: TermId, b: TermId, left: Range, right: Range, result: Range, found: &mut Found) {
    match op {
        BinOp::Add => {
            found.extend(difference(result, right).map(|range| (a, range)));
            found.extend(difference(result, left).map(|range| (b, range)));
        }
        BinOp::Sub => {
            found.extend(sum(result, right).map(|range| (a, range)));
            found.extend(difference(left, result).map(|range| (b, range)));
        }
        BinOp::Mul => {
            found.extend(quotient(left, right, result).map(|range| (a, range)));
            found.extend(quotient(right, left, result).map(|range| (b, range)));
        }
        BinOp::UDiv => found.extend(dividend(right, result).map(|range| (a, range))),
        BinOp::LShr => found.extend(unshifted(right, result).map(|range| (a, range))),
        BinOp::Shl => found.extend(shifted_back(left, right, result).map(|range| (a, range))),
        BinOp::And if result.width == 1 && result.as_bool() == Some(true) => found.extend([(a, result), (b, result)]),
        // A bitwise *and* is at most each operand, so each operand is at least it.
        BinOp::And => {
            found.extend([a, b].map(|term| (term, Range::unsigned(result.width, result.low, mask(result.width)))))
        }
        BinOp::Or => {
            let below = Range::unsigned(result.width, 0, result.high);
            found.extend([(a, below), (b, below)]);
            if result.width == 1 && result.as_bool() == Some(true) {
                found.extend((left.as_bool() == Some(false)).then_some((b, result)));
                found.extend((right.as_bool() == Some(false)).then_some((a, result)));
            }
        }
        BinOp::Xor if result.width == 1 => {
            if let Some(known) = result.as_bool() {
                found.extend(right.as_bool().map(|other| (a, Range::truth(known != other))));
                found.extend(left.as_bool().map(|other| (b, Range::truth(known != other))));
            }
        }
        _ => {}
    }
}

/// The values `x - y`, modulo the width. Where the interval wraps around as a whole it is one piece again; where it straddles the
/// end, nothing is said.
fn difference(x: Range, y: Range) -> Option<Range> {
    let (width, all) = (x.width, mask(x.width));
    // How many values there are must be below 2^width, or every value is possible.
    let count = (x.high - x.low).checked_add(y.high - y.low)?;
    let (first, last) = (x.low.wrapping_sub(y.high) & all, x.high.wrapping_sub(y.low) & all);
    let unsigned = (count < all && first <= last).then(|| Range::unsigned(width, first, last));
    let signed_bounds = x.least.checked_sub(y.most).zip(x.most.checked_sub(y.least));
    joined(width, unsigned, signed_bounds)
}

/// The values `x + y`, modulo the width.
fn sum(x: Range, y: Range) -> Option<Range> {
    let (width, all) = (x.width, mask(x.width));
    let count = (x.high - x.low).checked_add(y.high - y.low)?;
    let (first, last) = (x.low.wrapping_add(y.low) & all, x.high.wrapping_add(y.high) & all);
    let unsigned = (count < all && first <= last).then(|| Range::unsigned(width, first, last));
    let signed_bounds = x.least.checked_add(y.least).zip(x.most.checked_add(y.most));
    joined(width, unsigned, signed_bounds)
}

/// Signed bounds hold if nothing in them is out of range: then no value wrapped.
fn joined(width: u8, unsigned: Option<Range>, signed: Option<(i128, i128)>) -> Option<Range> {
    let signed = signed
        .filter(|&(least, most)| lowest(width) <= least && most <= highest(width))
        .map(|(least, most)| Range::signed(width, least, most));
    match (unsigned, signed) {
        (Some(unsigned), Some(signed)) => Some(unsigned.and(signed)),
        (unsigned, signed) => unsigned.or(signed),
    }
}

/// A factor from a product that does not wrap, and the other factor, a constant above zero.
fn quotient(factor: Range, other: Range, product: Range) -> Option<Range> {
    let constant = other.as_constant().filter(|&constant| constant > 0)?;
    let width = factor.width;
    if factor.high.checked_mul(constant).is_some_and(|largest| largest <= mask(width)) {
        let (low, high) = (product.low.div_ceil(constant), product.high / constant);
        return (low <= high).then(|| Range::unsigned(width, low, high));
    }
    let constant = i128::try_from(constant).ok().filter(|&constant| constant <= highest(width))?;
    let fits = |end: i128| end.checked_mul(constant).is_some_and(|end| lowest(width) <= end && end <= highest(width));
    if !fits(factor.least) || !fits(factor.most) {
        return None;
    }
    let least = product.least.div_euclid(constant) + i128::from(product.least.rem_euclid(constant) != 0);
    let most = product.most.div_euclid(constant);
    (least <= most).then(|| Range::signed(width, least, most))
}

/// What was divided by a constant above zero.
fn dividend(divisor: Range, quotient: Range) -> Option<Range> {
    let constant = divisor.as_constant().filter(|&constant| constant > 0)?;
    let all = mask(divisor.width);
    let low = quotient.low.checked_mul(constant).filter(|&low| low <= all)?;
    let high = quotient.high.checked_mul(constant).and_then(|high| high.checked_add(constant - 1));
    Some(Range::unsigned(divisor.width, low, high.unwrap_or(all).min(all)))
}

/// What was shifted right by a constant.
fn unshifted(amount: Range, result: Range) -> Option<Range> {
    let width = result.width;
    let amount = amount.as_constant().filter(|&amount| amount < u128::from(width))? as u32;
    let fits = result.high <= mask(width) >> amount;
    let low = (result.low <= mask(width) >> amount).then(|| result.low << amount)?;
    let high = if fits { result.high << amount | mask(amount as u8) } else { mask(width) };
    Some(Range::unsigned(width, low, high))
}

/// What was shifted left by a constant, if no bit was lost.
fn shifted_back(value: Range, amount: Range, result: Range) -> Option<Range> {
    let width = result.width;
    let amount = amount.as_constant().filter(|&amount| amount < u128::from(width))? as u32;
    if value.high > mask(width) >> amount {
        return None;
    }
    let low = result.low.div_ceil(1 << amount);
    let high = result.high >> amount;
    (low <= high).then(|| Range::unsigned(width, low, high))
}
