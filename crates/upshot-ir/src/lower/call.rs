//! Calls: of functions, through pointers, of the setjmp family, and of inline assembly.

use super::function::{FunctionLowering, Value};
use super::slots::is_lifetime_marker;
use super::{Lowered, Unsupported};
use crate::capi;
use crate::layout::Shape;
use crate::program::*;
use either::Either;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn call(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let target = self.raw.and_then(|raw| raw.called_value());
        let target = target.ok_or_else(|| Unsupported("a call of nothing".to_string()))?;
        let operand = match &i.function {
            Either::Left(_) => return self.inline_assembly(i, target),
            Either::Right(operand) => operand,
        };
        if target.is_function() {
            let name = target.name();
            if is_lifetime_marker(&name) {
                return self.lifetime(i, &name);
            }
            if name.starts_with("llvm.") {
                let base = target.intrinsic_name().unwrap_or(name);
                return self.intrinsic(i, &base);
            }
            if target.is_declaration() {
                match name.as_str() {
                    "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => return self.set_jump(i),
                    "longjmp" | "_longjmp" | "siglongjmp" => return self.long_jump(i),
                    _ => {}
                }
            }
        }
        self.ordinary_call(i, operand)
    }

    fn ordinary_call(&mut self, i: &'a ir::Call, callee: &'a llvm_ir::Operand) -> Lowered<()> {
        let raw = self.raw.ok_or_else(|| Unsupported("a call of nothing".to_string()))?;
        let (callee, _) = self.scalar(callee, raw.operand_count() - 1)?;
        let callee = match self.function_at(callee) {
            Some(function) => Callee::Direct(function),
            None => Callee::Indirect(callee),
        };
        let called = raw.called_type().map(|ty| self.context.layouts.id(ty));
        let (declared, variadic) = match called.map(|ty| &self.context.layouts.get(ty).shape) {
            Some(Shape::Function { parameters, variadic, .. }) => (parameters.len(), *variadic),
            _ => (i.arguments.len(), false),
        };
        let mut args = Vec::with_capacity(i.arguments.len());
        let mut fixed = 0;
        for (position, (operand, _)) in i.arguments.iter().enumerate() {
            let value = self.any_value(operand, position as u32)?;
            let extra = variadic && position >= declared;
            args.extend(self.argument(raw, position as u32, value, extra)?);
            if !extra {
                fixed = args.len() as u32;
            }
        }
        let (dst, results) = self.call_result(raw)?;
        self.emit(Op::Call(Box::new(Call { callee, args, dst, results, fixed })));
        Ok(())
    }

    /// A call of a void function names a register that nobody reads.
    fn call_result(&mut self, raw: capi::Instruction<'m>) -> Lowered<(Reg, Vec<Scalar>)> {
        if matches!(raw.ty().kind(), capi::TypeKind::Void) {
            return Ok((self.temporary(), Vec::new()));
        }
        let result = self.result()?;
        Ok((result.first, self.leaves(result.ty)?.iter().map(|leaf| leaf.scalar).collect()))
    }

    /// One LLVM argument as scalars.
    fn argument(
        &mut self,
        raw: capi::Instruction<'m>,
        position: u32,
        value: Value,
        extra: bool,
    ) -> Lowered<Vec<Argument>> {
        let by_value = raw.argument_attribute(position, "byval").and_then(|(_, ty)| ty).map(|ty| {
            let ty = self.context.layouts.id(ty);
            let layout = self.context.layouts.get(ty);
            let align = raw.argument_attribute(position, "align").map_or(0, |(align, _)| align as u32);
            (layout.size, align.max(layout.align))
        });
        let leaves = self.leaves(value.ty)?;
        if extra && value.parts.len() > 1 {
            return self.packed_argument(&value);
        }
        let make = |(&value, scalar)| Argument { value, scalar, by_value };
        Ok(value.parts.iter().zip(leaves.iter().map(|leaf| leaf.scalar)).map(make).collect())
    }

    /// A vector among variable arguments travels in one register, which its lanes could not tell: so it is one scalar.
    fn packed_argument(&mut self, value: &Value) -> Lowered<Vec<Argument>> {
        let layout = self.context.layouts.get(value.ty);
        let format = match (&layout.shape, layout.bits) {
            (Shape::Vector { .. }, 64) => FloatFormat::F64,
            (Shape::Vector { .. }, 128) => FloatFormat::F128,
            _ => {
                let ty = self.context.layouts.describe(value.ty);
                return Err(Unsupported(format!("a variable argument of type {ty}")));
            }
        };
        let from: Vec<u8> = self.leaves(value.ty)?.iter().map(|leaf| leaf.scalar.width()).collect();
        let whole = self.regroup(&value.parts, &from, &[format.width()])?;
        Ok(vec![Argument { value: whole[0], scalar: Scalar::Float(format), by_value: None }])
    }

    fn lifetime(&mut self, i: &'a ir::Call, name: &str) -> Lowered<()> {
        let starts = name.starts_with("llvm.lifetime.start");
        let [(size, _), (pointer, _)] = i.arguments.as_slice() else {
            return Err(Unsupported(format!("{name} with other arguments")));
        };
        if let Some(slot) = self.slot(pointer) {
            if starts {
                self.emit(Op::SlotReset { slot: slot.reg });
            }
            return Ok(());
        }
        let (size, scalar) = self.scalar(size, 0)?;
        let (pointer, _) = self.scalar(pointer, 1)?;
        let which = if starts { Intrinsic::LifetimeStart } else { Intrinsic::LifetimeEnd };
        let args = Box::new([pointer, size]);
        let dst = self.temporary();
        self.emit(Op::Intrinsic { which, width: scalar.width(), dst, args });
        Ok(())
    }

    fn set_jump(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (buffer, _) = self.first_argument(i)?;
        let dst = self.result()?.first;
        self.emit(Op::Intrinsic { which: Intrinsic::SetJmp, width: 32, dst, args: Box::new([buffer]) });
        Ok(())
    }

    fn long_jump(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let (buffer, _) = self.first_argument(i)?;
        let Some((value, _)) = i.arguments.get(1) else {
            return Err(Unsupported("longjmp without a value".to_string()));
        };
        let (value, _) = self.scalar(value, 1)?;
        let args = Box::new([buffer, value]);
        let dst = self.temporary();
        self.emit(Op::Intrinsic { which: Intrinsic::LongJmp, width: 32, dst, args });
        Ok(())
    }

    fn first_argument(&mut self, i: &'a ir::Call) -> Lowered<(Operand, Scalar)> {
        let Some((operand, _)) = i.arguments.first() else {
            return Err(Unsupported("a call without its argument".to_string()));
        };
        self.scalar(operand, 0)
    }

    /// Assembly without text, or that only passes time, is a barrier: it computes nothing, though it may pass values through.
    fn inline_assembly(&mut self, i: &'a ir::Call, target: capi::Value<'m>) -> Lowered<()> {
        let Some((text, constraints)) = target.inline_asm() else {
            return Err(Unsupported("inline assembly".to_string()));
        };
        let refused = || Unsupported(format!("inline assembly: {}", text.trim()));
        if !text.split([';', '\n']).all(is_idle) {
            return Err(refused());
        }
        let constraints: Vec<&str> = constraints.split(',').collect();
        let outputs = constraints.iter().filter(|c| c.starts_with('=') && !c.starts_with("=*")).count();
        if outputs == 0 {
            return Ok(());
        }
        // Outputs come back unchanged where an input is tied to each ("0", "1", …). Indirect outputs are arguments.
        let is_argument = |c: &&&str| !c.starts_with('~') && (!c.starts_with('=') || c.starts_with("=*"));
        let tied: Vec<Option<usize>> = constraints.iter().filter(is_argument).map(|c| c.parse().ok()).collect();
        let direct = constraints.iter().take_while(|c| c.starts_with('=')).all(|c| !c.starts_with("=*"));
        let mut parts = Vec::new();
        for output in 0..outputs {
            let position = tied.iter().position(|&tie| tie == Some(output)).filter(|_| direct).ok_or_else(refused)?;
            let (operand, _) = i.arguments.get(position).ok_or_else(refused)?;
            parts.extend(self.value(operand, position as u32)?.parts);
        }
        self.move_to_result(&parts)
    }
}

/// An instruction or directive that changes nothing a program could see.
fn is_idle(instruction: &str) -> bool {
    let word = instruction.split_whitespace().next().unwrap_or_default();
    matches!(word, "" | "nop" | "pause" | "rep" | ".p2align" | ".align" | "mfence" | "lfence" | "sfence")
        && !(word == "rep" && instruction.trim() != "rep")
}
