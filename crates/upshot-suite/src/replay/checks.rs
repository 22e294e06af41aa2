//! Checks for what AddressSanitizer does not see: divisions and shifts that the executor calls errors, code that must not be
//! reached, and pointers that jumped from one object into another.
//!
//! Each is one call before the instruction, with the condition of failure as its argument; the runtime ends the run if it
//! holds. Nothing is branched over, so the branch trace is that of the plain build.

use inkwell::IntPredicate::{EQ, UGE};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::types::IntType;
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue, Operand, PointerValue,
};

use super::instrument::{Calls, has_attribute};
use super::llvm::constant_base;

/// What a check is about: the numbers that the runtime's `check_names` go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    DivisionByZero = 0,
    DivisionOverflow = 1,
    Overshift = 2,
    Unreachable = 3,
    Overflow = 5,
}

/// Which checks to put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checks {
    /// Divisions, shifts and pointers; and AddressSanitizer's attribute on every function.
    pub(super) errors: bool,
    /// Signed overflow.
    pub(super) overflow: bool,
}

/// Puts the checks in. What must not be reached is checked always: running on there is anybody's guess.
pub(super) fn insert<'ctx>(
    calls: &Calls<'_, 'ctx>,
    functions: &[FunctionValue<'ctx>],
    checks: Checks,
) -> Result<(), BuilderError> {
    let sanitize = Attribute::get_named_enum_kind_id("sanitize_address");
    for function in functions.iter().filter(|f| !has_attribute(**f, "naked")) {
        if checks.errors {
            let attribute = calls.context().create_enum_attribute(sanitize, 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        let instructions: Vec<_> = function.get_basic_blocks().into_iter().flat_map(|b| b.get_instructions()).collect();
        for instruction in instructions {
            calls.builder.position_before(&instruction);
            instrument(calls, instruction, checks)?;
        }
    }
    Ok(())
}

fn instrument<'ctx>(
    calls: &Calls<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
    checks: Checks,
) -> Result<(), BuilderError> {
    use InstructionOpcode as Op;
    let opcode = instruction.get_opcode();
    match opcode {
        Op::Unreachable => fail_if(calls, calls.context().bool_type().const_all_ones(), Check::Unreachable),
        Op::UDiv | Op::URem | Op::SDiv | Op::SRem if checks.errors => {
            let signed = matches!(opcode, Op::SDiv | Op::SRem);
            per_lane(calls, instruction, |a, b| division(calls, signed, a, b))
        }
        Op::Shl | Op::LShr | Op::AShr if checks.errors => per_lane(calls, instruction, |_, amount| {
            let ty = amount.get_type();
            let width = ty.const_int(u64::from(ty.get_bit_width()), false);
            fail_if(calls, calls.builder.build_int_compare(UGE, amount, width, "")?, Check::Overshift)
        }),
        Op::Add | Op::Sub | Op::Mul if checks.overflow && instruction.get_no_signed_wrap_flag() == Ok(true) => {
            per_lane(calls, instruction, |a, b| overflow(calls, opcode, a, b))
        }
        Op::Load | Op::AtomicRMW | Op::AtomicCmpXchg if checks.errors => pointer(calls, instruction.get_operand(0)),
        Op::Store if checks.errors => pointer(calls, instruction.get_operand(1)),
        Op::Call if checks.errors => memory_call(calls, instruction),
        _ => Ok(()),
    }
}

fn fail_if<'ctx>(calls: &Calls<'_, 'ctx>, failed: IntValue<'ctx>, check: Check) -> Result<(), BuilderError> {
    let i32 = calls.i32();
    let runtime = calls.declare("__upshot_check", &[i32.into(), i32.into()]);
    let failed = calls.builder.build_int_z_extend(failed, i32, "")?;
    calls.call(runtime, &[failed.into(), i32.const_int(check as u64, false).into()])
}

/// Runs `check` on the operands of a binary operation, or on each pair of lanes of a vector one.
fn per_lane<'ctx>(
    calls: &Calls<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
    check: impl Fn(IntValue<'ctx>, IntValue<'ctx>) -> Result<(), BuilderError>,
) -> Result<(), BuilderError> {
    let (Some(Operand::Value(a)), Some(Operand::Value(b))) = (instruction.get_operand(0), instruction.get_operand(1))
    else {
        return Ok(());
    };
    match (a, b) {
        (BasicValueEnum::IntValue(a), BasicValueEnum::IntValue(b)) => check(a, b),
        (BasicValueEnum::VectorValue(a), BasicValueEnum::VectorValue(b)) => {
            for lane in 0..a.get_type().get_size() {
                let index = calls.i32().const_int(u64::from(lane), false);
                let a = calls.builder.build_extract_element(a, index, "")?.into_int_value();
                let b = calls.builder.build_extract_element(b, index, "")?.into_int_value();
                check(a, b)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn division<'ctx>(
    calls: &Calls<'_, 'ctx>,
    signed: bool,
    a: IntValue<'ctx>,
    b: IntValue<'ctx>,
) -> Result<(), BuilderError> {
    let ty = a.get_type();
    fail_if(calls, calls.builder.build_int_compare(EQ, b, ty.const_zero(), "")?, Check::DivisionByZero)?;
    if signed {
        let is_lowest = calls.builder.build_int_compare(EQ, a, lowest(ty), "")?;
        let is_minus_one = calls.builder.build_int_compare(EQ, b, ty.const_all_ones(), "")?;
        fail_if(calls, calls.builder.build_and(is_lowest, is_minus_one, "")?, Check::DivisionOverflow)?;
    }
    Ok(())
}

/// The lowest signed value of a type.
fn lowest(ty: IntType<'_>) -> IntValue<'_> {
    let width = ty.get_bit_width();
    let mut words = vec![0; width.div_ceil(64) as usize];
    if let Some(top) = words.last_mut() {
        *top = 1 << ((width - 1) % 64);
    }
    ty.const_int_arbitrary_precision(&words)
}

/// Signed overflow, found by doing the operation in twice the width.
fn overflow<'ctx>(
    calls: &Calls<'_, 'ctx>,
    opcode: InstructionOpcode,
    a: IntValue<'ctx>,
    b: IntValue<'ctx>,
) -> Result<(), BuilderError> {
    let builder = &calls.builder;
    let ty = a.get_type();
    let Some(doubled) = std::num::NonZeroU32::new(2 * ty.get_bit_width()) else { return Ok(()) };
    let Ok(wide) = calls.context().custom_width_int_type(doubled) else { return Ok(()) };
    let (a, b) = (builder.build_int_s_extend(a, wide, "")?, builder.build_int_s_extend(b, wide, "")?);
    let exact = match opcode {
        InstructionOpcode::Add => builder.build_int_add(a, b, "")?,
        InstructionOpcode::Sub => builder.build_int_sub(a, b, "")?,
        _ => builder.build_int_mul(a, b, "")?,
    };
    let wrapped = builder.build_int_s_extend(builder.build_int_truncate(exact, ty, "")?, wide, "")?;
    let differs = builder.build_int_compare(inkwell::IntPredicate::NE, exact, wrapped, "")?;
    fail_if(calls, differs, Check::Overflow)
}

/// Checks that an address has not left the object of the pointer that it was computed from.
fn pointer<'ctx>(calls: &Calls<'_, 'ctx>, operand: Option<Operand<'ctx>>) -> Result<(), BuilderError> {
    let Some(Operand::Value(BasicValueEnum::PointerValue(address))) = operand else { return Ok(()) };
    let mut base = address;
    while let Some(next) = computed_from(base) {
        base = next;
    }
    if base == address {
        return Ok(());
    }
    let ty = address.get_type();
    let runtime = calls.declare("__upshot_check_pointer", &[ty.into(), ty.into()]);
    calls.call(runtime, &[base.into(), address.into()])
}

/// The pointer that an address computation starts from.
fn computed_from(address: PointerValue<'_>) -> Option<PointerValue<'_>> {
    if let Some(instruction) = address.as_instruction() {
        return match (instruction.get_opcode(), instruction.get_operand(0)) {
            (InstructionOpcode::GetElementPtr, Some(Operand::Value(BasicValueEnum::PointerValue(base)))) => Some(base),
            _ => None,
        };
    }
    constant_base(address)
}

/// memcpy, memmove and memset, whose pointers AddressSanitizer checks as it does those of a load.
fn memory_call<'ctx>(calls: &Calls<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), BuilderError> {
    let Ok(call) = CallSiteValue::try_from(instruction) else { return Ok(()) };
    let Some(callee) = call.get_called_fn_value() else { return Ok(()) };
    let name = callee.get_name().to_bytes();
    if name.starts_with(b"llvm.memcpy.") || name.starts_with(b"llvm.memmove.") {
        pointer(calls, instruction.get_operand(1))?;
    }
    if name.starts_with(b"llvm.mem") {
        pointer(calls, instruction.get_operand(0))?;
    }
    Ok(())
}
