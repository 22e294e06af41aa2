//! Conversions. A bitcast between vectors and integers is shifts and ors: the first lane is the lowest bits.

use super::arithmetic::float_format;
use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::program::*;
use std::ops::Range;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn truncate(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        if self.wide_operand(0).is_some() {
            return self.wide_truncate(operand);
        }
        self.convert(operand, |from, to, dst, a| Ok(Op::Trunc { from: from.width(), to: to.width(), dst, a }))
    }

    pub(super) fn zero_extend(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        if self.wide_result().is_some() {
            return self.wide_extend(operand, false);
        }
        self.convert(operand, |from, to, dst, a| Ok(Op::ZExt { from: from.width(), to: to.width(), dst, a }))
    }

    pub(super) fn sign_extend(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        if self.wide_result().is_some() {
            return self.wide_extend(operand, true);
        }
        self.convert(operand, |from, to, dst, a| Ok(Op::SExt { from: from.width(), to: to.width(), dst, a }))
    }

    pub(super) fn float_cast(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        self.convert(operand, |from, to, dst, a| {
            Ok(Op::FloatCast { from: float_format(from)?, to: float_format(to)?, dst, a })
        })
    }

    pub(super) fn float_to_integer(
        &mut self,
        operand: &'a llvm_ir::Operand,
        signed: bool,
        saturating: bool,
    ) -> Lowered<()> {
        self.convert(operand, |from, to, dst, a| {
            Ok(Op::FloatToInt { from: float_format(from)?, to: to.width(), signed, saturating, dst, a })
        })
    }

    pub(super) fn integer_to_float(&mut self, operand: &'a llvm_ir::Operand, signed: bool) -> Lowered<()> {
        self.convert(operand, |from, to, dst, a| {
            Ok(Op::IntToFloat { from: from.width(), signed, to: float_format(to)?, dst, a })
        })
    }

    /// `ptrtoint` and `inttoptr`: cut or zero-extended where the widths differ.
    pub(super) fn resize(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        self.convert(operand, |from, to, dst, a| {
            let (from, to) = (from.width(), to.width());
            Ok(match from.cmp(&to) {
                std::cmp::Ordering::Equal => Op::Move { dst, src: a },
                std::cmp::Ordering::Less => Op::ZExt { from, to, dst, a },
                std::cmp::Ordering::Greater => Op::Trunc { from, to, dst, a },
            })
        })
    }

    fn convert(
        &mut self,
        operand: &'a llvm_ir::Operand,
        make: impl Fn(Scalar, Scalar, Reg, Operand) -> Lowered<Op>,
    ) -> Lowered<()> {
        let value = self.value(operand, 0)?;
        let leaves = self.leaves(value.ty)?;
        let lanes = self.result_lanes()?;
        for (lane, ((dst, to), a)) in lanes.into_iter().zip(value.parts).enumerate() {
            let op = make(leaves[lane].scalar, to, dst, a)?;
            self.emit(op);
        }
        Ok(())
    }

    pub(super) fn bit_cast(&mut self, operand: &'a llvm_ir::Operand) -> Lowered<()> {
        let value = self.any_value(operand, 0)?;
        let from: Vec<u8> = self.leaves(value.ty)?.iter().map(|leaf| leaf.scalar.width()).collect();
        let to: Vec<u8> = self.any_result_lanes()?.iter().map(|(_, scalar)| scalar.width()).collect();
        let parts = self.regroup(&value.parts, &from, &to)?;
        self.move_to_result(&parts)
    }

    /// The same bits in lanes of other widths.
    pub(super) fn regroup(&mut self, parts: &[Operand], from: &[u8], to: &[u8]) -> Lowered<Vec<Operand>> {
        if total(from) != total(to) {
            return Err(Unsupported("a bitcast between unequal widths".to_string()));
        }
        self.regroup_low(parts, from, to)
    }

    /// The low bits in lanes of other widths, as many as these have.
    pub(super) fn regroup_low(&mut self, parts: &[Operand], from: &[u8], to: &[u8]) -> Lowered<Vec<Operand>> {
        if from == to {
            return Ok(parts.to_vec());
        }
        if total(from) < total(to) {
            return Err(Unsupported("more bits than there are".to_string()));
        }
        let mut regrouped = Vec::with_capacity(to.len());
        let (mut lane, mut used) = (0, 0u8);
        for &width in to {
            let mut filled = 0u8;
            let mut whole: Option<Operand> = None;
            while filled < width {
                let take = (from[lane] - used).min(width - filled);
                let piece = self.bits(parts[lane], from[lane], used..used + take, width);
                let placed = self.shift_left(piece, width, filled);
                whole = Some(match whole {
                    None => placed,
                    Some(low) => self.binary(BinOp::Or, width, low, placed),
                });
                filled += take;
                used += take;
                if used == from[lane] {
                    lane += 1;
                    used = 0;
                }
            }
            regrouped.push(whole.ok_or_else(|| Unsupported("a lane without bits".to_string()))?);
        }
        Ok(regrouped)
    }

    /// Some bits of a value, as the low bits of a value of width `to`.
    fn bits(&mut self, value: Operand, width: u8, range: Range<u8>, to: u8) -> Operand {
        let take = range.end - range.start;
        let low = if range.start == 0 {
            value
        } else {
            let amount = self.int(width, u128::from(range.start));
            self.binary(BinOp::LShr, width, value, amount)
        };
        let piece = self.narrow(low, width, take);
        self.widen(piece, take, to)
    }

    pub(super) fn narrow(&mut self, a: Operand, from: u8, to: u8) -> Operand {
        if from == to {
            return a;
        }
        if let Some(known) = self.known(a) {
            return self.int(to, known);
        }
        let dst = self.temporary();
        self.emit(Op::Trunc { from, to, dst, a });
        Operand::reg(dst)
    }

    pub(super) fn widen(&mut self, a: Operand, from: u8, to: u8) -> Operand {
        if from == to {
            return a;
        }
        if let Some(known) = self.known(a) {
            return self.int(to, known);
        }
        let dst = self.temporary();
        self.emit(Op::ZExt { from, to, dst, a });
        Operand::reg(dst)
    }

    fn shift_left(&mut self, value: Operand, width: u8, amount: u8) -> Operand {
        if amount == 0 {
            return value;
        }
        let amount = self.int(width, u128::from(amount));
        self.binary(BinOp::Shl, width, value, amount)
    }

    pub(super) fn binary(&mut self, op: BinOp, width: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.temporary();
        self.emit(Op::Bin { op, width, flags: Flags::default(), dst, a, b });
        Operand::reg(dst)
    }

    pub(super) fn compare(&mut self, pred: IntPredicate, width: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.temporary();
        self.emit(Op::Cmp { pred, width, dst, a, b });
        Operand::reg(dst)
    }

    pub(super) fn choose(&mut self, width: u8, cond: Operand, a: Operand, b: Operand) -> Operand {
        let dst = self.temporary();
        self.emit(Op::Select { width, dst, cond, a, b });
        Operand::reg(dst)
    }
}

fn total(widths: &[u8]) -> u64 {
    widths.iter().map(|&width| u64::from(width)).sum()
}
