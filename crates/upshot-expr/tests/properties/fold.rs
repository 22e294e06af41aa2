//! Folding against definitions that share nothing with it: bit by bit, as SMT-LIB and the C standard have it.

use crate::recipe::{FLOAT_BIN_OPS, FLOAT_UN_OPS, FORMATS};
use proptest::prelude::*;
use upshot_expr::fold::{self, mask};
use upshot_expr::*;

/// A number as its bits, lowest first.
fn bits(value: u128, width: u8) -> Vec<bool> {
    (0..width).map(|position| value >> position & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
}

/// Sum with a carry that ripples.
fn added(a: &[bool], b: &[bool], mut carry: bool) -> Vec<bool> {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| {
            let sum = x ^ y ^ carry;
            carry = (x && y) || (carry && (x ^ y));
            sum
        })
        .collect()
}

fn inverted(a: &[bool]) -> Vec<bool> {
    a.iter().map(|&bit| !bit).collect()
}

fn negated(a: &[bool]) -> Vec<bool> {
    added(&inverted(a), &vec![false; a.len()], true)
}

fn shifted(a: &[bool], count: u128, left: bool, fill: bool) -> Vec<bool> {
    let mut result = a.to_vec();
    for _ in 0..count.min(a.len() as u128) {
        if left {
            result.pop();
            result.insert(0, fill);
        } else {
            result.remove(0);
            result.push(fill);
        }
    }
    result
}

fn multiplied(a: &[bool], b: &[bool]) -> Vec<bool> {
    let mut sum = vec![false; a.len()];
    for (position, &bit) in b.iter().enumerate() {
        if bit {
            sum = added(&sum, &shifted(a, position as u128, true, false), false);
        }
    }
    sum
}

fn below(a: &[bool], b: &[bool]) -> bool {
    let highest = a.iter().zip(b).rev().find(|(x, y)| x != y);
    highest.is_some_and(|(_, &y)| y)
}

fn below_signed(a: &[bool], b: &[bool]) -> bool {
    let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
    if a_sign != b_sign { a_sign } else { below(a, b) }
}

/// Long division: quotient and remainder. By zero: all ones, and the dividend.
fn divided(a: &[bool], b: &[bool]) -> (Vec<bool>, Vec<bool>) {
    let width = a.len();
    let (mut quotient, mut rest) = (vec![false; width], vec![false; width + 1]);
    let mut divisor = b.to_vec();
    divisor.push(false);
    for position in (0..width).rev() {
        rest = shifted(&rest, 1, true, a[position]);
        if !below(&rest, &divisor) {
            rest = added(&rest, &inverted(&divisor), true);
            quotient[position] = true;
        }
    }
    rest.pop();
    (quotient, rest)
}

fn divided_signed(a: &[bool], b: &[bool]) -> (Vec<bool>, Vec<bool>) {
    let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
    let magnitude = |x: &[bool], sign| if sign { negated(x) } else { x.to_vec() };
    let (quotient, rest) = divided(&magnitude(a, a_sign), &magnitude(b, b_sign));
    (magnitude(&quotient, a_sign != b_sign), magnitude(&rest, a_sign))
}

fn operand() -> impl Strategy<Value = u128> {
    prop_oneof![
        0u128..20,
        (0u128..20).prop_map(|below| u128::MAX - below),
        (0u32..128).prop_map(|bit| 1 << bit),
        any::<u128>()
    ]
}

proptest! {
    #![proptest_config(crate::recipe::config(10_000))]

    #[test]
    fn integers(width in 1u8..=128, a in operand(), b in operand()) {
        let (a, b) = (a & mask(width), b & mask(width));
        let (x, y) = (bits(a, width), bits(b, width));
        let sign = x[x.len() - 1];
        let expected = [
            (BinOp::Add, added(&x, &y, false)),
            (BinOp::Sub, added(&x, &inverted(&y), true)),
            (BinOp::Mul, multiplied(&x, &y)),
            (BinOp::UDiv, divided(&x, &y).0),
            (BinOp::URem, divided(&x, &y).1),
            (BinOp::SDiv, divided_signed(&x, &y).0),
            (BinOp::SRem, divided_signed(&x, &y).1),
            (BinOp::Shl, shifted(&x, b, true, false)),
            (BinOp::LShr, shifted(&x, b, false, false)),
            (BinOp::AShr, shifted(&x, b, false, sign)),
        ];
        for (op, result) in expected {
            prop_assert_eq!(fold::bin(op, width, a, b), number(&result), "{:?}", op);
        }
        let compared = [
            (IntPredicate::Eq, x == y),
            (IntPredicate::Ne, x != y),
            (IntPredicate::Ult, below(&x, &y)),
            (IntPredicate::Ule, !below(&y, &x)),
            (IntPredicate::Ugt, below(&y, &x)),
            (IntPredicate::Uge, !below(&x, &y)),
            (IntPredicate::Slt, below_signed(&x, &y)),
            (IntPredicate::Sle, !below_signed(&y, &x)),
            (IntPredicate::Sgt, below_signed(&y, &x)),
            (IntPredicate::Sge, !below_signed(&x, &y)),
        ];
        for (predicate, result) in compared {
            prop_assert_eq!(fold::compare(predicate, width, a, b), result, "{:?}", predicate);
        }
    }

    #[test]
    fn sign_extension(width in 1u8..=128, more in 0u8..128, a in operand()) {
        let (a, wide) = (a & mask(width), width.saturating_add(more).min(128));
        let mut x = bits(a, width);
        let sign = x[x.len() - 1];
        x.resize(wide as usize, sign);
        prop_assert_eq!(fold::sign_extend(a, width, wide), number(&x));
    }
}

/// A term over 16 input bytes per operand, so that nothing is folded when it is built.
fn unknown(terms: &mut Terms, name: &str, width: u8) -> TermId {
    let symbol = terms.symbol(name, 16);
    let bytes: Vec<TermId> = (0..16).map(|offset| terms.byte(symbol, offset)).collect();
    let whole = bytes.into_iter().reduce(|low, high| terms.concat(high, low)).unwrap();
    terms.trunc(whole, width)
}

/// Bits that are often a special number of the format: its exponent all zeros or ones, or close to that of one.
fn float_bits() -> impl Strategy<Value = (u128, u8)> {
    (any::<u128>(), any::<u8>())
}

fn shaped(format: FloatFormat, (bits, shape): (u128, u8)) -> u128 {
    let width = format.width();
    let significand = match format {
        FloatFormat::F16 => 10,
        FloatFormat::BF16 => 7,
        FloatFormat::F32 => 23,
        FloatFormat::F64 => 52,
        FloatFormat::X87 => 64,
        FloatFormat::F128 => 112,
    };
    let exponents = mask(width - 1) & !mask(significand);
    let integer_bit = if format == FloatFormat::X87 { 1 << 63 } else { 0 };
    let bits = bits & mask(width);
    let one = fold::int_to_float(false, format, 8, 1);
    match shape % 8 {
        0 => (bits & !exponents) | exponents | integer_bit,
        1 => (bits & (1 << (width - 1))) | exponents | integer_bit,
        2 => bits & !exponents & !integer_bit,
        3 => bits & (1 << (width - 1)),
        4 => bits,
        _ => {
            (bits & !exponents)
                | (one & exponents).wrapping_add((u128::from(shape) / 8) << significand) & exponents
                | integer_bit
        }
    }
}

proptest! {
    #![proptest_config(crate::recipe::config(4_000))]

    /// What a float operation is built from computes what folding does.
    #[test]
    fn float_terms(format in 0usize..6, a in float_bits(), b in float_bits(), width in 1u8..=128, signed: bool) {
        let format = FORMATS[format];
        let (a, b) = (shaped(format, a), shaped(format, b));
        for simplify in [true, false] {
            let mut terms = if simplify { Terms::new() } else { Terms::without_simplifier() };
            let (x, y) = (unknown(&mut terms, "x", format.width()), unknown(&mut terms, "y", format.width()));
            let mut input = Assignment::new();
            for (name, value) in [("x", a), ("y", b)] {
                let symbol = terms.symbol(name, 16);
                for (offset, byte) in value.to_le_bytes().into_iter().enumerate() {
                    input.set(symbol, offset as u32, byte);
                }
            }
            for op in FLOAT_BIN_OPS {
                let term = terms.float_bin(op, format, x, y);
                prop_assert_eq!(input.eval(&terms, term), fold::float_bin(op, format, a, b), "{:?}", op);
            }
            for op in FLOAT_UN_OPS {
                let term = terms.float_un(op, format, x);
                prop_assert_eq!(input.eval(&terms, term), fold::float_un(op, format, a), "{:?}", op);
            }
            for predicate in (0..16).map(FloatPredicate) {
                let term = terms.float_compare(predicate, format, x, y);
                let expected = fold::float_compare(predicate, format, a, b);
                prop_assert_eq!(input.eval_bool(&terms, term), expected, "{:?}", predicate);
            }
            for to in FORMATS {
                let term = terms.float_cast(format, to, x);
                prop_assert_eq!(input.eval(&terms, term), fold::float_cast(format, to, a), "{:?}", to);
            }
            let nan = terms.float_is_nan(format, x);
            prop_assert_eq!(input.eval_bool(&terms, nan), fold::float_is_nan(format, a));
            let fused = terms.float_fma(format, x, y, x);
            prop_assert_eq!(input.eval(&terms, fused), fold::float_fma(format, a, b, a));
            let integer = terms.float_to_int(format, signed, width, x);
            prop_assert_eq!(input.eval(&terms, integer), fold::float_to_int(format, signed, width, a));
            let saturated = terms.float_to_int_sat(format, signed, width, x);
            prop_assert_eq!(input.eval(&terms, saturated), fold::float_to_int_sat(format, signed, width, a));
            let back = terms.int_to_float(signed, format, saturated);
            let expected = fold::int_to_float(signed, format, width, input.eval(&terms, saturated));
            prop_assert_eq!(input.eval(&terms, back), expected);
        }
    }
}

proptest! {
    #![proptest_config(crate::recipe::config(20_000))]

    /// Comparing and converting back what was an integer or a narrower float, which needs no floats where it is exact.
    #[test]
    fn converted(
        formats in (0usize..6, 0usize..6),
        widths in (1u8..=70, 1u8..=70, 1u8..=128),
        signs: (bool, bool, bool),
        a in operand(),
        b in prop_oneof![operand().prop_map(Some), Just(None)],
    ) {
        let (format, wide) = (FORMATS[formats.0], FORMATS[formats.1]);
        let (mut terms, mut input) = (Terms::new(), Assignment::new());
        let b = b.unwrap_or(a);
        for (name, value) in [("x", a), ("y", b)] {
            let symbol = terms.symbol(name, 16);
            for (offset, byte) in value.to_le_bytes().into_iter().enumerate() {
                input.set(symbol, offset as u32, byte);
            }
        }
        let (x, y) = (unknown(&mut terms, "x", widths.0), unknown(&mut terms, "y", widths.1));
        let (p, q) = (terms.int_to_float(signs.0, format, x), terms.int_to_float(signs.1, format, y));
        let (p_value, q_value) = (input.eval(&terms, p), input.eval(&terms, q));
        let back = terms.float_to_int(format, signs.2, widths.2, p);
        prop_assert_eq!(input.eval(&terms, back), fold::float_to_int(format, signs.2, widths.2, p_value));
        let nan = terms.float_is_nan(format, p);
        prop_assert_eq!(input.eval_bool(&terms, nan), fold::float_is_nan(format, p_value));
        for predicate in (0..16).map(FloatPredicate) {
            let term = terms.float_compare(predicate, format, p, q);
            prop_assert_eq!(input.eval_bool(&terms, term), fold::float_compare(predicate, format, p_value, q_value));
            let same = terms.float_compare(predicate, format, p, p);
            prop_assert_eq!(input.eval_bool(&terms, same), fold::float_compare(predicate, format, p_value, p_value));
        }
        let (x, y) = (unknown(&mut terms, "x", format.width()), unknown(&mut terms, "y", format.width()));
        let (p, q) = (terms.float_cast(format, wide, x), terms.float_cast(format, wide, y));
        let (p_value, q_value) = (input.eval(&terms, p), input.eval(&terms, q));
        let nan = terms.float_is_nan(wide, p);
        prop_assert_eq!(input.eval_bool(&terms, nan), fold::float_is_nan(wide, p_value));
        for predicate in (0..16).map(FloatPredicate) {
            let term = terms.float_compare(predicate, wide, p, q);
            prop_assert_eq!(input.eval_bool(&terms, term), fold::float_compare(predicate, wide, p_value, q_value));
        }
    }
}

#[test]
fn saturating_conversion() {
    let bits = |value: f64| u128::from(value.to_bits());
    let cases = [
        (300.7, true, 8, 127),
        (-300.7, true, 8, 0x80),
        (-128.9, true, 8, 0x80),
        (127.9, true, 8, 127),
        (-0.9, false, 8, 0),
        (-5.0, false, 8, 0),
        (255.9, false, 8, 255),
        (256.0, false, 8, 255),
        (f64::NAN, true, 32, 0),
        (f64::INFINITY, false, 128, u128::MAX),
        (f64::NEG_INFINITY, true, 128, 1 << 127),
        (1e30, false, 64, u128::from(u64::MAX)),
    ];
    for (value, signed, width, expected) in cases {
        assert_eq!(fold::float_to_int_sat(FloatFormat::F64, signed, width, bits(value)), expected, "{value}");
    }
}
