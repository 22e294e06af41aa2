//! From LLVM's instructions to scalar operations.
//!
//! Functions, blocks, instructions and their operands come from llvm-ir; types, constants and whatever else it leaves out
//! from LLVM's C API, instruction by instruction at the same position. Every instruction becomes the operations that
//! compute its scalars; one that cannot be expressed becomes an [`Op::Unsupported`](crate::Op::Unsupported) that ends the paths
//! which reach it, so that an exotic instruction never keeps the rest of a program from being run.

mod arithmetic;
mod call;
mod cast;
mod function;
mod intrinsic;
mod memory;
mod module;
mod parameters;
mod slots;
mod terminator;
mod vector;
mod wide;

pub(crate) use function::Misaligned;
pub(crate) use module::{Refused, lower_module};

use crate::capi::{Module, Value};
use crate::debuginfo::DebugInfo;
use crate::layout::Layouts;
use crate::program::{FuncId, GlobalId};
use rustc_hash::FxHashMap;

/// Why an instruction cannot be expressed, in words that go after "not supported: ".
#[derive(Debug)]
pub(crate) struct Unsupported(pub(crate) String);

pub(crate) type Lowered<T> = Result<T, Unsupported>;

/// What lowering knows of the whole module.
pub(crate) struct Context<'m> {
    pub(crate) layouts: Layouts<'m>,
    pub(crate) functions: FxHashMap<Value<'m>, FuncId>,
    pub(crate) globals: FxHashMap<Value<'m>, GlobalId>,
    pub(crate) debug: DebugInfo<'m>,
    scratch: Option<GlobalId>,
    unsupported: Vec<String>,
    unsupported_ids: FxHashMap<String, u32>,
}

impl<'m> Context<'m> {
    fn new(module: &'m Module) -> Self {
        Context {
            layouts: Layouts::new(module),
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            debug: DebugInfo::new(module),
            scratch: None,
            unsupported: Vec::new(),
            unsupported_ids: FxHashMap::default(),
        }
    }

    /// The index of a message in [`Program::unsupported`](crate::Program::unsupported).
    fn unsupported(&mut self, what: Unsupported) -> u32 {
        let next = self.unsupported.len() as u32;
        let id = *self.unsupported_ids.entry(what.0.clone()).or_insert(next);
        if id == next {
            self.unsupported.push(what.0);
        }
        id
    }
}
