//! LLVM's intrinsics, on scalars.

use upshot_expr::{TermId, fold};
use upshot_ir::{BinOp, FloatFormat, IntPredicate, Intrinsic, Operand, Reg};

use crate::error::ErrorKind;
use crate::machine::{Machine, Stop};
use crate::state::State;
use crate::value::Value;

impl<'p> Machine<'p> {
    pub(crate) fn intrinsic(
        &mut self,
        state: &mut State,
        which: Intrinsic,
        width: u8,
        dst: Reg,
        args: &[Operand],
    ) -> Result<(), Stop> {
        match which {
            Intrinsic::MemCpy | Intrinsic::MemMove => {
                let (to, from) = (self.operand(state, args[0], 64)?, self.operand(state, args[1], 64)?);
                let length = self.operand(state, args[2], width)?;
                self.copy_memory(state, to, from, length, width)
            }
            Intrinsic::MemSet => {
                let (to, byte) = (self.operand(state, args[0], 64)?, self.operand(state, args[1], 8)?);
                let length = self.operand(state, args[2], width)?;
                self.fill_memory(state, to, byte, length, width)
            }
            Intrinsic::StackSave => {
                self.set(state, dst, Value::int(state.frame.objects.len() as u64));
                Ok(())
            }
            Intrinsic::StackRestore => {
                let keep = self.operand(state, args[0], 64)?.low() as usize;
                while state.frame.objects.len() > keep {
                    if let Some(address) = state.frame.objects.pop() {
                        let size = state.memory.find(address).map_or(0, |object| object.size);
                        state.stack_bytes = state.stack_bytes.saturating_sub(size);
                        state.memory.release(address);
                    }
                }
                Ok(())
            }
            Intrinsic::VaStart => self.start_variadic(state, args[0]),
            Intrinsic::VaEnd | Intrinsic::LifetimeEnd => Ok(()),
            Intrinsic::VaCopy => {
                let (to, from) = (self.operand(state, args[0], 64)?, self.operand(state, args[1], 64)?);
                self.copy_memory(state, to, from, Value::int(24), 64)
            }
            Intrinsic::LifetimeStart => {
                let pointer = self.operand(state, args[0], 64)?;
                if pointer.is_concrete()
                    && let Some(object) = state.memory.find_mut(pointer.low())
                    && object.base == pointer.low()
                {
                    let size = object.size;
                    object.forget(0, size);
                    state.touched(true, pointer.low(), 0, size);
                }
                Ok(())
            }
            Intrinsic::Assume => {
                let condition = self.operand(state, args[0], 1)?;
                let condition = condition.to_term(&mut self.terms, 1);
                // What the compiler was promised is not checked natively either; where it cannot hold, the code is dead.
                if self.assume(state, condition)? {
                    return Ok(());
                }
                Err(self.error(state, ErrorKind::Unreachable, "an assumption given to the compiler does not hold"))
            }
            Intrinsic::ObjectSize => {
                let pointer = self.operand(state, args[0], 64)?;
                let smallest = self.operand(state, args[1], 1)?.low() & 1 != 0;
                let unknown = if smallest { 0 } else { fold::mask(width) };
                self.set(state, dst, Value::wide(unknown));
                let _ = pointer;
                Ok(())
            }
            Intrinsic::NotZero => {
                let (value, must) = (self.operand(state, args[0], width)?, self.operand(state, args[1], 1)?);
                if must.low() & 1 != 0 {
                    let value = value.to_term(&mut self.terms, width);
                    let zero = self.terms.constant(width, 0);
                    let is_zero = self.terms.eq(value, zero);
                    self.note_unspecified(state, is_zero);
                }
                Ok(())
            }
            Intrinsic::Trap => Err(self.error(state, ErrorKind::Abort, "trap instruction")),
            Intrinsic::DebugTrap => Err(self.error(state, ErrorKind::Abort, "debug trap instruction")),
            Intrinsic::ReturnAddress | Intrinsic::FrameAddress => {
                self.set(state, dst, Value::ZERO);
                Ok(())
            }
            Intrinsic::ReadCycleCounter => {
                let value = self.unknown(state, "cycle counter", 64);
                self.set(state, dst, value);
                Ok(())
            }
            Intrinsic::GetRounding => {
                self.set(state, dst, Value::int(1));
                Ok(())
            }
            Intrinsic::SetJmp => {
                let buffer = self.operand(state, args[0], 64)?;
                self.save_jump(state, buffer)?;
                self.set(state, dst, Value::ZERO);
                Ok(())
            }
            Intrinsic::LongJmp => {
                let buffer = self.operand(state, args[0], 64)?;
                let value = self.operand(state, args[1], 32)?;
                let value = value.to_term(&mut self.terms, 32);
                let (zero, one) = (self.terms.constant(32, 0), self.terms.constant(32, 1));
                let is_zero = self.terms.eq(value, zero);
                let value = self.terms.ite(is_zero, one, value);
                let value = Value::of(&self.terms, value);
                self.jump_back(state, buffer, value)
            }
            Intrinsic::AddOverflow { signed } => self.with_overflow(state, BinOp::Add, signed, width, dst, args),
            Intrinsic::SubOverflow { signed } => self.with_overflow(state, BinOp::Sub, signed, width, dst, args),
            Intrinsic::MulOverflow { signed } => self.with_overflow(state, BinOp::Mul, signed, width, dst, args),
            Intrinsic::Fma(format) => {
                let values = self.operands(state, args, format.width())?;
                let result = match concrete(&values, format.width()) {
                    Some(v) => Value::wide(fold::float_fma(format, v[0], v[1], v[2])),
                    None => {
                        let t = self.as_terms(&values, format.width());
                        let term = self.terms.float_fma(format, t[0], t[1], t[2]);
                        Value::of(&self.terms, term)
                    }
                };
                self.set(state, dst, result);
                Ok(())
            }
            Intrinsic::IsFpClass(format) => {
                let value = self.operand(state, args[0], format.width())?;
                let mask = self.operand(state, args[1], 32)?.low();
                let term = value.to_term(&mut self.terms, format.width());
                let term = self.float_class(format, term, mask);
                let value = Value::of(&self.terms, term);
                self.set(state, dst, value);
                Ok(())
            }
            Intrinsic::Ldexp(format) => {
                let value = self.operand(state, args[0], format.width())?;
                let exponent = self.operand(state, args[1], 32)?;
                let result = crate::models::math::ldexp(self, state, format, value, exponent)?;
                self.set(state, dst, result);
                Ok(())
            }
            Intrinsic::Math(function, format) => {
                let mut values = Vec::new();
                for (index, &arg) in args.iter().enumerate() {
                    let integer = function == upshot_ir::MathFunction::Powi && index == 1;
                    values.push(self.operand(state, arg, if integer { 32 } else { format.width() })?);
                }
                let result = crate::models::math::function(self, state, function, format, &values)?;
                self.set(state, dst, result);
                Ok(())
            }
            _ => self.scalar_intrinsic(state, which, width, dst, args),
        }
    }

    fn operands(&mut self, state: &mut State, args: &[Operand], width: u8) -> Result<Vec<Value>, Stop> {
        args.iter().map(|&arg| self.operand(state, arg, width)).collect()
    }

    fn as_terms(&mut self, values: &[Value], width: u8) -> Vec<TermId> {
        values.iter().map(|value| value.to_term(&mut self.terms, width)).collect()
    }

    fn with_overflow(
        &mut self,
        state: &mut State,
        op: BinOp,
        signed: bool,
        width: u8,
        dst: Reg,
        args: &[Operand],
    ) -> Result<(), Stop> {
        let values = self.operands(state, args, width)?;
        if let Some(v) = concrete(&values, width)
            && width <= 64
        {
            let (result, overflow) = fold_overflow(op, signed, width, v[0], v[1]);
            self.set(state, dst, Value::wide(result));
            self.set(state, Reg(dst.0 + 1), Value::bool(overflow));
            return Ok(());
        }
        let (result, overflow) = self.overflow_terms(op, signed, width, &values);
        let (result, overflow) = (Value::of(&self.terms, result), Value::of(&self.terms, overflow));
        self.set(state, dst, result);
        self.set(state, Reg(dst.0 + 1), overflow);
        Ok(())
    }

    /// The wrapped result, and whether the exact one is another.
    fn overflow_terms(&mut self, op: BinOp, signed: bool, width: u8, values: &[Value]) -> (TermId, TermId) {
        let t = self.as_terms(values, width);
        let (a, b) = (t[0], t[1]);
        let result = self.terms.bin(op, a, b);
        let overflow = match op {
            BinOp::Mul if width > 64 => self.wide_product_overflows(signed, width, a, b, result),
            BinOp::Mul => self.does_not_fit(op, 2 * width, signed, a, b),
            BinOp::Add if !signed => self.terms.compare(IntPredicate::Ult, result, a),
            BinOp::Sub if !signed => self.terms.compare(IntPredicate::Ult, a, b),
            _ => {
                // Signed: the operands' signs (of a and b, or of a and -b) agree, the result's does not.
                let sign = width - 1;
                let (x, y) = (self.terms.xor(a, result), self.terms.xor(b, result));
                let y = if op == BinOp::Sub { self.terms.xor(a, b) } else { y };
                let both = self.terms.and(x, y);
                self.terms.extract(both, sign, 1)
            }
        };
        (result, overflow)
    }

    /// Whether a product of more than 64 bits overflows: dividing it again does not give the factor back.
    fn wide_product_overflows(&mut self, signed: bool, width: u8, a: TermId, b: TermId, product: TermId) -> TermId {
        let zero = self.terms.constant(width, 0);
        let a_zero = self.terms.eq(a, zero);
        let op = if signed { BinOp::SDiv } else { BinOp::UDiv };
        let quotient = self.terms.bin(op, product, a);
        let same = self.terms.eq(quotient, b);
        let mut differs = self.terms.not(same);
        if signed {
            // -1 * least wraps to least, and least / -1 wraps to least as well.
            let minus_one = self.terms.constant(width, fold::mask(width));
            let least = self.terms.constant(width, 1u128 << (width - 1));
            let x = self.terms.eq(a, minus_one);
            let y = self.terms.eq(b, least);
            let special = self.terms.and(x, y);
            differs = self.terms.or(differs, special);
        }
        let nonzero = self.terms.not(a_zero);
        self.terms.and(nonzero, differs)
    }

    fn scalar_intrinsic(
        &mut self,
        state: &mut State,
        which: Intrinsic,
        width: u8,
        dst: Reg,
        args: &[Operand],
    ) -> Result<(), Stop> {
        let values = self.operands(state, args, width)?;
        if let Some(value) = concrete(&values, width).and_then(|values| fold_intrinsic(which, width, &values)) {
            self.set(state, dst, Value::wide(value));
            return Ok(());
        }
        let t = self.as_terms(&values, width);
        let zero = self.terms.constant(width, 0);
        let term = match which {
            Intrinsic::AddSat { signed } => self.saturated(BinOp::Add, signed, width, &values),
            Intrinsic::SubSat { signed } => self.saturated(BinOp::Sub, signed, width, &values),
            Intrinsic::ShlSat { signed } => {
                let shifted = self.terms.bin(BinOp::Shl, t[0], t[1]);
                let back = self.terms.bin(if signed { BinOp::AShr } else { BinOp::LShr }, shifted, t[1]);
                let fits = self.terms.eq(back, t[0]);
                let limit = self.saturation_limit(BinOp::Add, signed, width, t[0]);
                self.terms.ite(fits, shifted, limit)
            }
            Intrinsic::ByteSwap => {
                let mut result = self.terms.extract(t[0], 0, 8);
                for byte in 1..width / 8 {
                    let next = self.terms.extract(t[0], byte * 8, 8);
                    result = self.terms.concat(result, next);
                }
                result
            }
            Intrinsic::BitReverse => {
                let mut result = self.terms.extract(t[0], 0, 1);
                for bit in 1..width {
                    let next = self.terms.extract(t[0], bit, 1);
                    result = self.terms.concat(result, next);
                }
                result
            }
            Intrinsic::CountOnes => {
                let mut sum = zero;
                for bit in 0..width {
                    let bit = self.terms.extract(t[0], bit, 1);
                    let bit = self.terms.zext(bit, width);
                    sum = self.terms.add(sum, bit);
                }
                sum
            }
            Intrinsic::LeadingZeros | Intrinsic::TrailingZeros => {
                let mut result = self.terms.constant(width, u128::from(width) & fold::mask(width));
                // The bit that decides is asked first, so it is put on last.
                for step in (0..width).rev() {
                    let at = if which == Intrinsic::LeadingZeros { width - 1 - step } else { step };
                    let bit = self.terms.extract(t[0], at, 1);
                    let count = self.terms.constant(width, u128::from(step));
                    result = self.terms.ite(bit, count, result);
                }
                result
            }
            Intrinsic::FunnelShl | Intrinsic::FunnelShr => {
                let bits = self.terms.constant(width, u128::from(width) & fold::mask(width));
                let amount = if width.is_power_of_two() {
                    let mask = self.terms.constant(width, u128::from(width - 1));
                    self.terms.and(t[2], mask)
                } else {
                    self.terms.bin(BinOp::URem, t[2], bits)
                };
                let rest = self.terms.sub(bits, amount);
                let (high, low) = if which == Intrinsic::FunnelShl {
                    (self.terms.bin(BinOp::Shl, t[0], amount), self.terms.bin(BinOp::LShr, t[1], rest))
                } else {
                    (self.terms.bin(BinOp::Shl, t[0], rest), self.terms.bin(BinOp::LShr, t[1], amount))
                };
                let both = self.terms.or(high, low);
                let none = self.terms.eq(amount, zero);
                self.terms.ite(none, if which == Intrinsic::FunnelShl { t[0] } else { t[1] }, both)
            }
            Intrinsic::Abs => {
                let negative = self.terms.compare(IntPredicate::Slt, t[0], zero);
                let minus = self.terms.neg(t[0]);
                self.terms.ite(negative, minus, t[0])
            }
            Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax => {
                let pred = match which {
                    Intrinsic::SMin => IntPredicate::Slt,
                    Intrinsic::SMax => IntPredicate::Sgt,
                    Intrinsic::UMin => IntPredicate::Ult,
                    _ => IntPredicate::Ugt,
                };
                let keep = self.terms.compare(pred, t[0], t[1]);
                self.terms.ite(keep, t[0], t[1])
            }
            other => return Err(self.unsupported(state, format!("intrinsic {other:?}"))),
        };
        let value = Value::of(&self.terms, term);
        self.set(state, dst, value);
        Ok(())
    }

    fn saturated(&mut self, op: BinOp, signed: bool, width: u8, values: &[Value]) -> TermId {
        let (result, overflow) = self.overflow_terms(op, signed, width, values);
        let a = values[0].to_term(&mut self.terms, width);
        let limit = self.saturation_limit(op, signed, width, a);
        self.terms.ite(overflow, limit, result)
    }

    /// Where a result that does not fit is cut off: by the sign of the first operand.
    fn saturation_limit(&mut self, op: BinOp, signed: bool, width: u8, a: TermId) -> TermId {
        if !signed {
            let limit = if op == BinOp::Sub { 0 } else { fold::mask(width) };
            return self.terms.constant(width, limit);
        }
        let least = self.terms.constant(width, 1u128 << (width - 1));
        let greatest = self.terms.constant(width, fold::mask(width) >> 1);
        let negative = self.terms.extract(a, width - 1, 1);
        self.terms.ite(negative, least, greatest)
    }

    /// `llvm.is.fpclass`: signalling NaN 1, quiet NaN 2, -inf 4, -normal 8, -subnormal 16, -0 32, +0 64, +subnormal 128, +normal 256, +inf 512.
    fn float_class(&mut self, format: FloatFormat, value: TermId, mask: u64) -> TermId {
        let width = format.width();
        let (exponent_bits, mantissa_bits) = match format {
            FloatFormat::F16 => (5, 10),
            FloatFormat::BF16 => (8, 7),
            FloatFormat::F32 => (8, 23),
            FloatFormat::F64 => (11, 52),
            FloatFormat::X87 => (15, 64),
            FloatFormat::F128 => (15, 112),
        };
        let sign = self.terms.extract(value, width - 1, 1);
        let exponent = self.terms.extract(value, mantissa_bits, exponent_bits);
        // The x87 format spells out the leading one, which says nothing here.
        let fraction_bits = if format == FloatFormat::X87 { 63 } else { mantissa_bits };
        let fraction = self.terms.extract(value, 0, fraction_bits);
        let (all_ones, none) =
            (self.terms.constant(exponent_bits, fold::mask(exponent_bits)), self.terms.constant(exponent_bits, 0));
        let no_fraction = self.terms.constant(fraction_bits, 0);
        let special = self.terms.eq(exponent, all_ones);
        let tiny = self.terms.eq(exponent, none);
        let exact = self.terms.eq(fraction, no_fraction);
        let inexact = self.terms.not(exact);
        let positive = self.terms.not(sign);
        let quiet = self.terms.extract(value, fraction_bits - 1, 1);
        let signalling = self.terms.not(quiet);
        let (not_special, not_tiny) = (self.terms.not(special), self.terms.not(tiny));
        let normal = self.terms.and(not_special, not_tiny);
        let nan = self.terms.and(special, inexact);
        let infinite = self.terms.and(special, exact);
        let zero = self.terms.and(tiny, exact);
        let subnormal = self.terms.and(tiny, inexact);
        let classes = [
            (nan, signalling),
            (nan, quiet),
            (infinite, sign),
            (normal, sign),
            (subnormal, sign),
            (zero, sign),
            (zero, positive),
            (subnormal, positive),
            (normal, positive),
            (infinite, positive),
        ];
        let mut result = self.terms.bool(false);
        for (bit, (class, side)) in classes.into_iter().enumerate() {
            if mask >> bit & 1 != 0 {
                let here = self.terms.and(class, side);
                result = self.terms.or(result, here);
            }
        }
        result
    }

    /// An address that must be concrete, because what is kept under it is.
    pub(crate) fn known_address(&mut self, state: &mut State, pointer: Value, who: &str) -> Result<u64, Stop> {
        match pointer.as_concrete(64) {
            Some(address) => Ok(address as u64),
            None => Err(self.unsupported(state, format!("{who} on a symbolic address"))),
        }
    }
}

fn concrete(values: &[Value], width: u8) -> Option<Vec<u128>> {
    values.iter().map(|value| value.as_concrete(width)).collect()
}

/// The common ones on concrete values, so that concrete code makes no terms.
fn fold_intrinsic(which: Intrinsic, width: u8, v: &[u128]) -> Option<u128> {
    let bits = u32::from(width);
    let signed = |value: u128| fold::sign_extend(value, width, 128) as i128;
    let mask = fold::mask(width);
    Some(match which {
        Intrinsic::ByteSwap => v[0].swap_bytes() >> (128 - bits),
        Intrinsic::BitReverse => v[0].reverse_bits() >> (128 - bits),
        Intrinsic::CountOnes => u128::from(v[0].count_ones()) & mask,
        Intrinsic::LeadingZeros => u128::from(v[0].leading_zeros() - (128 - bits)) & mask,
        Intrinsic::TrailingZeros => u128::from(v[0].trailing_zeros().min(bits)) & mask,
        Intrinsic::FunnelShl | Intrinsic::FunnelShr => {
            let amount = (v[2] % u128::from(width)) as u32;
            match (which, amount) {
                (Intrinsic::FunnelShl, 0) => v[0],
                (_, 0) => v[1],
                (Intrinsic::FunnelShl, _) => (v[0] << amount | v[1] >> (bits - amount)) & mask,
                _ => (v[0] << (bits - amount) | v[1] >> amount) & mask,
            }
        }
        Intrinsic::Abs => signed(v[0]).unsigned_abs() & mask,
        Intrinsic::SMin => signed(v[0]).min(signed(v[1])) as u128 & mask,
        Intrinsic::SMax => signed(v[0]).max(signed(v[1])) as u128 & mask,
        Intrinsic::UMin => v[0].min(v[1]),
        Intrinsic::UMax => v[0].max(v[1]),
        _ => return None,
    })
}

/// The wrapped result and whether it is not the exact one, for at most 64 bits.
fn fold_overflow(op: BinOp, signed: bool, width: u8, a: u128, b: u128) -> (u128, bool) {
    let wide = |value: u128| if signed { fold::sign_extend(value, width, 128) as i128 } else { value as i128 };
    let exact = match op {
        BinOp::Add => wide(a) + wide(b),
        BinOp::Sub => wide(a) - wide(b),
        _ if signed => wide(a) * wide(b),
        _ => {
            let product = a * b;
            return (product & fold::mask(width), product > fold::mask(width));
        }
    };
    let result = exact as u128 & fold::mask(width);
    (result, wide(result) != exact)
}
