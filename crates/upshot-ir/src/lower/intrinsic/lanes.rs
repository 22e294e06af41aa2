//! Integer intrinsics, lane by lane, and those that reduce or rearrange vectors.

use crate::lower::function::FunctionLowering;
use crate::lower::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn integer_intrinsic(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        use Intrinsic::*;
        let lowered = match name {
            "bswap" => self.lanewise(i, ByteSwap, 1),
            "bitreverse" => self.lanewise(i, BitReverse, 1),
            "ctpop" => self.lanewise(i, CountOnes, 1),
            "ctlz" => self.counted_zeros(i, LeadingZeros),
            "cttz" => self.counted_zeros(i, TrailingZeros),
            "abs" => self.lanewise(i, Abs, 1),
            "smin" => self.lanewise(i, SMin, 2),
            "smax" => self.lanewise(i, SMax, 2),
            "umin" => self.lanewise(i, UMin, 2),
            "umax" => self.lanewise(i, UMax, 2),
            "sadd.sat" => self.lanewise(i, AddSat { signed: true }, 2),
            "uadd.sat" => self.lanewise(i, AddSat { signed: false }, 2),
            "ssub.sat" => self.lanewise(i, SubSat { signed: true }, 2),
            "usub.sat" => self.lanewise(i, SubSat { signed: false }, 2),
            "sshl.sat" => self.lanewise(i, ShlSat { signed: true }, 2),
            "ushl.sat" => self.lanewise(i, ShlSat { signed: false }, 2),
            "fshl" => self.lanewise(i, FunnelShl, 3),
            "fshr" => self.lanewise(i, FunnelShr, 3),
            "sadd.with.overflow" => self.overflowing(i, AddOverflow { signed: true }),
            "uadd.with.overflow" => self.overflowing(i, AddOverflow { signed: false }),
            "ssub.with.overflow" => self.overflowing(i, SubOverflow { signed: true }),
            "usub.with.overflow" => self.overflowing(i, SubOverflow { signed: false }),
            "smul.with.overflow" => self.overflowing(i, MulOverflow { signed: true }),
            "umul.with.overflow" => self.overflowing(i, MulOverflow { signed: false }),
            "scmp" => self.three_way(i, IntPredicate::Slt, IntPredicate::Sgt),
            "ucmp" => self.three_way(i, IntPredicate::Ult, IntPredicate::Ugt),
            _ => return None,
        };
        Some(lowered)
    }

    /// An intrinsic of the first `count` arguments in each lane. Further ones are hints ("zero is poison").
    pub(super) fn lanewise(&mut self, i: &'a ir::Call, which: Intrinsic, count: u32) -> Lowered<()> {
        let mut values = Vec::with_capacity(count as usize);
        for position in 0..count {
            values.push(self.argument_value(i, position)?.parts);
        }
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            let args: Box<[Operand]> = values.iter().map(|parts| parts[lane]).collect();
            self.emit(Op::Intrinsic { which, width: scalar.width(), dst, args });
        }
        Ok(())
    }

    /// The second argument says whether the result for zero is undefined, as it is for C's `__builtin_clz`.
    fn counted_zeros(&mut self, i: &'a ir::Call, which: Intrinsic) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        let width = self.leaves(value.ty)?[0].scalar.width();
        let nonzero = self.argument_value(i, 1)?.parts[0];
        for part in value.parts {
            let dst = self.temporary();
            self.emit(Op::Intrinsic { which: Intrinsic::NotZero, width, dst, args: Box::new([part, nonzero]) });
        }
        self.lanewise(i, which, 1)
    }

    /// The result is a pair; of a vector, all results come first and then all overflow bits.
    fn overflowing(&mut self, i: &'a ir::Call, which: Intrinsic) -> Lowered<()> {
        let a = self.argument_value(i, 0)?;
        let b = self.argument_value(i, 1)?;
        let width = self.leaves(a.ty)?[0].scalar.width();
        let count = a.parts.len() as u32;
        let first = self.result()?.first;
        for (lane, (a, b)) in (0..).zip(a.parts.into_iter().zip(b.parts)) {
            let args: Box<[Operand]> = Box::new([a, b]);
            if count == 1 {
                self.emit(Op::Intrinsic { which, width, dst: first, args });
                return Ok(());
            }
            let pair = self.temporary_run(2);
            self.emit(Op::Intrinsic { which, width, dst: pair, args });
            self.emit(Op::Move { dst: Reg(first.0 + lane), src: Operand::reg(pair) });
            self.emit(Op::Move { dst: Reg(first.0 + count + lane), src: Operand::reg(Reg(pair.0 + 1)) });
        }
        Ok(())
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, i: &'a ir::Call, less: IntPredicate, greater: IntPredicate) -> Lowered<()> {
        let a = self.argument_value(i, 0)?;
        let b = self.argument_value(i, 1)?;
        let width = self.leaves(a.ty)?[0].scalar.width();
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            let to = scalar.width();
            let above = self.compare(greater, width, a.parts[lane], b.parts[lane]);
            let above = self.widen(above, 1, to);
            let below = self.compare(less, width, a.parts[lane], b.parts[lane]);
            let minus_one = self.int(to, u128::MAX);
            self.emit(Op::Select { width: to, dst, cond: below, a: minus_one, b: above });
        }
        Ok(())
    }

    pub(super) fn vector_intrinsic(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        if let Some(operation) = name.strip_prefix("vector.reduce.") {
            return Some(self.reduce(i, operation));
        }
        let lowered = match name {
            "masked.load" => self.masked_load(i),
            "masked.store" => self.masked_store(i),
            "masked.gather" => self.masked_gather(i),
            "masked.scatter" => self.masked_scatter(i),
            "vector.insert" => self.insert_subvector(i),
            "vector.extract" => self.extract_subvector(i),
            "vector.reverse" => self.rearrange(i, 1, |parts| parts.into_iter().rev().collect()),
            "vector.interleave2" => self.rearrange(i, 2, |parts| {
                let half = parts.len() / 2;
                (0..half).flat_map(|lane| [parts[lane], parts[half + lane]]).collect()
            }),
            "vector.deinterleave2" => self.rearrange(i, 1, |parts| {
                let (even, odd) = (parts.iter().step_by(2), parts.iter().skip(1).step_by(2));
                even.chain(odd).copied().collect()
            }),
            _ => return None,
        };
        Some(lowered)
    }

    fn reduce(&mut self, i: &'a ir::Call, operation: &str) -> Lowered<()> {
        let simple = match operation {
            "add" => Some(BinOp::Add),
            "mul" => Some(BinOp::Mul),
            "and" => Some(BinOp::And),
            "or" => Some(BinOp::Or),
            "xor" => Some(BinOp::Xor),
            _ => None,
        };
        if let Some(op) = simple {
            return self.fold_lanes(i, |this, scalar, a, b| Ok(this.binary(op, scalar.width(), a, b)));
        }
        let extreme = match operation {
            "smax" => Some(Intrinsic::SMax),
            "smin" => Some(Intrinsic::SMin),
            "umax" => Some(Intrinsic::UMax),
            "umin" => Some(Intrinsic::UMin),
            _ => None,
        };
        if let Some(which) = extreme {
            return self.fold_lanes(i, |this, scalar, a, b| {
                let dst = this.temporary();
                this.emit(Op::Intrinsic { which, width: scalar.width(), dst, args: Box::new([a, b]) });
                Ok(Operand::reg(dst))
            });
        }
        match operation {
            "fadd" => self.fold_floats(i, FloatBinOp::Add),
            "fmul" => self.fold_floats(i, FloatBinOp::Mul),
            "fmax" => self.fold_floats(i, FloatBinOp::MaxNum),
            "fmin" => self.fold_floats(i, FloatBinOp::MinNum),
            "fmaximum" => self.fold_floats(i, FloatBinOp::Maximum),
            "fminimum" => self.fold_floats(i, FloatBinOp::Minimum),
            _ => Err(Unsupported(format!("the intrinsic llvm.vector.reduce.{operation}"))),
        }
    }

    /// Combines the lanes of the last argument from the first on; arguments before it come first.
    pub(super) fn fold_lanes(
        &mut self,
        i: &'a ir::Call,
        combine: impl Fn(&mut Self, Scalar, Operand, Operand) -> Lowered<Operand>,
    ) -> Lowered<()> {
        let mut parts = Vec::new();
        for position in 0..i.arguments.len() as u32 {
            parts.extend(self.argument_value(i, position)?.parts);
        }
        let scalar = self.result_lanes()?.first().map(|(_, scalar)| *scalar);
        let scalar = scalar.ok_or_else(|| Unsupported("a reduction to nothing".to_string()))?;
        let mut parts = parts.into_iter();
        let mut total = parts.next().ok_or_else(|| Unsupported("a reduction of nothing".to_string()))?;
        for part in parts {
            total = combine(self, scalar, total, part)?;
        }
        self.move_to_result(&[total])
    }

    fn rearrange(
        &mut self,
        i: &'a ir::Call,
        arguments: u32,
        order: impl FnOnce(Vec<Operand>) -> Vec<Operand>,
    ) -> Lowered<()> {
        let mut parts = Vec::new();
        for position in 0..arguments {
            parts.extend(self.argument_value(i, position)?.parts);
        }
        self.move_to_result(&order(parts))
    }

    fn known_argument(&mut self, i: &'a ir::Call, position: u32) -> Lowered<usize> {
        let (operand, _) = self.scalar_argument(i, position)?;
        let known = self.known(operand).and_then(|value| usize::try_from(value).ok());
        known.ok_or_else(|| Unsupported("an intrinsic whose position is not constant".to_string()))
    }

    fn insert_subvector(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let mut whole = self.argument_value(i, 0)?.parts;
        let part = self.argument_value(i, 1)?.parts;
        let at = self.known_argument(i, 2)?;
        let place = whole.get_mut(at..at.saturating_add(part.len()));
        place.ok_or_else(|| Unsupported("llvm.vector.insert out of range".to_string()))?.copy_from_slice(&part);
        self.move_to_result(&whole)
    }

    fn extract_subvector(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let whole = self.argument_value(i, 0)?.parts;
        let at = self.known_argument(i, 1)?;
        let count = self.result_lanes()?.len();
        let part = whole.get(at..at.saturating_add(count));
        let part = part.ok_or_else(|| Unsupported("llvm.vector.extract out of range".to_string()))?;
        self.move_to_result(part)
    }
}
