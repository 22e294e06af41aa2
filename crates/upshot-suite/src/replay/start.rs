//! `__upshot_start`: what the runtime's `main` calls.
//!
//! Without an entry it calls the program's own `main`. With one it gets each parameter's bytes from the runtime, which has
//! them from the test, and puts them into LLVM's parameters the way clang would: a struct may be split over several
//! registers, widened, or passed as a copy in memory. How is in the [`Parameter`]s; that, and not the C types, is followed here.

use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::builder::BuilderError;
use inkwell::module::Linkage;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionValue, PointerValue,
};
use upshot_ir::{Parameter, Scalar};

use super::ReplayError;
use super::instrument::Calls;
use super::plan::{Entry, Plan, PlannedGlobal};
use super::shape::ObjectShape;

/// Adds the function, and tells what the bytes of the result will look like.
pub(super) fn add(calls: &Calls<'_, '_>, plan: &Plan) -> Result<ObjectShape, ReplayError> {
    let pointer = calls.context().ptr_type(AddressSpace::default());
    let ty = calls.i32().fn_type(&[calls.i32().into(), pointer.into(), pointer.into()], false);
    let start = calls.module.add_function("__upshot_start", ty, Some(Linkage::External));
    calls.builder.position_at_end(calls.context().append_basic_block(start, "start"));
    match &plan.entry {
        None => {
            call_main(calls, start)?;
            Ok(ObjectShape::default())
        }
        Some(entry) => call_entry(calls, entry, &plan.globals),
    }
}

/// The function of that name, if it has a body.
pub(super) fn defined<'ctx>(calls: &Calls<'_, 'ctx>, name: &str) -> Option<FunctionValue<'ctx>> {
    calls.module.get_function(name).filter(|f| f.count_basic_blocks() > 0)
}

/// `main` may take none, some or all of (argc, argv, environment), and may return nothing.
fn call_main<'ctx>(calls: &Calls<'_, 'ctx>, start: FunctionValue<'ctx>) -> Result<(), ReplayError> {
    let main = defined(calls, "main").ok_or(ReplayError::NoMain)?;
    let mut offered = start.get_params().into_iter();
    let mut arguments: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
    for parameter in main.get_params() {
        let argument = offered.next().filter(|a| a.get_type() == parameter.get_type());
        let unusual = || ReplayError::Unsupported { what: "a main with unusual parameters".to_string() };
        arguments.push(argument.ok_or_else(unusual)?.into());
    }
    let call = calls.builder.build_call(main, &arguments, "")?;
    call.set_call_convention(main.get_call_conventions());
    let value = match call.try_as_basic_value().basic() {
        Some(BasicValueEnum::IntValue(value)) => {
            calls.builder.build_int_cast_sign_flag(value, calls.i32(), true, "")?
        }
        _ => calls.i32().const_zero(),
    };
    calls.builder.build_return(Some(&value))?;
    Ok(())
}

fn call_entry(calls: &Calls<'_, '_>, entry: &Entry, globals: &[PlannedGlobal]) -> Result<ObjectShape, ReplayError> {
    let function =
        defined(calls, &entry.function).ok_or_else(|| ReplayError::NoEntry { name: entry.function.clone() })?;
    prepare(calls, entry, globals)?;
    let result = calls.declare_pointer("__upshot_result", &[calls.i64().into()]);
    let mut scalars = Scalars::new(&entry.parameters);
    let mut arguments: Vec<BasicMetadataValueEnum<'_>> = Vec::new();
    for (i, parameter) in function.get_params().into_iter().enumerate() {
        if i == 0 && entry.struct_return.is_some() {
            arguments.push(calls.pointer_from(result, &[calls.i64().const_zero().into()])?.into());
        } else {
            arguments.push(load(calls, parameter.get_type(), &mut scalars)?.into());
        }
    }
    if scalars.next().is_some() {
        return Err(mismatch());
    }
    let call = calls.builder.build_call(function, &arguments, "")?;
    call.set_call_convention(function.get_call_conventions());
    for i in 0..function.count_params() {
        for attribute in function.attributes(AttributeLoc::Param(i)) {
            call.add_attribute(AttributeLoc::Param(i), attribute);
        }
    }
    let shape = match (entry.struct_return, call.try_as_basic_value().basic()) {
        (Some(size), _) => entry.returns.clone().unwrap_or_else(|| ObjectShape::plain(size as usize)),
        (None, Some(value)) => {
            let mut results =
                Results { calls, runtime: result, returns: entry.returns.as_ref(), shape: ObjectShape::default() };
            results.store(value, 0)?;
            results.shape
        }
        (None, None) => ObjectShape::default(),
    };
    let returned = calls.declare("__upshot_returned", &[calls.i64().into()]);
    calls.call(returned, &[calls.i64().const_int(shape.size() as u64, false).into()])?;
    calls.builder.build_return(Some(&calls.i32().const_zero()))?;
    Ok(shape)
}

fn mismatch() -> ReplayError {
    ReplayError::Unsupported {
        what: "an entry whose parameters in the bitcode are not those of the program".to_string(),
    }
}

/// The scalars of all parameters, in the order in which LLVM's parameters take them: parameter, offset, kind, in memory.
struct Scalars<'a> {
    parameters: &'a [Parameter],
    parameter: usize,
    scalar: usize,
}

impl<'a> Scalars<'a> {
    fn new(parameters: &'a [Parameter]) -> Self {
        Scalars { parameters, parameter: 0, scalar: 0 }
    }

    fn next(&mut self) -> Option<(usize, u32, Scalar, bool)> {
        loop {
            let parameter = self.parameters.get(self.parameter)?;
            if let Some((offset, scalar)) = parameter.scalars.get(self.scalar) {
                self.scalar += 1;
                return Some((self.parameter, *offset, *scalar, parameter.by_value.is_some()));
            }
            self.parameter += 1;
            self.scalar = 0;
        }
    }
}

/// A value of this type, put together from the next scalars.
fn load<'ctx>(
    calls: &Calls<'_, 'ctx>,
    ty: BasicTypeEnum<'ctx>,
    scalars: &mut Scalars<'_>,
) -> Result<BasicValueEnum<'ctx>, ReplayError> {
    let builder = &calls.builder;
    Ok(match ty {
        BasicTypeEnum::StructType(ty) => {
            let mut value = ty.get_undef();
            for (i, field) in (0..).zip(ty.get_field_types()) {
                value = builder.build_insert_value(value, load(calls, field, scalars)?, i, "")?.into_struct_value();
            }
            value.into()
        }
        BasicTypeEnum::ArrayType(ty) => {
            let mut value = ty.get_undef();
            for i in 0..ty.len() {
                let element = load(calls, ty.get_element_type(), scalars)?;
                value = builder.build_insert_value(value, element, i, "")?.into_array_value();
            }
            value.into()
        }
        BasicTypeEnum::VectorType(ty) => {
            let mut value = ty.get_undef();
            for i in 0..ty.get_size() {
                let element = load(calls, ty.get_element_type(), scalars)?;
                let lane = calls.i32().const_int(u64::from(i), false);
                value = builder.build_insert_element(value, element, lane, "")?;
            }
            value.into()
        }
        BasicTypeEnum::IntType(_) | BasicTypeEnum::FloatType(_) | BasicTypeEnum::PointerType(_) => {
            load_scalar(calls, ty, scalars)?
        }
        BasicTypeEnum::ScalableVectorType(_) => return Err(mismatch()),
    })
}

fn load_scalar<'ctx>(
    calls: &Calls<'_, 'ctx>,
    ty: BasicTypeEnum<'ctx>,
    scalars: &mut Scalars<'_>,
) -> Result<BasicValueEnum<'ctx>, ReplayError> {
    let (parameter, offset, scalar, in_memory) = scalars.next().ok_or_else(mismatch)?;
    let runtime = calls.declare_pointer("__upshot_parameter", &[calls.i64().into(), calls.i64().into()]);
    let at = |n: u64| calls.i64().const_int(n, false).into();
    let address = calls.pointer_from(runtime, &[at(parameter as u64), at(u64::from(offset))])?;
    match (ty, scalar) {
        // The callee's own copy; the caller makes it from the object.
        (BasicTypeEnum::PointerType(_), Scalar::Pointer) if in_memory => Ok(address.into()),
        (BasicTypeEnum::IntType(int), Scalar::Int(width)) if int.get_bit_width() == u32::from(width) => {
            let stored = whole_bytes(calls, u32::from(width))?;
            let value = unaligned_load(calls, stored.into(), address)?.into_int_value();
            Ok(calls.builder.build_int_truncate_or_bit_cast(value, int, "")?.into())
        }
        (BasicTypeEnum::FloatType(_), Scalar::Float(_)) | (BasicTypeEnum::PointerType(_), Scalar::Pointer) => {
            Ok(unaligned_load(calls, ty, address)?)
        }
        _ => Err(mismatch()),
    }
}

/// The integer type of the bytes that an integer of this width is stored in.
fn whole_bytes<'ctx>(calls: &Calls<'_, 'ctx>, width: u32) -> Result<inkwell::types::IntType<'ctx>, ReplayError> {
    let bits = std::num::NonZeroU32::new(width.next_multiple_of(8)).ok_or_else(mismatch)?;
    calls.context().custom_width_int_type(bits).map_err(|_| mismatch())
}

fn unaligned_load<'ctx>(
    calls: &Calls<'_, 'ctx>,
    ty: BasicTypeEnum<'ctx>,
    address: PointerValue<'ctx>,
) -> Result<BasicValueEnum<'ctx>, BuilderError> {
    let value = calls.builder.build_load(ty, address, "")?;
    align_to_one(value.as_instruction_value());
    Ok(value)
}

fn align_to_one(instruction: Option<InstructionValue<'_>>) {
    // Fails for instructions that have no alignment, and loads and stores do.
    let _ = instruction.map(|i| i.set_alignment(1));
}

/// The result, taken apart into scalars that are stored one after the other.
struct Results<'a, 'm, 'ctx> {
    calls: &'a Calls<'m, 'ctx>,
    /// `__upshot_result`
    runtime: FunctionValue<'ctx>,
    returns: Option<&'a ObjectShape>,
    shape: ObjectShape,
}

impl<'ctx> Results<'_, '_, 'ctx> {
    /// `offset` is where in the C object the value lies.
    fn store(&mut self, value: BasicValueEnum<'ctx>, offset: u64) -> Result<(), ReplayError> {
        let builder = &self.calls.builder;
        let layout = TargetData::create(&self.calls.module.get_data_layout().as_str().to_string_lossy());
        match value {
            BasicValueEnum::StructValue(value) => {
                let ty = value.get_type();
                for i in 0..ty.count_fields() {
                    let inside = layout.offset_of_element(&ty, i).ok_or_else(mismatch)?;
                    self.store(builder.build_extract_value(value, i, "")?, offset + inside)?;
                }
                Ok(())
            }
            BasicValueEnum::ArrayValue(value) => {
                let ty = value.get_type();
                let size = layout.get_abi_size(&ty.get_element_type());
                for i in 0..ty.len() {
                    self.store(builder.build_extract_value(value, i, "")?, offset + u64::from(i) * size)?;
                }
                Ok(())
            }
            BasicValueEnum::VectorValue(value) => {
                let size = layout.get_store_size(&value.get_type().get_element_type());
                for i in 0..value.get_type().get_size() {
                    let lane = self.calls.i32().const_int(u64::from(i), false);
                    self.store(builder.build_extract_element(value, lane, "")?, offset + u64::from(i) * size)?;
                }
                Ok(())
            }
            BasicValueEnum::ScalableVectorValue(_) => Err(mismatch()),
            scalar => self.store_scalar(scalar, offset, layout.get_store_size(&scalar.get_type()) as usize),
        }
    }

    fn store_scalar(&mut self, value: BasicValueEnum<'ctx>, offset: u64, size: usize) -> Result<(), ReplayError> {
        let at = self.calls.i64().const_int(self.shape.size() as u64, false);
        match self.returns {
            Some(object) => self.shape.push(object, offset as usize, size),
            None => self.shape.push_scalar(size, value.is_pointer_value()),
        }
        let address = self.calls.pointer_from(self.runtime, &[at.into()])?;
        let value = match value {
            BasicValueEnum::IntValue(int) => {
                let stored = whole_bytes(self.calls, int.get_type().get_bit_width())?;
                self.calls.builder.build_int_z_extend_or_bit_cast(int, stored, "")?.as_basic_value_enum()
            }
            other => other,
        };
        align_to_one(Some(self.calls.builder.build_store(address, value)?));
        Ok(())
    }
}

/// Hands the runtime the tables of parameters and globals.
fn prepare(calls: &Calls<'_, '_>, entry: &Entry, globals: &[PlannedGlobal]) -> Result<(), ReplayError> {
    let context = calls.context();
    let pointer = context.ptr_type(AddressSpace::default());
    let number = |n: u64| calls.i64().const_int(n, false);
    let text = |text: &str| {
        let bytes = context.const_string(text.as_bytes(), true);
        constant(calls, bytes.into())
    };
    let row = context.struct_type(&[pointer.into(), calls.i64().into()], false);
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|p| row.const_named_struct(&[text(&p.name).into(), number(p.size).into()]))
        .collect();
    let parameter_table = constant(calls, row.const_array(&parameters).into());
    let row = context.struct_type(&[pointer.into(), pointer.into(), pointer.into(), calls.i64().into()], false);
    let variables = globals.iter().filter_map(|g| Some((g, calls.module.get_global(&g.name)?)));
    let variables: Vec<_> = variables
        .filter(|(_, v)| !v.is_thread_local())
        .map(|(g, v)| {
            let (name, source_name) = (text(&g.name), text(&g.source_name));
            let address = v.as_pointer_value();
            row.const_named_struct(&[name.into(), source_name.into(), address.into(), number(g.size).into()])
        })
        .collect();
    let global_table = constant(calls, row.const_array(&variables).into());
    let signature = [pointer.into(), calls.i64().into(), pointer.into(), calls.i64().into()];
    let runtime = calls.declare("__upshot_prepare", &signature);
    let (parameter_count, global_count) = (number(parameters.len() as u64), number(variables.len() as u64));
    calls.call(runtime, &[parameter_table.into(), parameter_count.into(), global_table.into(), global_count.into()])?;
    Ok(())
}

/// A constant in memory.
pub(super) fn constant<'ctx>(calls: &Calls<'_, 'ctx>, value: BasicValueEnum<'ctx>) -> PointerValue<'ctx> {
    let global = calls.module.add_global(value.get_type(), None, "upshot.constant");
    global.set_linkage(Linkage::Private);
    global.set_constant(true);
    global.set_initializer(&value);
    global.as_pointer_value()
}
