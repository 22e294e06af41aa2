//! Arrays of bytes: the content of memory objects that are read at symbolic offsets.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Terms;
use crate::facts::Facts;
use crate::interner::IdTable;
use crate::node::{ArrayId, ArrayNode, Node, SymbolId, TermId};

/// The largest part of a table that is looked through for what its entries have in common.
const MOST_SCANNED: u128 = 512;

#[derive(Clone, Debug)]
struct Entry {
    node: ArrayNode,
    length: u64,
    hash: u64,
}

/// The arrays of an arena. The table holds array numbers plus one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrays {
    entries: Vec<Entry>,
    table: IdTable,
    /// By address of the content, which the entry keeps alive: asking again with the same `Rc` does not look at the bytes.
    by_address: FxHashMap<usize, ArrayId>,
}

impl Arrays {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, array: ArrayId) -> &Entry {
        &self.entries[array.0 as usize]
    }
}

/// The address of shared content, for content that has one.
fn address(node: &ArrayNode) -> Option<usize> {
    match node {
        ArrayNode::Bytes(bytes) if !bytes.is_empty() => Some(Rc::as_ptr(bytes).cast::<u8>() as usize),
        ArrayNode::Table(terms) if !terms.is_empty() => Some(Rc::as_ptr(terms).cast::<u8>() as usize),
        _ => None,
    }
}

impl Terms {
    pub fn array(&mut self, node: ArrayNode) -> ArrayId {
        if let Some(&known) = address(&node).and_then(|address| self.arrays.by_address.get(&address)) {
            return known;
        }
        let given = address(&node);
        let node = if self.simplify { self.simplified_array(node) } else { node };
        let array = self.intern_array(node);
        // Only if the entry holds this very content does the address stay taken.
        if given.is_some() && address(self.array_node(array)) == given {
            self.arrays.by_address.extend(given.map(|address| (address, array)));
        }
        array
    }

    fn intern_array(&mut self, node: ArrayNode) -> ArrayId {
        let hash = self.hash_array(&node);
        let entries = &self.arrays.entries;
        if let Some(known) = self.arrays.table.find(hash, |raw| entries[raw as usize - 1].node == node) {
            return ArrayId(known - 1);
        }
        let length = match &node {
            ArrayNode::Bytes(bytes) => bytes.len() as u64,
            ArrayNode::Table(terms) => terms.len() as u64,
            ArrayNode::Symbol { size, .. } => u64::from(*size),
            ArrayNode::Store { array, .. } => self.array_len(*array),
        };
        let array = ArrayId(self.arrays.entries.len() as u32);
        self.arrays.entries.push(Entry { node, length, hash });
        self.arrays.table.insert(hash, array.0 + 1);
        array
    }

    fn simplified_array(&mut self, node: ArrayNode) -> ArrayNode {
        match node {
            ArrayNode::Table(table) => self.simplified_table(table),
            ArrayNode::Store { array, index, value } => self.simplified_store(array, index, value),
            _ => node,
        }
    }

    /// A table of constants is bytes; a table of all bytes of an input object is that object.
    fn simplified_table(&self, table: Rc<[TermId]>) -> ArrayNode {
        let bytes: Option<Vec<u8>> = table.iter().map(|&term| self.as_const(term).map(|value| value as u8)).collect();
        if let Some(bytes) = bytes {
            return ArrayNode::Bytes(bytes.into());
        }
        match self.whole_symbol(&table) {
            Some(symbol) => ArrayNode::Symbol { symbol, size: table.len() as u32 },
            None => ArrayNode::Table(table),
        }
    }

    /// A store hides the one below it at the same index; writing back what was read changes nothing.
    fn simplified_store(&self, array: ArrayId, index: TermId, value: TermId) -> ArrayNode {
        if self.node(value) == (Node::Read { array, index }) {
            return self.array_node(array).clone();
        }
        match self.array_node(array) {
            &ArrayNode::Store { array: below, index: hidden, .. } if hidden == index => {
                ArrayNode::Store { array: below, index, value }
            }
            _ => ArrayNode::Store { array, index, value },
        }
    }

    fn whole_symbol(&self, table: &[TermId]) -> Option<SymbolId> {
        let Node::Byte { symbol, .. } = self.node(*table.first()?) else { return None };
        let in_order =
            |(position, &term): (usize, &TermId)| self.node(term) == Node::Byte { symbol, offset: position as u32 };
        table.iter().enumerate().all(in_order).then_some(symbol)
    }

    pub fn array_node(&self, array: ArrayId) -> &ArrayNode {
        &self.arrays.entry(array).node
    }

    /// Number of bytes.
    pub fn array_len(&self, array: ArrayId) -> u64 {
        self.arrays.entry(array).length
    }

    pub(crate) fn array_hash(&self, array: ArrayId) -> u64 {
        self.arrays.entry(array).hash
    }

    /// One byte of an array; zero if the index (64 bits) is out of range.
    pub fn read(&mut self, array: ArrayId, index: TermId) -> TermId {
        debug_assert_eq!(self.width(index), 64, "the index of a read has 64 bits");
        if !self.simplify {
            return self.intern(Node::Read { array, index }, 8);
        }
        let mut array = array;
        while let &ArrayNode::Store { array: below, index: stored, value } = self.array_node(array) {
            let same = self.eq(stored, index);
            if self.is_true(same) {
                return value;
            }
            if !self.is_false(same) {
                return self.finish(Node::Read { array, index }, 8);
            }
            array = below;
        }
        match self.as_const(index) {
            Some(position) => self.read_at(array, position),
            None => self.finish(Node::Read { array, index }, 8),
        }
    }

    /// A read at a constant position, below all stores.
    fn read_at(&mut self, array: ArrayId, position: u128) -> TermId {
        if position >= u128::from(self.array_len(array)) {
            return self.constant(8, 0);
        }
        let position = position as usize;
        match self.array_node(array) {
            ArrayNode::Bytes(bytes) => {
                let byte = bytes[position];
                self.constant(8, u128::from(byte))
            }
            ArrayNode::Table(table) => table[position],
            &ArrayNode::Symbol { symbol, .. } => self.byte(symbol, position as u32),
            ArrayNode::Store { .. } => {
                let index = self.constant(64, position as u128);
                self.intern(Node::Read { array, index }, 8)
            }
        }
    }

    /// What all entries of a table that the index can reach have in common.
    pub(crate) fn read_facts(&self, array: ArrayId, index: TermId) -> Facts {
        let reach = self.facts(index);
        let length = u128::from(self.array_len(array));
        let (first, last) = (reach.low.min(length), reach.high.saturating_add(1).min(length));
        if last - first > MOST_SCANNED {
            return Facts::unknown(8);
        }
        let outside = (reach.high >= length).then_some(Facts::exactly(8, 0));
        let (first, last) = (first as usize, last as usize);
        let joined = match self.array_node(array) {
            ArrayNode::Bytes(bytes) => {
                let entries = bytes[first..last].iter().map(|&byte| Facts::exactly(8, u128::from(byte)));
                entries.chain(outside).reduce(Facts::or)
            }
            ArrayNode::Table(table) => {
                let entries = table[first..last].iter().map(|&entry| self.facts(entry));
                entries.chain(outside).reduce(Facts::or)
            }
            ArrayNode::Symbol { .. } | ArrayNode::Store { .. } => None,
        };
        joined.unwrap_or(Facts::unknown(8))
    }
}
