//! The arena: one vector of nodes, and a hash table from a node to its id. The table holds no keys, only ids with some bits
//! of the hash, and looks into the vector; so a term costs no allocation of its own, and finding one that exists costs a
//! probe or two. The hash of the table is over ids; the *structural* hash, which is the same in every arena, is computed
//! once, when a term is new.

use crate::node::{Node, TermId};
use crate::order::mix;

/// Ids by hash, open addressing. A slot is the upper half of the hash and the id; zero is free. The position follows from
/// that upper half alone, so growing reads and writes the slots in order and looks at nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    slots: Vec<u64>,
    used: usize,
}

impl IdTable {
    fn start(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// The id under this hash for which `matches` holds.
    pub(crate) fn find(&self, hash: u64, matches: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut position = self.start(hash);
        loop {
            let slot = self.slots[position];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 && matches(slot as u32) {
                return Some(slot as u32);
            }
            position = (position + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds an id (not zero) that is not there.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        if self.used * 3 >= self.slots.len() * 2 {
            self.grow();
        }
        self.place(hash >> 32 << 32 | u64::from(id));
        self.used += 1;
    }

    fn place(&mut self, slot: u64) {
        let mut position = self.start(slot);
        while self.slots[position] != 0 {
            position = (position + 1) & (self.slots.len() - 1);
        }
        self.slots[position] = slot;
    }

    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(64);
        let slots = std::mem::replace(&mut self.slots, vec![0; larger]);
        for slot in slots.into_iter().filter(|&slot| slot != 0) {
            self.place(slot);
        }
    }
}

/// The nodes of an arena with their widths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    widths: Vec<u8>,
    table: IdTable,
}

impl Nodes {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, term: TermId) -> Node {
        self.nodes[term.index()]
    }

    pub(crate) fn width(&self, term: TermId) -> u8 {
        self.widths[term.index()]
    }

    /// The id of a node that exists.
    pub(crate) fn find(&self, node: Node, width: u8) -> Option<TermId> {
        let hash = identity_hash(node, width);
        let same = |raw: u32| self.nodes[raw as usize - 1] == node && self.widths[raw as usize - 1] == width;
        self.table.find(hash, same).and_then(TermId::from_raw)
    }

    /// Adds a node that does not exist yet.
    pub(crate) fn add(&mut self, node: Node, width: u8) -> TermId {
        let hash = identity_hash(node, width);
        let term = TermId::from_index(self.nodes.len());
        self.nodes.push(node);
        self.widths.push(width);
        self.table.insert(hash, term.raw());
        term
    }
}

/// A hash over ids: only good within one arena.
fn identity_hash(node: Node, width: u8) -> u64 {
    let shape = node.shape() << 8 | u64::from(width);
    let pair = |a: TermId, b: TermId| u64::from(a.raw()) | u64::from(b.raw()) << 32;
    let (first, second) = match node {
        Node::Const(value) => (value, 0),
        Node::WideConst(index) => (u64::from(index), 1),
        Node::Byte { symbol, .. } => (u64::from(symbol.0), 0),
        Node::Read { array, index } => (u64::from(array.0) | u64::from(index.raw()) << 32, 0),
        Node::Bin(_, a, b) | Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b) | Node::Concat(a, b) => (pair(a, b), 0),
        Node::Not(a) | Node::ZExt(a) | Node::SExt(a) | Node::Extract { term: a, .. } => (u64::from(a.raw()), 0),
        Node::Ite(a, b, c) => (pair(a, b), u64::from(c.raw())),
        _ => {
            let mut operands = node.operands().map(|operand| u64::from(operand.raw()));
            let first = operands.next().unwrap_or(0) | operands.next().unwrap_or(0) << 32;
            (first, operands.next().unwrap_or(0))
        }
    };
    mix(first, shape.wrapping_mul(0x9fb2_1c65_1e98_df25) ^ second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::BinOp;

    /// Neighbouring ids must not meet in the table: long searches would not show in any other test.
    #[test]
    fn nodes_spread() {
        let mut nodes = Nodes::default();
        let id = |raw: u32| TermId::from_raw(raw).unwrap();
        for a in 1..300 {
            for b in 1..300 {
                nodes.add(Node::Bin(BinOp::Add, id(a), id(b)), 32);
            }
            nodes.add(Node::Const(u64::from(a)), 32);
            nodes.add(Node::ZExt(id(a)), 64);
        }
        let slots = &nodes.table.slots;
        let distance = |(position, &slot): (usize, &u64)| {
            if slot == 0 { 0 } else { position.wrapping_sub(nodes.table.start(slot)) & (slots.len() - 1) }
        };
        let total: usize = slots.iter().enumerate().map(distance).sum();
        assert!(total < 2 * nodes.len(), "{total} steps for {} nodes", nodes.len());
        assert_eq!(nodes.find(Node::Bin(BinOp::Add, id(7), id(9)), 32).map(TermId::raw), Some(6 * 301 + 9));
        assert_eq!(nodes.find(Node::Bin(BinOp::Add, id(7), id(9)), 16), None);
    }
}
