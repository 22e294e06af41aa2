//! Floats for Z3. A float is its bits everywhere; an operation reads the bits as a number of Z3's floating-point theory and
//! gives the bits of the result. The theory has one NaN without bits, so which NaN an operation gives is said on the bits
//! themselves, by the rules of `upshot_expr::fold`. The number is kept beside the bits: where one operation feeds the next, Z3 need
//! not go through the bits.

use upshot_expr::{FloatBinOp, FloatFormat, FloatUnOp};
use z3::Sort;
use z3::ast::{BV, Bool, Float, RoundingMode};

use super::encode::{Gap, constant};
use super::ffi;

/// A number of the theory, and the format that it is of: the same bits may be read in another.
#[derive(Clone)]
pub(super) struct Number {
    format: FloatFormat,
    float: Float,
}

/// The bits of a float and, where an operation made it, the number that they stand for.
#[derive(Clone)]
pub(super) struct FloatTerm {
    pub(super) bits: BV,
    pub(super) number: Option<Number>,
}

impl FloatTerm {
    fn made(format: FloatFormat, bits: BV, float: Float) -> FloatTerm {
        FloatTerm { bits, number: Some(Number { format, float }) }
    }

    fn number_in(&self, format: FloatFormat) -> Option<&Float> {
        self.number.as_ref().filter(|number| number.format == format).map(|number| &number.float)
    }
}

/// A format, with what follows from it.
#[derive(Clone, Copy)]
struct Layout {
    format: FloatFormat,
    exponent: u32,
    /// Without an explicit integer bit.
    fraction: u32,
}

impl Layout {
    fn of(format: FloatFormat) -> Layout {
        let (exponent, fraction) = match format {
            FloatFormat::F16 => (5, 10),
            FloatFormat::BF16 => (8, 7),
            FloatFormat::F32 => (8, 23),
            FloatFormat::F64 => (11, 52),
            FloatFormat::X87 => (15, 63),
            FloatFormat::F128 => (15, 112),
        };
        Layout { format, exponent, fraction }
    }

    fn explicit(self) -> bool {
        self.format == FloatFormat::X87
    }

    fn width(self) -> u32 {
        u32::from(self.format.width())
    }

    fn sort(self) -> Sort {
        Sort::float(self.exponent, self.fraction + 1)
    }

    /// Bits below the exponent.
    fn significand(self) -> u32 {
        self.fraction + u32::from(self.explicit())
    }

    fn infinity_bits(self) -> u128 {
        let integer_bit = if self.explicit() { 1u128 << self.fraction } else { 0 };
        ((1u128 << self.exponent) - 1) << self.significand() | integer_bit
    }

    fn quiet_bit(self) -> u128 {
        1 << (self.fraction - 1)
    }

    fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    fn default_nan(self) -> BV {
        self.constant(self.sign_bit() | self.infinity_bits() | self.quiet_bit())
    }

    fn constant(self, bits: u128) -> BV {
        constant(self.width(), bits)
    }

    /// 2 to the power of `exponent`, or infinity if that is too large.
    fn power_of_two(self, exponent: u32) -> u128 {
        let bias = (1u128 << (self.exponent - 1)) - 1;
        let biased = u128::from(exponent) + bias;
        if biased >= (1 << self.exponent) - 1 {
            return self.infinity_bits();
        }
        let integer_bit = if self.explicit() { 1u128 << self.fraction } else { 0 };
        biased << self.significand() | integer_bit
    }

    fn exponent_of(self, bits: &BV) -> BV {
        bits.extract(self.width() - 2, self.significand())
    }

    fn fraction_of(self, bits: &BV) -> BV {
        bits.extract(self.fraction - 1, 0)
    }

    fn sign_of(self, bits: &BV) -> BV {
        bits.extract(self.width() - 1, self.width() - 1)
    }

    fn exponent_is_zero(self, bits: &BV) -> Bool {
        self.exponent_of(bits).eq(constant(self.exponent, 0))
    }

    /// An x87 encoding that the CPU refuses to compute with.
    fn is_unsupported(self, bits: &BV) -> Bool {
        if !self.explicit() {
            return Bool::from_bool(false);
        }
        let integer_bit_clear = bits.extract(self.fraction, self.fraction).eq(constant(1, 0));
        Bool::and(&[self.exponent_is_zero(bits).not(), integer_bit_clear])
    }

    fn is_nan(self, float: &FloatTerm) -> Bool {
        let bits = &float.bits;
        if let Some(number) = float.number_in(self.format) {
            return number.is_nan();
        }
        let largest = self.exponent_of(bits).eq(constant(self.exponent, (1 << self.exponent) - 1));
        let fraction = self.fraction_of(bits).eq(constant(self.fraction, 0)).not();
        let nan = Bool::and(&[largest, fraction]);
        if self.explicit() { Bool::or(&[nan, self.is_unsupported(bits)]) } else { nan }
    }

    fn quieted(self, nan: &BV) -> BV {
        let quiet = nan.bvor(self.constant(self.quiet_bit()));
        if self.explicit() { self.is_unsupported(nan).ite(&self.default_nan(), &quiet) } else { quiet }
    }

    /// The number that a float stands for.
    fn number(self, float: &FloatTerm) -> Result<Float, Gap> {
        match float.number_in(self.format) {
            Some(number) => Ok(number.clone()),
            None => self.number_of(&float.bits),
        }
    }

    fn number_of(self, bits: &BV) -> Result<Float, Gap> {
        let plain = if self.explicit() {
            // With exponent field 0 and the integer bit set, the value is that of exponent field 1.
            let integer_bit = bits.extract(self.fraction, self.fraction);
            let exponent = self.exponent_of(bits);
            let raised = exponent.bvor(integer_bit.zero_ext(self.exponent - 1));
            let exponent = self.exponent_is_zero(bits).ite(&raised, &exponent);
            self.sign_of(bits).concat(exponent).concat(self.fraction_of(bits))
        } else {
            bits.clone()
        };
        let number = ffi::float_from_bits(&plain, &self.sort()).ok_or(Gap("a float from bits"))?;
        Ok(if self.explicit() { self.is_unsupported(bits).ite(&Float::nan(&self.sort()), &number) } else { number })
    }

    /// The bits of a number that is not a NaN.
    fn bits(self, number: &Float) -> BV {
        let plain = number.to_ieee_bv();
        if !self.explicit() {
            return plain;
        }
        let exponent = plain.extract(self.fraction + self.exponent - 1, self.fraction);
        let normal = exponent.eq(constant(self.exponent, 0)).not();
        let integer_bit = normal.ite(&constant(1, 1), &constant(1, 0));
        let top = plain.extract(self.fraction + self.exponent, self.fraction);
        top.concat(integer_bit).concat(plain.extract(self.fraction - 1, 0))
    }

    /// The result of an operation: a NaN of the operands, the default NaN, or the number.
    fn settled(self, operands: &[&FloatTerm], number: Float) -> FloatTerm {
        let made = number.is_nan().ite(&self.default_nan(), &self.bits(&number));
        let bits = if self.explicit() {
            self.settled_x87(operands, made)
        } else {
            let choose =
                |result: BV, operand: &&FloatTerm| self.is_nan(operand).ite(&self.quieted(&operand.bits), &result);
            operands.iter().rev().fold(made, choose)
        };
        FloatTerm::made(self.format, bits, number)
    }

    /// x87: a quiet NaN wins over a signaling one, then the larger significand, then the positive one; and one that the
    /// CPU refuses beats all.
    fn settled_x87(self, operands: &[&FloatTerm], made: BV) -> BV {
        let mut chosen: Option<(Bool, BV)> = None;
        for operand in operands {
            let nan = self.is_nan(operand);
            chosen = Some(match chosen {
                None => (nan, operand.bits.clone()),
                Some((any, best)) => {
                    let both = self.larger_nan(&best, &operand.bits);
                    let winner = any.ite(&nan.ite(&both, &best), &operand.bits);
                    (Bool::or(&[any, nan]), winner)
                }
            });
        }
        match chosen {
            Some((any, best)) => any.ite(&self.quieted(&best), &made),
            None => made,
        }
    }

    fn larger_nan(self, a: &BV, b: &BV) -> BV {
        let quiet = self.fraction - 1;
        let key = |nan: &BV| {
            let positive = self.sign_of(nan).bvnot();
            nan.extract(quiet, quiet).concat(nan.extract(63, 0)).concat(positive)
        };
        let larger = key(b).bvugt(key(a)).ite(b, a);
        let refused = Bool::or(&[self.is_unsupported(a), self.is_unsupported(b)]);
        refused.ite(&self.default_nan(), &larger)
    }
}

fn nearest() -> RoundingMode {
    RoundingMode::round_nearest_ties_to_even()
}

/// Formats whose arithmetic is done in `float`.
fn promoted(format: FloatFormat) -> bool {
    matches!(format, FloatFormat::F16 | FloatFormat::BF16)
}

pub(super) fn binary(op: FloatBinOp, format: FloatFormat, a: &FloatTerm, b: &FloatTerm) -> Result<FloatTerm, Gap> {
    if promoted(format) {
        let (a, b) = (cast(format, FloatFormat::F32, a)?, cast(format, FloatFormat::F32, b)?);
        return cast(FloatFormat::F32, format, &binary(op, FloatFormat::F32, &a, &b)?);
    }
    let layout = Layout::of(format);
    let (x, y) = (layout.number(a)?, layout.number(b)?);
    let number = match op {
        FloatBinOp::Add => nearest().add(&x, &y),
        FloatBinOp::Sub => nearest().sub(&x, &y),
        FloatBinOp::Mul => nearest().mul(&x, &y),
        FloatBinOp::Div => nearest().div(&x, &y),
        FloatBinOp::Rem => return remainder(layout, a, b),
        _ => return Err(Gap("a float operation that is expanded when it is built")),
    };
    Ok(layout.settled(&[a, b], number))
}

/// C's `fmod`. The theory's remainder is that of IEEE, whose quotient is rounded to nearest: on magnitudes it is
/// either `fmod`, or too small by the divisor; both are exact.
fn remainder(layout: Layout, a: &FloatTerm, b: &FloatTerm) -> Result<FloatTerm, Gap> {
    if !matches!(layout.format, FloatFormat::F32) {
        return Err(Gap("the remainder of floats wider than 32 bits"));
    }
    let (x, y) = (layout.number(a)?, layout.number(b)?);
    let (dividend, divisor) = (x.unary_abs(), y.unary_abs());
    let near = dividend.rem(&divisor);
    let zero = layout.number_of(&layout.constant(0))?;
    let magnitude = near.lt(&zero).ite(&nearest().add(&near, &divisor), &near);
    let bits = layout.bits(&magnitude);
    let signed = layout.sign_of(&a.bits).concat(bits.extract(layout.width() - 2, 0));
    let invalid = Bool::or(&[x.is_infinite(), y.is_zero()]);
    let number = invalid.ite(&layout.default_nan(), &signed);
    let number = layout.is_nan(b).ite(&layout.quieted(&b.bits), &number);
    let bits = layout.is_nan(a).ite(&layout.quieted(&a.bits), &number);
    Ok(FloatTerm { bits, number: None })
}

pub(super) fn unary(op: FloatUnOp, format: FloatFormat, a: &FloatTerm) -> Result<FloatTerm, Gap> {
    if promoted(format) {
        let wide = cast(format, FloatFormat::F32, a)?;
        return cast(FloatFormat::F32, format, &unary(op, FloatFormat::F32, &wide)?);
    }
    let layout = Layout::of(format);
    let x = layout.number(a)?;
    let number = match op {
        FloatUnOp::Sqrt => x.sqrt(),
        FloatUnOp::Floor => x.round_to_integral_with_rounding_mode(&RoundingMode::round_towards_negative()),
        FloatUnOp::Ceil => x.round_to_integral_with_rounding_mode(&RoundingMode::round_towards_positive()),
        FloatUnOp::Trunc => x.round_to_integral_with_rounding_mode(&RoundingMode::round_towards_zero()),
        FloatUnOp::RoundEven => x.round_to_integral(),
        FloatUnOp::Round => x.round_to_integral_with_rounding_mode(&RoundingMode::round_nearest_ties_to_away()),
        FloatUnOp::Neg | FloatUnOp::Abs => return Err(Gap("a float operation that is expanded when it is built")),
    };
    Ok(layout.settled(&[a], number))
}

pub(super) fn fused(format: FloatFormat, a: &FloatTerm, b: &FloatTerm, c: &FloatTerm) -> Result<FloatTerm, Gap> {
    let layout = Layout::of(format);
    let number = layout.number(a)?.fma(&layout.number(b)?, &layout.number(c)?);
    if !layout.explicit() {
        // Of several NaNs, that of the second factor comes first.
        return Ok(layout.settled(&[b, a, c], number));
    }
    // x87 has no such instruction; where a NaN is involved, what the library's multiplication and addition do is seen.
    let product = binary(FloatBinOp::Mul, format, a, b)?;
    let stepwise = binary(FloatBinOp::Add, format, &product, c)?;
    let any_nan = Bool::or(&[layout.is_nan(a), layout.is_nan(b), layout.is_nan(c)]);
    let fused = layout.settled(&[], number.clone());
    Ok(FloatTerm::made(format, any_nan.ite(&stepwise.bits, &fused.bits), number))
}

#[derive(Clone, Copy)]
pub(super) enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

pub(super) fn compare(relation: Relation, format: FloatFormat, a: &FloatTerm, b: &FloatTerm) -> Result<Bool, Gap> {
    let layout = Layout::of(format);
    let (x, y) = (layout.number(a)?, layout.number(b)?);
    Ok(match relation {
        Relation::Equal => x.eq_fpa(&y),
        Relation::Less => x.lt(&y),
        Relation::LessOrEqual => x.le(&y),
    })
}

pub(super) fn is_nan(format: FloatFormat, a: &FloatTerm) -> Bool {
    Layout::of(format).is_nan(a)
}

pub(super) fn cast(from: FloatFormat, to: FloatFormat, a: &FloatTerm) -> Result<FloatTerm, Gap> {
    if from == to {
        return Ok(a.clone());
    }
    let (source, target) = (Layout::of(from), Layout::of(to));
    let number = source.number(a)?.to_fp_with_rounding_mode(&nearest(), &target.sort());
    let bits = source.is_nan(a).ite(&cast_nan(source, target, &a.bits), &target.bits(&number));
    Ok(FloatTerm::made(to, bits, number))
}

/// Sign and the upper bits of the payload stay; the result is quiet.
fn cast_nan(source: Layout, target: Layout, nan: &BV) -> BV {
    let fraction = source.fraction_of(nan);
    let payload = if target.fraction >= source.fraction {
        match target.fraction - source.fraction {
            0 => fraction,
            more => fraction.concat(constant(more, 0)),
        }
    } else {
        fraction.extract(source.fraction - 1, source.fraction - target.fraction)
    };
    let exponent = constant(target.exponent, (1 << target.exponent) - 1);
    let head = source.sign_of(nan).concat(exponent);
    let head = if target.explicit() { head.concat(constant(1, 1)) } else { head };
    let kept = target.quieted(&head.concat(payload));
    source.is_unsupported(nan).ite(&target.default_nan(), &kept)
}

pub(super) fn to_integer(from: FloatFormat, signed: bool, width: u32, a: &FloatTerm) -> Result<BV, Gap> {
    let layout = Layout::of(from);
    let toward_zero = RoundingMode::round_towards_zero();
    let x = layout.number(a)?;
    let whole = x.round_to_integral_with_rounding_mode(&toward_zero);
    let limit = layout.power_of_two(if signed { width - 1 } else { width });
    let below = whole.lt(&layout.number_of(&layout.constant(limit))?);
    let lowest = if signed { limit | layout.sign_bit() } else { 0 };
    let above = layout.number_of(&layout.constant(lowest))?.le(&whole);
    // A limit that the format cannot hold is infinity here; then every finite number fits.
    let fits = Bool::and(&[x.is_infinite().not(), below, above]);
    let integer = if signed {
        x.to_sbv_with_rounding_mode(&toward_zero, width)
    } else {
        x.to_ubv_with_rounding_mode(&toward_zero, width)
    };
    Ok(fits.ite(&integer, &constant(width, 1 << (width - 1))))
}

pub(super) fn from_integer(signed: bool, to: FloatFormat, integer: &BV) -> Result<FloatTerm, Gap> {
    let layout = Layout::of(to);
    let number = ffi::float_from_integer(&nearest(), integer, signed, &layout.sort());
    let number = number.ok_or(Gap("a float from an integer"))?;
    Ok(FloatTerm::made(to, layout.bits(&number), number))
}
