//! Arithmetic, comparisons and selects, lane by lane.

use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::Instruction;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn integer_binary(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        let wrapping = |nuw: bool, nsw: bool| (u8::from(nsw) * Flags::NSW) | (u8::from(nuw) * Flags::NUW);
        let exactness = |exact: bool| u8::from(exact) * Flags::EXACT;
        let (op, flags, a, b) = match instruction {
            Instruction::Add(i) => (BinOp::Add, wrapping(i.nuw, i.nsw), &i.operand0, &i.operand1),
            Instruction::Sub(i) => (BinOp::Sub, wrapping(i.nuw, i.nsw), &i.operand0, &i.operand1),
            Instruction::Mul(i) => (BinOp::Mul, wrapping(i.nuw, i.nsw), &i.operand0, &i.operand1),
            Instruction::Shl(i) => (BinOp::Shl, wrapping(i.nuw, i.nsw), &i.operand0, &i.operand1),
            Instruction::UDiv(i) => (BinOp::UDiv, exactness(i.exact), &i.operand0, &i.operand1),
            Instruction::SDiv(i) => (BinOp::SDiv, exactness(i.exact), &i.operand0, &i.operand1),
            Instruction::LShr(i) => (BinOp::LShr, exactness(i.exact), &i.operand0, &i.operand1),
            Instruction::AShr(i) => (BinOp::AShr, exactness(i.exact), &i.operand0, &i.operand1),
            Instruction::URem(i) => (BinOp::URem, 0, &i.operand0, &i.operand1),
            Instruction::SRem(i) => (BinOp::SRem, 0, &i.operand0, &i.operand1),
            Instruction::And(i) => (BinOp::And, 0, &i.operand0, &i.operand1),
            Instruction::Or(i) => (BinOp::Or, 0, &i.operand0, &i.operand1),
            Instruction::Xor(i) => (BinOp::Xor, 0, &i.operand0, &i.operand1),
            _ => return Err(Unsupported("an unknown operation".to_string())),
        };
        if let Some(bits) = self.wide_operand(0) {
            return self.wide_binary(op, bits, a, b);
        }
        if self.is_optimized && matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            return self.speculative_shift(op, Flags(flags), a, b);
        }
        self.lanewise_binary(a, b, |scalar, dst, a, b| {
            Ok(Op::Bin { op, width: scalar.width(), flags: Flags(flags), dst, a, b })
        })
    }

    /// A shift that optimised code may make before it knows that the amount is in range: if it is not, the result is
    /// not used. It gets the amount that x86 would shift by.
    fn speculative_shift(
        &mut self,
        op: BinOp,
        flags: Flags,
        a: &'a llvm_ir::Operand,
        b: &'a llvm_ir::Operand,
    ) -> Lowered<()> {
        let a = self.value(a, 0)?;
        let b = self.value(b, 1)?;
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            let (width, mut amount) = (scalar.width(), b.parts[lane]);
            if self.known(amount).is_none_or(|known| known >= u128::from(width)) {
                amount = if width.is_power_of_two() {
                    let mask = self.int(width, u128::from(width - 1));
                    self.binary(BinOp::And, width, amount, mask)
                } else {
                    let limit = self.int(width, u128::from(width));
                    let fits = self.compare(IntPredicate::Ult, width, amount, limit);
                    let zero = self.int(width, 0);
                    self.choose(width, fits, amount, zero)
                };
            }
            self.emit(Op::Bin { op, width, flags, dst, a: a.parts[lane], b: amount });
        }
        Ok(())
    }

    pub(super) fn float_binary(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        let (op, a, b) = match instruction {
            Instruction::FAdd(i) => (FloatBinOp::Add, &i.operand0, &i.operand1),
            Instruction::FSub(i) => (FloatBinOp::Sub, &i.operand0, &i.operand1),
            Instruction::FMul(i) => (FloatBinOp::Mul, &i.operand0, &i.operand1),
            Instruction::FDiv(i) => (FloatBinOp::Div, &i.operand0, &i.operand1),
            Instruction::FRem(i) => (FloatBinOp::Rem, &i.operand0, &i.operand1),
            _ => return Err(Unsupported("an unknown operation".to_string())),
        };
        self.lanewise_binary(a, b, |scalar, dst, a, b| {
            Ok(Op::FloatBin { op, format: float_format(scalar)?, dst, a, b })
        })
    }

    pub(super) fn float_negate(&mut self, i: &'a ir::FNeg) -> Lowered<()> {
        let value = self.value(&i.operand, 0)?;
        for ((dst, scalar), a) in self.result_lanes()?.into_iter().zip(value.parts) {
            self.emit(Op::FloatUn { op: FloatUnOp::Neg, format: float_format(scalar)?, dst, a });
        }
        Ok(())
    }

    pub(super) fn integer_compare(&mut self, i: &'a ir::ICmp) -> Lowered<()> {
        use llvm_ir::IntPredicate as Llvm;
        let pred = match i.predicate {
            Llvm::EQ => IntPredicate::Eq,
            Llvm::NE => IntPredicate::Ne,
            Llvm::UGT => IntPredicate::Ugt,
            Llvm::UGE => IntPredicate::Uge,
            Llvm::ULT => IntPredicate::Ult,
            Llvm::ULE => IntPredicate::Ule,
            Llvm::SGT => IntPredicate::Sgt,
            Llvm::SGE => IntPredicate::Sge,
            Llvm::SLT => IntPredicate::Slt,
            Llvm::SLE => IntPredicate::Sle,
        };
        if let Some(bits) = self.wide_operand(0) {
            return self.wide_compare(pred, bits, &i.operand0, &i.operand1);
        }
        self.lanewise_binary(&i.operand0, &i.operand1, |scalar, dst, a, b| {
            Ok(Op::Cmp { pred, width: scalar.width(), dst, a, b })
        })
    }

    pub(super) fn float_compare(&mut self, i: &'a ir::FCmp) -> Lowered<()> {
        use llvm_ir::FPPredicate as Llvm;
        let mask = match i.predicate {
            Llvm::False => 0,
            Llvm::OEQ => 1,
            Llvm::OGT => 2,
            Llvm::OGE => 3,
            Llvm::OLT => 4,
            Llvm::OLE => 5,
            Llvm::ONE => 6,
            Llvm::ORD => 7,
            Llvm::UNO => 8,
            Llvm::UEQ => 9,
            Llvm::UGT => 10,
            Llvm::UGE => 11,
            Llvm::ULT => 12,
            Llvm::ULE => 13,
            Llvm::UNE => 14,
            Llvm::True => 15,
        };
        self.lanewise_binary(&i.operand0, &i.operand1, |scalar, dst, a, b| {
            Ok(Op::FloatCmp { pred: FloatPredicate(mask), format: float_format(scalar)?, dst, a, b })
        })
    }

    pub(super) fn select(&mut self, i: &'a ir::Select) -> Lowered<()> {
        let cond = self.value(&i.condition, 0)?;
        let a = self.any_value(&i.true_value, 1)?;
        let b = self.any_value(&i.false_value, 2)?;
        let lanes = self.any_result_lanes()?;
        // One condition for the whole value, or one for each lane.
        let conditions: Vec<Operand> = match cond.parts.as_slice() {
            [single] => vec![*single; lanes.len()],
            several if several.len() == lanes.len() => several.to_vec(),
            _ => return Err(Unsupported("a select of unequal shape".to_string())),
        };
        for (lane, (dst, scalar)) in lanes.into_iter().enumerate() {
            let (cond, a, b) = (conditions[lane], a.parts[lane], b.parts[lane]);
            self.emit(Op::Select { width: scalar.width(), dst, cond, a, b });
        }
        Ok(())
    }

    /// Operands 0 and 1, lane by lane; the scalar given to `make` is the operands'.
    fn lanewise_binary(
        &mut self,
        a: &'a llvm_ir::Operand,
        b: &'a llvm_ir::Operand,
        make: impl Fn(Scalar, Reg, Operand, Operand) -> Lowered<Op>,
    ) -> Lowered<()> {
        let a = self.value(a, 0)?;
        let b = self.value(b, 1)?;
        let leaves = self.leaves(a.ty)?;
        let first = self.result()?.first;
        for (lane, (a, b)) in a.parts.into_iter().zip(b.parts).enumerate() {
            let op = make(leaves[lane].scalar, Reg(first.0 + lane as u32), a, b)?;
            self.emit(op);
        }
        Ok(())
    }
}

pub(super) fn float_format(scalar: Scalar) -> Lowered<FloatFormat> {
    match scalar {
        Scalar::Float(format) => Ok(format),
        _ => Err(Unsupported("a float operation on something else".to_string())),
    }
}
