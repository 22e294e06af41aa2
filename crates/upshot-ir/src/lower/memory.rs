//! Memory: allocas, loads and stores leaf by leaf, address arithmetic, atomics as plain accesses.

use super::function::{FunctionLowering, Value};
use super::{Lowered, Unsupported};
use crate::layout::{Shape, TypeId};
use crate::program::*;
use llvm_ir::instruction as ir;

/// One variable index of a `getelementptr`.
struct Step {
    index: Operand,
    width: u8,
    scale: i64,
}

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn alloca(&mut self, i: &'a ir::Alloca) -> Lowered<()> {
        if let Some(slot) = self.slot_of(&i.dest) {
            self.note_alloca(Some(slot.reg));
            return Ok(());
        }
        self.note_alloca(None);
        let allocated = self.raw.and_then(|raw| raw.allocated_type());
        let allocated = allocated.ok_or_else(|| Unsupported("an alloca without a type".to_string()))?;
        let ty = self.context.layouts.id(allocated);
        let layout = self.context.layouts.get(ty);
        if matches!(layout.shape, Shape::Other) && layout.size == 0 {
            return Err(Unsupported(format!("an alloca of type {}", allocated.describe())));
        }
        let (size, align) = (layout.size, layout.align.max(i.alignment));
        let (count, scalar) = self.scalar(&i.num_elements, 0)?;
        let dst = self.result()?.first;
        self.emit(Op::Alloca { dst, size, count, count_width: scalar.width(), align });
        Ok(())
    }

    pub(super) fn load(&mut self, i: &'a ir::Load) -> Lowered<()> {
        if let Some(slot) = self.slot(&i.address) {
            let dst = self.result()?.first;
            self.emit(Op::SlotLoad { dst, slot: slot.reg, width: slot.scalar.width() });
            return Ok(());
        }
        let (ptr, _) = self.scalar(&i.address, 0)?;
        let result = self.result()?;
        self.load_parts(result.ty, ptr, result.first)
    }

    /// Loads a value of type `ty` into consecutive registers.
    pub(super) fn load_parts(&mut self, ty: TypeId, ptr: Operand, first: Reg) -> Lowered<()> {
        let leaves = self.leaves(ty)?;
        let layout = self.context.layouts.get(ty);
        if layout.bit_packed {
            let width = packed_width(layout.bits)?;
            let whole = self.temporary();
            self.emit(Op::Load { dst: whole, ptr, disp: 0, scalar: Scalar::Int(width) });
            let to: Vec<u8> = leaves.iter().map(|leaf| leaf.scalar.width()).collect();
            let parts = self.regroup(&[Operand::reg(whole)], &[width], &to)?;
            for (dst, src) in (first.0..).map(Reg).zip(parts) {
                self.emit(Op::Move { dst, src });
            }
            return Ok(());
        }
        for (dst, leaf) in (first.0..).map(Reg).zip(leaves.iter()) {
            self.emit(Op::Load { dst, ptr, disp: displacement(leaf.offset)?, scalar: leaf.scalar });
        }
        Ok(())
    }

    pub(super) fn store(&mut self, i: &'a ir::Store) -> Lowered<()> {
        let value = self.any_value(&i.value, 0)?;
        if let Some(slot) = self.slot(&i.address) {
            self.emit(Op::Move { dst: slot.reg, src: value.parts[0] });
            return Ok(());
        }
        let (ptr, _) = self.scalar(&i.address, 1)?;
        self.store_parts(&value, ptr)
    }

    pub(super) fn store_parts(&mut self, value: &Value, ptr: Operand) -> Lowered<()> {
        let leaves = self.leaves(value.ty)?;
        let layout = self.context.layouts.get(value.ty);
        if layout.bit_packed {
            let width = packed_width(layout.bits)?;
            let from: Vec<u8> = leaves.iter().map(|leaf| leaf.scalar.width()).collect();
            let whole = self.regroup(&value.parts, &from, &[width])?;
            self.emit(Op::Store { value: whole[0], ptr, disp: 0, scalar: Scalar::Int(width) });
            return Ok(());
        }
        for (&part, leaf) in value.parts.iter().zip(leaves.iter()) {
            self.emit(Op::Store { value: part, ptr, disp: displacement(leaf.offset)?, scalar: leaf.scalar });
        }
        Ok(())
    }

    pub(super) fn atomic_rmw(&mut self, i: &'a ir::AtomicRMW) -> Lowered<()> {
        use ir::RMWBinOp as Llvm;
        let op = match i.operation {
            Llvm::Xchg => AtomicOp::Xchg,
            Llvm::Add => AtomicOp::Add,
            Llvm::Sub => AtomicOp::Sub,
            Llvm::And => AtomicOp::And,
            Llvm::Nand => AtomicOp::Nand,
            Llvm::Or => AtomicOp::Or,
            Llvm::Xor => AtomicOp::Xor,
            Llvm::Max => AtomicOp::SMax,
            Llvm::Min => AtomicOp::SMin,
            Llvm::UMax => AtomicOp::UMax,
            Llvm::UMin => AtomicOp::UMin,
            Llvm::FAdd => AtomicOp::FAdd,
            Llvm::FSub => AtomicOp::FSub,
            ref other => return Err(Unsupported(format!("atomicrmw {other:?}"))),
        };
        let (ptr, _) = self.scalar(&i.address, 0)?;
        let (value, scalar) = self.scalar(&i.value, 1)?;
        let dst = self.result()?.first;
        self.emit(Op::AtomicRmw { op, scalar, dst, ptr, value });
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, i: &'a ir::CmpXchg) -> Lowered<()> {
        let (ptr, _) = self.scalar(&i.address, 0)?;
        let (expected, scalar) = self.scalar(&i.expected, 1)?;
        let (replacement, _) = self.scalar(&i.replacement, 2)?;
        let dst = self.result()?.first;
        self.emit(Op::CompareExchange { scalar, dst, ptr, expected, replacement });
        Ok(())
    }
}

/// Address arithmetic.
impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn gep(&mut self, i: &'a ir::GetElementPtr) -> Lowered<()> {
        let lanes = self.result_lanes()?;
        let base = self.value(&i.address, 0)?;
        let mut indices = Vec::with_capacity(i.indices.len());
        for (position, index) in (1..).zip(&i.indices) {
            indices.push(self.value(index, position)?);
        }
        for (lane, (dst, _)) in lanes.into_iter().enumerate() {
            let (steps, disp) = self.gep_steps(&indices, lane)?;
            let base = part(&base, lane)?;
            self.emit_address(dst, base, &steps, disp);
        }
        Ok(())
    }

    /// The variable steps of one lane, and the sum of the constant ones.
    fn gep_steps(&mut self, indices: &[Value], lane: usize) -> Lowered<(Vec<Step>, i64)> {
        let source = self.raw.and_then(|raw| raw.value().gep_source_type());
        let source = source.ok_or_else(|| Unsupported("an address of no type".to_string()))?;
        let mut at = self.context.layouts.id(source);
        let mut steps = Vec::new();
        let mut disp: i64 = 0;
        for (position, index) in indices.iter().enumerate() {
            let operand = part(index, lane)?;
            let width = self.leaves(index.ty)?[0].scalar.width();
            let known = self.known_index(operand, width);
            let layouts = &self.context.layouts;
            let stray = || Unsupported("an address into something without parts".to_string());
            if position > 0 {
                if matches!(layouts.get(at).shape, Shape::Struct { .. }) {
                    let field = known.ok_or_else(stray)?;
                    let (next, offset) = layouts.step(at, field as u64).ok_or_else(stray)?;
                    at = next;
                    disp = disp.wrapping_add(offset as i64);
                    continue;
                }
                at = layouts.step(at, 0).ok_or_else(stray)?.0;
            }
            let scale = layouts.get(at).size as i64;
            match known {
                Some(count) => disp = disp.wrapping_add(count.wrapping_mul(scale)),
                None if width > 64 => {
                    let index = self.narrow(operand, width, 64);
                    steps.push(Step { index, width: 64, scale });
                }
                None => steps.push(Step { index: operand, width, scale }),
            }
        }
        Ok((steps, disp))
    }

    fn known_index(&self, operand: Operand, width: u8) -> Option<i64> {
        let value = self.known(operand)?;
        let unused = 128 - u32::from(width);
        Some((((value << unused) as i128) >> unused) as i64)
    }

    fn emit_address(&mut self, dst: Reg, base: Operand, steps: &[Step], disp: i64) {
        let Some((last, rest)) = steps.split_last() else {
            self.emit(Op::Displace { dst, base, disp });
            return;
        };
        let mut base = base;
        for step in rest {
            let dst = self.temporary();
            let Step { index, width: index_width, scale } = *step;
            self.emit(Op::Offset(Box::new(Offset { dst, base, index, index_width, scale, disp: 0 })));
            base = Operand::reg(dst);
        }
        let Step { index, width: index_width, scale } = *last;
        self.emit(Op::Offset(Box::new(Offset { dst, base, index, index_width, scale, disp })));
    }
}

/// The lane of a vector, or the one scalar that all lanes share.
fn part(value: &Value, lane: usize) -> Lowered<Operand> {
    match value.parts.as_slice() {
        [single] => Ok(*single),
        several => several.get(lane).copied().ok_or_else(|| Unsupported("an address of unequal shape".to_string())),
    }
}

fn displacement(offset: u64) -> Lowered<u32> {
    u32::try_from(offset).map_err(|_| Unsupported("an access to a value of 4 GiB or more".to_string()))
}

fn packed_width(bits: u64) -> Lowered<u8> {
    match bits {
        1..=128 => Ok(bits as u8),
        _ => Err(Unsupported(format!("a vector of {bits} bits in memory"))),
    }
}
