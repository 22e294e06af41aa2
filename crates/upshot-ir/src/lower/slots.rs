//! Which locals become slots: registers that are written and read, without an object in memory.
//!
//! A local qualifies if it is made once per call (in the entry block), is one scalar, and nothing but loads and stores of
//! that very type (and lifetime markers) ever see its address. So no pointer can reach it, and no access can
//! be out of bounds or of a part of it.

use crate::capi::{Instruction, Opcode};
use crate::layout::{Layouts, Shape};
use crate::program::Scalar;

/// The scalar that the alloca holds, if it can be a slot.
pub(super) fn promotable<'m>(layouts: &mut Layouts<'m>, alloca: Instruction<'m>) -> Option<Scalar> {
    if alloca.operand(0)?.integer() != Some(1) {
        return None;
    }
    let allocated = alloca.allocated_type()?;
    let id = layouts.id(allocated);
    let Shape::Scalar(scalar) = layouts.get(id).shape else { return None };
    let pointer = alloca.value();
    let harmless = |user: Instruction<'m>| match user.opcode() {
        Opcode::LLVMLoad => user.ty() == allocated,
        Opcode::LLVMStore => {
            user.operand(0).is_some_and(|stored| stored != pointer && stored.ty() == allocated)
                && user.operand(1) == Some(pointer)
        }
        Opcode::LLVMCall => {
            user.called_value().is_some_and(|callee| callee.is_function() && is_lifetime_marker(&callee.name()))
        }
        _ => false,
    };
    pointer.users().all(|user| user.as_instruction().is_some_and(harmless)).then_some(scalar)
}

pub(super) fn is_lifetime_marker(name: &str) -> bool {
    name.starts_with("llvm.lifetime.start") || name.starts_with("llvm.lifetime.end")
}
