//! A program made ready to run: addresses given to globals and functions, constants turned into values, models found.
//!
//! Made once, then shared by all workers; nothing in it belongs to a path or to a term arena.

use upshot_expr::fold;
use upshot_ir::{BlockId, Const, ConstOp, FuncId, Function, Program};

use crate::memory::{self, Memory, Owner};
use crate::models::{self, Model};
use crate::pairing::{Pairing, Place};
use crate::value::Value;
use crate::watch::Watch;

pub struct Image<'p> {
    pub program: &'p Program,
    /// The constant pool of each function.
    pub(crate) constants: Vec<Vec<Value>>,
    pub(crate) globals: Vec<u64>,
    /// In which order globals get their places, and which places are left to the other version.
    places: Vec<Place>,
    /// By function: the number that its address is made of; and how many numbers there are, in both versions.
    pub(crate) numbers: Vec<u32>,
    pub(crate) number_count: u32,
    /// What stands in for each function that has no body.
    pub(crate) models: Vec<Option<Model>>,
    /// For each function of the user's own code the hash of its name, as the trace wants it; 0 for the runtime's.
    pub(crate) trace_names: Vec<u64>,
    /// Number of the first block of each function, over all functions; for coverage.
    pub(crate) first_block: Vec<u32>,
    /// What the program's marks mean, where it has any.
    pub(crate) watch: Option<Watch>,
}

impl<'p> Image<'p> {
    pub fn new(program: &'p Program) -> Self {
        Image::placed(program, Pairing::alone(program))
    }

    /// A version of a program whose globals and functions have the addresses that their partners have in the other version.
    pub fn placed(program: &'p Program, pairing: Pairing) -> Self {
        let Pairing { places, numbers, number_count } = pairing;
        // Addresses depend on sizes and order alone, so a scratch memory that is laid out the same way gives them.
        let mut scratch = Memory::default();
        let globals = lay_out(program, &places, &mut scratch);
        let mut first_block = Vec::new();
        let mut blocks = 0;
        for function in &program.functions {
            first_block.push(blocks);
            blocks += function.blocks.len() as u32;
        }
        first_block.push(blocks);
        let mut image = Image {
            program,
            constants: Vec::new(),
            globals,
            places,
            numbers,
            number_count,
            models: program
                .functions
                .iter()
                .map(|f| if f.is_declaration { models::find(&f.name) } else { None })
                .collect(),
            trace_names: program.functions.iter().map(trace_name).collect(),
            first_block,
            watch: None,
        };
        image.constants = program
            .functions
            .iter()
            .map(|f| f.constants.iter().map(|c| Value::wide(image.constant(c))).collect())
            .collect();
        image
    }

    /// The same for a program with marks.
    pub fn watched(program: &'p Program, watch: Watch) -> Self {
        Image::new(program).with_watch(watch)
    }

    /// What the marks of the program mean.
    pub fn with_watch(self, watch: Watch) -> Self {
        Image { watch: Some(watch), ..self }
    }

    pub(crate) fn function_address(&self, function: FuncId) -> u64 {
        memory::function_address(self.numbers[function.index()])
    }

    /// The function at an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<FuncId> {
        let number = memory::function_at(address)?;
        // Without a partner version a function's number is its own.
        if self.numbers.get(number as usize) == Some(&number) {
            return Some(FuncId(number));
        }
        self.numbers.iter().position(|&other| other == number).map(|index| FuncId(index as u32))
    }

    /// The value of a constant. `undef` and `poison` are zero, always: a fixed value, so that every use agrees.
    pub(crate) fn constant(&self, constant: &Const) -> u128 {
        match constant {
            Const::Int { value, .. } => *value,
            Const::Global { global, offset } => u128::from(self.globals[global.index()].wrapping_add_signed(*offset)),
            Const::Function(function) => u128::from(self.function_address(*function)),
            Const::Block(function, block) => u128::from(memory::block_address(function.0, block.0)),
            Const::Undef { .. } => 0,
            Const::Expr { op, width, args } => {
                let values: Vec<u128> = args.iter().map(|arg| self.constant(arg)).collect();
                match op {
                    ConstOp::Bin(op) => fold::bin(*op, *width, values[0], values[1]),
                    ConstOp::Cmp(pred) => u128::from(fold::compare(*pred, 64, values[0], values[1])),
                    ConstOp::ZExt | ConstOp::Trunc => values[0] & fold::mask(*width),
                    ConstOp::SExt { from } => fold::sign_extend(values[0], *from, *width),
                    ConstOp::Select => values[if values[0] & 1 != 0 { 1 } else { 2 }],
                }
            }
        }
    }

    pub fn block_count(&self) -> usize {
        self.first_block.last().copied().unwrap_or(0) as usize
    }

    pub(crate) fn block_number(&self, function: FuncId, block: BlockId) -> usize {
        (self.first_block[function.index()] + block.0) as usize
    }

    /// Memory at the start of a path: all globals with their initial contents.
    pub(crate) fn initial_memory(&self) -> Memory {
        let mut memory = Memory::default();
        lay_out(self.program, &self.places, &mut memory);
        for (index, global) in self.program.globals.iter().enumerate() {
            let Some(object) = memory.find_mut(self.globals[index]) else { continue };
            let Some(initializer) = &global.initializer else {
                if let Some(stream) = ["stdin", "stdout", "stderr"].iter().position(|name| *name == global.name)
                    && object.size == 8
                {
                    object.write_bytes(0, &memory::stream_address(stream as u32).to_le_bytes());
                }
                continue;
            };
            let mut bytes = initializer.bytes.clone();
            bytes.resize(object.size as usize, 0);
            object.write_bytes(0, &bytes);
            for (offset, width, constant) in &initializer.relocations {
                let value = self.constant(constant).to_le_bytes();
                object.write_bytes(*offset, &value[..usize::from(*width).div_ceil(8)]);
            }
            object.read_only = global.is_constant;
        }
        memory
    }
}

/// Gives every global its place, in order. A global that is too large for any place gets the address 0 and so cannot be used.
fn lay_out(program: &Program, places: &[Place], memory: &mut Memory) -> Vec<u64> {
    let mut addresses = vec![0; program.globals.len()];
    for place in places {
        match *place {
            Place::Of(id) => {
                let global = program.global(id);
                let object = memory.allocate(global.size, u64::from(global.align), Owner::Global(id));
                addresses[id.index()] = object.map_or(0, |object| object.base);
            }
            Place::Left { size, align } => {
                let base = memory.allocate(size, align, Owner::Input).map(|object| object.base);
                base.into_iter().for_each(|base| memory.release(base));
            }
        }
    }
    addresses
}

fn trace_name(function: &Function) -> u64 {
    if function.is_runtime || function.is_declaration {
        return 0;
    }
    let hash = function
        .name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    // 0 stands for "not traced".
    hash | u64::from(hash == 0)
}
