//! LLVM's C API where inkwell's safe interface does not reach.
#![allow(unsafe_code)]
// Sound because every function takes live inkwell handles, whose values are alive as long as their module, and hands them
// to LLVM functions that only read them or, for `clear_comdat`, accept null as the documented "none".

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::comdat::LLVMSetComdat;
use inkwell::llvm_sys::core::{LLVMGetConstOpcode, LLVMGetOperand, LLVMIsAConstantExpr};
use inkwell::values::{AsValueRef, GlobalValue, PointerValue};

/// `blockaddress` of a block; `None` for an entry block, to which nothing can jump.
pub(super) fn block_address(block: BasicBlock<'_>) -> Option<PointerValue<'_>> {
    // SAFETY: the block belongs to a function of a live module; inkwell checks the rest.
    unsafe { block.get_address() }
}

/// What a constant address computation starts from, where the pointer is one.
pub(super) fn constant_base(pointer: PointerValue<'_>) -> Option<PointerValue<'_>> {
    let value = pointer.as_value_ref();
    // SAFETY: the opcode is asked only of a constant expression, and the first operand of a GEP is a pointer.
    unsafe {
        let is_computed =
            !LLVMIsAConstantExpr(value).is_null() && LLVMGetConstOpcode(value) == LLVMOpcode::LLVMGetElementPtr;
        is_computed.then(|| PointerValue::new(LLVMGetOperand(value, 0)))
    }
}

/// Takes a symbol out of its comdat, which one that is local to its object has no use for.
pub(super) fn clear_comdat(global: GlobalValue<'_>) {
    // SAFETY: null means no comdat.
    unsafe { LLVMSetComdat(global.as_value_ref(), std::ptr::null_mut()) }
}
