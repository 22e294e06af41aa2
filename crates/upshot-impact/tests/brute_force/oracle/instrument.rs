//! Rewriting bitcode so that every instruction tells what it has computed.
//!
//! A call goes after each instruction (before those that end a block), with the instruction's number and its value: of a store the value and the place, of a branch the
//! condition. A call of a function tells twice, before it is made and when it has returned.

use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue, Operand,
    PointerValue,
};
use std::path::Path;

/// Objects are this far apart, and never this large.
const APART: u32 = 64;

/// What becomes of one version's bitcode.
pub struct Plan<'a> {
    /// What functions and globals are to be called.
    pub name: &'a dyn Fn(&str) -> String,
    /// By the name of a function: the number of its first instruction, and how many it has.
    pub first: &'a dyn Fn(&str) -> Option<(u32, usize)>,
    /// By the name of a global that can be written: the section that it belongs in.
    pub section: &'a dyn Fn(&str) -> Option<String>,
}

/// Rewrites bitcode and writes it to a file.
pub fn instrument(bitcode: &[u8], plan: &Plan<'_>, to: &Path) {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "program");
    let module = context.create_module_from_ir(buffer).expect("clang's bitcode can be read");
    module.strip_debug_info();
    let layout = TargetData::create(module.get_data_layout().as_str().to_str().expect("a data layout is plain text"));
    let writer = Writer { module: &module, builder: context.create_builder(), layout };
    let functions: Vec<_> = module.get_functions().filter(|it| it.count_basic_blocks() > 0).collect();
    for function in &functions {
        let name = function.get_name().to_string_lossy().into_owned();
        let (first, count) = (plan.first)(&name).unwrap_or_else(|| panic!("{name} is not known"));
        writer.function(*function, first, count);
    }
    for global in module.get_globals() {
        let name = global.get_name().to_string_lossy().into_owned();
        if let Some(section) = (plan.section)(&name) {
            global.set_section(Some(&section));
        }
        global.set_alignment(APART);
        global.set_linkage(Linkage::External);
        global.set_name(&(plan.name)(&name));
    }
    for function in functions {
        let name = function.get_name().to_string_lossy().into_owned();
        function.set_linkage(Linkage::External);
        function.as_global_value().set_name(&(plan.name)(&name));
    }
    module.verify().unwrap_or_else(|error| panic!("{}", error.to_string()));
    assert!(module.write_bitcode_to_path(to));
}

struct Writer<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: Builder<'ctx>,
    layout: TargetData,
}

impl<'ctx> Writer<'_, 'ctx> {
    fn call(&self, name: &str, arguments: &[BasicMetadataValueEnum<'ctx>]) {
        let function = self.module.get_function(name).unwrap_or_else(|| {
            let types: Vec<BasicMetadataTypeEnum<'ctx>> = arguments
                .iter()
                .map(|argument| match argument {
                    BasicMetadataValueEnum::IntValue(value) => value.get_type().into(),
                    BasicMetadataValueEnum::PointerValue(value) => value.get_type().into(),
                    other => panic!("nothing is told of {other:?}"),
                })
                .collect();
            self.module.add_function(name, self.module.get_context().void_type().fn_type(&types, false), None)
        });
        self.builder.build_call(function, arguments, "").expect("the builder has a place");
    }

    fn function(&self, function: FunctionValue<'ctx>, first: u32, count: usize) {
        let blocks: Vec<Vec<InstructionValue<'ctx>>> =
            function.get_basic_blocks().into_iter().map(|block| block.get_instructions().collect()).collect();
        let found: usize = blocks.iter().map(Vec::len).sum();
        assert_eq!(found, count, "{:?} has instructions that are numbered otherwise", function.get_name());
        let mut number = first;
        for block in &blocks {
            let body = block.iter().find(|it| it.get_opcode() != InstructionOpcode::Phi).expect("a block has an end");
            for &instruction in block {
                let site = self.module.get_context().i32_type().const_int(u64::from(number), false);
                self.tell(instruction, site, body);
                number += 1;
            }
        }
        let entry = &blocks[0][0];
        self.builder.position_before(entry);
        self.call("up_enter", &[]);
    }

    /// `body` is what follows the block's phis.
    fn tell(&self, instruction: InstructionValue<'ctx>, site: IntValue<'ctx>, body: &InstructionValue<'ctx>) {
        let opcode = instruction.get_opcode();
        let after = || instruction.get_next_instruction().expect("only a terminator is last");
        let operand = |index: u32| match instruction.get_operand(index) {
            Some(Operand::Value(value)) => Some(value),
            _ => None,
        };
        match opcode {
            InstructionOpcode::Br | InstructionOpcode::Switch | InstructionOpcode::Return => {
                self.builder.position_before(&instruction);
                let conditional = opcode != InstructionOpcode::Br || instruction.is_conditional() == Ok(true);
                self.value(site, operand(0).filter(|_| conditional));
                if opcode == InstructionOpcode::Return {
                    self.call("up_leave", &[]);
                }
            }
            InstructionOpcode::Unreachable => {
                self.builder.position_before(&instruction);
                self.value(site, None);
            }
            InstructionOpcode::Phi => {
                self.builder.position_before(body);
                self.value(site, value_of(instruction));
            }
            InstructionOpcode::Alloca => {
                let ty = instruction.get_allocated_type().expect("an alloca has a type");
                let size = self.layout.get_abi_size(&ty);
                assert!(!size.is_multiple_of(u64::from(APART)), "an object that fills its place up");
                instruction.set_alignment(APART).expect("an alloca has an alignment");
                self.builder.position_before(&after());
                let pointer = PointerValue::try_from(instruction).expect("an alloca is a pointer");
                let size = self.module.get_context().i64_type().const_int(size, false);
                self.call("up_local", &[site.into(), pointer.into(), size.into()]);
            }
            InstructionOpcode::Store => {
                self.builder.position_before(&after());
                let place = operand(1).expect("a store has a place").into_pointer_value();
                match operand(0).expect("a store has a value") {
                    BasicValueEnum::IntValue(value) => {
                        self.call("up_store_int", &[site.into(), self.wide(value).into(), place.into()]);
                    }
                    BasicValueEnum::PointerValue(value) => {
                        self.call("up_store_pointer", &[site.into(), value.into(), place.into()]);
                    }
                    other => panic!("nothing is told of a store of {other:?}"),
                }
            }
            InstructionOpcode::Call => {
                self.builder.position_before(&instruction);
                self.value(site, None);
                if let Some(value) = value_of(instruction) {
                    self.builder.position_before(&after());
                    self.value(site, Some(value));
                }
            }
            _ => {
                self.builder.position_before(&after());
                self.value(site, Some(value_of(instruction).expect("an integer or a pointer")));
            }
        }
    }

    fn value(&self, site: IntValue<'ctx>, value: Option<BasicValueEnum<'ctx>>) {
        match value {
            None => self.call("up_ran", &[site.into()]),
            Some(BasicValueEnum::IntValue(value)) => self.call("up_int", &[site.into(), self.wide(value).into()]),
            Some(BasicValueEnum::PointerValue(value)) => self.call("up_pointer", &[site.into(), value.into()]),
            Some(other) => panic!("nothing is told of {other:?}"),
        }
    }

    fn wide(&self, value: IntValue<'ctx>) -> IntValue<'ctx> {
        let wide = self.module.get_context().i64_type();
        assert!(value.get_type().get_bit_width() <= 64);
        self.builder.build_int_z_extend(value, wide, "").expect("the builder has a place")
    }
}

/// What an instruction computes, where it is an integer or a pointer.
fn value_of(instruction: InstructionValue<'_>) -> Option<BasicValueEnum<'_>> {
    let int = IntValue::try_from(instruction).map(Into::into);
    int.or_else(|()| PointerValue::try_from(instruction).map(Into::into)).ok()
}
