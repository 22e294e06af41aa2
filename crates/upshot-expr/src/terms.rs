//! The arena of terms, and what can be asked of a term. The making of terms is spread over one module per family of
//! operators; all of them end in [`Terms::intern`].

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::array::Arrays;
use crate::facts::{FactTable, Facts};
use crate::fold::mask;
use crate::interner::Nodes;
use crate::naming::Part;
use crate::node::{Node, SymbolId, TermId};
use crate::order::{Rank, mix, mix_bytes};
use crate::support::Supports;

#[derive(Clone, Debug)]
struct Symbol {
    name: Rc<str>,
    size: u32,
    hash: u64,
}

/// An arena of terms. Each worker owns one; a term means something only together with the arena that made it.
#[derive(Clone, Debug)]
pub struct Terms {
    pub(crate) nodes: Nodes,
    /// The structural hash of each term.
    pub(crate) hashes: Vec<u64>,
    /// How deep each term is and which input offset it reads first: what the structural order looks at before the hash.
    pub(crate) ranks: Vec<Rank>,
    pub(crate) facts: FactTable,
    /// How many bits each term takes as a signed number; see [`crate::signed`].
    pub(crate) signed_widths: Vec<u8>,
    /// Constants of 2^64 and more.
    pub(crate) wide: Vec<u128>,
    wide_index: FxHashMap<u128, u32>,
    symbols: Vec<Symbol>,
    symbol_index: FxHashMap<(Rc<str>, u32), SymbolId>,
    /// What parts of symbols are called.
    pub(crate) parts: FxHashMap<SymbolId, Rc<[Part]>>,
    pub(crate) arrays: Arrays,
    pub(crate) supports: Supports,
    pub(crate) simplify: bool,
    /// How many simplifications are under way inside each other, and how many more may be tried until the outermost ends.
    nesting: u8,
    attempts_left: u16,
}

/// How deeply the simplification of one term may lead to that of others. Terms can be deeper than the stack, so a rule that
/// follows operands has to stop; what is built then is correct, only not as simple as it might be.
const MOST_NESTING: u8 = 40;

/// How many terms the making of one may simplify: a rule that follows two operands could otherwise take exponential time.
const MOST_ATTEMPTS: u16 = 600;

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Terms {
        Terms {
            nodes: Nodes::default(),
            hashes: Vec::new(),
            ranks: Vec::new(),
            facts: FactTable::default(),
            signed_widths: Vec::new(),
            wide: Vec::new(),
            wide_index: FxHashMap::default(),
            symbols: Vec::new(),
            symbol_index: FxHashMap::default(),
            parts: FxHashMap::default(),
            arrays: Arrays::default(),
            supports: Supports::default(),
            simplify: true,
            nesting: 0,
            attempts_left: 0,
        }
    }

    /// An arena in which a term is built as it is asked for, to check the simplifier against.
    pub fn without_simplifier() -> Terms {
        Terms { simplify: false, ..Terms::new() }
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Width in bits, 1 to 128.
    pub fn width(&self, term: TermId) -> u8 {
        self.nodes.width(term)
    }

    pub fn node(&self, term: TermId) -> Node {
        self.nodes.node(term)
    }

    /// The value of a constant.
    pub fn as_const(&self, term: TermId) -> Option<u128> {
        match self.node(term) {
            Node::Const(value) => Some(u128::from(value)),
            Node::WideConst(index) => Some(self.wide[index as usize]),
            _ => None,
        }
    }

    pub fn is_true(&self, term: TermId) -> bool {
        self.width(term) == 1 && self.node(term) == Node::Const(1)
    }

    pub fn is_false(&self, term: TermId) -> bool {
        self.width(term) == 1 && self.node(term) == Node::Const(0)
    }

    pub(crate) fn is_zero(&self, term: TermId) -> bool {
        self.node(term) == Node::Const(0)
    }

    pub(crate) fn is_ones(&self, term: TermId) -> bool {
        self.as_const(term) == Some(mask(self.width(term)))
    }

    pub fn constant(&mut self, width: u8, value: u128) -> TermId {
        debug_assert!((1..=128).contains(&width), "a term has 1 to 128 bits");
        let value = value & mask(width);
        let node = match u64::try_from(value) {
            Ok(value) => Node::Const(value),
            Err(_) => Node::WideConst(self.wide_constant(value)),
        };
        self.intern(node, width)
    }

    fn wide_constant(&mut self, value: u128) -> u32 {
        let next = self.wide.len() as u32;
        *self.wide_index.entry(value).or_insert_with(|| {
            self.wide.push(value);
            next
        })
    }

    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(1, u128::from(value))
    }

    /// The input object of this name and size.
    pub fn symbol(&mut self, name: &str, size: u32) -> SymbolId {
        let name: Rc<str> = name.into();
        let key = (name.clone(), size);
        if let Some(&symbol) = self.symbol_index.get(&key) {
            return symbol;
        }
        let symbol = SymbolId(self.symbols.len() as u32);
        let hash = mix(mix_bytes(0x7379_6d62_6f6c, name.as_bytes()), u64::from(size));
        self.symbols.push(Symbol { name, size, hash });
        self.symbol_index.insert(key, symbol);
        symbol
    }

    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.0 as usize].name
    }

    /// Size in bytes.
    pub fn symbol_size(&self, symbol: SymbolId) -> u32 {
        self.symbols[symbol.0 as usize].size
    }

    pub(crate) fn symbol_hash(&self, symbol: SymbolId) -> u64 {
        self.symbols[symbol.0 as usize].hash
    }

    /// One byte of an input object.
    pub fn byte(&mut self, symbol: SymbolId, offset: u32) -> TermId {
        self.intern(Node::Byte { symbol, offset }, 8)
    }

    /// The term of a node that needs no more simplifying, unless it turns out to have only one value.
    pub(crate) fn finish(&mut self, node: Node, width: u8) -> TermId {
        if let Some(term) = self.nodes.find(node, width) {
            return term;
        }
        if !self.simplify {
            return self.insert(node, width, Facts::unknown(width));
        }
        let facts = self.facts_of(node, width);
        match facts.single() {
            Some(value) => self.constant(width, value),
            None => self.insert(node, width, facts),
        }
    }

    /// The term of a node of which nothing is known, or that is a constant.
    pub(crate) fn intern(&mut self, node: Node, width: u8) -> TermId {
        match self.nodes.find(node, width) {
            Some(term) => term,
            None => self.insert(node, width, Facts::unknown(width)),
        }
    }

    fn insert(&mut self, node: Node, width: u8, facts: Facts) -> TermId {
        self.hashes.push(self.hash_node(node, width));
        self.ranks.push(self.rank_node(node));
        self.signed_widths.push(self.signed_width_of(node, width, facts));
        self.facts.push(facts, width);
        self.nodes.add(node, width)
    }

    /// Applies a rule, if terms are to be simplified and this is not too deep inside the simplification of others.
    pub(crate) fn attempt(&mut self, rule: impl FnOnce(&mut Terms) -> Option<TermId>) -> Option<TermId> {
        if !self.simplify {
            return None;
        }
        if self.nesting == 0 {
            self.attempts_left = MOST_ATTEMPTS;
        }
        if self.nesting == MOST_NESTING || self.attempts_left == 0 {
            return None;
        }
        self.attempts_left -= 1;
        self.nesting += 1;
        let found = rule(self);
        self.nesting -= 1;
        found
    }
}
