//! The slow path of operations that compute: symbolic operands, wide integers, floats, and everything that may fault.

use upshot_expr::{TermId, fold};
use upshot_ir::{AtomicOp, BinOp, Flags, FloatFormat, IntPredicate, Op, Operand, Reg, Scalar};

use crate::error::ErrorKind;
use crate::interpret::fold_bin;
use crate::layout::is_equality;
use crate::machine::{Machine, Stop};
use crate::memory::{Owner, lazy_index};
use crate::state::State;
use crate::value::Value;

impl<'p> Machine<'p> {
    /// Executes one operation that does not touch the program counter.
    pub(crate) fn compute(&mut self, state: &mut State, op: &Op) -> Result<(), Stop> {
        match op {
            Op::Move { dst, src } => {
                let value = crate::interpret::read(
                    &state.frame.registers,
                    &self.image.constants[state.frame.function.index()],
                    *src,
                );
                self.set(state, *dst, value);
                Ok(())
            }
            Op::SlotLoad { dst, slot, width } => self.slot_load(state, *dst, *slot, *width),
            Op::SlotReset { slot } => {
                self.set(state, *slot, Value::UNWRITTEN);
                Ok(())
            }
            Op::Bin { op, width, flags, dst, a, b } => self.bin(state, *op, *width, *flags, *dst, *a, *b),
            Op::Cmp { pred, width, dst, a, b } => self.compare(state, *pred, *width, *dst, *a, *b),
            Op::ZExt { from, to, dst, a } => self.unary(state, *dst, *a, *from, |_, a| a, |m, t| m.terms.zext(t, *to)),
            Op::SExt { from, to, dst, a } => {
                let fold = |_: u8, a| fold::sign_extend(a, *from, *to);
                self.unary(state, *dst, *a, *from, fold, |m, t| m.terms.sext(t, *to))
            }
            Op::Trunc { from, to, dst, a } => {
                let value = self.operand(state, *a, *from)?;
                let value = self.settle(state, value)?;
                state.note_truncation(*to, value);
                self.unary(state, *dst, *a, *from, |_, a| a & fold::mask(*to), |m, t| m.terms.trunc(t, *to))
            }
            Op::FloatBin { op, format, dst, a, b } => {
                let width = format.width();
                let (a, b) = (self.operand(state, *a, width)?, self.operand(state, *b, width)?);
                let result = match (a.as_concrete(width), b.as_concrete(width)) {
                    (Some(a), Some(b)) => Value::wide(fold::float_bin(*op, *format, a, b)),
                    _ => {
                        let (a, b) = (a.to_term(&mut self.terms, width), b.to_term(&mut self.terms, width));
                        let term = self.terms.float_bin(*op, *format, a, b);
                        Value::of(&self.terms, term)
                    }
                };
                self.set(state, *dst, result);
                Ok(())
            }
            Op::FloatUn { op, format, dst, a } => {
                let fold = |_: u8, a| fold::float_un(*op, *format, a);
                self.unary(state, *dst, *a, format.width(), fold, |m, t| m.terms.float_un(*op, *format, t))
            }
            Op::FloatCmp { pred, format, dst, a, b } => {
                let width = format.width();
                let (a, b) = (self.operand(state, *a, width)?, self.operand(state, *b, width)?);
                let result = match (a.as_concrete(width), b.as_concrete(width)) {
                    (Some(a), Some(b)) => Value::bool(fold::float_compare(*pred, *format, a, b)),
                    _ => {
                        let (a, b) = (a.to_term(&mut self.terms, width), b.to_term(&mut self.terms, width));
                        let term = self.terms.float_compare(*pred, *format, a, b);
                        Value::of(&self.terms, term)
                    }
                };
                self.set(state, *dst, result);
                Ok(())
            }
            Op::FloatCast { from, to, dst, a } => {
                let fold = |_: u8, a| fold::float_cast(*from, *to, a);
                self.unary(state, *dst, *a, from.width(), fold, |m, t| m.terms.float_cast(*from, *to, t))
            }
            Op::FloatToInt { from, to, signed, saturating, dst, a } => {
                self.float_to_int(state, *from, *to, *signed, *saturating, *dst, *a)
            }
            Op::IntToFloat { from, signed, to, dst, a } => {
                let fold = |_: u8, a| fold::int_to_float(*signed, *to, *from, a);
                self.unary(state, *dst, *a, *from, fold, |m, t| m.terms.int_to_float(*signed, *to, t))
            }
            Op::Select { width, dst, cond, a, b } => {
                let cond = self.operand(state, *cond, 1)?;
                let (a, b) = (self.operand(state, *a, *width)?, self.operand(state, *b, *width)?);
                let result = match cond.as_term() {
                    None => [b, a][usize::from(cond.low() & 1 != 0)],
                    Some(cond) => {
                        let (a, b) = (a.to_term(&mut self.terms, *width), b.to_term(&mut self.terms, *width));
                        let term = self.terms.ite(cond, a, b);
                        Value::of(&self.terms, term)
                    }
                };
                self.set(state, *dst, result);
                Ok(())
            }
            Op::Displace { dst, base, disp } => {
                let base = self.operand(state, *base, 64)?;
                let disp = self.terms.constant(64, u128::from(*disp as u64));
                let base_term = base.to_term(&mut self.terms, 64);
                let term = self.terms.add(base_term, disp);
                let value = Value::of(&self.terms, term).with_provenance(base.provenance());
                self.set(state, *dst, value);
                Ok(())
            }
            Op::Offset(offset) => {
                let base = self.operand(state, offset.base, 64)?;
                let index = self.operand(state, offset.index, offset.index_width)?;
                let provenance = if base.is_concrete() { base.low() } else { base.provenance() };
                let index = index.to_term(&mut self.terms, offset.index_width);
                let index =
                    if offset.index_width <= 64 { self.terms.sext(index, 64) } else { self.terms.trunc(index, 64) };
                let scale = self.terms.constant(64, u128::from(offset.scale as u64));
                let step = self.terms.mul(index, scale);
                let disp = self.terms.constant(64, u128::from(offset.disp as u64));
                let base = base.to_term(&mut self.terms, 64);
                let sum = self.terms.add(base, disp);
                let sum = self.terms.add(sum, step);
                let value = Value::of(&self.terms, sum).with_provenance(provenance);
                self.set(state, offset.dst, value);
                Ok(())
            }
            Op::Alloca { dst, size, count, count_width, align } => {
                self.alloca(state, *dst, *size, *count, *count_width, *align)
            }
            Op::Load { dst, ptr, disp, scalar } => {
                let pointer = self.pointer(state, *ptr, *disp)?;
                let value = self.load(state, pointer, *scalar)?;
                self.set(state, *dst, value);
                Ok(())
            }
            Op::Store { value, ptr, disp, scalar } => {
                let value = self.operand(state, *value, scalar.width())?;
                let pointer = self.pointer(state, *ptr, *disp)?;
                self.store(state, pointer, *scalar, value)
            }
            Op::AtomicRmw { op, scalar, dst, ptr, value } => {
                let pointer = self.operand(state, *ptr, 64)?;
                let value = self.operand(state, *value, scalar.width())?;
                let old = self.load(state, pointer, *scalar)?;
                let new = self.atomic(*op, *scalar, old, value);
                self.store(state, pointer, *scalar, new)?;
                self.set(state, *dst, old);
                Ok(())
            }
            Op::CompareExchange { scalar, dst, ptr, expected, replacement } => {
                let width = scalar.width();
                let pointer = self.operand(state, *ptr, 64)?;
                let expected = self.operand(state, *expected, width)?;
                let replacement = self.operand(state, *replacement, width)?;
                let old = self.load(state, pointer, *scalar)?;
                let (old_term, expected) =
                    (old.to_term(&mut self.terms, width), expected.to_term(&mut self.terms, width));
                let equal = self.terms.eq(old_term, expected);
                let replacement = replacement.to_term(&mut self.terms, width);
                let new = self.terms.ite(equal, replacement, old_term);
                let new = Value::of(&self.terms, new);
                self.store(state, pointer, *scalar, new)?;
                self.set(state, *dst, old);
                let equal = Value::of(&self.terms, equal);
                self.set(state, Reg(dst.0 + 1), equal);
                Ok(())
            }
            Op::Unsupported { what } => {
                let what = self.program().unsupported[*what as usize].clone();
                Err(self.unsupported(state, what))
            }
            Op::Intrinsic { .. }
            | Op::Call(_)
            | Op::Jump(_)
            | Op::Branch { .. }
            | Op::Switch(_)
            | Op::IndirectJump { .. }
            | Op::Return { .. }
            | Op::Mark { .. }
            | Op::Unreachable => Err(self.unsupported(state, "a control operation outside of its place")),
        }
    }

    fn unary(
        &mut self,
        state: &mut State,
        dst: Reg,
        a: Operand,
        width: u8,
        fold: impl Fn(u8, u128) -> u128,
        build: impl Fn(&mut Self, TermId) -> TermId,
    ) -> Result<(), Stop> {
        let a = self.operand(state, a, width)?;
        let result = match a.as_concrete(width) {
            Some(a) => Value::wide(fold(width, a)),
            None => {
                let term = a.to_term(&mut self.terms, width);
                let term = build(self, term);
                Value::of(&self.terms, term)
            }
        };
        self.set(state, dst, result);
        Ok(())
    }

    /// A register that was never written holds an unknown value, or is an error where that is asked for.
    pub(crate) fn written(&mut self, state: &mut State, value: Value, width: u8) -> Result<Value, Stop> {
        if !value.is_unwritten() {
            return Ok(value);
        }
        if self.options.check_uninit {
            return Err(self.error(state, ErrorKind::Uninit, "use of a value that was never written"));
        }
        Ok(self.unknown(state, "unwritten", width))
    }

    fn slot_load(&mut self, state: &mut State, dst: Reg, slot: Reg, width: u8) -> Result<(), Stop> {
        let mut value = state.frame.registers[slot.index()];
        if value.is_unwritten() {
            let function = self.program().function(state.frame.function);
            let name = function.locals.iter().find(|local| local.slot == Some(slot)).map(|local| local.name.clone());
            let name = name.unwrap_or_else(|| "a local variable".to_string());
            if self.options.check_uninit {
                return Err(self.error(state, ErrorKind::Uninit, format!("{name} is read before it is written")));
            }
            value = self.unknown(state, &format!("{name} (unwritten)"), width);
            self.set(state, slot, value);
        }
        self.set(state, dst, value);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn bin(
        &mut self,
        state: &mut State,
        op: BinOp,
        width: u8,
        flags: Flags,
        dst: Reg,
        a: Operand,
        b: Operand,
    ) -> Result<(), Stop> {
        let (a, b) = (self.operand(state, a, width)?, self.operand(state, b, width)?);
        let (a, b) = if width == 64 { self.settle_operands(state, op, a, b)? } else { (a, b) };
        if width == 64 {
            state.note_arithmetic(op, a, b);
        }
        if let (Some(x), Some(y)) = (a.as_concrete(width), b.as_concrete(width))
            && let Some(value) = fold_bin(op, width, x, y)
            && !(self.options.check_overflow && flags.nsw() && overflows(op, width, x, y))
        {
            self.set(state, dst, Value::wide(value));
            return Ok(());
        }
        let provenance = pointer_arithmetic(op, a, b);
        let (a, b) = (a.to_term(&mut self.terms, width), b.to_term(&mut self.terms, width));
        self.check_faults(state, op, width, a, b)?;
        if self.options.check_overflow && flags.nsw() {
            let overflow = self.overflow_condition(op, width, a, b);
            let fine = self.terms.not(overflow);
            if self.choose(state, &[fine, overflow])? == 1 {
                return Err(self.error(state, ErrorKind::Overflow, format!("signed overflow in {}", name_of(op))));
            }
        }
        let term = self.terms.bin(op, a, b);
        let value = Value::of(&self.terms, term).with_provenance(provenance);
        self.set(state, dst, value);
        Ok(())
    }

    /// Division by zero, the one quotient that does not fit, and shifts by the width or more.
    fn check_faults(&mut self, state: &mut State, op: BinOp, width: u8, a: TermId, b: TermId) -> Result<(), Stop> {
        match op {
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
                let zero = self.terms.constant(width, 0);
                let by_zero = self.terms.eq(b, zero);
                let fine = self.terms.not(by_zero);
                if self.choose(state, &[fine, by_zero])? == 1 {
                    return Err(self.error(state, ErrorKind::Div, "division by zero"));
                }
                if matches!(op, BinOp::SDiv | BinOp::SRem) {
                    let least = self.terms.constant(width, 1u128 << (width - 1));
                    let minus_one = self.terms.constant(width, fold::mask(width));
                    let is_least = self.terms.eq(a, least);
                    let is_minus_one = self.terms.eq(b, minus_one);
                    let overflow = self.terms.and(is_least, is_minus_one);
                    let fine = self.terms.not(overflow);
                    if self.choose(state, &[fine, overflow])? == 1 {
                        let message = "the quotient does not fit (the smallest integer divided by -1)";
                        return Err(self.error(state, ErrorKind::Div, message));
                    }
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let limit = self.terms.constant(width, u128::from(width) & fold::mask(width));
                if u128::from(width) > fold::mask(width) {
                    return Ok(()); // one bit wide: nothing to check against
                }
                let fine = self.terms.compare(IntPredicate::Ult, b, limit);
                let over = self.terms.not(fine);
                if self.choose(state, &[fine, over])? == 1 {
                    return Err(self.error(state, ErrorKind::OverShift, format!("shift by {width} bits or more")));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn overflow_condition(&mut self, op: BinOp, width: u8, a: TermId, b: TermId) -> TermId {
        let (signed, double) = (true, width.saturating_mul(2).min(128));
        if double < width + 1 {
            return self.terms.bool(false);
        }
        self.does_not_fit(op, double, signed, a, b)
    }

    /// Whether the exact result of `op` needs more bits than the operands have. `double` bits are enough to hold it.
    pub(crate) fn does_not_fit(&mut self, op: BinOp, double: u8, signed: bool, a: TermId, b: TermId) -> TermId {
        let extend = |m: &mut Self, t| if signed { m.terms.sext(t, double) } else { m.terms.zext(t, double) };
        let (wide_a, wide_b) = (extend(self, a), extend(self, b));
        let exact = self.terms.bin(op, wide_a, wide_b);
        let narrow = self.terms.bin(op, a, b);
        let back = extend(self, narrow);
        let fits = self.terms.eq(exact, back);
        self.terms.not(fits)
    }

    fn compare(
        &mut self,
        state: &mut State,
        pred: IntPredicate,
        width: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    ) -> Result<(), Stop> {
        let (mut a, mut b) = (self.operand(state, a, width)?, self.operand(state, b, width)?);
        if width == 64 && (lazy_index(a.provenance()).is_some() || lazy_index(b.provenance()).is_some()) {
            (a, b) = self.settle_comparison(state, pred, a, b)?;
        }
        if width == 64 && !is_equality(pred) {
            state.note_order(a, b);
        }
        let result = match (a.as_concrete(width), b.as_concrete(width)) {
            (Some(a), Some(b)) => Value::bool(fold::compare(pred, width, a, b)),
            _ => {
                let (a, b) = (a.to_term(&mut self.terms, width), b.to_term(&mut self.terms, width));
                let term = self.terms.compare(pred, a, b);
                Value::of(&self.terms, term)
            }
        };
        self.set(state, dst, result);
        Ok(())
    }

    /// Comparing an input pointer with null only says whether it is null; with anything else, what it points to must be settled.
    fn settle_comparison(
        &mut self,
        state: &mut State,
        pred: IntPredicate,
        a: Value,
        b: Value,
    ) -> Result<(Value, Value), Stop> {
        let null = |value: Value| value.as_concrete(64) == Some(0);
        let with_null = is_equality(pred) && (null(a) || null(b));
        if with_null {
            return Ok((self.settled(state, a), self.settled(state, b)));
        }
        let a = self.settle(state, a)?;
        let b = self.settle(state, b)?;
        Ok((a, b))
    }

    #[allow(clippy::too_many_arguments)]
    fn float_to_int(
        &mut self,
        state: &mut State,
        from: FloatFormat,
        to: u8,
        signed: bool,
        saturating: bool,
        dst: Reg,
        a: Operand,
    ) -> Result<(), Stop> {
        let width = from.width();
        let a = self.operand(state, a, width)?;
        let term = match a.as_concrete(width) {
            Some(bits) if !saturating => {
                self.set(state, dst, Value::wide(fold::float_to_int(from, signed, to, bits)));
                return Ok(());
            }
            _ => a.to_term(&mut self.terms, width),
        };
        let term = if saturating {
            self.terms.float_to_int_sat(from, signed, to, term)
        } else {
            self.terms.float_to_int(from, signed, to, term)
        };
        let value = Value::of(&self.terms, term);
        self.set(state, dst, value);
        Ok(())
    }

    fn alloca(
        &mut self,
        state: &mut State,
        dst: Reg,
        size: u64,
        count: Operand,
        count_width: u8,
        align: u32,
    ) -> Result<(), Stop> {
        let count = self.operand(state, count, count_width)?;
        let owner = Owner::Stack(state.frame.function);
        let address = match count.as_concrete(count_width) {
            Some(count) => {
                let bytes = u128::from(size) * count;
                if u128::from(state.stack_bytes) + bytes > u128::from(self.options.stack_size) {
                    return Err(self.error(
                        state,
                        ErrorKind::Stack,
                        format!("a local of {bytes} bytes exhausts the stack"),
                    ));
                }
                state.stack_bytes += bytes as u64;
                self.allocate(state, bytes as u64, u64::from(align), owner)?
            }
            None => {
                let count = count.to_term(&mut self.terms, count_width);
                let count = self.terms.zext(count, 64);
                let element = self.terms.constant(64, u128::from(size));
                let bytes = self.terms.mul(count, element);
                self.allocate_symbolic(state, bytes, u64::from(align), owner)?
            }
        };
        state.frame.objects.push(address);
        self.set(state, dst, Value::int(address));
        Ok(())
    }

    fn atomic(&mut self, op: AtomicOp, scalar: Scalar, old: Value, value: Value) -> Value {
        let width = scalar.width();
        let (a, b) = (old.to_term(&mut self.terms, width), value.to_term(&mut self.terms, width));
        let terms = &mut self.terms;
        let mut pick = |pred| {
            let keep = terms.compare(pred, a, b);
            terms.ite(keep, a, b)
        };
        let term = match op {
            AtomicOp::Xchg => return value,
            AtomicOp::SMax => pick(IntPredicate::Sgt),
            AtomicOp::SMin => pick(IntPredicate::Slt),
            AtomicOp::UMax => pick(IntPredicate::Ugt),
            AtomicOp::UMin => pick(IntPredicate::Ult),
            AtomicOp::Add => terms.bin(BinOp::Add, a, b),
            AtomicOp::Sub => terms.bin(BinOp::Sub, a, b),
            AtomicOp::And => terms.bin(BinOp::And, a, b),
            AtomicOp::Or => terms.bin(BinOp::Or, a, b),
            AtomicOp::Xor => terms.bin(BinOp::Xor, a, b),
            AtomicOp::Nand => {
                let both = terms.bin(BinOp::And, a, b);
                terms.not(both)
            }
            AtomicOp::FAdd | AtomicOp::FSub => {
                let Scalar::Float(format) = scalar else { return value };
                let op = if op == AtomicOp::FAdd { upshot_ir::FloatBinOp::Add } else { upshot_ir::FloatBinOp::Sub };
                terms.float_bin(op, format, a, b)
            }
        };
        Value::of(&self.terms, term)
    }
}

/// A sum or difference of a symbolic pointer and something else still points where the pointer did.
fn pointer_arithmetic(op: BinOp, a: Value, b: Value) -> u64 {
    match op {
        BinOp::Add | BinOp::Or | BinOp::And if b.provenance() == 0 => a.provenance(),
        BinOp::Add | BinOp::Or | BinOp::And if a.provenance() == 0 => b.provenance(),
        BinOp::Sub if b.provenance() == 0 => a.provenance(),
        _ => 0,
    }
}

fn overflows(op: BinOp, width: u8, a: u128, b: u128) -> bool {
    let signed = |value: u128| fold::sign_extend(value, width, 128) as i128;
    let (a, b) = (signed(a), signed(b));
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        _ => return false,
    };
    exact.is_none_or(|exact| signed(exact as u128 & fold::mask(width)) != exact)
}

fn name_of(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "an addition",
        BinOp::Sub => "a subtraction",
        BinOp::Mul => "a multiplication",
        _ => "a shift",
    }
}
