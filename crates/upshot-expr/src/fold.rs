//! What every operator computes on concrete values. This is the one definition: building a term of constants, evaluating a
//! term under an assignment and executing a concrete instruction all end here. Values are kept in the low bits of a `u128`,
//! and the bits above the width are zero, in arguments as well as in results.

mod extended;
mod float;

pub use float::{
    float_bin, float_cast, float_compare, float_fma, float_is_nan, float_to_int, float_to_int_sat, float_un,
    int_to_float,
};

use crate::ops::{BinOp, IntPredicate};

/// The lowest `width` bits set.
pub fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The value as a signed number.
pub fn signed(value: u128, width: u8) -> i128 {
    let unused = 128 - u32::from(width);
    ((value << unused) as i128) >> unused
}

pub fn sign_extend(value: u128, from: u8, to: u8) -> u128 {
    signed(value, from) as u128 & mask(to)
}

/// Integer arithmetic with the semantics of SMT-LIB: division by zero gives all ones, the remainder by zero gives the
/// dividend, and shifting by the width or more shifts everything out.
pub fn bin(op: BinOp, width: u8, a: u128, b: u128) -> u128 {
    let all = mask(width);
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(all),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => signed_divide(width, a, b),
        BinOp::SRem if b == 0 => a,
        BinOp::SRem => signed(a, width).wrapping_rem(signed(b, width)) as u128,
        BinOp::Shl if b >= u128::from(width) => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if b >= u128::from(width) => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (signed(a, width) >> b.min(u128::from(width) - 1)) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    result & all
}

fn signed_divide(width: u8, a: u128, b: u128) -> u128 {
    let (dividend, divisor) = (signed(a, width), signed(b, width));
    match (divisor, dividend < 0) {
        (0, true) => 1,
        (0, false) => u128::MAX,
        _ => dividend.wrapping_div(divisor) as u128,
    }
}

pub fn compare(predicate: IntPredicate, width: u8, a: u128, b: u128) -> bool {
    match predicate {
        IntPredicate::Eq => a == b,
        IntPredicate::Ne => a != b,
        IntPredicate::Ult => a < b,
        IntPredicate::Ule => a <= b,
        IntPredicate::Ugt => a > b,
        IntPredicate::Uge => a >= b,
        IntPredicate::Slt => signed(a, width) < signed(b, width),
        IntPredicate::Sle => signed(a, width) <= signed(b, width),
        IntPredicate::Sgt => signed(a, width) > signed(b, width),
        IntPredicate::Sge => signed(a, width) >= signed(b, width),
    }
}
