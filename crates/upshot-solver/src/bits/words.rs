//! Arithmetic on words of bits, lowest bit first. The upper bits of a word are often all zero, or all copies of the sign; each
//! operation looks at that, computes as few bits as the result can need, and fills up the rest.

use super::gates::{Bit, Gates};
use super::mutation::{count, rule};

pub(crate) type Word = Vec<Bit>;

/// A constant.
pub(crate) fn constant(width: u8, value: u128) -> Word {
    (0..width).map(|position| Bit::constant(value >> position & 1 == 1)).collect()
}

/// The value of a word of constants.
pub(crate) fn as_constant(word: &[Bit]) -> Option<u128> {
    let mut value = 0;
    for (position, bit) in word.iter().enumerate() {
        value |= u128::from(bit.as_constant()?) << position;
    }
    Some(value)
}

/// Bits needed to keep the value as an unsigned number.
fn unsigned_bits(word: &[Bit]) -> usize {
    word.iter().rposition(|&bit| bit != Bit::FALSE).map_or(0, |highest| count("word-unsigned-bits", highest + 1))
}

/// Bits needed to keep the value as a signed number, the sign included.
fn signed_bits(word: &[Bit]) -> usize {
    let sign = word[word.len() - 1];
    word.iter().rposition(|&bit| bit != sign).map_or(1, |highest| count("word-signed-bits", highest + 2))
}

fn sign(word: &[Bit]) -> Bit {
    word.last().copied().unwrap_or(Bit::FALSE)
}

/// Cut off or filled up with `fill`.
fn resized(word: &[Bit], width: usize, fill: Bit) -> Word {
    let mut word = word[..width.min(word.len())].to_vec();
    word.resize(width, fill);
    word
}

pub(crate) fn zero_extended(word: &[Bit], width: usize) -> Word {
    resized(word, width, Bit::FALSE)
}

pub(crate) fn sign_extended(word: &[Bit], width: usize) -> Word {
    resized(word, width, sign(word))
}

pub(crate) fn not(word: &[Bit]) -> Word {
    word.iter().map(|&bit| !bit).collect()
}

pub(crate) fn bitwise(a: &[Bit], b: &[Bit], mut gate: impl FnMut(Bit, Bit) -> Bit) -> Word {
    a.iter().zip(b).map(|(&a, &b)| gate(a, b)).collect()
}

/// `a + b + carry` in as many bits as `a` has.
fn ripple(gates: &mut Gates, a: &[Bit], b: &[Bit], mut carry: Bit) -> Word {
    let mut sum = Vec::with_capacity(a.len());
    for (position, (&a_bit, &b_bit)) in a.iter().zip(b).enumerate() {
        sum.push(rule("add-sum", gates.xor3(a_bit, b_bit, carry)));
        if position + 1 < a.len() {
            carry = rule("add-carry", gates.majority(a_bit, b_bit, carry));
        }
    }
    sum
}

/// The lowest `needed` bits of a sum or difference, filled up to the full width with copies of the sign.
fn sum_of(gates: &mut Gates, a: &[Bit], b: &[Bit], subtract: bool, needed: usize) -> Word {
    let width = a.len();
    // Two numbers of n bits have a sum of n + 1 bits.
    let computed = count("add-width", (signed_bits(a).max(signed_bits(b)) + 1).min(width).min(needed));
    let b: Word = b[..computed].iter().map(|&bit| bit.negated_if(subtract)).collect();
    let sum = ripple(gates, &a[..computed], &b, rule("subtract-borrow", Bit::constant(subtract)));
    sign_extended(&sum, width)
}

/// The sum; only its lowest `needed` bits matter.
pub(crate) fn add(gates: &mut Gates, a: &[Bit], b: &[Bit], needed: usize) -> Word {
    sum_of(gates, a, b, false, needed)
}

pub(crate) fn subtract(gates: &mut Gates, a: &[Bit], b: &[Bit], needed: usize) -> Word {
    sum_of(gates, a, b, true, needed)
}

pub(crate) fn negate(gates: &mut Gates, a: &[Bit]) -> Word {
    let zero = vec![Bit::FALSE; a.len()];
    subtract(gates, &zero, a, a.len())
}

/// The product; only its lowest `needed` bits matter.
pub(crate) fn multiply(gates: &mut Gates, a: &[Bit], b: &[Bit], needed: usize) -> Word {
    let width = a.len();
    let needed = count("multiply-width", (signed_bits(a) + signed_bits(b)).min(width).min(needed));
    let (a, b) = (&a[..needed], &b[..needed]);
    let product = match (as_constant(a), as_constant(b)) {
        (_, Some(factor)) => scaled(gates, a, factor),
        (Some(factor), None) => scaled(gates, b, factor),
        (None, None) if unsigned_bits(a) < unsigned_bits(b) => partial_products(gates, b, a),
        (None, None) => partial_products(gates, a, b),
    };
    sign_extended(&product, width)
}

/// `a * b` by adding up `a` shifted, for each bit of `b`.
fn partial_products(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> Word {
    let width = a.len();
    let mut product = vec![Bit::FALSE; width];
    for (position, &bit) in b.iter().enumerate() {
        if bit == Bit::FALSE {
            continue;
        }
        let row: Word =
            a[..width - position].iter().map(|&a_bit| rule("multiply-row", gates.and(a_bit, bit))).collect();
        let upper = ripple(gates, &product[position..], &row, Bit::FALSE);
        product.truncate(position);
        product.extend(upper);
    }
    product
}

/// `a` times a constant, written with digits -1, 0 and 1 so that few of them are not zero.
fn scaled(gates: &mut Gates, a: &[Bit], factor: u128) -> Word {
    let width = a.len();
    let mut product = vec![Bit::FALSE; width];
    let mut rest = factor;
    for position in 0..width {
        if rest & 1 == 1 {
            let minus = rest & 3 == 3;
            rest = if minus { rest.wrapping_add(1) } else { rest - 1 };
            let row: Word = a[..width - position].iter().map(|&bit| bit.negated_if(minus)).collect();
            let upper = ripple(gates, &product[position..], &row, rule("multiply-minus", Bit::constant(minus)));
            product.truncate(position);
            product.extend(upper);
        }
        rest >>= 1;
    }
    product
}

pub(crate) fn choose(gates: &mut Gates, condition: Bit, a: &[Bit], b: &[Bit]) -> Word {
    bitwise(a, b, |a, b| gates.choose(condition, a, b))
}

pub(crate) fn equal(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> Bit {
    let bits = bitwise(a, b, |a, b| gates.equal(a, b));
    rule("equal", gates.and_all(&bits))
}

/// `a < b`, unsigned.
pub(crate) fn less(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> Bit {
    // As in a subtraction: the borrow out of each position.
    a.iter()
        .zip(b)
        .fold(rule("less-start", Bit::FALSE), |borrow, (&a, &b)| rule("less-step", gates.majority(!a, b, borrow)))
}

pub(crate) fn signed_less(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> Bit {
    // Copies of the signs say nothing more than the signs.
    let width = count("signed-less-width", signed_bits(a).max(signed_bits(b)).min(a.len()));
    let flipped = |word: &[Bit]| {
        let mut word = word[..width].to_vec();
        word[width - 1] = rule("signed-less-sign", !word[width - 1]);
        word
    };
    less(gates, &flipped(a), &flipped(b))
}

/// Quotient and remainder, unsigned, with the results of SMT-LIB for a divisor of zero.
pub(crate) fn divide(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> (Word, Word) {
    let width = a.len();
    let used = unsigned_bits(a).max(unsigned_bits(b)).max(1);
    let (quotient, remainder) = restoring_division(gates, &a[..used], &b[..used]);
    // Dividing by zero gives all ones, also above the bits that were computed.
    let above = if used < width { rule("divide-by-zero", !gates.or_all(b)) } else { Bit::FALSE };
    (resized(&quotient, width, above), zero_extended(&remainder, width))
}

/// Long division by hand: bring down a bit, subtract if possible. A divisor of zero can always be subtracted, which gives a
/// quotient of all ones; the remainder is then the dividend.
fn restoring_division(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> (Word, Word) {
    let width = a.len();
    let size = unsigned_bits(b).max(1);
    let mut quotient = vec![Bit::FALSE; width];
    let mut rest: Word = Vec::with_capacity(size + 1);
    for position in (0..width).rev() {
        rest.insert(0, a[position]);
        let digits = rest.len();
        let (divisor, too_large) = b.split_at(digits.min(width));
        let divisor = zero_extended(divisor, digits);
        let smaller = less(gates, &rest, &divisor);
        let beyond = rule("divide-beyond", gates.or_all(too_large));
        let keep = rule("divide-keep", gates.or(smaller, beyond));
        quotient[position] = rule("divide-quotient", !keep);
        let difference = subtract(gates, &rest, &divisor, digits);
        rest = choose(gates, keep, &rest, &difference);
        // What remains is below the divisor, unless that is zero.
        rest.truncate(count("divide-rest", size));
    }
    let zero = rule("divide-zero-rest", !gates.or_all(b));
    let rest = zero_extended(&rest, width);
    (quotient, choose(gates, zero, a, &rest))
}

/// The absolute value, in as many bits as the signed number needs.
fn magnitude(gates: &mut Gates, a: &[Bit]) -> Word {
    let a = &a[..signed_bits(a)];
    let negated = negate(gates, a);
    let negative = rule("magnitude-sign", sign(a));
    choose(gates, negative, &negated, a)
}

/// Quotient, rounded toward zero, and remainder, with the sign of the dividend.
pub(crate) fn signed_divide(gates: &mut Gates, a: &[Bit], b: &[Bit]) -> (Word, Word) {
    let width = a.len();
    let (a_sign, b_sign) = (sign(a), sign(b));
    let (a_size, b_size) = (magnitude(gates, a), magnitude(gates, b));
    // One more bit, so that both signs of each result fit.
    let used = count("divide-width", (a_size.len().max(b_size.len()) + 1).min(width));
    let (quotient, remainder) = divide(gates, &zero_extended(&a_size, used), &zero_extended(&b_size, used));
    let (opposite_quotient, opposite_remainder) = (negate(gates, &quotient), negate(gates, &remainder));
    let negative = rule("divide-sign", gates.xor(a_sign, b_sign));
    let quotient = choose(gates, negative, &opposite_quotient, &quotient);
    let remainder = choose(gates, rule("remainder-sign", a_sign), &opposite_remainder, &remainder);
    (sign_extended(&quotient, width), sign_extended(&remainder, width))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    Right,
    /// To the right, filling up with the sign.
    Arithmetic,
}

/// Shifted by a number of bits; everything out if that is the width or more.
pub(crate) fn shift(gates: &mut Gates, direction: Shift, a: &[Bit], amount: &[Bit]) -> Word {
    let width = a.len();
    let fill = rule("shift-fill", if direction == Shift::Arithmetic { sign(a) } else { Bit::FALSE });
    let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
    let mut word = a.to_vec();
    for (stage, &bit) in amount.iter().enumerate().take(stages) {
        let by = 1 << stage;
        let at = |position: usize| match direction {
            Shift::Left => position.checked_sub(by).map_or(fill, |source| word[source]),
            _ => word.get(position + by).copied().unwrap_or(fill),
        };
        let moved: Word = (0..width).map(at).collect();
        word = choose(gates, rule("shift-stage", bit), &moved, &word);
    }
    // With the stages' bits alone the amount can still reach the width, but then every stage has shifted something out.
    let beyond = rule("shift-beyond", gates.or_all(&amount[stages.min(amount.len())..]));
    let out = vec![fill; width];
    choose(gates, beyond, &out, &word)
}

/// The entry at `index`; `nothing` beyond the end.
pub(crate) fn select(gates: &mut Gates, entries: &[Word], index: &[Bit], nothing: &[Bit]) -> Word {
    if entries.is_empty() {
        return nothing.to_vec();
    }
    let mut level = entries.to_vec();
    for &bit in index {
        // Neighbours differ in the lowest bit that is left.
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [even, odd] => choose(gates, rule("select-entry", bit), odd, even),
                [last] => choose(gates, rule("select-end", bit), nothing, last),
                _ => nothing.to_vec(),
            })
            .collect();
    }
    level.swap_remove(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upshot_expr::{BinOp, fold};

    use super::*;
    use crate::bits::gates::Gate;

    /// The value of every bit, given those of the inputs in order.
    fn evaluate(gates: &Gates, inputs: &[bool]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        let mut inputs = inputs.iter();
        for position in 0..gates.len() {
            let of = |bit: Bit| values[bit.gate()] != bit.is_negated();
            let value = match gates.gate(position) {
                Gate::True => true,
                Gate::Input => inputs.next().copied().unwrap_or(false),
                Gate::And(a, b) => of(a) && of(b),
                Gate::AndAll { start, count } => gates.run(start, count).iter().all(|&bit| of(bit)),
                Gate::Xor(a, b) => of(a) != of(b),
                Gate::Xor3(a, b, c) => of(a) ^ of(b) ^ of(c),
                Gate::Majority(a, b, c) => (of(a) && of(b)) || (of(a) && of(c)) || (of(b) && of(c)),
                Gate::Choose(a, b, c) => of(if of(a) { b } else { c }),
            };
            values.push(value);
        }
        values
    }

    fn number(values: &[bool], word: &[Bit]) -> u128 {
        let bit = |bit: &Bit| u128::from(values[bit.gate()] != bit.is_negated());
        word.iter().enumerate().map(|(position, b)| bit(b) << position).sum()
    }

    /// An operand: free low bits, then zeros, or copies of the sign, or constant bits.
    fn operand(gates: &mut Gates, width: u8, kind: u8, free: u8, value: u128, inputs: &mut Vec<bool>) -> Word {
        let free = usize::from(free % width + 1);
        let mut word: Word = (0..free).map(|_| gates.input()).collect();
        inputs.extend((0..free).map(|position| value >> position & 1 == 1));
        match kind % 4 {
            0 => word = zero_extended(&word, usize::from(width)),
            1 => word = sign_extended(&word, usize::from(width)),
            2 => word.extend((free..usize::from(width)).map(|position| Bit::constant(value >> position & 1 == 1))),
            _ => word = constant(width, value),
        }
        word
    }

    const OPERATORS: [BinOp; 10] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::URem,
        BinOp::SDiv,
        BinOp::SRem,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
    ];

    fn apply(gates: &mut Gates, op: BinOp, a: &[Bit], b: &[Bit]) -> Word {
        match op {
            BinOp::Add => add(gates, a, b, a.len()),
            BinOp::Sub => subtract(gates, a, b, a.len()),
            BinOp::Mul => multiply(gates, a, b, a.len()),
            BinOp::UDiv => divide(gates, a, b).0,
            BinOp::URem => divide(gates, a, b).1,
            BinOp::SDiv => signed_divide(gates, a, b).0,
            BinOp::SRem => signed_divide(gates, a, b).1,
            BinOp::Shl => shift(gates, Shift::Left, a, b),
            BinOp::LShr => shift(gates, Shift::Right, a, b),
            _ => shift(gates, Shift::Arithmetic, a, b),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_compute_what_numbers_do(
            width in 1u8..=40, shape: [u8; 4], x: u128, y: u128, small: bool, needed in 1u8..=40
        ) {
            let mut gates = Gates::default();
            let mut inputs = Vec::new();
            let y = if small { y % 7 } else { y };
            let a = operand(&mut gates, width, shape[0], shape[1], x & fold::mask(width), &mut inputs);
            let b = operand(&mut gates, width, shape[2], shape[3], y & fold::mask(width), &mut inputs);
            let made: Vec<Word> = OPERATORS.iter().map(|&op| apply(&mut gates, op, &a, &b)).collect();
            let needed = needed.min(width);
            let part = multiply(&mut gates, &a, &b, usize::from(needed));
            let compared =
                vec![less(&mut gates, &a, &b), signed_less(&mut gates, &a, &b), equal(&mut gates, &a, &b)];
            let values = evaluate(&gates, &inputs);
            let (x, y) = (number(&values, &a), number(&values, &b));
            for (&op, word) in OPERATORS.iter().zip(&made) {
                prop_assert_eq!(word.len(), usize::from(width));
                prop_assert_eq!(number(&values, word), fold::bin(op, width, x, y), "{:?} {} {}", op, x, y);
            }
            let low = fold::mask(needed);
            prop_assert_eq!(number(&values, &part) & low, x.wrapping_mul(y) & low);
            let (p, q) = (fold::signed(x, width), fold::signed(y, width));
            prop_assert_eq!(number(&values, &compared), u128::from(x < y) | u128::from(p < q) << 1 | u128::from(x == y) << 2);
        }

        #[test]
        fn an_entry_is_found_by_its_index(length in 0usize..20, index: u8) {
            let mut gates = Gates::default();
            let bits: Word = (0..8).map(|_| gates.input()).collect();
            let entries: Vec<Word> = (0..length).map(|at| constant(8, at as u128 * 7 + 3)).collect();
            let entry = select(&mut gates, &entries, &bits, &constant(8, 255));
            let inputs: Vec<bool> = (0..8).map(|position| index >> position & 1 == 1).collect();
            let values = evaluate(&gates, &inputs);
            let expected = if usize::from(index) < length { u128::from(index) * 7 + 3 } else { 255 };
            prop_assert_eq!(number(&values, &entry), expected);
        }
    }
}
