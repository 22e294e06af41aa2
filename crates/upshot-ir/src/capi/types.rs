//! LLVM types and their layout, as LLVM's own data layout computes it.

use super::{Module, take_message};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMOffsetOfElement, LLVMSizeOfTypeInBits};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A type of a module. Types are unique within it, so equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type<'m> {
    pub(super) raw: NonNull<llvm_sys::LLVMType>,
    module: PhantomData<&'m Module>,
}

/// What a type is made of.
pub(crate) enum TypeKind<'m> {
    Void,
    Integer(u32),
    Half,
    BFloat,
    Float,
    Double,
    X87,
    Quad,
    Pointer,
    Struct(Vec<Type<'m>>),
    Array(Type<'m>, u64),
    Vector(Type<'m>, u32),
    Function { result: Type<'m>, parameters: Vec<Type<'m>>, variadic: bool },
    Other,
}

impl<'m> Type<'m> {
    /// # Safety
    /// Null, or a live type of the module that `'m` stands for.
    pub(super) unsafe fn new(raw: LLVMTypeRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Type { raw, module: PhantomData })
    }

    fn raw(self) -> LLVMTypeRef {
        self.raw.as_ptr()
    }

    pub(crate) fn kind(self) -> TypeKind<'m> {
        use LLVMTypeKind::*;
        // SAFETY: a live type; each query below is made on the kind it is for.
        unsafe {
            match LLVMGetTypeKind(self.raw()) {
                LLVMVoidTypeKind => TypeKind::Void,
                LLVMIntegerTypeKind => TypeKind::Integer(LLVMGetIntTypeWidth(self.raw())),
                LLVMHalfTypeKind => TypeKind::Half,
                LLVMBFloatTypeKind => TypeKind::BFloat,
                LLVMFloatTypeKind => TypeKind::Float,
                LLVMDoubleTypeKind => TypeKind::Double,
                LLVMX86_FP80TypeKind => TypeKind::X87,
                LLVMFP128TypeKind => TypeKind::Quad,
                LLVMPointerTypeKind if LLVMGetPointerAddressSpace(self.raw()) == 0 => TypeKind::Pointer,
                LLVMStructTypeKind if LLVMIsOpaqueStruct(self.raw()) == 0 => TypeKind::Struct(
                    (0..LLVMCountStructElementTypes(self.raw()))
                        .filter_map(|i| Type::new(LLVMStructGetTypeAtIndex(self.raw(), i)))
                        .collect(),
                ),
                LLVMArrayTypeKind => self.sequence(|element| TypeKind::Array(element, LLVMGetArrayLength2(self.raw()))),
                LLVMVectorTypeKind => self.sequence(|element| TypeKind::Vector(element, LLVMGetVectorSize(self.raw()))),
                LLVMFunctionTypeKind => self.function(),
                _ => TypeKind::Other,
            }
        }
    }

    /// # Safety
    /// `self` is an array or a vector.
    unsafe fn sequence(self, make: impl FnOnce(Type<'m>) -> TypeKind<'m>) -> TypeKind<'m> {
        // SAFETY: by the contract above.
        unsafe { Type::new(LLVMGetElementType(self.raw())) }.map_or(TypeKind::Other, make)
    }

    /// # Safety
    /// `self` is a function type.
    unsafe fn function(self) -> TypeKind<'m> {
        // SAFETY: by the contract above; the buffer has the length that LLVM gave.
        unsafe {
            let mut parameters = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.raw()) as usize];
            LLVMGetParamTypes(self.raw(), parameters.as_mut_ptr());
            let Some(result) = Type::new(LLVMGetReturnType(self.raw())) else { return TypeKind::Other };
            TypeKind::Function {
                result,
                parameters: parameters.into_iter().filter_map(|p| Type::new(p)).collect(),
                variadic: LLVMIsFunctionVarArg(self.raw()) != 0,
            }
        }
    }

    /// Size with padding to its alignment, alignment, and bits of the value; `None` for a type without a fixed size.
    pub(crate) fn layout(self, module: &'m Module) -> Option<(u64, u32, u64)> {
        // SAFETY: a live type and layout; only sized types of fixed length are asked about.
        unsafe {
            let scalable = matches!(LLVMGetTypeKind(self.raw()), LLVMTypeKind::LLVMScalableVectorTypeKind);
            if scalable || LLVMTypeIsSized(self.raw()) == 0 {
                return None;
            }
            Some((
                LLVMABISizeOfType(module.layout, self.raw()),
                LLVMABIAlignmentOfType(module.layout, self.raw()),
                LLVMSizeOfTypeInBits(module.layout, self.raw()),
            ))
        }
    }

    /// Byte offset of a struct's field.
    pub(crate) fn field_offset(self, module: &'m Module, field: u32) -> u64 {
        // SAFETY: asked of a sized struct, and a field it has.
        unsafe {
            let is_struct = matches!(LLVMGetTypeKind(self.raw()), LLVMTypeKind::LLVMStructTypeKind);
            if is_struct && LLVMTypeIsSized(self.raw()) != 0 && field < LLVMCountStructElementTypes(self.raw()) {
                LLVMOffsetOfElement(module.layout, self.raw(), field)
            } else {
                0
            }
        }
    }

    /// As LLVM writes it.
    pub(crate) fn describe(self) -> String {
        // SAFETY: a live type; the message is ours to free.
        unsafe { take_message(LLVMPrintTypeToString(self.raw())) }
    }
}
