//! What can be seen of a state from outside: the contents of its objects, and the calls that it made to functions that are not known.
//!
//! Two versions of a program that share one term arena are compared by these, see `partition` in upshot-explore.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use upshot_expr::{Node, TermId};
use upshot_ir::GlobalId;

use crate::machine::Machine;
use crate::memory::{Byte, Lookup, Object, Owner, byte_term, lazy_index, may_be_address};
use crate::state::State;
use crate::value::Value;

/// One byte of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Byte(TermId),
    /// Nobody wrote it, and nobody has looked.
    Unwritten,
}

/// What an object holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub base: u64,
    pub owner: Owner,
    pub symbolic_size: Option<TermId>,
    pub read_only: bool,
    pub cells: Vec<Cell>,
    /// Where symbolic pointers are stored, and an address in the object that each leads into.
    pub leads: Vec<(u64, u64)>,
}

/// A call of a function that is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalCall {
    pub name: String,
    /// Values and their widths.
    pub arguments: Vec<(Value, u8)>,
    /// What it could read: the memory reachable from its arguments, from globals that other files see, and from what was handed out before.
    pub seen: Rc<Vec<Content>>,
}

impl Content {
    /// The word at an offset, if all of it is known.
    pub fn concrete_word(&self, machine: &Machine<'_>, offset: u64) -> Option<u64> {
        let mut word = 0;
        for (shift, cell) in self.cells.get(offset as usize..offset as usize + 8)?.iter().enumerate() {
            let Cell::Byte(term) = cell else { return None };
            word |= (machine.terms.as_const(*term)? as u64) << (8 * shift);
        }
        Some(word)
    }
}

impl Machine<'_> {
    /// What the object around an address holds; `None` if there is none any more.
    pub fn content(&mut self, state: &State, address: u64) -> Option<Content> {
        let object = state.memory.find(address)?;
        Some(self.content_of(object))
    }

    pub(crate) fn content_of(&mut self, object: &Object) -> Content {
        let mut cells = Vec::with_capacity(object.size as usize);
        let mut leads = Vec::new();
        for offset in 0..object.size {
            cells.push(match object.byte(&mut self.terms, offset) {
                Byte::Concrete(value) => Cell::Byte(self.terms.constant(8, u128::from(value))),
                Byte::Term(byte) => {
                    if byte.index == 0 && byte.provenance != 0 && lazy_index(byte.provenance).is_none() {
                        leads.push((offset, byte.provenance));
                    }
                    Cell::Byte(byte_term(&mut self.terms, byte))
                }
                Byte::Unwritten => Cell::Unwritten,
            });
        }
        Content {
            base: object.base,
            owner: object.owner,
            symbolic_size: object.symbolic_size,
            read_only: object.read_only,
            cells,
            leads,
        }
    }

    /// Where a global lies.
    pub fn global_address(&self, global: GlobalId) -> u64 {
        self.image.globals[global.index()]
    }

    /// Whether a number is the address of an object that exists or existed on this path, or of code.
    pub fn is_address(&self, state: &State, number: u64) -> bool {
        may_be_address(number) && state.memory.home(number).is_some()
    }

    /// Whose memory an address is in, if there is any.
    pub fn owner(&self, state: &State, address: u64) -> Option<Owner> {
        state.memory.find(address).map(|object| object.owner)
    }

    /// Whether there is no object at this address any more.
    pub fn is_gone(&self, state: &State, address: u64) -> bool {
        matches!(state.memory.lookup(address), Lookup::Gone)
    }

    /// The addresses that a term may evaluate to or count from: constants in it that are such.
    pub fn addresses_in(&self, state: &State, term: TermId) -> Vec<u64> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = self.terms.node(term);
            if let Node::Const(value) = node
                && self.terms.width(term) == 64
                && self.is_address(state, value)
            {
                found.push(value);
            }
            work.extend(node.operands());
        }
        found.sort_unstable();
        found
    }
}
