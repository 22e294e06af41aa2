//! Calls of `llvm.*`, by the intrinsic's name without its overloaded types.

mod constrained;
mod float;
mod lanes;
mod masked;

use super::function::FunctionLowering;
use super::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn intrinsic(&mut self, i: &'a ir::Call, name: &str) -> Lowered<()> {
        let Some(short) = name.strip_prefix("llvm.") else {
            return Err(Unsupported(format!("the intrinsic {name}")));
        };
        if let Some(lowered) = self.nothing_or_copy(i, short) {
            return lowered;
        }
        if let Some(lowered) = self.memory_or_control(i, short) {
            return lowered;
        }
        if let Some(lowered) = self.integer_intrinsic(i, short) {
            return lowered;
        }
        if let Some(lowered) = self.float_intrinsic(i, short) {
            return lowered;
        }
        if let Some(lowered) = self.constrained_intrinsic(i, short) {
            return lowered;
        }
        if let Some(lowered) = self.vector_intrinsic(i, short) {
            return lowered;
        }
        Err(Unsupported(format!("the intrinsic {name}")))
    }

    /// Hints for the optimiser: without effect, or with the value of their first argument.
    fn nothing_or_copy(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        match name {
            "donothing"
            | "sideeffect"
            | "pseudoprobe"
            | "prefetch"
            | "var.annotation"
            | "codeview.annotation"
            | "invariant.end"
            | "experimental.noalias.scope.decl"
            | "clear_cache"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.assign"
            | "dbg.label"
            | "x86.sse2.pause"
            | "x86.sse2.mfence"
            | "x86.sse2.lfence"
            | "x86.sse.sfence" => Some(Ok(())),
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "threadlocal.address"
            | "arithmetic.fence"
            | "canonicalize" => Some(self.argument_value(i, 0).and_then(|value| self.move_to_result(&value.parts))),
            "invariant.start" => Some(self.result_constant(64, 0)),
            "is.constant" => Some(self.is_constant(i)),
            "allow.runtime.check" | "allow.ubsan.check" => Some(self.result_constant(1, 1)),
            _ => None,
        }
    }

    fn memory_or_control(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        use Intrinsic::*;
        let lowered = match name {
            "memcpy" | "memcpy.inline" => self.sized(i, MemCpy),
            "memmove" => self.sized(i, MemMove),
            "memset" | "memset.inline" => self.sized(i, MemSet),
            "assume" => self.plain(i, Assume, 1, 1),
            "stacksave" => self.plain(i, StackSave, 64, 0),
            "stackrestore" => self.plain(i, StackRestore, 64, 1),
            "va_start" => self.plain(i, VaStart, 64, 1),
            "va_end" => self.plain(i, VaEnd, 64, 1),
            "va_copy" => self.plain(i, VaCopy, 64, 2),
            "objectsize" => self.object_size(i),
            "trap" | "ubsantrap" => self.plain(i, Trap, 0, 0),
            "debugtrap" => self.plain(i, DebugTrap, 0, 0),
            "returnaddress" => self.plain(i, ReturnAddress, 64, 0),
            "frameaddress" => self.plain(i, FrameAddress, 64, 0),
            "readcyclecounter" | "readsteadycounter" => self.plain(i, ReadCycleCounter, 64, 0),
            "get.rounding" => self.plain(i, GetRounding, 32, 0),
            "eh.sjlj.setjmp" => self.plain(i, SetJmp, 32, 1),
            "eh.sjlj.longjmp" => self.builtin_long_jump(i),
            "ptrmask" => self.pointer_mask(i),
            "load.relative" => self.load_relative(i),
            _ => return None,
        };
        Some(lowered)
    }

    /// `__builtin_longjmp` always hands over a one.
    fn builtin_long_jump(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (buffer, _) = self.scalar_argument(i, 0)?;
        let args = Box::new([buffer, self.int(32, 1)]);
        let dst = self.temporary();
        self.emit(Op::Intrinsic { which: Intrinsic::LongJmp, width: 32, dst, args });
        Ok(())
    }

    /// An intrinsic over its first `count` arguments, all of them scalars.
    fn plain(&mut self, i: &'a ir::Call, which: Intrinsic, width: u8, count: u32) -> Lowered<()> {
        let mut args = Vec::with_capacity(count as usize);
        for position in 0..count {
            args.push(self.scalar_argument(i, position)?.0);
        }
        let dst = if i.dest.is_some() { self.result()?.first } else { self.temporary() };
        self.emit(Op::Intrinsic { which, width, dst, args: args.into() });
        Ok(())
    }

    /// memcpy and its like: the width is the length's.
    fn sized(&mut self, i: &'a ir::Call, which: Intrinsic) -> Lowered<()> {
        let (_, length) = self.scalar_argument(i, 2)?;
        self.plain(i, which, length.width(), 3)
    }

    fn object_size(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let width = self.result_lanes()?.first().map_or(64, |(_, scalar)| scalar.width());
        self.plain(i, Intrinsic::ObjectSize, width, 2)
    }

    fn pointer_mask(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (pointer, _) = self.scalar_argument(i, 0)?;
        let (mask, scalar) = self.scalar_argument(i, 1)?;
        if scalar.width() != 64 {
            return Err(Unsupported("llvm.ptrmask with a narrow mask".to_string()));
        }
        let masked = self.binary(BinOp::And, 64, pointer, mask);
        self.move_to_result(&[masked])
    }

    /// Of a table of distances: the pointer plus the 32 bits found at an offset from it.
    fn load_relative(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (base, _) = self.scalar_argument(i, 0)?;
        let (index, scalar) = self.scalar_argument(i, 1)?;
        let (place, distance) = (self.temporary(), self.temporary());
        let index_width = scalar.width();
        self.emit(Op::Offset(Box::new(Offset { dst: place, base, index, index_width, scale: 1, disp: 0 })));
        self.emit(Op::Load { dst: distance, ptr: Operand::reg(place), disp: 0, scalar: Scalar::Int(32) });
        let (dst, index) = (self.result()?.first, Operand::reg(distance));
        self.emit(Op::Offset(Box::new(Offset { dst, base, index, index_width: 32, scale: 1, disp: 0 })));
        Ok(())
    }

    /// Clang itself has decided what it can; what is left is constant only if the operand is one.
    fn is_constant(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let constant = matches!(i.arguments.first(), Some((llvm_ir::Operand::ConstantOperand(_), _)));
        self.result_constant(1, u128::from(constant))
    }

    fn result_constant(&mut self, width: u8, value: u128) -> Lowered<()> {
        let constant = self.int(width, value);
        self.move_to_result(&[constant])
    }

    pub(super) fn argument_value(&mut self, i: &'a ir::Call, position: u32) -> Lowered<super::function::Value> {
        let Some((operand, _)) = i.arguments.get(position as usize) else {
            return Err(Unsupported("an intrinsic without its argument".to_string()));
        };
        self.value(operand, position)
    }

    pub(super) fn scalar_argument(&mut self, i: &'a ir::Call, position: u32) -> Lowered<(Operand, Scalar)> {
        let Some((operand, _)) = i.arguments.get(position as usize) else {
            return Err(Unsupported("an intrinsic without its argument".to_string()));
        };
        self.scalar(operand, position)
    }
}
