//! Values: functions, globals, blocks, instructions and constants.

use super::{Metadata, Module, Type, bytes, list, take_message};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMTypeKind, LLVMValueKind};
use std::marker::PhantomData;
use std::ptr::NonNull;

pub(crate) use llvm_sys::{LLVMLinkage as Linkage, LLVMOpcode as Opcode};

/// Any value of a module; equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: NonNull<llvm_sys::LLVMValue>,
    module: PhantomData<&'m Module>,
}

/// A value that is an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Instruction<'m>(Value<'m>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: NonNull<llvm_sys::LLVMBasicBlock>,
    module: PhantomData<&'m Module>,
}

/// What a constant is made of.
pub(crate) enum ConstantKind<'m> {
    Integer,
    Float,
    Null,
    /// `undef` and `poison`
    Undef,
    /// All zeros, of any type.
    Zero,
    /// An `[N x i8]` with its bytes.
    Bytes(&'m [u8]),
    /// An array, struct or vector: ask for its elements.
    Aggregate,
    Expression(Opcode),
    BlockAddress(Value<'m>, Block<'m>),
    Function,
    Global,
    Alias(Value<'m>),
    Other,
}

impl<'m> Value<'m> {
    /// # Safety
    /// Null, or a live value of the module that `'m` stands for.
    pub(super) unsafe fn new(raw: LLVMValueRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Value { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw.as_ptr()
    }

    fn kind(self) -> LLVMValueKind {
        // SAFETY: a live value.
        unsafe { LLVMGetValueKind(self.raw()) }
    }

    pub(crate) fn name(self) -> String {
        // SAFETY: a live value; the name belongs to it.
        unsafe {
            let mut length = 0;
            let chars = LLVMGetValueName2(self.raw(), &mut length);
            String::from_utf8_lossy(bytes(chars, length)).into_owned()
        }
    }

    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        unsafe { Type::new(LLVMTypeOf(self.raw())) }.expect("every LLVM value has a type")
    }

    /// As LLVM writes it. Slow for instructions, fine for constants.
    pub(crate) fn describe(self) -> String {
        // SAFETY: a live value; the message is ours to free.
        unsafe { take_message(LLVMPrintValueToString(self.raw())) }
    }

    pub(crate) fn as_instruction(self) -> Option<Instruction<'m>> {
        // SAFETY: a live value.
        (unsafe { !LLVMIsAInstruction(self.raw()).is_null() }).then_some(Instruction(self))
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: a live value.
        unsafe { !LLVMIsAConstant(self.raw()).is_null() }
    }

    /// The instructions that use the value, with repeats.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: LLVM's own list of uses of a live value; a use has a user.
        let mut at = unsafe { LLVMGetFirstUse(self.raw()) };
        std::iter::from_fn(move || {
            if at.is_null() {
                return None;
            }
            // SAFETY: as above.
            unsafe {
                let user = Value::new(LLVMGetUser(at));
                at = LLVMGetNextUse(at);
                user
            }
        })
    }
}

/// Globals and functions.
impl<'m> Value<'m> {
    pub(crate) fn is_function(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMFunctionValueKind)
    }

    fn is_global_variable(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMGlobalVariableValueKind)
    }

    fn is_global_object(self) -> bool {
        self.is_function() || self.is_global_variable()
    }

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: asked of globals only.
        self.is_global_object() && unsafe { LLVMIsDeclaration(self.raw()) != 0 }
    }

    pub(crate) fn linkage(self) -> Linkage {
        if !self.is_global_object() {
            return Linkage::LLVMExternalLinkage;
        }
        // SAFETY: a global.
        unsafe { LLVMGetLinkage(self.raw()) }
    }

    /// The type of what is stored in a global, or of a function (whose own type is `ptr`).
    pub(crate) fn value_type(self) -> Option<Type<'m>> {
        // SAFETY: asked of globals only.
        if self.is_global_object() { unsafe { Type::new(LLVMGlobalGetValueType(self.raw())) } } else { None }
    }

    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: asked of global variables only.
        if self.is_global_variable() { unsafe { Value::new(LLVMGetInitializer(self.raw())) } } else { None }
    }

    /// The explicit alignment of a global; 0 if there is none.
    pub(crate) fn alignment(self) -> u32 {
        // SAFETY: asked of globals only.
        if self.is_global_object() { unsafe { LLVMGetAlignment(self.raw()) } } else { 0 }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.raw()) != 0 }
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.raw()) != 0 }
    }

    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        let mut blocks = Vec::new();
        // SAFETY: LLVM's own list of a live function's blocks.
        unsafe {
            let mut at = LLVMGetFirstBasicBlock(self.raw());
            while let Some(raw) = NonNull::new(at) {
                blocks.push(Block { raw, module: PhantomData });
                at = LLVMGetNextBasicBlock(at);
            }
        }
        blocks
    }

    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: the buffer has the length that LLVM gave.
        unsafe {
            let mut parameters = vec![std::ptr::null_mut(); LLVMCountParams(self.raw()) as usize];
            LLVMGetParams(self.raw(), parameters.as_mut_ptr());
            parameters.into_iter().filter_map(|p| Value::new(p)).collect()
        }
    }

    /// The function's `DISubprogram`.
    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        // SAFETY: asked of functions only.
        if self.is_function() { unsafe { Metadata::new(LLVMGetSubprogram(self.raw())) } } else { None }
    }

    /// The name of an intrinsic without the types it is overloaded for; `None` for any other function.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        if !self.is_function() {
            return None;
        }
        // SAFETY: a function; the name of a known intrinsic is LLVM's own constant.
        unsafe {
            let id = LLVMGetIntrinsicID(self.raw());
            if id == 0 {
                return None;
            }
            let mut length = 0;
            let chars = LLVMIntrinsicGetName(id, &mut length);
            Some(String::from_utf8_lossy(bytes(chars, length)).into_owned())
        }
    }

    /// What is attached to a global as `!dbg`.
    pub(crate) fn global_debug_info(self, module: &'m Module) -> Vec<Metadata<'m>> {
        if !self.is_global_variable() {
            return Vec::new();
        }
        let wanted = module.metadata_kind("dbg");
        // SAFETY: LLVM's own list with its length, freed after the pointers in it were copied.
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let found = (0..count as u32)
                .filter(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == wanted)
                .filter_map(|i| Metadata::new(LLVMValueMetadataEntriesGetMetadata(entries, i)))
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }

    /// An attribute of a function (`None`) or of its parameter, by LLVM's name: its number, and its type.
    pub(crate) fn attribute(self, parameter: Option<u32>, name: &str) -> Option<(u64, Option<Type<'m>>)> {
        if !self.is_function() {
            return None;
        }
        let index = parameter.map_or(u32::MAX, |p| p + 1);
        // SAFETY: a function; the answer is null or a live attribute.
        unsafe { read_attribute(LLVMGetEnumAttributeAtIndex(self.raw(), index, attribute_kind(name))) }
    }

    /// Text, constraints and side effects of inline assembly.
    pub(crate) fn inline_asm(self) -> Option<(String, String)> {
        if !matches!(self.kind(), LLVMValueKind::LLVMInlineAsmValueKind) {
            return None;
        }
        // SAFETY: an inline-asm value; the strings belong to it.
        unsafe {
            let mut length = 0;
            let chars = LLVMGetInlineAsmAsmString(self.raw(), &mut length);
            let asm = String::from_utf8_lossy(bytes(chars, length)).into_owned();
            let chars = LLVMGetInlineAsmConstraintString(self.raw(), &mut length);
            Some((asm, String::from_utf8_lossy(bytes(chars, length)).into_owned()))
        }
    }
}

/// Constants.
impl<'m> Value<'m> {
    pub(crate) fn constant_kind(self) -> ConstantKind<'m> {
        use LLVMValueKind::*;
        if !self.is_constant() {
            return ConstantKind::Other;
        }
        match self.kind() {
            LLVMConstantIntValueKind => ConstantKind::Integer,
            LLVMConstantFPValueKind => ConstantKind::Float,
            LLVMConstantPointerNullValueKind => ConstantKind::Null,
            LLVMUndefValueValueKind | LLVMPoisonValueKind => ConstantKind::Undef,
            LLVMConstantAggregateZeroValueKind => ConstantKind::Zero,
            LLVMConstantDataArrayValueKind => self.byte_string().map_or(ConstantKind::Aggregate, ConstantKind::Bytes),
            LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataVectorValueKind => ConstantKind::Aggregate,
            // SAFETY: a constant expression.
            LLVMConstantExprValueKind => ConstantKind::Expression(unsafe { LLVMGetConstOpcode(self.raw()) }),
            LLVMBlockAddressValueKind => self.block_address().unwrap_or(ConstantKind::Other),
            LLVMFunctionValueKind => ConstantKind::Function,
            LLVMGlobalVariableValueKind => ConstantKind::Global,
            LLVMGlobalAliasValueKind => {
                // SAFETY: an alias.
                unsafe { Value::new(LLVMAliasGetAliasee(self.raw())) }.map_or(ConstantKind::Other, ConstantKind::Alias)
            }
            _ => ConstantKind::Other,
        }
    }

    fn block_address(self) -> Option<ConstantKind<'m>> {
        // SAFETY: only called on block addresses.
        unsafe {
            let function = Value::new(LLVMGetBlockAddressFunction(self.raw()))?;
            let raw = NonNull::new(LLVMGetBlockAddressBasicBlock(self.raw()))?;
            Some(ConstantKind::BlockAddress(function, Block { raw, module: PhantomData }))
        }
    }

    fn byte_string(self) -> Option<&'m [u8]> {
        // SAFETY: only called on data arrays; the bytes belong to the context.
        unsafe {
            if LLVMIsConstantString(self.raw()) == 0 {
                return None;
            }
            let mut length = 0;
            let chars = LLVMGetAsString(self.raw(), &mut length);
            Some(bytes(chars, length))
        }
    }

    /// An element of an aggregate constant (of `zeroinitializer` and `undef` too).
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: asked of constants only; null if there is no such element.
        if self.is_constant() { unsafe { Value::new(LLVMGetAggregateElement(self.raw(), index)) } } else { None }
    }

    /// The bits of an integer constant of up to 128 bits.
    pub(crate) fn integer(self) -> Option<u128> {
        if !matches!(self.kind(), LLVMValueKind::LLVMConstantIntValueKind) {
            return None;
        }
        // SAFETY: an integer constant, whose type is an integer type.
        let width = unsafe { LLVMGetIntTypeWidth(LLVMTypeOf(self.raw())) };
        match width {
            // SAFETY: an integer constant.
            0..=64 => Some(u128::from(unsafe { LLVMConstIntGetZExtValue(self.raw()) })),
            65..=128 => {
                // The C API has no accessor for more than a word; LLVM's own text does not lose bits.
                let text = self.describe();
                let value: i128 = text.rsplit(' ').next()?.parse().ok()?;
                Some(value as u128 & (u128::MAX >> (128 - width)))
            }
            _ => None,
        }
    }

    /// The bytes of an integer constant of any width, low byte first.
    pub(crate) fn integer_bytes(self) -> Option<Vec<u8>> {
        if !matches!(self.kind(), LLVMValueKind::LLVMConstantIntValueKind) {
            return None;
        }
        // SAFETY: an integer constant, whose type is an integer type.
        let width = unsafe { LLVMGetIntTypeWidth(LLVMTypeOf(self.raw())) };
        let text = self.describe();
        let digits = text.rsplit(' ').next()?;
        decimal_to_bytes(digits, width.div_ceil(8) as usize)
    }

    /// The bits of a float constant of any format.
    pub(crate) fn float_bits(self) -> Option<u128> {
        use LLVMTypeKind::*;
        if !matches!(self.kind(), LLVMValueKind::LLVMConstantFPValueKind) {
            return None;
        }
        // SAFETY: a float constant, folded to an integer constant of the same width, in the same context.
        unsafe {
            let ty = LLVMTypeOf(self.raw());
            let width = match LLVMGetTypeKind(ty) {
                LLVMHalfTypeKind | LLVMBFloatTypeKind => 16,
                LLVMFloatTypeKind => 32,
                LLVMDoubleTypeKind => 64,
                LLVMX86_FP80TypeKind => 80,
                LLVMFP128TypeKind => 128,
                _ => return None,
            };
            let integer = LLVMIntTypeInContext(LLVMGetTypeContext(ty), width);
            Value::new(LLVMConstBitCast(self.raw(), integer))?.integer()
        }
    }

    /// An operand of a constant expression.
    pub(crate) fn constant_operand(self, index: u32) -> Option<Value<'m>> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: a constant is a user; the index is checked.
        unsafe {
            let count = LLVMGetNumOperands(self.raw());
            if i64::from(index) < i64::from(count) { Value::new(LLVMGetOperand(self.raw(), index)) } else { None }
        }
    }

    pub(crate) fn constant_operand_count(self) -> u32 {
        // SAFETY: a constant is a user.
        if self.is_constant() { unsafe { LLVMGetNumOperands(self.raw()) as u32 } } else { 0 }
    }

    /// The type that a `getelementptr` (instruction or expression) steps through.
    pub(crate) fn gep_source_type(self) -> Option<Type<'m>> {
        let is_gep = match self.as_instruction() {
            Some(instruction) => instruction.opcode() == Opcode::LLVMGetElementPtr,
            None => matches!(self.constant_kind(), ConstantKind::Expression(Opcode::LLVMGetElementPtr)),
        };
        // SAFETY: a GEP of either kind.
        if is_gep { unsafe { Type::new(LLVMGetGEPSourceElementType(self.raw())) } } else { None }
    }
}

impl<'m> Block<'m> {
    pub(crate) fn instructions(self) -> Vec<Instruction<'m>> {
        // SAFETY: LLVM's own list of a live block's instructions.
        let values = unsafe { list(LLVMGetFirstInstruction(self.raw.as_ptr()), |i| LLVMGetNextInstruction(i)) };
        values.into_iter().map(Instruction).collect()
    }
}

impl<'m> Instruction<'m> {
    pub(crate) fn value(self) -> Value<'m> {
        self.0
    }

    pub(crate) fn opcode(self) -> Opcode {
        // SAFETY: an instruction.
        unsafe { LLVMGetInstructionOpcode(self.0.raw()) }
    }

    pub(crate) fn ty(self) -> Type<'m> {
        self.0.ty()
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: an instruction is a user.
        unsafe { LLVMGetNumOperands(self.0.raw()) as u32 }
    }

    pub(crate) fn operand(self, index: u32) -> Option<Value<'m>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: an operand that the instruction has.
        unsafe { Value::new(LLVMGetOperand(self.0.raw(), index)) }
    }

    /// The value of a phi's i-th edge.
    pub(crate) fn incoming(self, index: u32) -> Option<Value<'m>> {
        if self.opcode() == Opcode::LLVMPHI { self.operand(index) } else { None }
    }

    pub(crate) fn allocated_type(self) -> Option<Type<'m>> {
        if self.opcode() != Opcode::LLVMAlloca {
            return None;
        }
        // SAFETY: an alloca.
        unsafe { Type::new(LLVMGetAllocatedType(self.0.raw())) }
    }

    fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    pub(crate) fn called_value(self) -> Option<Value<'m>> {
        // SAFETY: asked of calls only.
        if self.is_call() { unsafe { Value::new(LLVMGetCalledValue(self.0.raw())) } } else { None }
    }

    pub(crate) fn called_type(self) -> Option<Type<'m>> {
        // SAFETY: asked of calls only.
        if self.is_call() { unsafe { Type::new(LLVMGetCalledFunctionType(self.0.raw())) } } else { None }
    }

    /// An attribute of a call's argument.
    pub(crate) fn argument_attribute(self, argument: u32, name: &str) -> Option<(u64, Option<Type<'m>>)> {
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call; the answer is null or a live attribute.
        unsafe { read_attribute(LLVMGetCallSiteEnumAttribute(self.0.raw(), argument + 1, attribute_kind(name))) }
    }

    pub(crate) fn debug_location(self) -> Option<Metadata<'m>> {
        // SAFETY: an instruction; null if it has none.
        unsafe { Metadata::new(LLVMInstructionGetDebugLoc(self.0.raw())) }
    }
}

/// A signed decimal number in two's complement, low byte first.
fn decimal_to_bytes(text: &str, length: usize) -> Option<Vec<u8>> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let mut bytes = vec![0u8; length];
    for digit in digits.chars() {
        let mut carry = digit.to_digit(10)?;
        for byte in &mut bytes {
            carry += u32::from(*byte) * 10;
            *byte = carry as u8;
            carry >>= 8;
        }
    }
    if negative {
        let mut carry = true;
        for byte in &mut bytes {
            let (sum, overflow) = (!*byte).overflowing_add(u8::from(carry));
            *byte = sum;
            carry = overflow;
        }
    }
    Some(bytes)
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: a string of the given length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// # Safety
/// Null, or a live attribute of the module that `'m` stands for.
unsafe fn read_attribute<'m>(attribute: LLVMAttributeRef) -> Option<(u64, Option<Type<'m>>)> {
    if attribute.is_null() {
        return None;
    }
    // SAFETY: by the contract above, and each accessor on the kind it is for.
    unsafe {
        if LLVMIsTypeAttribute(attribute) != 0 {
            Some((0, Type::new(LLVMGetTypeAttributeValue(attribute))))
        } else if LLVMIsEnumAttribute(attribute) != 0 {
            Some((LLVMGetEnumAttributeValue(attribute), None))
        } else {
            Some((0, None))
        }
    }
}
