//! The range of an operation's result from the ranges of its operands. Each rule only has to hold for every pair of values in the
//! ranges; where the result may wrap around, it says nothing.

use upshot_expr::fold::mask;
use upshot_expr::{ArrayNode, BinOp, Node, TermId, Terms};

use super::range::{Range, highest, lowest};

/// Entries of a table that are looked at for the range of a read.
const TABLE_SCANNED: u128 = 1024;

/// The range of `term`, given those of its operands.
pub(crate) fn forward(terms: &Terms, term: TermId, range_of: impl Fn(TermId) -> Range) -> Range {
    let width = terms.width(term);
    match terms.node(term) {
        Node::Const(value) => Range::constant(width, u128::from(value)),
        Node::WideConst(_) => terms.as_const(term).map_or(Range::full(width), |value| Range::constant(width, value)),
        Node::Read { array, index } => read(terms, array, range_of(index)),
        Node::Not(a) => not(range_of(a)),
        Node::Bin(op, a, b) => binary(op, range_of(a), range_of(b)),
        Node::Eq(a, b) => truth(equal(range_of(a), range_of(b))),
        Node::Ult(a, b) => truth(below(range_of(a), range_of(b))),
        Node::Ule(a, b) => truth(below(range_of(b), range_of(a)).map(|less| !less)),
        Node::Slt(a, b) => truth(signed_below(range_of(a), range_of(b))),
        Node::Sle(a, b) => truth(signed_below(range_of(b), range_of(a)).map(|less| !less)),
        Node::Ite(condition, a, b) => match range_of(condition).as_bool() {
            Some(true) => range_of(a),
            Some(false) => range_of(b),
            None => range_of(a).hull(range_of(b)),
        },
        Node::Extract { term, low } => extract(range_of(term), low, width),
        Node::Concat(high, low) => concat(range_of(high), range_of(low)),
        Node::ZExt(a) => {
            let a = range_of(a);
            Range::unsigned(width, a.low, a.high)
        }
        Node::SExt(a) => {
            let a = range_of(a);
            Range::signed(width, a.least, a.most)
        }
        _ => Range::full(width),
    }
}

fn truth(known: Option<bool>) -> Range {
    known.map_or(Range::full(1), Range::truth)
}

fn equal(a: Range, b: Range) -> Option<bool> {
    match (a.as_constant(), b.as_constant()) {
        (Some(a), Some(b)) => Some(a == b),
        _ => a.intersect(b).is_none().then_some(false),
    }
}

fn below(a: Range, b: Range) -> Option<bool> {
    if a.high < b.low {
        Some(true)
    } else if a.low >= b.high {
        Some(false)
    } else {
        None
    }
}

fn signed_below(a: Range, b: Range) -> Option<bool> {
    if a.most < b.least {
        Some(true)
    } else if a.least >= b.most {
        Some(false)
    } else {
        None
    }
}

fn read(terms: &Terms, array: upshot_expr::ArrayId, index: Range) -> Range {
    let ArrayNode::Bytes(bytes) = terms.array_node(array) else { return Range::full(8) };
    if index.high - index.low >= TABLE_SCANNED {
        return Range::full(8);
    }
    let at = |position: u128| usize::try_from(position).ok().and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let entries = (index.low..=index.high).map(at);
    let entry = |value: Option<u8>| u128::from(value.unwrap_or(0));
    Range::unsigned(8, entry(entries.clone().min()), entry(entries.max()))
}

fn not(a: Range) -> Range {
    let all = mask(a.width);
    Range { width: a.width, low: all - a.high, high: all - a.low, least: !a.most, most: !a.least }
}

fn extract(a: Range, low: u8, width: u8) -> Range {
    let (first, last) = (a.low >> low, a.high >> low);
    let above = |value: u128| if width == 128 { 0 } else { value >> width };
    let mut range = Range::full(width);
    if above(first) == above(last) {
        range = Range::unsigned(width, first & mask(width), last & mask(width));
    }
    if low == 0 && lowest(width) <= a.least && a.most <= highest(width) {
        range = range.and(Range::signed(width, a.least, a.most));
    }
    range
}

fn concat(high: Range, low: Range) -> Range {
    let width = high.width + low.width;
    let join = |upper: u128, lower: u128| upper << low.width | lower;
    let unsigned = Range::unsigned(width, join(high.low, low.low), join(high.high, low.high));
    let signed_join = |upper: i128, lower: u128| upper << low.width | lower as i128;
    unsigned.and(Range::signed(width, signed_join(high.least, low.low), signed_join(high.most, low.high)))
}

/// From bounds that were computed without wrapping, if they fit.
fn fitting(width: u8, unsigned: Option<(u128, u128)>, signed: Option<(i128, i128)>) -> Range {
    let mut range = Range::full(width);
    if let Some((low, high)) = unsigned
        && high <= mask(width)
    {
        range = Range::unsigned(width, low, high);
    }
    if let Some((least, most)) = signed
        && lowest(width) <= least
        && most <= highest(width)
    {
        range = range.and(Range::signed(width, least, most));
    }
    range
}

pub(crate) fn binary(op: BinOp, a: Range, b: Range) -> Range {
    let width = a.width;
    match op {
        BinOp::Add => add(a, b),
        BinOp::Sub => subtract(a, b),
        BinOp::Mul => multiply(a, b),
        BinOp::UDiv if b.low == 0 => Range::unsigned(width, a.low / b.high.max(1), mask(width)),
        BinOp::UDiv => Range::unsigned(width, a.low / b.high, a.high / b.low),
        BinOp::URem if a.high < b.low => a,
        BinOp::URem if b.low == 0 => Range::unsigned(width, 0, a.high),
        BinOp::URem => Range::unsigned(width, 0, a.high.min(b.high - 1)),
        BinOp::SDiv => signed_divide(a, b),
        BinOp::SRem => signed_remainder(a, b),
        BinOp::Shl => shift_left(a, b),
        BinOp::LShr => Range::unsigned(width, shifted(a.low, b.high), shifted(a.high, b.low)),
        BinOp::AShr => arithmetic_shift(a, b),
        BinOp::And => and(a, b),
        BinOp::Or => or(a, b),
        BinOp::Xor => xor(a, b),
    }
}

fn add(a: Range, b: Range) -> Range {
    let (all, width) = (mask(a.width), a.width);
    let unsigned = match (a.low.checked_add(b.low), a.high.checked_add(b.high)) {
        (low, high) if low.is_none_or(|low| low > all) && high.is_none_or(|high| high > all) => {
            // Both ends wrap around, so every sum does.
            Some((a.low.wrapping_add(b.low) & all, a.high.wrapping_add(b.high) & all))
        }
        (low, high) => low.zip(high),
    };
    fitting(width, unsigned, a.least.checked_add(b.least).zip(a.most.checked_add(b.most)))
}

fn subtract(a: Range, b: Range) -> Range {
    let (all, width) = (mask(a.width), a.width);
    let unsigned = if a.low >= b.high {
        Some((a.low - b.high, a.high - b.low))
    } else if a.high < b.low {
        // Every difference wraps around.
        Some((a.low.wrapping_sub(b.high) & all, a.high.wrapping_sub(b.low) & all))
    } else {
        None
    };
    fitting(width, unsigned, a.least.checked_sub(b.most).zip(a.most.checked_sub(b.least)))
}

fn multiply(a: Range, b: Range) -> Range {
    let unsigned = a.low.checked_mul(b.low).zip(a.high.checked_mul(b.high));
    fitting(a.width, unsigned, corners(a, b, i128::checked_mul))
}

/// Least and largest result over the ends of both ranges, if none overflows.
fn corners(a: Range, b: Range, op: impl Fn(i128, i128) -> Option<i128>) -> Option<(i128, i128)> {
    let results = [op(a.least, b.least)?, op(a.least, b.most)?, op(a.most, b.least)?, op(a.most, b.most)?];
    Some((*results.iter().min()?, *results.iter().max()?))
}

fn signed_divide(a: Range, b: Range) -> Range {
    if b.contains(0) {
        return Range::full(a.width);
    }
    if b.least < 0 && b.most > 0 {
        // Division by 1 or -1 gives the largest magnitudes.
        let largest = magnitude(a);
        return i128::try_from(largest)
            .map_or(Range::full(a.width), |largest| fitting(a.width, None, Some((-largest, largest))));
    }
    fitting(a.width, None, corners(a, b, i128::checked_div))
}

/// The largest absolute value.
fn magnitude(a: Range) -> u128 {
    a.least.unsigned_abs().max(a.most.unsigned_abs())
}

fn signed_remainder(a: Range, b: Range) -> Range {
    let mut largest = magnitude(a);
    if !b.contains(0) {
        let smallest_divisor = if b.least > 0 { b.least as u128 } else { b.most.unsigned_abs() };
        if (b.least > 0 || b.most < 0) && largest < smallest_divisor {
            return a;
        }
        largest = largest.min(magnitude(b) - 1);
    }
    let Ok(largest) = i128::try_from(largest) else { return Range::full(a.width) };
    let least = if a.least < 0 { a.least.max(-largest) } else { 0 };
    let most = if a.most > 0 { a.most.min(largest) } else { 0 };
    Range::signed(a.width, least, most)
}

/// Shifted right; everything out if the amount is too large.
fn shifted(value: u128, amount: u128) -> u128 {
    u32::try_from(amount).ok().and_then(|amount| value.checked_shr(amount)).unwrap_or(0)
}

fn shift_left(a: Range, b: Range) -> Range {
    let all = mask(a.width);
    let fits = |amount: u128| b.high < u128::from(a.width) && a.high <= shifted(all, amount);
    if fits(b.high) { Range::unsigned(a.width, a.low << b.low, a.high << b.high) } else { Range::full(a.width) }
}

fn arithmetic_shift(a: Range, b: Range) -> Range {
    let shift = |number: i128, amount: u128| number >> amount.min(u128::from(a.width) - 1);
    let least = if a.least < 0 { shift(a.least, b.low) } else { shift(a.least, b.high) };
    let most = if a.most < 0 { shift(a.most, b.high) } else { shift(a.most, b.low) };
    Range::signed(a.width, least, most)
}

/// All ones up to the highest bit of the value.
fn filled(value: u128) -> u128 {
    u128::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

fn and(a: Range, b: Range) -> Range {
    Range::unsigned(a.width, common_ones(a, b), a.high.min(b.high))
}

/// What a bitwise *and* has at least: bits that are one throughout both ranges.
fn common_ones(a: Range, b: Range) -> u128 {
    fixed_ones(a) & fixed_ones(b)
}

/// The bits above the first in which the two ends differ are the same for all values between.
fn fixed_ones(a: Range) -> u128 {
    a.low & !filled(a.low ^ a.high)
}

fn or(a: Range, b: Range) -> Range {
    let high = filled(a.high | b.high).min(a.high.saturating_add(b.high));
    Range::unsigned(a.width, a.low.max(b.low), high.max(a.low.max(b.low)).min(mask(a.width)))
}

fn xor(a: Range, b: Range) -> Range {
    Range::unsigned(a.width, 0, filled(a.high | b.high))
}
