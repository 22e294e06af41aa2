//! Definitions for what a program declares and nobody defines.
//!
//! The executor needs no body for a function that a path never calls, but a linker does. Such a function gets one that
//! returns what the test has for it (objects named `f()#0`, `f()#1`, …) and otherwise ends the run, saying which function it was;
//! such a variable gets zeros, which a test may replace.

use std::collections::BTreeSet;

use inkwell::AddressSpace;
use inkwell::builder::BuilderError;
use inkwell::module::Linkage;
use inkwell::targets::TargetData;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::FunctionValue;

use super::instrument::Calls;
use super::start::constant;

/// The symbols that a linker's messages complain about.
pub(super) fn undefined_symbols(messages: &str) -> BTreeSet<String> {
    let after = |line: &str, words: &str, end: &[char]| {
        let rest = line.split(words).nth(1)?;
        let name = rest.split(end).next()?;
        (!name.is_empty()).then(|| name.to_string())
    };
    messages
        .lines()
        .filter_map(|line| {
            after(line, "undefined reference to `", &['\'']).or_else(|| after(line, "undefined symbol: ", &[' ', '\n']))
        })
        .collect()
}

/// Defines those of the names that the module declares, and says how many that were.
pub(super) fn define(calls: &Calls<'_, '_>, names: &BTreeSet<String>) -> Result<usize, BuilderError> {
    let mut defined = 0;
    for name in names {
        if let Some(function) = calls.module.get_function(name).filter(|f| f.count_basic_blocks() == 0) {
            define_function(calls, function, name)?;
            defined += 1;
        } else if let Some(global) = calls.module.get_global(name).filter(|g| g.is_declaration()) {
            let zero = match global.get_value_type() {
                AnyTypeEnum::ArrayType(ty) => BasicTypeEnum::from(ty).const_zero(),
                AnyTypeEnum::FloatType(ty) => BasicTypeEnum::from(ty).const_zero(),
                AnyTypeEnum::IntType(ty) => BasicTypeEnum::from(ty).const_zero(),
                AnyTypeEnum::PointerType(ty) => BasicTypeEnum::from(ty).const_zero(),
                AnyTypeEnum::StructType(ty) if !ty.is_opaque() => BasicTypeEnum::from(ty).const_zero(),
                AnyTypeEnum::VectorType(ty) => BasicTypeEnum::from(ty).const_zero(),
                _ => continue,
            };
            global.set_linkage(Linkage::Internal);
            global.set_initializer(&zero);
            defined += 1;
        }
    }
    Ok(defined)
}

fn define_function<'ctx>(
    calls: &Calls<'_, 'ctx>,
    function: FunctionValue<'ctx>,
    name: &str,
) -> Result<(), BuilderError> {
    let context = calls.context();
    let builder = &calls.builder;
    let pointer = context.ptr_type(AddressSpace::default());
    builder.position_at_end(context.append_basic_block(function, "undefined"));
    function.set_linkage(Linkage::Internal);
    let (result, size) = match function.get_type().get_return_type() {
        Some(ty) => {
            let layout = TargetData::create(&calls.module.get_data_layout().as_str().to_string_lossy());
            let result = builder.build_alloca(ty, "")?;
            builder.build_store(result, ty.const_zero())?;
            (result, layout.get_store_size(&ty))
        }
        None => (pointer.const_null(), 0),
    };
    let signature = [pointer.into(), pointer.into(), calls.i64().into()];
    let runtime = calls.declare("__upshot_undefined", &signature);
    let name = constant(calls, context.const_string(name.as_bytes(), true).into());
    let size = calls.i64().const_int(size, false);
    calls.call(runtime, &[name.into(), result.into(), size.into()])?;
    match function.get_type().get_return_type() {
        Some(ty) => builder.build_return(Some(&builder.build_load(ty, result, "")?))?,
        None => builder.build_return(None)?,
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_linkers_are_understood() {
        let gnu = "/usr/bin/ld: /tmp/a.o: in function `f':\n(.text+0x5): undefined reference to `missing'\n\
                   /usr/bin/ld: /tmp/a.o:(.data+0x0): undefined reference to `other'\nclang: error: linker command failed\n";
        assert_eq!(undefined_symbols(gnu), BTreeSet::from(["missing".to_string(), "other".to_string()]));
        let lld = "ld.lld: error: undefined symbol: missing\n>>> referenced by a.c\n";
        assert_eq!(undefined_symbols(lld), BTreeSet::from(["missing".to_string()]));
        assert!(undefined_symbols("multiple definition of `main'").is_empty());
    }
}
