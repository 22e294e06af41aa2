//! Debug metadata. LLVM's C API gives operands by position (pinned to LLVM 19) and text; the rest of the crate gives them a meaning.

use super::{Module, Value, bytes, take_message};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

pub(crate) use llvm_sys::debuginfo::LLVMMetadataKind as MetadataKind;

/// A metadata node, string, or value in metadata; equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata<'m> {
    raw: NonNull<llvm_sys::LLVMOpaqueMetadata>,
    module: PhantomData<&'m Module>,
}

impl<'m> Metadata<'m> {
    /// # Safety
    /// Null, or live metadata of the module that `'m` stands for.
    pub(super) unsafe fn new(raw: LLVMMetadataRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Metadata { raw, module: PhantomData })
    }

    fn raw(self) -> LLVMMetadataRef {
        self.raw.as_ptr()
    }

    pub(crate) fn kind(self) -> MetadataKind {
        // SAFETY: live metadata.
        unsafe { LLVMGetMetadataKind(self.raw()) }
    }

    fn is_node(self) -> bool {
        !matches!(
            self.kind(),
            MetadataKind::LLVMMDStringMetadataKind
                | MetadataKind::LLVMConstantAsMetadataMetadataKind
                | MetadataKind::LLVMLocalAsMetadataMetadataKind
                | MetadataKind::LLVMDistinctMDOperandPlaceholderMetadataKind
                | MetadataKind::LLVMDIArgListMetadataKind
        )
    }

    /// As LLVM writes the node itself; references in it are addresses.
    pub(crate) fn describe(self, module: &'m Module) -> String {
        // SAFETY: metadata of that module's context; the message is ours to free.
        unsafe { take_message(LLVMPrintValueToString(LLVMMetadataAsValue(module.context, self.raw()))) }
    }

    /// The operands of a node, by position; `None` where there is none.
    pub(crate) fn operands(self, module: &'m Module) -> Vec<Option<Metadata<'m>>> {
        if !self.is_node() {
            return Vec::new();
        }
        // SAFETY: a node of that module's context; the buffer has the length that LLVM gave. What comes back are
        // values that wrap metadata (or constants, which are wrapped anew).
        unsafe {
            let value = LLVMMetadataAsValue(module.context, self.raw());
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let unwrap = |v: LLVMValueRef| if v.is_null() { None } else { Metadata::new(LLVMValueAsMetadata(v)) };
            operands.into_iter().map(unwrap).collect()
        }
    }

    pub(crate) fn string(self, module: &'m Module) -> Option<String> {
        if !matches!(self.kind(), MetadataKind::LLVMMDStringMetadataKind) {
            return None;
        }
        // SAFETY: a metadata string of that module's context.
        unsafe {
            let mut length = 0;
            let chars = LLVMGetMDString(LLVMMetadataAsValue(module.context, self.raw()), &mut length);
            Some(String::from_utf8_lossy(bytes(chars, length as usize)).into_owned())
        }
    }

    /// The value that is wrapped as metadata.
    pub(crate) fn wrapped_value(self, module: &'m Module) -> Option<Value<'m>> {
        if !matches!(
            self.kind(),
            MetadataKind::LLVMConstantAsMetadataMetadataKind | MetadataKind::LLVMLocalAsMetadataMetadataKind
        ) {
            return None;
        }
        // SAFETY: for metadata that wraps a value, operand 0 of its value form is that value.
        unsafe { Value::new(LLVMGetOperand(LLVMMetadataAsValue(module.context, self.raw()), 0)) }
    }

    /// The DWARF tag; 0 for what is not a debug node.
    pub(crate) fn tag(self) -> u16 {
        // SAFETY: live metadata; LLVM checks the kind itself.
        if self.is_node() { unsafe { LLVMGetDINodeTag(self.raw()) } } else { 0 }
    }

    fn is_type(self) -> bool {
        matches!(
            self.kind(),
            MetadataKind::LLVMDIBasicTypeMetadataKind
                | MetadataKind::LLVMDIDerivedTypeMetadataKind
                | MetadataKind::LLVMDICompositeTypeMetadataKind
                | MetadataKind::LLVMDISubroutineTypeMetadataKind
        )
    }

    pub(crate) fn type_name(self) -> String {
        if !self.is_type() {
            return String::new();
        }
        // SAFETY: a debug type; the name belongs to the context.
        unsafe {
            let mut length = 0;
            let chars = LLVMDITypeGetName(self.raw(), &mut length);
            String::from_utf8_lossy(bytes(chars, length)).into_owned()
        }
    }

    pub(crate) fn type_bits(self) -> u64 {
        // SAFETY: a debug type.
        if self.is_type() { unsafe { LLVMDITypeGetSizeInBits(self.raw()) } } else { 0 }
    }

    pub(crate) fn type_offset_bits(self) -> u64 {
        // SAFETY: a debug type.
        if self.is_type() { unsafe { LLVMDITypeGetOffsetInBits(self.raw()) } } else { 0 }
    }

    /// The flags of a debug type (`DIFlagBitField` and so on).
    pub(crate) fn type_flags(self) -> i32 {
        // SAFETY: a debug type.
        if self.is_type() { unsafe { LLVMDITypeGetFlags(self.raw()) as i32 } } else { 0 }
    }

    pub(crate) fn type_line(self) -> u32 {
        // SAFETY: a debug type.
        if self.is_type() { unsafe { LLVMDITypeGetLine(self.raw()) } } else { 0 }
    }

    fn is_scope(self) -> bool {
        self.is_type()
            || matches!(
                self.kind(),
                MetadataKind::LLVMDIFileMetadataKind
                    | MetadataKind::LLVMDICompileUnitMetadataKind
                    | MetadataKind::LLVMDISubprogramMetadataKind
                    | MetadataKind::LLVMDILexicalBlockMetadataKind
                    | MetadataKind::LLVMDILexicalBlockFileMetadataKind
            )
    }

    /// The file of a scope.
    pub(crate) fn scope_file(self) -> Option<Metadata<'m>> {
        // SAFETY: a scope; null if it has no file.
        if self.is_scope() { unsafe { Metadata::new(LLVMDIScopeGetFile(self.raw())) } } else { None }
    }

    /// Name and directory of a file.
    pub(crate) fn file_name(self) -> Option<(String, String)> {
        if !matches!(self.kind(), MetadataKind::LLVMDIFileMetadataKind) {
            return None;
        }
        // SAFETY: a file; the strings belong to the context.
        unsafe {
            let mut length = 0;
            let chars = LLVMDIFileGetFilename(self.raw(), &mut length);
            let name = String::from_utf8_lossy(bytes(chars, length as usize)).into_owned();
            let chars = LLVMDIFileGetDirectory(self.raw(), &mut length);
            Some((name, String::from_utf8_lossy(bytes(chars, length as usize)).into_owned()))
        }
    }

    /// Line, column, scope and inlined-at of a location.
    pub(crate) fn location(self) -> Option<(u32, u32, Option<Metadata<'m>>, Option<Metadata<'m>>)> {
        if !matches!(self.kind(), MetadataKind::LLVMDILocationMetadataKind) {
            return None;
        }
        // SAFETY: a location; scope and inlined-at are null or live.
        unsafe {
            Some((
                LLVMDILocationGetLine(self.raw()),
                LLVMDILocationGetColumn(self.raw()),
                Metadata::new(LLVMDILocationGetScope(self.raw())),
                Metadata::new(LLVMDILocationGetInlinedAt(self.raw())),
            ))
        }
    }

    pub(crate) fn is_subprogram(self) -> bool {
        matches!(self.kind(), MetadataKind::LLVMDISubprogramMetadataKind)
    }

    pub(crate) fn subprogram_line(self) -> u32 {
        // SAFETY: a subprogram.
        if self.is_subprogram() { unsafe { LLVMDISubprogramGetLine(self.raw()) } } else { 0 }
    }

    fn is_variable(self) -> bool {
        matches!(
            self.kind(),
            MetadataKind::LLVMDILocalVariableMetadataKind | MetadataKind::LLVMDIGlobalVariableMetadataKind
        )
    }

    /// File, scope and line of a variable.
    pub(crate) fn variable_place(self) -> Option<(Option<Metadata<'m>>, Option<Metadata<'m>>, u32)> {
        if !self.is_variable() {
            return None;
        }
        // SAFETY: a variable; file and scope are null or live.
        unsafe {
            Some((
                Metadata::new(LLVMDIVariableGetFile(self.raw())),
                Metadata::new(LLVMDIVariableGetScope(self.raw())),
                LLVMDIVariableGetLine(self.raw()),
            ))
        }
    }

    /// The variable of a global's debug attachment.
    pub(crate) fn described_global(self) -> Option<Metadata<'m>> {
        if !matches!(self.kind(), MetadataKind::LLVMDIGlobalVariableExpressionMetadataKind) {
            return None;
        }
        // SAFETY: a global-variable expression.
        unsafe { Metadata::new(LLVMDIGlobalVariableExpressionGetVariable(self.raw())) }
    }
}

impl<'m> Value<'m> {
    /// The metadata that an argument of a `llvm.dbg.*` call holds.
    pub(crate) fn as_metadata(self) -> Option<Metadata<'m>> {
        // SAFETY: a live value that is metadata; unwrapping it makes nothing new.
        unsafe {
            let kind = LLVMGetValueKind(self.raw());
            if !matches!(kind, llvm_sys::LLVMValueKind::LLVMMetadataAsValueValueKind) {
                return None;
            }
            Metadata::new(LLVMValueAsMetadata(self.raw()))
        }
    }
}
