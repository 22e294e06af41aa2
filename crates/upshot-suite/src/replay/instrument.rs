//! Rewriting the user's bitcode so that its native run can be compared with the executor's.
//!
//! Before every conditional branch, switch and computed goto goes a call that tells the runtime which successor is about
//! to be taken. The successor's number is computed from the same condition by selects, so no block is added and none is
//! split, and the numbering of blocks is that of the bitcode. Everything the program defines is then made
//! local to its object: a program that has a `malloc`, `read` or `main` of its own keeps calling them, and neither the C library nor our
//! runtime does.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, IntType};
use inkwell::values::{
    BasicMetadataValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue, Operand, PointerValue,
};
use inkwell::{AddressSpace, IntPredicate};

use super::llvm::{block_address, clear_comdat};
use super::plan::Plan;
use crate::trace::function_name_hash;

/// Calls into the runtime from instrumented code.
pub(super) struct Calls<'a, 'ctx> {
    pub(super) module: &'a Module<'ctx>,
    pub(super) builder: Builder<'ctx>,
}

impl<'a, 'ctx> Calls<'a, 'ctx> {
    pub(super) fn new(module: &'a Module<'ctx>) -> Self {
        Calls { module, builder: module.get_context().create_builder() }
    }

    pub(super) fn context(&self) -> ContextRef<'ctx> {
        self.module.get_context()
    }

    pub(super) fn i32(&self) -> IntType<'ctx> {
        self.context().i32_type()
    }

    pub(super) fn i64(&self) -> IntType<'ctx> {
        self.context().i64_type()
    }

    /// Declares a runtime function that returns nothing.
    pub(super) fn declare(&self, name: &str, parameters: &[BasicMetadataTypeEnum<'ctx>]) -> FunctionValue<'ctx> {
        let ty = self.context().void_type().fn_type(parameters, false);
        self.module.get_function(name).unwrap_or_else(|| self.module.add_function(name, ty, Some(Linkage::External)))
    }

    /// Declares a runtime function that returns a pointer.
    pub(super) fn declare_pointer(
        &self,
        name: &str,
        parameters: &[BasicMetadataTypeEnum<'ctx>],
    ) -> FunctionValue<'ctx> {
        let ty = self.context().ptr_type(AddressSpace::default()).fn_type(parameters, false);
        self.module.get_function(name).unwrap_or_else(|| self.module.add_function(name, ty, Some(Linkage::External)))
    }

    pub(super) fn call(
        &self,
        function: FunctionValue<'ctx>,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<(), BuilderError> {
        self.builder.build_call(function, arguments, "").map(|_| ())
    }

    /// Calls a runtime function that returns a pointer.
    pub(super) fn pointer_from(
        &self,
        function: FunctionValue<'ctx>,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<PointerValue<'ctx>, BuilderError> {
        let call = self.builder.build_call(function, arguments, "")?;
        Ok(call.try_as_basic_value().unwrap_basic().into_pointer_value())
    }
}

/// The functions that are the user's own code: those whose branches are in the trace.
///
/// A body that clang only took along from elsewhere (`available_externally`: at -O2, inline functions of the C library's
/// headers) is the user's if the executor had no other for it.
pub(super) fn user_functions<'ctx>(module: &Module<'ctx>, plan: &Plan) -> Vec<FunctionValue<'ctx>> {
    let runs_here = |function: &FunctionValue<'ctx>| plan.user.contains(&*function.get_name().to_string_lossy());
    module
        .get_functions()
        .filter(|f| f.count_basic_blocks() > 0)
        .filter(|f| f.get_linkage() != Linkage::AvailableExternally || runs_here(f))
        .collect()
}

/// Puts the call before every terminator that chooses.
pub(super) fn trace_branches<'ctx>(
    calls: &Calls<'_, 'ctx>,
    functions: &[FunctionValue<'ctx>],
) -> Result<(), BuilderError> {
    let (i32, i64) = (calls.i32(), calls.i64());
    let branch = calls.declare("__upshot_branch", &[i64.into(), i32.into(), i32.into()]);
    for function in functions.iter().filter(|f| !has_attribute(**f, "naked")) {
        let hash = i64.const_int(function_name_hash(function.get_name().to_bytes()), false);
        for (number, block) in function.get_basic_blocks().into_iter().enumerate() {
            let Some(terminator) = block.get_terminator() else { continue };
            calls.builder.position_before(&terminator);
            if let Some(successor) = successor_taken(calls, terminator)? {
                let block = i32.const_int(number as u64, false);
                calls.call(branch, &[hash.into(), block.into(), successor.into()])?;
            }
        }
    }
    Ok(())
}

/// The number of the successor that a terminator is about to choose, as an expression before it; `None` if it has no choice.
fn successor_taken<'ctx>(
    calls: &Calls<'_, 'ctx>,
    terminator: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    match terminator.get_opcode() {
        InstructionOpcode::Br if terminator.is_conditional() == Ok(true) => {
            let Some(Operand::Value(condition)) = terminator.get_operand(0) else { return Ok(None) };
            let is_false = calls.builder.build_not(condition.into_int_value(), "")?;
            Ok(Some(calls.builder.build_int_z_extend(is_false, calls.i32(), "")?))
        }
        InstructionOpcode::Switch => {
            let Some(Operand::Value(value)) = terminator.get_operand(0) else { return Ok(None) };
            let value = value.into_int_value();
            // Cases that share a block with each other or the default share a number: to the executor they are one.
            let mut targets = vec![terminator.get_operand(1).and_then(block)];
            let mut cases = Vec::new();
            for i in (2..terminator.get_num_operands()).step_by(2) {
                let Some(Operand::Value(case)) = terminator.get_operand(i) else { continue };
                let is_case = calls.builder.build_int_compare(IntPredicate::EQ, value, case.into_int_value(), "")?;
                targets.push(terminator.get_operand(i + 1).and_then(block));
                let first = targets.iter().position(|t| *t == targets[targets.len() - 1]);
                cases.push((is_case, first.unwrap_or(0)));
            }
            first_that_holds(calls, &cases).map(Some)
        }
        InstructionOpcode::IndirectBr => {
            let Some(Operand::Value(address)) = terminator.get_operand(0) else { return Ok(None) };
            let address = address.into_pointer_value();
            let mut arrives = Vec::new();
            for i in 1..terminator.get_num_operands() {
                if let Some(there) = terminator.get_operand(i).and_then(block).and_then(block_address) {
                    let arrives_there = calls.builder.build_int_compare(IntPredicate::EQ, address, there, "")?;
                    arrives.push((arrives_there, i as usize - 1));
                }
            }
            first_that_holds(calls, &arrives).map(Some)
        }
        _ => Ok(None),
    }
}

fn block(operand: Operand<'_>) -> Option<BasicBlock<'_>> {
    match operand {
        Operand::Block(block) => Some(block),
        Operand::Value(_) => None,
    }
}

/// The number that goes with the first condition that holds; 0 if none does.
fn first_that_holds<'ctx>(
    calls: &Calls<'_, 'ctx>,
    conditions: &[(IntValue<'ctx>, usize)],
) -> Result<IntValue<'ctx>, BuilderError> {
    let mut successor = calls.i32().const_zero();
    for (condition, number) in conditions.iter().rev() {
        let here = calls.i32().const_int(*number as u64, false);
        successor = calls.builder.build_select(*condition, here, successor, "")?.into_int_value();
    }
    Ok(successor)
}

/// Makes arithmetic wrap, whatever was promised of it, and takes back promises that the added calls break.
pub(super) fn drop_promises(functions: &[FunctionValue<'_>]) {
    let memory = Attribute::get_named_enum_kind_id("memory");
    for function in functions {
        function.remove_enum_attribute(AttributeLoc::Function, memory);
        for instruction in function.get_basic_blocks().into_iter().flat_map(|b| b.get_instructions()) {
            // Each of these fails for instructions that have no such flag, which is what is wanted then.
            if instruction.get_no_signed_wrap_flag() == Ok(true) {
                let _ = instruction.set_no_signed_wrap_flag(false);
            }
            if instruction.get_no_unsigned_wrap_flag() == Ok(true) {
                let _ = instruction.set_no_unsigned_wrap_flag(false);
            }
            if instruction.get_exact_flag() == Ok(true) {
                let _ = instruction.set_exact_flag(false);
            }
        }
    }
}

/// Makes all that the program defines local to its object.
pub(super) fn make_local<'ctx>(module: &Module<'ctx>, functions: &[FunctionValue<'ctx>]) {
    let globals = module.get_globals().filter(|g| !g.is_declaration() && g.get_linkage() != Linkage::Appending);
    let globals = globals.filter(|g| !g.get_name().to_bytes().starts_with(b"llvm."));
    for global in functions.iter().map(|f| f.as_global_value()).chain(globals) {
        if global.get_linkage() != Linkage::Private {
            // Local symbols have default visibility; LLVM insists.
            global.set_visibility(inkwell::GlobalVisibility::Default);
            clear_comdat(global);
            global.set_linkage(Linkage::Internal);
        }
    }
}

/// Leads the program's allocations to the runtime, which lets them fail where a test says so.
pub(super) fn lead_allocations(module: &Module<'_>) {
    const NAMES: [&str; 8] =
        ["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc", "posix_memalign"];
    for name in NAMES {
        if let Some(function) = module.get_function(name).filter(|f| f.count_basic_blocks() == 0) {
            let ours = module.add_function(&format!("__upshot_{name}"), function.get_type(), Some(Linkage::External));
            function.replace_all_uses_with(ours);
        }
    }
}

pub(super) fn has_attribute(function: FunctionValue<'_>, name: &str) -> bool {
    let kind = Attribute::get_named_enum_kind_id(name);
    function.get_enum_attribute(AttributeLoc::Function, kind).is_some()
}
