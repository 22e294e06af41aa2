//! Masked loads and stores: a lane that is switched off must not touch memory.
//!
//! There is no branch inside a block, so such a lane goes to a scratch object instead, and what it reads there is thrown away.

use crate::lower::function::{FunctionLowering, Value};
use crate::lower::{Lowered, Unsupported};
use crate::program::*;
use llvm_ir::instruction as ir;

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    /// (pointer, alignment, mask, value where off)
    pub(super) fn masked_load(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let pointers = self.consecutive(i, 0)?;
        self.load_lanes(i, &pointers)
    }

    /// (pointers, alignment, mask, value where off)
    pub(super) fn masked_gather(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let pointers = self.argument_value(i, 0)?.parts;
        self.load_lanes(i, &pointers)
    }

    /// (value, pointer, alignment, mask)
    pub(super) fn masked_store(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        let pointers = self.consecutive_for(i, 1, &value)?;
        self.store_lanes(i, &value, &pointers)
    }

    /// (value, pointers, alignment, mask)
    pub(super) fn masked_scatter(&mut self, i: &'a ir::Call) -> Lowered<()> {
        let value = self.argument_value(i, 0)?;
        let pointers = self.argument_value(i, 1)?.parts;
        self.store_lanes(i, &value, &pointers)
    }

    fn consecutive(&mut self, i: &'a ir::Call, position: u32) -> Lowered<Vec<Operand>> {
        let shape = self.argument_value(i, 3)?;
        self.consecutive_for(i, position, &shape)
    }

    /// The address of each lane of a vector of that shape at the pointer.
    fn consecutive_for(&mut self, i: &'a ir::Call, position: u32, shape: &Value) -> Lowered<Vec<Operand>> {
        let (base, _) = self.scalar_argument(i, position)?;
        if self.context.layouts.get(shape.ty).bit_packed {
            return Err(Unsupported("a masked access to bits".to_string()));
        }
        let mut pointers = Vec::new();
        for leaf in self.leaves(shape.ty)?.iter() {
            let dst = self.temporary();
            self.emit(Op::Displace { dst, base, disp: leaf.offset as i64 });
            pointers.push(Operand::reg(dst));
        }
        Ok(pointers)
    }

    fn load_lanes(&mut self, i: &'a ir::Call, pointers: &[Operand]) -> Lowered<()> {
        let mask = self.argument_value(i, 2)?.parts;
        let otherwise = self.argument_value(i, 3)?.parts;
        for (lane, (dst, scalar)) in self.result_lanes()?.into_iter().enumerate() {
            match self.known(mask[lane]) {
                Some(0) => self.emit(Op::Move { dst, src: otherwise[lane] }),
                Some(_) => self.emit(Op::Load { dst, ptr: pointers[lane], disp: 0, scalar }),
                None => {
                    let ptr = self.pointer_or_scratch(mask[lane], pointers[lane]);
                    let loaded = self.temporary();
                    self.emit(Op::Load { dst: loaded, ptr, disp: 0, scalar });
                    let a = Operand::reg(loaded);
                    let (cond, b) = (mask[lane], otherwise[lane]);
                    self.emit(Op::Select { width: scalar.width(), dst, cond, a, b });
                }
            }
        }
        Ok(())
    }

    fn store_lanes(&mut self, i: &'a ir::Call, value: &Value, pointers: &[Operand]) -> Lowered<()> {
        let mask = self.argument_value(i, 3)?.parts;
        let leaves = self.leaves(value.ty)?;
        for (lane, leaf) in leaves.iter().enumerate() {
            let ptr = match self.known(mask[lane]) {
                Some(0) => continue,
                Some(_) => pointers[lane],
                None => self.pointer_or_scratch(mask[lane], pointers[lane]),
            };
            self.emit(Op::Store { value: value.parts[lane], ptr, disp: 0, scalar: leaf.scalar });
        }
        Ok(())
    }

    fn pointer_or_scratch(&mut self, cond: Operand, pointer: Operand) -> Operand {
        let global = self.context.scratch();
        let scratch = self.constant(Const::Global { global, offset: 0 });
        self.choose(64, cond, pointer, scratch)
    }
}
