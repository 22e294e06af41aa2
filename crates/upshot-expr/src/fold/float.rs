//! Floating-point arithmetic, bit for bit what an x86-64 machine computes. `float` and `double` go through the CPU's own
//! arithmetic, `_Float16` and `__bf16` through `float` as compilers do it, the wider formats through software. Which NaN
//! comes out is decided here and not left to the host: Rust promises nothing about the bits of a NaN.

use super::{extended, mask, signed};
use crate::ops::{FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp};

impl FloatFormat {
    /// Bits below the exponent field: the fraction, and for x87 also the explicit integer bit.
    pub(crate) fn significand_bits(self) -> u8 {
        match self {
            FloatFormat::F16 => 10,
            FloatFormat::BF16 => 7,
            FloatFormat::F32 => 23,
            FloatFormat::F64 => 52,
            FloatFormat::X87 => 64,
            FloatFormat::F128 => 112,
        }
    }

    /// Bits of the fraction, without an explicit integer bit.
    pub(crate) fn fraction_bits(self) -> u8 {
        if self == FloatFormat::X87 { 63 } else { self.significand_bits() }
    }

    pub(crate) fn sign_mask(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The largest value of the exponent field: infinities and NaNs.
    pub(crate) fn largest_exponent(self) -> u128 {
        mask(self.width() - 1 - self.significand_bits())
    }

    pub(crate) fn bias(self) -> i32 {
        (self.largest_exponent() / 2) as i32
    }

    pub(crate) fn exponent(self, bits: u128) -> u128 {
        bits >> self.significand_bits() & self.largest_exponent()
    }

    pub(crate) fn infinity(self) -> u128 {
        let integer_bit = if self == FloatFormat::X87 { 1 << 63 } else { 0 };
        self.largest_exponent() << self.significand_bits() | integer_bit
    }

    fn quiet_bit(self) -> u128 {
        1 << (self.fraction_bits() - 1)
    }

    /// Whether every number of this format is one of the other.
    pub(crate) fn fits_in(self, other: FloatFormat) -> bool {
        self.fraction_bits() <= other.fraction_bits() && self.bias() <= other.bias()
    }

    /// What an invalid operation gives: negative, quiet, no payload.
    pub(crate) fn default_nan(self) -> u128 {
        self.sign_mask() | self.infinity() | self.quiet_bit()
    }

    /// An x87 encoding that no operation produces (its integer bit is clear although its exponent is not zero). The CPU
    /// refuses to compute with it.
    fn is_unsupported(self, bits: u128) -> bool {
        self == FloatFormat::X87 && self.exponent(bits) != 0 && bits >> 63 & 1 == 0
    }

    fn quieted(self, nan: u128) -> u128 {
        if self.is_unsupported(nan) { self.default_nan() } else { nan | self.quiet_bit() }
    }

    fn is_signaling(self, nan: u128) -> bool {
        nan & self.quiet_bit() == 0
    }

    /// 2 to the power of `exponent`, or infinity if that is too large.
    pub(crate) fn power_of_two(self, exponent: i32) -> u128 {
        let biased = exponent + self.bias();
        if biased >= self.largest_exponent() as i32 {
            return self.infinity();
        }
        let integer_bit = if self == FloatFormat::X87 { 1 << 63 } else { 0 };
        (biased as u128) << self.significand_bits() | integer_bit
    }
}

/// Whether these bits are a NaN (for x87, also what the CPU treats like one).
pub fn float_is_nan(format: FloatFormat, bits: u128) -> bool {
    let fraction = bits & mask(format.fraction_bits());
    (format.exponent(bits) == format.largest_exponent() && fraction != 0) || format.is_unsupported(bits)
}

/// The NaN that an operation with at least one NaN operand gives, if there is one.
fn propagated_nan(format: FloatFormat, operands: &[u128]) -> Option<u128> {
    let mut nans = operands.iter().copied().filter(|&bits| float_is_nan(format, bits));
    let first = nans.next()?;
    if format != FloatFormat::X87 {
        return Some(format.quieted(first));
    }
    Some(nans.fold(first, larger_x87_nan)).map(|nan| format.quieted(nan))
}

/// x87: a quiet NaN wins over a signaling one, then the larger significand, then the positive one.
fn larger_x87_nan(a: u128, b: u128) -> u128 {
    let format = FloatFormat::X87;
    if format.is_unsupported(a) || format.is_unsupported(b) {
        return format.default_nan();
    }
    let key = |nan: u128| (!format.is_signaling(nan), nan & mask(64), nan & format.sign_mask() == 0);
    if key(b) > key(a) { b } else { a }
}

/// The result of an operation on numbers: a NaN that it made is the default one.
fn settled(format: FloatFormat, bits: u128) -> u128 {
    if float_is_nan(format, bits) { format.default_nan() } else { bits }
}

fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// Whether arithmetic of this format is done in `float`.
fn promoted(format: FloatFormat) -> bool {
    matches!(format, FloatFormat::F16 | FloatFormat::BF16)
}

pub fn float_bin(op: FloatBinOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    match op {
        FloatBinOp::Add | FloatBinOp::Sub | FloatBinOp::Mul | FloatBinOp::Div | FloatBinOp::Rem => {
            arithmetic(op, format, a, b)
        }
        FloatBinOp::MinNum => number_or_other(format, a, b, less(format, b, a)),
        FloatBinOp::MaxNum => number_or_other(format, a, b, less(format, a, b)),
        FloatBinOp::Minimum | FloatBinOp::Maximum => extreme(op, format, a, b),
        FloatBinOp::CopySign => (a & !format.sign_mask()) | (b & format.sign_mask()),
    }
}

fn arithmetic(op: FloatBinOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    if let Some(nan) = propagated_nan(format, &[a, b]) {
        return nan;
    }
    let bits = match format {
        FloatFormat::F32 => u128::from(native_f32(op, f32_of(a), f32_of(b)).to_bits()),
        FloatFormat::F64 => u128::from(native_f64(op, f64_of(a), f64_of(b)).to_bits()),
        FloatFormat::X87 | FloatFormat::F128 => extended::arithmetic(op, format, a, b),
        FloatFormat::F16 | FloatFormat::BF16 => {
            let (a, b) = (widened(format, a), widened(format, b));
            return float_cast(FloatFormat::F32, format, arithmetic(op, FloatFormat::F32, a, b));
        }
    };
    settled(format, bits)
}

fn widened(format: FloatFormat, bits: u128) -> u128 {
    float_cast(format, FloatFormat::F32, bits)
}

fn native_f32(op: FloatBinOp, a: f32, b: f32) -> f32 {
    match op {
        FloatBinOp::Add => a + b,
        FloatBinOp::Sub => a - b,
        FloatBinOp::Mul => a * b,
        FloatBinOp::Div => a / b,
        _ => a % b,
    }
}

fn native_f64(op: FloatBinOp, a: f64, b: f64) -> f64 {
    match op {
        FloatBinOp::Add => a + b,
        FloatBinOp::Sub => a - b,
        FloatBinOp::Mul => a * b,
        FloatBinOp::Div => a / b,
        _ => a % b,
    }
}

/// llvm.minnum and llvm.maxnum: the operand that is a number, if only one is; else `b` if it is the one sought.
fn number_or_other(format: FloatFormat, a: u128, b: u128, b_wins: bool) -> u128 {
    if float_is_nan(format, a) || b_wins { b } else { a }
}

/// llvm.minimum and llvm.maximum: a NaN wins, and -0 is below +0.
fn extreme(op: FloatBinOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    for operand in [a, b] {
        if float_is_nan(format, operand) {
            return format.quieted(operand);
        }
    }
    let (below, above) = (less(format, a, b), less(format, b, a));
    match (op == FloatBinOp::Minimum, below, above) {
        (true, true, _) | (false, _, true) => a,
        (true, _, true) | (false, true, _) => b,
        (true, false, false) => a | b,
        (false, false, false) => a & b,
    }
}

pub fn float_un(op: FloatUnOp, format: FloatFormat, a: u128) -> u128 {
    match op {
        FloatUnOp::Neg => return a ^ format.sign_mask(),
        FloatUnOp::Abs => return a & !format.sign_mask(),
        _ => {}
    }
    if let Some(nan) = propagated_nan(format, &[a]) {
        return nan;
    }
    let bits = match format {
        FloatFormat::F32 => u128::from(unary_f32(op, f32_of(a)).to_bits()),
        FloatFormat::F64 => u128::from(unary_f64(op, f64_of(a)).to_bits()),
        FloatFormat::X87 | FloatFormat::F128 if op == FloatUnOp::Sqrt => extended::square_root(format, a),
        FloatFormat::X87 | FloatFormat::F128 => extended::round(op, format, a),
        FloatFormat::F16 | FloatFormat::BF16 => {
            return float_cast(FloatFormat::F32, format, float_un(op, FloatFormat::F32, widened(format, a)));
        }
    };
    settled(format, bits)
}

fn unary_f32(op: FloatUnOp, a: f32) -> f32 {
    match op {
        FloatUnOp::Neg => -a,
        FloatUnOp::Abs => a.abs(),
        FloatUnOp::Sqrt => a.sqrt(),
        FloatUnOp::Floor => a.floor(),
        FloatUnOp::Ceil => a.ceil(),
        FloatUnOp::Trunc => a.trunc(),
        FloatUnOp::RoundEven => a.round_ties_even(),
        FloatUnOp::Round => a.round(),
    }
}

fn unary_f64(op: FloatUnOp, a: f64) -> f64 {
    match op {
        FloatUnOp::Neg => -a,
        FloatUnOp::Abs => a.abs(),
        FloatUnOp::Sqrt => a.sqrt(),
        FloatUnOp::Floor => a.floor(),
        FloatUnOp::Ceil => a.ceil(),
        FloatUnOp::Trunc => a.trunc(),
        FloatUnOp::RoundEven => a.round_ties_even(),
        FloatUnOp::Round => a.round(),
    }
}

/// `a * b + c`, rounded once. Of several NaNs, that of the second factor comes first: such is the form of the instruction that
/// the C library uses. For x87 there is none, and the library multiplies and adds.
pub fn float_fma(format: FloatFormat, a: u128, b: u128, c: u128) -> u128 {
    if let Some(nan) = propagated_nan(format, &[b, a, c]) {
        if format == FloatFormat::X87 {
            return arithmetic(FloatBinOp::Add, format, arithmetic(FloatBinOp::Mul, format, a, b), c);
        }
        return nan;
    }
    let bits = match format {
        FloatFormat::F32 => u128::from(f32_of(a).mul_add(f32_of(b), f32_of(c)).to_bits()),
        FloatFormat::F64 => u128::from(f64_of(a).mul_add(f64_of(b), f64_of(c)).to_bits()),
        _ => extended::fused(format, a, b, c),
    };
    settled(format, bits)
}

fn less(format: FloatFormat, a: u128, b: u128) -> bool {
    ordering(format, a, b) == Some(std::cmp::Ordering::Less)
}

/// How two floats compare; `None` if one is a NaN. Within one sign, the order of floats is the order of their bits.
fn ordering(format: FloatFormat, a: u128, b: u128) -> Option<std::cmp::Ordering> {
    if float_is_nan(format, a) || float_is_nan(format, b) {
        return None;
    }
    Some(rank(format, a).cmp(&rank(format, b)))
}

/// Sign and magnitude as a signed number. A magnitude of 127 bits at most fits.
fn rank(format: FloatFormat, bits: u128) -> i128 {
    let magnitude = (extended::canonical(format, bits) & !format.sign_mask()) as i128;
    if bits & format.sign_mask() == 0 { magnitude } else { -magnitude }
}

/// The predicate's mask has a bit for each way in which two floats can relate: 1 equal, 2 greater, 4 less, 8 unordered.
pub fn float_compare(predicate: FloatPredicate, format: FloatFormat, a: u128, b: u128) -> bool {
    let relation = match ordering(format, a, b) {
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        Some(std::cmp::Ordering::Less) => 4,
        None => 8,
    };
    predicate.0 & relation != 0
}

pub fn float_cast(from: FloatFormat, to: FloatFormat, a: u128) -> u128 {
    if from == to {
        return a;
    }
    if float_is_nan(from, a) {
        return cast_nan(from, to, a);
    }
    match (from, to) {
        (FloatFormat::F32, FloatFormat::F64) => u128::from(f64::from(f32_of(a)).to_bits()),
        (FloatFormat::F64, FloatFormat::F32) => u128::from((f64_of(a) as f32).to_bits()),
        (FloatFormat::BF16, FloatFormat::F32) => a << 16,
        _ => extended::convert(from, to, a),
    }
}

/// Sign and the upper bits of the payload stay; the result is quiet.
fn cast_nan(from: FloatFormat, to: FloatFormat, nan: u128) -> u128 {
    if from.is_unsupported(nan) {
        return to.default_nan();
    }
    let fraction = nan & mask(from.fraction_bits());
    let (have, want) = (from.fraction_bits(), to.fraction_bits());
    let payload = if want >= have { fraction << (want - have) } else { fraction >> (have - want) };
    let sign = if nan & from.sign_mask() == 0 { 0 } else { to.sign_mask() };
    sign | to.infinity() | to.quiet_bit() | payload
}

/// Truncates to an integer. A NaN, or what does not fit, gives `1 << (width - 1)`.
pub fn float_to_int(from: FloatFormat, signed: bool, width: u8, a: u128) -> u128 {
    let indefinite = 1u128 << (width - 1);
    if float_is_nan(from, a) {
        return indefinite;
    }
    match from {
        FloatFormat::F64 => truncated(f64_of(a), signed, width),
        FloatFormat::F32 => truncated(f64::from(f32_of(a)), signed, width),
        _ if promoted(from) => truncated(f64::from(f32_of(widened(from, a))), signed, width),
        _ => extended::to_integer(from, signed, width, a),
    }
    .unwrap_or(indefinite)
}

fn truncated(value: f64, signed: bool, width: u8) -> Option<u128> {
    let whole = value.trunc();
    let power = |exponent: u8| f64_of(FloatFormat::F64.power_of_two(i32::from(exponent)));
    if signed {
        let limit = power(width - 1);
        (-limit <= whole && whole < limit).then_some(whole as i128 as u128 & mask(width))
    } else {
        (0.0 <= whole && whole < power(width)).then_some(whole as u128)
    }
}

/// Truncates to an integer; a NaN gives zero, and what does not fit the nearest integer that does (llvm.fpto?i.sat).
pub fn float_to_int_sat(from: FloatFormat, signed: bool, width: u8, a: u128) -> u128 {
    if float_is_nan(from, a) {
        return 0;
    }
    let negative = a & from.sign_mask() != 0;
    let limit = from.power_of_two(i32::from(width) - i32::from(signed));
    let magnitude = a & !from.sign_mask();
    let too_large = !less(from, magnitude, limit);
    match (negative, signed) {
        (true, false) => 0,
        (true, true) if too_large => 1 << (width - 1),
        (false, true) if too_large => mask(width - 1),
        (false, false) if too_large => mask(width),
        _ => float_to_int(from, signed, width, a),
    }
}

pub fn int_to_float(is_signed: bool, to: FloatFormat, width: u8, a: u128) -> u128 {
    match to {
        FloatFormat::F32 if is_signed => u128::from((signed(a, width) as f32).to_bits()),
        FloatFormat::F32 => u128::from((a as f32).to_bits()),
        FloatFormat::F64 if is_signed => u128::from((signed(a, width) as f64).to_bits()),
        FloatFormat::F64 => u128::from((a as f64).to_bits()),
        _ => extended::from_integer(is_signed, to, width, a),
    }
}
