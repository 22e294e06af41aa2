//! Float intrinsics, lane by lane.

use crate::lower::arithmetic::float_format;
use crate::lower::function::FunctionLowering;
use crate::lower::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn float_intrinsic(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        use MathFunction::*;
        if let Some(op) = unary(name) {
            return Some(self.float_unary(i, op));
        }
        if let Some(op) = binary(name) {
            return Some(self.float_binary_call(i, op));
        }
        let lowered = match name {
            "fma" => self.float_lanewise(i, 3, Intrinsic::Fma),
            "fmuladd" => self.multiply_add(i),
            "ldexp" => self.float_lanewise(i, 2, Intrinsic::Ldexp),
            "is.fpclass" => self.float_class(i),
            "fptosi.sat" => self.float_to_integer(&i.arguments[0].0, true, true),
            "fptoui.sat" => self.float_to_integer(&i.arguments[0].0, false, true),
            "lrint" | "llrint" => self.round_to_integer(i, FloatUnOp::RoundEven),
            "lround" | "llround" => self.round_to_integer(i, FloatUnOp::Round),
            "frexp" => self.split_exponent(i),
            "convert.from.fp16" | "convert.to.fp16" => self.half_storage(i),
            "sin" => self.math(i, Sin, 1),
            "cos" => self.math(i, Cos, 1),
            "tan" => self.math(i, Tan, 1),
            "exp" => self.math(i, Exp, 1),
            "exp2" => self.math(i, Exp2, 1),
            "exp10" => self.math(i, Exp10, 1),
            "log" => self.math(i, Log, 1),
            "log2" => self.math(i, Log2, 1),
            "log10" => self.math(i, Log10, 1),
            "pow" => self.math(i, Pow, 2),
            "powi" => self.math(i, Powi, 2),
            _ => return None,
        };
        Some(lowered)
    }

    fn float_unary(&mut self, i: &'a ir::Call, op: FloatUnOp) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        for ((dst, scalar), a) in self.result_lanes()?.into_iter().zip(value.parts) {
            self.emit(Op::FloatUn { op, format: float_format(scalar)?, dst, a });
        }
        Ok(())
    }

    pub(super) fn float_binary_call(&mut self, i: &'a ir::Call, op: FloatBinOp) -> Lowered<()> {
        let a = self.argument_value(i, 0)?;
        let b = self.argument_value(i, 1)?;
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            let (a, b) = (a.parts[lane], b.parts[lane]);
            self.emit(Op::FloatBin { op, format: float_format(scalar)?, dst, a, b });
        }
        Ok(())
    }

    /// An intrinsic whose format is that of its result.
    fn float_lanewise(&mut self, i: &'a ir::Call, count: u32, which: impl Fn(FloatFormat) -> Intrinsic) -> Lowered<()> {
        let mut values = Vec::with_capacity(count as usize);
        for position in 0..count {
            values.push(self.argument_value(i, position)?.parts);
        }
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            // llvm.powi takes one exponent for all lanes.
            let args: Box<[Operand]> = values.iter().map(|parts| *parts.get(lane).unwrap_or(&parts[0])).collect();
            let which = which(float_format(scalar)?);
            self.emit(Op::Intrinsic { which, width: scalar.width(), dst, args });
        }
        Ok(())
    }

    fn math(&mut self, i: &'a ir::Call, function: MathFunction, count: u32) -> Lowered<()> {
        self.float_lanewise(i, count, |format| Intrinsic::Math(function, format))
    }

    /// Rounded twice: x86-64 has no fused operation unless it is asked for one.
    fn multiply_add(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let a = self.argument_value(i, 0)?.parts;
        let b = self.argument_value(i, 1)?.parts;
        let c = self.argument_value(i, 2)?.parts;
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            let format = float_format(scalar)?;
            let product = self.temporary();
            self.emit(Op::FloatBin { op: FloatBinOp::Mul, format, dst: product, a: a[lane], b: b[lane] });
            self.emit(Op::FloatBin { op: FloatBinOp::Add, format, dst, a: Operand::reg(product), b: c[lane] });
        }
        Ok(())
    }

    fn float_class(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        let (mask, _) = self.scalar_argument(i, 1)?;
        let leaves = self.leaves(value.ty)?;
        for (lane, (dst, _)) in self.result_lanes()?.into_iter().enumerate() {
            let which = Intrinsic::IsFpClass(float_format(leaves[lane].scalar)?);
            self.emit(Op::Intrinsic { which, width: 1, dst, args: Box::new([value.parts[lane], mask]) });
        }
        Ok(())
    }

    fn round_to_integer(&mut self, i: &'a ir::Call, op: FloatUnOp) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        let leaves = self.leaves(value.ty)?;
        for (lane, (dst, to)) in self.result_lanes()?.into_iter().enumerate() {
            let format = float_format(leaves[lane].scalar)?;
            let rounded = self.temporary();
            self.emit(Op::FloatUn { op, format, dst: rounded, a: value.parts[lane] });
            let a = Operand::reg(rounded);
            self.emit(Op::FloatToInt { from: format, to: to.width(), signed: true, saturating: false, dst, a });
        }
        Ok(())
    }

    /// Halves kept as i16, as targets without the type do.
    fn half_storage(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (a, scalar) = self.scalar_argument(i, 0)?;
        let (dst, to) = *self.result_lanes()?.first().ok_or_else(|| Unsupported("no result".to_string()))?;
        let format = |scalar| match scalar {
            Scalar::Float(format) => format,
            _ => FloatFormat::F16,
        };
        self.emit(Op::FloatCast { from: format(scalar), to: format(to), dst, a });
        Ok(())
    }

    pub(super) fn fold_floats(&mut self, i: &'a ir::Call, op: FloatBinOp) -> Lowered<()> {
        self.fold_lanes(i, |this, scalar, a, b| {
            let dst = this.temporary();
            this.emit(Op::FloatBin { op, format: float_format(scalar)?, dst, a, b });
            Ok(Operand::reg(dst))
        })
    }

    /// `llvm.frexp`: a fraction in [0.5, 1) and an exponent, by the bits of the format.
    fn split_exponent(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (x, scalar) = self.scalar_argument(i, 0)?;
        let format = float_format(scalar)?;
        // (bits of the fraction field, bias - 1, a power of two that makes subnormals normal, its exponent)
        let (fraction, half, scale, shift) = match format {
            FloatFormat::F32 => (23, 126u128, u128::from(2f32.powi(25).to_bits()), 25u128),
            FloatFormat::F64 => (52, 1022, u128::from(2f64.powi(54).to_bits()), 54),
            _ => return Err(Unsupported("llvm.frexp of this format".to_string())),
        };
        let width = format.width();
        let exponents = (1u128 << (width - 1 - fraction)) - 1;
        let exponent_of = |this: &mut Self, bits: Operand| {
            let amount = this.int(width, u128::from(fraction));
            let shifted = this.binary(BinOp::LShr, width, bits, amount);
            let field = this.int(width, exponents);
            this.binary(BinOp::And, width, shifted, field)
        };
        let raw = exponent_of(self, x);
        let (none, all) = (self.int(width, 0), self.int(width, exponents));
        let subnormal = self.compare(IntPredicate::Eq, width, raw, none);
        let scale = self.int(width, scale);
        let scaled = self.temporary();
        self.emit(Op::FloatBin { op: FloatBinOp::Mul, format, dst: scaled, a: x, b: scale });
        let normal = self.choose(width, subnormal, Operand::reg(scaled), x);
        let biased = exponent_of(self, normal);
        let shift = self.int(width, half + shift);
        let half_exponent = self.int(width, half);
        let bias = self.choose(width, subnormal, shift, half_exponent);
        let exponent = self.binary(BinOp::Sub, width, biased, bias);
        let keep = self.int(width, !(exponents << fraction));
        let kept = self.binary(BinOp::And, width, normal, keep);
        let set = self.int(width, half << fraction);
        let mantissa = self.binary(BinOp::Or, width, kept, set);
        // Zeros, infinities and NaNs stay as they are.
        let magnitude = self.int(width, (1 << (width - 1)) - 1);
        let magnitude = self.binary(BinOp::And, width, x, magnitude);
        let zero = self.compare(IntPredicate::Eq, width, magnitude, none);
        let infinite = self.compare(IntPredicate::Eq, width, raw, all);
        let special = self.binary(BinOp::Or, 1, zero, infinite);
        let value = self.choose(width, special, x, mantissa);
        let exponent = self.choose(width, special, none, exponent);
        let to = self.result_lanes()?.get(1).map_or(32, |(_, scalar)| scalar.width());
        let exponent = self.narrow(exponent, width, to);
        self.move_to_result(&[value, exponent])
    }
}

fn unary(name: &str) -> Option<FloatUnOp> {
    Some(match name {
        "fabs" => FloatUnOp::Abs,
        "sqrt" => FloatUnOp::Sqrt,
        "floor" => FloatUnOp::Floor,
        "ceil" => FloatUnOp::Ceil,
        "trunc" => FloatUnOp::Trunc,
        "rint" | "nearbyint" | "roundeven" => FloatUnOp::RoundEven,
        "round" => FloatUnOp::Round,
        _ => return None,
    })
}

fn binary(name: &str) -> Option<FloatBinOp> {
    Some(match name {
        "minnum" => FloatBinOp::MinNum,
        "maxnum" => FloatBinOp::MaxNum,
        "minimum" => FloatBinOp::Minimum,
        "maximum" => FloatBinOp::Maximum,
        "copysign" => FloatBinOp::CopySign,
        _ => return None,
    })
}
