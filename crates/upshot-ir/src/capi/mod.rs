//! The one place that talks to LLVM's C API: typed, checked views of a parsed and verified module.
//!
//! llvm-ir leaves out what this crate cannot do without (wide constants, inline assembly, debug scopes, types, …), so the
//! same bitcode is parsed a second time here, and the two are walked side by side, by position.
//!
//! Why this is sound. A [`Module`] owns its context, and every view borrows from it, so no pointer outlives what
//! it points to. LLVM's release builds cast without checking; so every accessor asks for the kind of what it was given
//! first and answers `None` (or a neutral value) if it does not fit. Only modules that LLVM's verifier accepts are
//! ever walked. Nothing here changes a module, but for the two renderings of its debug records.

#![allow(unsafe_code)]

mod isolated;
mod metadata;
mod records;
mod types;
mod value;

pub(crate) use isolated::{CheckFailure, check};
pub(crate) use metadata::{Metadata, MetadataKind};
pub(crate) use records::DebugRecord;
pub(crate) use types::{Type, TypeKind};
pub(crate) use value::{ConstantKind, Instruction, Linkage, Opcode, Value};

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize, LLVMTargetDataRef};
use std::ffi::{CStr, c_char, c_void};

/// A module in a context of its own.
pub(crate) struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both were made in `parse`, nothing else owns them, and views cannot outlive `self`.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

extern "C" fn collect_complaint(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM calls this during `parse` only, with the `sink` given there, and with a live `info`.
    unsafe {
        // A warning here is that debug information was thrown away because it makes no sense.
        use LLVMDiagnosticSeverity::{LLVMDSError, LLVMDSWarning};
        if matches!(LLVMGetDiagInfoSeverity(info), LLVMDSError | LLVMDSWarning) {
            let sink = &mut *sink.cast::<Vec<String>>();
            sink.push(take_message(LLVMGetDiagInfoDescription(info)));
        }
    }
}

impl Module {
    /// Parses bitcode with LLVM's own reader; the error is LLVM's first complaint.
    pub(crate) fn parse(bitcode: &[u8]) -> Result<Module, String> {
        let mut complaints: Vec<String> = Vec::new();
        // SAFETY: the buffer borrows `bitcode`, which lives as long as this call, and the parse is not lazy. The
        // handler's sink lives as long too and is taken back before it goes.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(collect_complaint), (&raw mut complaints).cast());
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode.as_ptr().cast(), bitcode.len(), c"".as_ptr(), 0);
            let mut module = std::ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(context, buffer, &mut module) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            LLVMContextSetDiagnosticHandler(context, Some(ignore_diagnostic), std::ptr::null_mut());
            if failed || module.is_null() || !complaints.is_empty() {
                if !failed && !module.is_null() {
                    LLVMDisposeModule(module);
                }
                LLVMContextDispose(context);
                let complaint = complaints.into_iter().next();
                return Err(complaint.unwrap_or_else(|| "LLVM's reader gave no reason".to_string()));
            }
            let module = Module { context, module, layout: LLVMGetModuleDataLayout(module) };
            module.hide_debug_records();
            Ok(module)
        }
    }

    /// What LLVM's verifier has against the module, if anything.
    pub(crate) fn verify(&self) -> Result<(), String> {
        // SAFETY: a live module; the message is ours to free.
        unsafe {
            let mut message = std::ptr::null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.module, action, &mut message) != 0;
            let message = take_message(message);
            if broken { Err(message) } else { Ok(()) }
        }
    }

    pub(crate) fn triple(&self) -> String {
        // SAFETY: a live module; the string belongs to it.
        unsafe { text(LLVMGetTarget(self.module)) }
    }

    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: as above.
        unsafe { text(LLVMGetDataLayoutStr(self.module)) }
    }

    /// Whether addresses are 64 bits and the low byte comes first.
    pub(crate) fn is_little_endian_64(&self) -> bool {
        // SAFETY: the layout belongs to the live module.
        unsafe {
            LLVMPointerSize(self.layout) == 8
                && matches!(LLVMByteOrder(self.layout), LLVMByteOrdering::LLVMLittleEndian)
        }
    }

    pub(crate) fn functions(&self) -> Vec<Value<'_>> {
        // SAFETY: LLVM's own list of the live module.
        unsafe { list(LLVMGetFirstFunction(self.module), |f| LLVMGetNextFunction(f)) }
    }

    pub(crate) fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: as above.
        unsafe { list(LLVMGetFirstGlobal(self.module), |g| LLVMGetNextGlobal(g)) }
    }

    fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: a live context, and a string of the given length.
        unsafe { LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32) }
    }
}

extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// # Safety
/// `first` and what `next` answers are null or live values of the module that `'m` stands for.
unsafe fn list<'m>(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value<'m>> {
    let mut items = Vec::new();
    let mut at = first;
    // SAFETY: by the contract above.
    while let Some(value) = unsafe { Value::new(at) } {
        items.push(value);
        at = next(at);
    }
    items
}

/// # Safety
/// Null, or a NUL-terminated string.
unsafe fn text(chars: *const c_char) -> String {
    if chars.is_null() {
        return String::new();
    }
    // SAFETY: by the contract above.
    unsafe { CStr::from_ptr(chars).to_string_lossy().into_owned() }
}

/// # Safety
/// Null, or `length` readable bytes.
unsafe fn bytes<'m>(chars: *const c_char, length: usize) -> &'m [u8] {
    if chars.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: by the contract above.
    unsafe { std::slice::from_raw_parts(chars.cast(), length) }
}

/// Copies a message that LLVM allocated, and frees it.
///
/// # Safety
/// Null, or a message that LLVM made and nobody freed.
unsafe fn take_message(message: *mut c_char) -> String {
    // SAFETY: by the contract above.
    unsafe {
        let copy = text(message);
        if !message.is_null() {
            LLVMDisposeMessage(message);
        }
        copy
    }
}
