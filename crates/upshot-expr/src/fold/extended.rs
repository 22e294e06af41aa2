//! The formats that the host has no arithmetic for, in software. No operand here is a NaN: that case is decided before.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{mask, signed};
use crate::ops::{FloatBinOp, FloatFormat, FloatUnOp};

/// Runs `$body` with `$float` standing for the software type of `$format`.
macro_rules! with_format {
    ($format:expr, $float:ident => $body:expr) => {
        match $format {
            FloatFormat::F16 => {
                type $float = Half;
                $body
            }
            FloatFormat::BF16 => {
                type $float = BFloat;
                $body
            }
            FloatFormat::F32 => {
                type $float = Single;
                $body
            }
            FloatFormat::F64 => {
                type $float = Double;
                $body
            }
            FloatFormat::X87 => {
                type $float = X87DoubleExtended;
                $body
            }
            FloatFormat::F128 => {
                type $float = Quad;
                $body
            }
        }
    };
}

/// An x87 number with exponent field 0 but its integer bit set has the value of the same number with exponent field 1.
pub(super) fn canonical(format: FloatFormat, bits: u128) -> u128 {
    let pseudo_denormal = format == FloatFormat::X87 && format.exponent(bits) == 0 && bits >> 63 & 1 == 1;
    if pseudo_denormal { bits | 1 << 64 } else { bits }
}

pub(super) fn arithmetic(op: FloatBinOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    let (a, b) = (canonical(format, a), canonical(format, b));
    with_format!(format, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            FloatBinOp::Add => a + b,
            FloatBinOp::Sub => a - b,
            FloatBinOp::Mul => a * b,
            FloatBinOp::Div => a / b,
            _ => a.c_fmod(b),
        };
        result.value.to_bits()
    })
}

pub(super) fn fused(format: FloatFormat, a: u128, b: u128, c: u128) -> u128 {
    let [a, b, c] = [a, b, c].map(|bits| canonical(format, bits));
    with_format!(format, F => F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits())
}

pub(super) fn round(op: FloatUnOp, format: FloatFormat, a: u128) -> u128 {
    let direction = match op {
        FloatUnOp::Floor => Round::TowardNegative,
        FloatUnOp::Ceil => Round::TowardPositive,
        FloatUnOp::Trunc => Round::TowardZero,
        FloatUnOp::Round => Round::NearestTiesToAway,
        _ => Round::NearestTiesToEven,
    };
    let a = canonical(format, a);
    with_format!(format, F => F::from_bits(a).round_to_integral(direction).value.to_bits())
}

pub(super) fn convert(from: FloatFormat, to: FloatFormat, a: u128) -> u128 {
    let a = canonical(from, a);
    with_format!(from, F => with_format!(to, T => {
        let converted: T = F::from_bits(a).convert(&mut false).value;
        converted.to_bits()
    }))
}

/// Truncates a number to an integer; `None` if it does not fit.
pub(super) fn to_integer(from: FloatFormat, is_signed: bool, width: u8, a: u128) -> Option<u128> {
    let magnitude = a & !from.sign_mask();
    if from.exponent(magnitude) == from.largest_exponent() {
        return None;
    }
    let whole = match magnitude {
        0 => 0,
        _ => {
            let precision = i32::from(from.fraction_bits()) + 1;
            let (significand, exponent) = normalised(from, magnitude, precision);
            match exponent {
                ..0 => significand.checked_shr(exponent.unsigned_abs()).unwrap_or(0),
                _ if exponent + precision > 128 => return None,
                _ => significand << exponent,
            }
        }
    };
    let negative = a != magnitude;
    let largest = match (is_signed, negative) {
        (true, true) => 1 << (width - 1),
        (true, false) => mask(width - 1),
        (false, true) => 0,
        (false, false) => mask(width),
    };
    let value = if negative { whole.wrapping_neg() } else { whole };
    (whole <= largest).then_some(value & mask(width))
}

pub(super) fn from_integer(is_signed: bool, to: FloatFormat, width: u8, a: u128) -> u128 {
    with_format!(to, F => {
        let result = if is_signed { F::from_i128(signed(a, width)) } else { F::from_u128(a) };
        result.value.to_bits()
    })
}

/// The square root, digit by digit: one more bit than the result has, and whether anything is left after it, decide the
/// rounding.
pub(super) fn square_root(format: FloatFormat, a: u128) -> u128 {
    let magnitude = a & !format.sign_mask();
    if magnitude == 0 || a == format.infinity() {
        return a;
    }
    if a != magnitude {
        return format.default_nan();
    }
    let precision = i32::from(format.fraction_bits()) + 1;
    let (significand, exponent) = normalised(format, a, precision);
    // The radicand is `significand << shift`, of 2 * (precision + 1) bits or one less, and has an even exponent.
    let widest = precision + 2;
    let shift = if (exponent - widest) % 2 == 0 { widest } else { widest - 1 };
    let (root, exact) = integer_root(significand, shift, precision + 1);
    let mut rounded = root >> 1;
    if root & 1 == 1 && (!exact || rounded & 1 == 1) {
        rounded += 1;
    }
    let mut result_exponent = (exponent - shift) / 2 + 1;
    if rounded >> precision != 0 {
        rounded >>= 1;
        result_exponent += 1;
    }
    let biased = (result_exponent + precision - 1 + format.bias()) as u128;
    let stored = if format == FloatFormat::X87 { rounded } else { rounded & mask(format.fraction_bits()) };
    biased << format.significand_bits() | stored
}

/// A positive finite number as an integer of `precision` bits and a power of two.
fn normalised(format: FloatFormat, bits: u128, precision: i32) -> (u128, i32) {
    let field = format.exponent(bits) as i32;
    let stored = bits & mask(format.significand_bits());
    let hidden = if field != 0 && format != FloatFormat::X87 { 1 << format.fraction_bits() } else { 0 };
    let significand = stored | hidden;
    let exponent = field.max(1) - format.bias() - (precision - 1);
    let missing = precision - (128 - significand.leading_zeros() as i32);
    (significand << missing, exponent - missing)
}

/// The integer square root, of `digits` bits, of `significand << shift`; and whether it is exact.
fn integer_root(significand: u128, shift: i32, digits: i32) -> (u128, bool) {
    let bit = |position: i32| {
        let source = position - shift;
        if (0..128).contains(&source) { significand >> source & 1 } else { 0 }
    };
    let (mut root, mut remainder) = (0u128, 0u128);
    for digit in (0..digits).rev() {
        remainder = remainder << 2 | bit(2 * digit + 1) << 1 | bit(2 * digit);
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    (root, remainder == 0)
}
