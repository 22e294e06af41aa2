//! Integers of more than 128 bits, as limbs of 64.
//!
//! C rarely has them (`_BitInt(256)`), but clang makes one of every run of bit-fields in a packed struct: it loads the run
//! as a single integer, shifts and masks it, and stores it back. The lowest limb comes first; the last one has the bits that
//! are left. Only what is written here knows of limbs: everywhere else such a value is refused, so that
//! no operation takes limbs for lanes.

use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::layout::LIMB;
use crate::program::*;

/// The limbs of an integer, each extended to 64 bits.
type Limbs = Vec<Operand>;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    /// How many bits operand `index` has, if it is a wide integer.
    pub(super) fn wide_operand(&mut self, index: u32) -> Option<u32> {
        let ty = self.raw_operand(index).ok()?.ty();
        let ty = self.context.layouts.id(ty);
        self.context.layouts.wide_bits(ty)
    }

    /// How many bits the result has, if it is a wide integer.
    pub(super) fn wide_result(&self) -> Option<u32> {
        self.context.layouts.wide_bits(self.result().ok()?.ty)
    }

    pub(super) fn wide_binary(
        &mut self,
        op: BinOp,
        bits: u32,
        a: &'a llvm_ir::Operand,
        b: &'a llvm_ir::Operand,
    ) -> Lowered<()> {
        let a = self.any_value(a, 0)?.parts;
        let b = self.any_value(b, 1)?.parts;
        let (a, b) = (self.limbs(a, bits, op == BinOp::AShr), self.limbs(b, bits, false));
        let limbs = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => {
                a.into_iter().zip(b).map(|(a, b)| self.binary(op, LIMB, a, b)).collect()
            }
            BinOp::Add => self.wide_add(&a, &b, false),
            BinOp::Sub => self.wide_add(&a, &b, true),
            BinOp::Mul => self.wide_multiply(&a, &b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.wide_shift(op, a, &b, bits),
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                return Err(Unsupported(format!("a division of {bits} bits")));
            }
        };
        self.settle(limbs, bits)
    }

    pub(super) fn wide_compare(
        &mut self,
        pred: IntPredicate,
        bits: u32,
        a: &'a llvm_ir::Operand,
        b: &'a llvm_ir::Operand,
    ) -> Lowered<()> {
        use IntPredicate::*;
        let signed = matches!(pred, Slt | Sle | Sgt | Sge);
        let a = self.any_value(a, 0)?.parts;
        let b = self.any_value(b, 1)?.parts;
        let (a, b) = (self.limbs(a, bits, signed), self.limbs(b, bits, signed));
        // a > b is b < a; a <= b is not (b < a); equality is neither less, limb by limb.
        let (a, b, negated) = match pred {
            Ugt | Sgt => (b, a, false),
            Ule | Sle => (b, a, true),
            Uge | Sge => (a, b, true),
            Ult | Slt | Eq => (a, b, false),
            Ne => (a, b, true),
        };
        let mut so_far: Option<Operand> = None;
        let top = a.len() - 1;
        for (limb, (a, b)) in a.into_iter().zip(b).enumerate() {
            let equal = self.compare(Eq, LIMB, a, b);
            let lower = match so_far {
                Some(lower) => lower,
                None if matches!(pred, Eq | Ne) => self.int(1, 1),
                None => self.int(1, 0),
            };
            let both = self.binary(BinOp::And, 1, equal, lower);
            so_far = Some(if matches!(pred, Eq | Ne) {
                both
            } else {
                let order = if signed && limb == top { Slt } else { Ult };
                let less = self.compare(order, LIMB, a, b);
                self.binary(BinOp::Or, 1, less, both)
            });
        }
        let one = self.int(1, 1);
        let holds = so_far.unwrap_or(one);
        let holds = if negated { self.binary(BinOp::Xor, 1, holds, one) } else { holds };
        self.move_to_result(&[holds])
    }

    /// `trunc` of a wide integer, to any width.
    pub(super) fn wide_truncate(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        let value = self.any_value(operand, 0)?;
        let from: Vec<u8> = self.leaves(value.ty)?.iter().map(|leaf| leaf.scalar.width()).collect();
        let to: Vec<u8> = self.any_result_lanes()?.iter().map(|(_, scalar)| scalar.width()).collect();
        let parts = self.regroup_low(&value.parts, &from, &to)?;
        self.move_to_result(&parts)
    }

    /// `zext` or `sext` to a wide integer, from any width.
    pub(super) fn wide_extend(&mut self, operand: &'a llvm_ir::Operand, signed: bool) -> Lowered<()> {
        let value = self.any_value(operand, 0)?;
        let mut from: Vec<u8> = self.leaves(value.ty)?.iter().map(|leaf| leaf.scalar.width()).collect();
        let mut parts = value.parts;
        let to: Vec<u8> = self.any_result_lanes()?.iter().map(|(_, scalar)| scalar.width()).collect();
        let top = parts.last().copied().zip(from.last().copied());
        let (top, width) = top.ok_or_else(|| Unsupported("an extension of nothing".to_string()))?;
        let fill = if signed { self.sign(top, width) } else { self.int(LIMB, 0) };
        let total = |widths: &[u8]| widths.iter().map(|&w| u32::from(w)).sum::<u32>();
        let mut missing = total(&to).saturating_sub(total(&from));
        while missing > 0 {
            let width = missing.min(u32::from(LIMB)) as u8;
            parts.push(self.narrow(fill, LIMB, width));
            from.push(width);
            missing -= u32::from(width);
        }
        let parts = self.regroup_low(&parts, &from, &to)?;
        self.move_to_result(&parts)
    }

    /// 64 copies of a value's highest bit.
    fn sign(&mut self, value: Operand, width: u8) -> Operand {
        let amount = self.int(width, u128::from(width - 1));
        let high = if width == 1 { value } else { self.binary(BinOp::LShr, width, value, amount) };
        let bit = self.narrow(high, width, 1);
        let dst = self.temporary();
        self.emit(Op::SExt { from: 1, to: LIMB, dst, a: bit });
        Operand::reg(dst)
    }

    fn limbs(&mut self, mut parts: Vec<Operand>, bits: u32, signed: bool) -> Limbs {
        let width = top_width(bits);
        if width < LIMB
            && let Some(top) = parts.last_mut()
        {
            *top = match signed {
                true => {
                    let dst = self.temporary();
                    self.emit(Op::SExt { from: width, to: LIMB, dst, a: *top });
                    Operand::reg(dst)
                }
                false => self.widen(*top, width, LIMB),
            };
        }
        parts
    }

    /// Cuts the last limb to the bits it has, and makes the limbs the result.
    fn settle(&mut self, mut limbs: Limbs, bits: u32) -> Lowered<()> {
        if let Some(top) = limbs.last_mut() {
            *top = self.narrow(*top, LIMB, top_width(bits));
        }
        self.move_to_result(&limbs)
    }

    fn wide_add(&mut self, a: &[Operand], b: &[Operand], subtract: bool) -> Limbs {
        let op = if subtract { BinOp::Sub } else { BinOp::Add };
        let mut carry: Option<Operand> = None;
        let mut limbs = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let first = self.binary(op, LIMB, a, b);
            // A sum that wrapped is less than what it began with, a difference greater.
            let wrapped = |this: &mut Self, after: Operand, before: Operand| {
                let (low, high) = if subtract { (before, after) } else { (after, before) };
                this.compare(IntPredicate::Ult, LIMB, low, high)
            };
            let mut out = wrapped(self, first, a);
            let mut limb = first;
            if let Some(carry) = carry {
                let carry = self.widen(carry, 1, LIMB);
                limb = self.binary(op, LIMB, first, carry);
                let again = wrapped(self, limb, first);
                out = self.binary(BinOp::Or, 1, out, again);
            }
            limbs.push(limb);
            carry = Some(out);
        }
        limbs
    }

    /// By the school's method: a product of two limbs plus two more limbs fits 128 bits.
    fn wide_multiply(&mut self, a: &[Operand], b: &[Operand]) -> Limbs {
        const DOUBLE: u8 = 2 * LIMB;
        let mut sums: Vec<Option<Operand>> = vec![None; a.len()];
        for (row, &a) in a.iter().enumerate() {
            let a = self.widen(a, LIMB, DOUBLE);
            let mut carry: Option<Operand> = None;
            for (column, &b) in b.iter().enumerate().take(sums.len() - row) {
                let b = self.widen(b, LIMB, DOUBLE);
                let mut sum = self.binary(BinOp::Mul, DOUBLE, a, b);
                for addend in [sums[row + column], carry].into_iter().flatten() {
                    let addend = self.widen(addend, LIMB, DOUBLE);
                    sum = self.binary(BinOp::Add, DOUBLE, sum, addend);
                }
                sums[row + column] = Some(self.narrow(sum, DOUBLE, LIMB));
                let amount = self.int(DOUBLE, u128::from(LIMB));
                let high = self.binary(BinOp::LShr, DOUBLE, sum, amount);
                carry = Some(self.narrow(high, DOUBLE, LIMB));
            }
        }
        let zero = self.int(LIMB, 0);
        sums.into_iter().map(|sum| sum.unwrap_or(zero)).collect()
    }

    fn wide_shift(&mut self, op: BinOp, a: Limbs, amount: &[Operand], bits: u32) -> Limbs {
        let known: Option<Vec<u128>> = amount.iter().map(|&limb| self.known(limb)).collect();
        match known.as_deref() {
            Some([low, rest @ ..]) if rest.iter().all(|&limb| limb == 0) && *low < u128::from(bits) => {
                self.shift_by(op, &a, *low as u32)
            }
            // One stage for each bit of the amount. More than the width is poison, so further bits do not matter.
            _ => {
                let mut limbs = a;
                for stage in (0..32).take_while(|stage| bits.checked_sub(1 << stage).is_some_and(|left| left > 0)) {
                    let count = self.int(LIMB, stage);
                    let bit = self.binary(BinOp::LShr, LIMB, amount[0], count);
                    let bit = self.narrow(bit, LIMB, 1);
                    let shifted = self.shift_by(op, &limbs, 1 << stage);
                    limbs = shifted.into_iter().zip(limbs).map(|(s, l)| self.choose(LIMB, bit, s, l)).collect();
                }
                limbs
            }
        }
    }

    fn shift_by(&mut self, op: BinOp, a: &[Operand], amount: u32) -> Limbs {
        let (whole, rest) = ((amount / u32::from(LIMB)) as i64, (amount % u32::from(LIMB)) as u8);
        let top = a[a.len() - 1];
        let zero = self.int(LIMB, 0);
        let above = if op == BinOp::AShr { self.sign(top, LIMB) } else { zero };
        let limb = |index: i64| match usize::try_from(index) {
            Ok(index) => a.get(index).copied().unwrap_or(above),
            Err(_) => zero,
        };
        // Each limb is made of two neighbours: `near` gives most of its bits to it, `far` those that come across.
        let mut limbs = Vec::with_capacity(a.len());
        for index in 0..a.len() as i64 {
            let (near, far, main, across) = if op == BinOp::Shl {
                (limb(index - whole), limb(index - whole - 1), BinOp::Shl, BinOp::LShr)
            } else {
                (limb(index + whole), limb(index + whole + 1), BinOp::LShr, BinOp::Shl)
            };
            if rest == 0 {
                limbs.push(near);
                continue;
            }
            let (count, back) = (self.int(LIMB, u128::from(rest)), self.int(LIMB, u128::from(LIMB - rest)));
            let near = self.binary(main, LIMB, near, count);
            if self.known(far) == Some(0) {
                limbs.push(near);
                continue;
            }
            let far = self.binary(across, LIMB, far, back);
            limbs.push(self.binary(BinOp::Or, LIMB, near, far));
        }
        limbs
    }
}

fn top_width(bits: u32) -> u8 {
    match (bits % u32::from(LIMB)) as u8 {
        0 => LIMB,
        rest => rest,
    }
}
