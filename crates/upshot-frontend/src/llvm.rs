//! LLVM's C API where inkwell's safe interface does not reach. LLVM's default diagnostic handler ends the process on an
//! error, and inkwell's linking leaves one behind that points into a finished stack frame; so a [`Session`] owns its
//! context together with a handler that outlives it, and does the linking itself.
#![allow(unsafe_code)]
// Sound because: the handler's payload is a heap cell owned by the `Session`, which drops its context first; the
// context is used by one thread only (`Session` is neither `Send` nor `Sync`, since inkwell's `Context` is not `Sync`
// and the cell is not either); every C string is copied and then freed by the function LLVM names for it.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
    LLVMSetDataLayout, LLVMSetTarget,
};
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::values::GlobalValue;

/// A context whose errors are collected, never fatal. Fields drop in order: the context before what its handler uses.
pub(crate) struct Session {
    context: Context,
    errors: Box<RefCell<Vec<String>>>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let session = Self { context: Context::create(), errors: Box::default() };
        let payload: *const RefCell<Vec<String>> = &*session.errors;
        // SAFETY: the payload's address is stable (boxed) and it lives as long as the context.
        unsafe {
            LLVMContextSetDiagnosticHandler(session.context.raw(), Some(collect), payload.cast_mut().cast());
        }
        session
    }

    /// Reads bitcode. The bytes must come from LLVM itself or have been probed, since LLVM's reader may crash on
    /// others.
    pub(crate) fn read_bitcode(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, String> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
        Module::parse_bitcode_from_buffer(&buffer, &self.context).map_err(|message| self.explain(&message))
    }

    /// Reads bitcode as [`Self::read_bitcode`] does, but function bodies only once something (linking) asks for them.
    pub(crate) fn read_bitcode_lazily(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, String> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
        let mut module = std::ptr::null_mut();
        // SAFETY: the buffer is live and LLVM takes it over, failing or not; the module, if any, is new and ours.
        let failed =
            unsafe { LLVMGetBitcodeModuleInContext2(self.context.raw(), buffer.as_mut_ptr(), &mut module) } != 0;
        std::mem::forget(buffer);
        if failed || module.is_null() {
            return Err(self.explain(c"LLVM gave no reason"));
        }
        Ok(unsafe { Module::new(module) })
    }

    /// Reads LLVM's text form.
    pub(crate) fn read_text(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, String> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
        self.context.create_module_from_ir(buffer).map_err(|message| self.explain(&message))
    }

    /// Moves all of `source` that `target` needs into it.
    pub(crate) fn link<'ctx>(&'ctx self, target: &Module<'ctx>, source: Module<'ctx>) -> Result<(), String> {
        // SAFETY: both modules belong to this context; LLVM consumes `source`, so it is forgotten here.
        let failed = unsafe { LLVMLinkModules2(target.as_mut_ptr(), source.as_mut_ptr()) } != 0;
        std::mem::forget(source);
        if failed { Err(self.explain(c"LLVM gave no reason")) } else { Ok(()) }
    }

    /// The collected errors, or the message at hand where there are none.
    fn explain(&self, message: &CStr) -> String {
        let errors = std::mem::take(&mut *self.errors.borrow_mut());
        if errors.is_empty() { message.to_string_lossy().into_owned() } else { errors.join("; ") }
    }
}

/// Removes a global that nothing refers to.
pub(crate) fn delete_global(global: GlobalValue<'_>) {
    // SAFETY: the handle is consumed, and the callers hold no other to the same global.
    unsafe { global.delete() }
}

/// Gives a module our target. inkwell's own copy of the layout is stale from here on, and not to be asked for again.
pub(crate) fn set_target(module: &Module<'_>, triple: &CStr, layout: &CStr) {
    // SAFETY: LLVM copies both strings into the module.
    unsafe {
        LLVMSetTarget(module.as_mut_ptr(), triple.as_ptr());
        LLVMSetDataLayout(module.as_mut_ptr(), layout.as_ptr());
    }
}

extern "C" fn collect(diagnostic: LLVMDiagnosticInfoRef, payload: *mut c_void) {
    // SAFETY: LLVM hands over a live diagnostic and the payload that `Session::new` installed.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let text = LLVMGetDiagInfoDescription(diagnostic);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        let errors = &*payload.cast::<RefCell<Vec<String>>>().cast_const();
        if let Ok(mut errors) = errors.try_borrow_mut() {
            errors.push(message);
        }
    }
}
