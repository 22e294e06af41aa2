//! What stands in for functions that have no body: the parts of the C library that need the engine.
//!
//! Each family is a module with a table of names; a model is a Rust function over the state. It asks its questions
//! first and changes the state last (see [`crate::machine`]). Everything that can be plain C is in the C
//! runtime instead, which is linked to the program before it gets here and so can be replaced by a full C library.

mod alloc;
mod format;
mod klee;
mod libm;
pub(crate) mod math;
mod memory;
mod process;
mod stdio;
mod variadic;

pub use format::{format_conversion, format_text};

use upshot_ir::{FuncId, Scalar};

use crate::machine::{Machine, Stop};
use crate::state::State;
use crate::value::Value;

/// A call of a modelled function.
pub(crate) struct CallSite<'a> {
    pub function: FuncId,
    pub arguments: &'a [Value],
    pub scalars: &'a [Scalar],
}

impl CallSite<'_> {
    /// Argument number `index`; zero where the call has fewer.
    pub fn argument(&self, machine: &mut Machine<'_>, state: &mut State, index: usize) -> Result<Value, Stop> {
        let width = self.scalars.get(index).map_or(64, |scalar| scalar.width());
        machine.written(state, self.arguments.get(index).copied().unwrap_or(Value::ZERO), width)
    }

    pub fn width(&self, index: usize) -> u8 {
        self.scalars.get(index).map_or(64, |scalar| scalar.width())
    }
}

/// What a model has done.
pub(crate) enum Reply {
    Value(Value),
    /// A struct, as its scalars.
    Values(Vec<Value>),
    Nothing,
    /// It has entered a function, which will return to the caller in its place.
    Entered,
}

pub(crate) type Model = fn(&mut Machine<'_>, &mut State, &CallSite<'_>) -> Result<Reply, Stop>;

/// The model of a function, by its name.
pub(crate) fn find(name: &str) -> Option<Model> {
    [alloc::TABLE, klee::TABLE, memory::TABLE, process::TABLE, stdio::TABLE]
        .iter()
        .flat_map(|table| table.iter())
        .find(|(known, _)| *known == name)
        .map(|(_, model)| *model)
        .or_else(|| math::find(name))
}
