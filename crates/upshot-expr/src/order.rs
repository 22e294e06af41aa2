//! The structural order of terms: the same in every arena and in every process, whatever was built before. Ids depend on
//! what was built first, so anything that must not depend on history (the operands of a commutative operator, the constraints
//! of a query) is sorted by this order instead. Terms are compared by a 64-bit hash of their structure, and only if two
//! different terms have the same hash, by the structure itself.

use std::cmp::Ordering;

use crate::Terms;
use crate::node::{ArrayId, ArrayNode, Node, SymbolId, TermId};

/// Mixes a word into a hash.
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    let product =
        u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93 ^ hash.rotate_left(23));
    (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32)
}

/// Mixes bytes into a hash.
pub(crate) fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(hash, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}

/// What the structural order looks at first, so that shallow terms come before deep ones and the bytes of an input in their
/// order: sums and conjunctions that grow in a loop then grow at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    depth: u16,
    /// The smallest offset of an input byte; constants have none and say `u16::MAX`.
    offset: u16,
}

/// What is still to be compared, if all that was compared so far is equal.
enum Pair {
    Terms(TermId, TermId),
    Arrays(ArrayId, ArrayId),
}

impl Terms {
    /// The structural order: total, and the same in every arena and process.
    pub fn order(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        self.shallow_order(a, b).then_with(|| self.deep_order(a, b))
    }

    fn shallow_order(&self, a: TermId, b: TermId) -> Ordering {
        let ranks = self.ranks[a.index()].cmp(&self.ranks[b.index()]);
        ranks.then_with(|| self.structural_hash(a).cmp(&self.structural_hash(b)))
    }

    /// A hash of the term's structure, the same in every arena and process.
    pub fn structural_hash(&self, term: TermId) -> u64 {
        self.hashes[term.index()]
    }

    fn deep_order(&self, a: TermId, b: TermId) -> Ordering {
        let mut pending = vec![Pair::Terms(a, b)];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(pair) = pending.pop() {
            let found = match pair {
                Pair::Terms(a, b) if a == b || !seen.insert((a, b)) => Ordering::Equal,
                Pair::Terms(a, b) => self.compare_nodes(a, b, &mut pending),
                Pair::Arrays(a, b) if a == b => Ordering::Equal,
                Pair::Arrays(a, b) => self.compare_arrays(a, b, &mut pending),
            };
            if found != Ordering::Equal {
                return found;
            }
        }
        Ordering::Equal
    }

    /// Compares all but the operands, and leaves these for later.
    fn compare_nodes(&self, a: TermId, b: TermId, pending: &mut Vec<Pair>) -> Ordering {
        let (left, right) = (self.node(a), self.node(b));
        let here = self
            .shallow_order(a, b)
            .then_with(|| self.width(a).cmp(&self.width(b)))
            .then_with(|| left.shape().cmp(&right.shape()))
            .then_with(|| self.as_const(a).cmp(&self.as_const(b)));
        if here != Ordering::Equal {
            return here;
        }
        let first = pending.len();
        if let (Node::Byte { symbol: left, .. }, Node::Byte { symbol: right, .. }) = (left, right) {
            return self.compare_symbols(left, right);
        }
        if let (Node::Read { array: left, .. }, Node::Read { array: right, .. }) = (left, right) {
            pending.push(Pair::Arrays(left, right));
        }
        pending.extend(left.operands().zip(right.operands()).map(|(left, right)| Pair::Terms(left, right)));
        pending[first..].reverse();
        Ordering::Equal
    }

    fn compare_symbols(&self, a: SymbolId, b: SymbolId) -> Ordering {
        let key = |symbol| (self.symbol_name(symbol), self.symbol_size(symbol));
        key(a).cmp(&key(b))
    }

    fn compare_arrays(&self, a: ArrayId, b: ArrayId, pending: &mut Vec<Pair>) -> Ordering {
        let first = pending.len();
        let found = match (self.array_node(a), self.array_node(b)) {
            (ArrayNode::Bytes(left), ArrayNode::Bytes(right)) => left.cmp(right),
            (ArrayNode::Table(left), ArrayNode::Table(right)) => {
                pending.extend(left.iter().zip(right.iter()).map(|(&left, &right)| Pair::Terms(left, right)));
                left.len().cmp(&right.len())
            }
            (ArrayNode::Symbol { symbol: left, size }, ArrayNode::Symbol { symbol: right, size: other }) => {
                self.compare_symbols(*left, *right).then(size.cmp(other))
            }
            (
                ArrayNode::Store { array: left, index: left_index, value: left_value },
                ArrayNode::Store { array: right, index: right_index, value: right_value },
            ) => {
                pending.push(Pair::Arrays(*left, *right));
                pending.push(Pair::Terms(*left_index, *right_index));
                pending.push(Pair::Terms(*left_value, *right_value));
                Ordering::Equal
            }
            (left, right) => array_kind(left).cmp(&array_kind(right)),
        };
        pending[first..].reverse();
        found
    }

    /// The rank of a new node.
    pub(crate) fn rank_node(&self, node: Node) -> Rank {
        match node {
            Node::Const(_) | Node::WideConst(_) => Rank { depth: 0, offset: u16::MAX },
            Node::Byte { offset, .. } => Rank { depth: 0, offset: offset.min(u32::from(u16::MAX)) as u16 },
            _ => {
                let start = Rank { depth: 0, offset: u16::MAX };
                node.operands().map(|operand| self.ranks[operand.index()]).fold(start, |rank, operand| Rank {
                    depth: rank.depth.max(operand.depth.saturating_add(1)),
                    offset: rank.offset.min(operand.offset),
                })
            }
        }
    }

    /// The structural hash of a new node.
    pub(crate) fn hash_node(&self, node: Node, width: u8) -> u64 {
        let start = mix(node.shape(), u64::from(width));
        match node {
            Node::Const(value) => mix(start, value),
            Node::WideConst(index) => {
                let value = self.wide[index as usize];
                mix(mix(start, value as u64), (value >> 64) as u64)
            }
            Node::Byte { symbol, .. } => mix(start, self.symbol_hash(symbol)),
            Node::Read { array, index } => mix(mix(start, self.array_hash(array)), self.structural_hash(index)),
            _ => node.operands().fold(start, |hash, operand| mix(hash, self.structural_hash(operand))),
        }
    }

    /// The structural hash of a new array.
    pub(crate) fn hash_array(&self, array: &ArrayNode) -> u64 {
        let start = mix(0x6172_7261_7900, array_kind(array));
        match array {
            ArrayNode::Bytes(bytes) => mix_bytes(start, bytes),
            ArrayNode::Table(terms) => {
                let start = mix(start, terms.len() as u64);
                terms.iter().fold(start, |hash, &term| mix(hash, self.structural_hash(term)))
            }
            ArrayNode::Symbol { symbol, size } => mix(mix(start, self.symbol_hash(*symbol)), u64::from(*size)),
            ArrayNode::Store { array, index, value } => {
                let hash = mix(start, self.array_hash(*array));
                mix(mix(hash, self.structural_hash(*index)), self.structural_hash(*value))
            }
        }
    }
}

fn array_kind(array: &ArrayNode) -> u64 {
    match array {
        ArrayNode::Bytes(_) => 0,
        ArrayNode::Table(_) => 1,
        ArrayNode::Symbol { .. } => 2,
        ArrayNode::Store { .. } => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{BinOp, FloatFormat};

    /// Terms of many kinds, some of which differ only far down.
    fn samples(terms: &mut Terms) -> Vec<TermId> {
        let (x, y) = (terms.symbol("x", 4), terms.symbol("y", 4));
        let other_size = terms.symbol("x", 8);
        let mut list: Vec<TermId> = Vec::new();
        for symbol in [x, y, other_size] {
            list.extend((0..3).map(|offset| terms.byte(symbol, offset)));
        }
        list.extend([3, 5, u128::MAX, 1 << 100].map(|value| terms.constant(128, value)));
        list.extend([3, 5].map(|value| terms.constant(64, value)));
        for position in 0..6 {
            let (a, b) = (list[position], list[position + 1]);
            list.push(terms.intern(Node::Bin(BinOp::Mul, a, b), 8));
            list.push(terms.intern(Node::Bin(BinOp::UDiv, a, b), 8));
            list.push(terms.intern(Node::FloatEq(FloatFormat::F16, a, b), 1));
            list.push(terms.intern(Node::Extract { term: a, low: 1 }, 3));
            list.push(terms.intern(Node::Extract { term: a, low: 2 }, 3));
        }
        let index = terms.zext(list[0], 64);
        let arrays = [
            ArrayNode::Bytes([1, 2, 3].into()),
            ArrayNode::Bytes([1, 2, 4].into()),
            ArrayNode::Table([list[0], list[2]].into()),
            ArrayNode::Table([list[0], list[3]].into()),
            ArrayNode::Table([list[0], list[3], list[1]].into()),
            ArrayNode::Symbol { symbol: x, size: 4 },
            ArrayNode::Symbol { symbol: y, size: 4 },
        ];
        for array in arrays {
            let array = terms.array(array);
            list.push(terms.intern(Node::Read { array, index }, 8));
            for value in [list[1], list[4]] {
                let stored = terms.array(ArrayNode::Store { array, index, value });
                list.push(terms.intern(Node::Read { array: stored, index }, 8));
            }
        }
        list
    }

    /// With every hash the same, only the structure is left to compare.
    #[test]
    fn structure_decides_where_hashes_are_equal() {
        let mut terms = Terms::new();
        let list = samples(&mut terms);
        terms.hashes.fill(0);
        terms.ranks.fill(Rank { depth: 0, offset: 0 });
        for &a in &list {
            for &b in &list {
                assert_eq!(terms.order(a, b) == Ordering::Equal, a == b, "{:?} {:?}", terms.node(a), terms.node(b));
                assert_eq!(terms.order(a, b), terms.order(b, a).reverse());
                for &c in &list {
                    if terms.order(a, b).is_lt() && terms.order(b, c).is_lt() {
                        assert!(terms.order(a, c).is_lt());
                    }
                }
            }
        }
    }
}
