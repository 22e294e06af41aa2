//! What the parts of input objects are called in C, and how C reads them. Terms mean the same without; only [`Terms::display`] looks here.

use std::rc::Rc;

use crate::Terms;
use crate::node::SymbolId;

/// Bytes of an input object that C has a name for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub offset: u32,
    /// In bytes.
    pub size: u32,
    /// As an expression: `p->length`
    pub name: String,
    pub reading: PartReading,
}

/// How C reads a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartReading {
    Signed,
    Unsigned,
    Character {
        signed: bool,
    },
    Pointer,
    /// Not as an integer: a float.
    Other,
}

impl Terms {
    /// Says what the parts of an input are called, unless that has been said; `parts` is only called if not.
    pub fn name_parts(&mut self, symbol: SymbolId, parts: impl FnOnce() -> Vec<Part>) {
        self.parts.entry(symbol).or_insert_with(|| Rc::from(parts()));
    }

    /// The part that is just these bytes.
    pub(crate) fn part(&self, symbol: SymbolId, offset: u32, size: u32) -> Option<&Part> {
        self.parts.get(&symbol)?.iter().find(|part| (part.offset, part.size) == (offset, size))
    }

    /// The part of more than one byte that ends with this byte.
    pub(crate) fn part_that_ends(&self, symbol: SymbolId, offset: u32) -> Option<&Part> {
        self.parts.get(&symbol)?.iter().find(|part| part.size > 1 && part.offset + part.size == offset + 1)
    }
}
