//! `llvm.experimental.constrained.*`: what clang emits for floats where a program may look at the floating-point
//! environment (`FENV_ACCESS`). They are the ordinary operations, because rounding is to nearest throughout: a program
//! that asks for another direction is not supported, whether here by a pragma or later by `fesetround`.

use crate::lower::arithmetic::float_format;
use crate::lower::function::FunctionLowering;
use crate::lower::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn constrained_intrinsic(&mut self, i: &'a ir::Call, name: &str) -> Option<Lowered<()>> {
        let name = name.strip_prefix("experimental.constrained.")?;
        let words: Vec<String> = (0..i.arguments.len() as u32).filter_map(|index| self.word(index)).collect();
        let direction = words.iter().find(|word| word.starts_with("round."));
        if let Some(other) = direction.filter(|word| !matches!(word.as_str(), "round.tonearest" | "round.dynamic")) {
            return Some(Err(Unsupported(format!("floats rounded otherwise than to nearest ({other})"))));
        }
        let operand = &i.arguments.first()?.0;
        let lowered = match name {
            "fadd" => self.float_binary_call(i, FloatBinOp::Add),
            "fsub" => self.float_binary_call(i, FloatBinOp::Sub),
            "fmul" => self.float_binary_call(i, FloatBinOp::Mul),
            "fdiv" => self.float_binary_call(i, FloatBinOp::Div),
            "frem" => self.float_binary_call(i, FloatBinOp::Rem),
            "fptosi" => self.float_to_integer(operand, true, false),
            "fptoui" => self.float_to_integer(operand, false, false),
            "sitofp" => self.integer_to_float(operand, true),
            "uitofp" => self.integer_to_float(operand, false),
            "fpext" | "fptrunc" => self.float_cast(operand),
            "fcmp" | "fcmps" => self.constrained_compare(i, &words),
            // The others have a namesake without the environment.
            _ => return self.float_intrinsic(i, name),
        };
        Some(lowered)
    }

    fn constrained_compare(&mut self, i: &'a ir::Call, words: &[String]) -> Lowered<()> {
        let mask = words.iter().find_map(|word| predicate(word));
        let mask = mask.ok_or_else(|| Unsupported("a comparison of floats without its predicate".to_string()))?;
        let a = self.argument_value(i, 0)?;
        let b = self.argument_value(i, 1)?;
        let leaves = self.leaves(a.ty)?;
        for (lane, (dst, _)) in self.result_lanes()?.into_iter().enumerate() {
            let format = float_format(leaves[lane].scalar)?;
            let (a, b) = (a.parts[lane], b.parts[lane]);
            self.emit(Op::FloatCmp { pred: FloatPredicate(mask), format, dst, a, b });
        }
        Ok(())
    }

    /// An argument that is a metadata string.
    fn word(&self, index: u32) -> Option<String> {
        let text = self.raw?.operand(index)?;
        text.as_metadata()?;
        Some(text.describe().split('"').nth(1)?.to_string())
    }
}

/// As a mask: 1 equal, 2 greater, 4 less, 8 unordered.
fn predicate(word: &str) -> Option<u8> {
    let names = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une"];
    names.iter().position(|name| *name == word).map(|index| index as u8 + 1)
}
