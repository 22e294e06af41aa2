//! Which input bytes a term depends on. Sets are kept as ranges of bytes and shared: there are far fewer different sets than
//! terms, so each term keeps only the number of its set, and the union of two sets is computed once. A sum over a buffer has
//! as many parts with different sets as there are bytes; as ranges, all of them together take no more room than the buffer.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Terms;
use crate::node::{ArrayId, ArrayNode, Node, SymbolId, TermId, Var};

/// Bytes `first..end` of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Range {
    symbol: SymbolId,
    first: u32,
    end: u32,
}

/// The number of a set, plus one; zero: not known yet.
type SetNumber = u32;

const EMPTY: SetNumber = 1;

/// The sets of input bytes seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Supports {
    /// Sorted, neither overlapping nor touching.
    sets: Vec<Rc<[Range]>>,
    /// The bytes of the sets that were asked for.
    listed: Vec<Option<Rc<[Var]>>>,
    numbers: FxHashMap<Rc<[Range]>, SetNumber>,
    unions: FxHashMap<(SetNumber, SetNumber), SetNumber>,
    of_terms: Vec<SetNumber>,
    of_arrays: Vec<SetNumber>,
}

impl Default for Supports {
    fn default() -> Supports {
        let mut supports = Supports {
            sets: Vec::new(),
            listed: Vec::new(),
            numbers: FxHashMap::default(),
            unions: FxHashMap::default(),
            of_terms: Vec::new(),
            of_arrays: Vec::new(),
        };
        supports.number(Vec::new());
        supports
    }
}

impl Supports {
    fn number(&mut self, ranges: Vec<Range>) -> SetNumber {
        if let Some(&number) = self.numbers.get(&ranges[..]) {
            return number;
        }
        let set: Rc<[Range]> = ranges.into();
        self.sets.push(set.clone());
        self.listed.push(None);
        let number = self.sets.len() as SetNumber;
        self.numbers.insert(set, number);
        number
    }

    fn union(&mut self, a: SetNumber, b: SetNumber) -> SetNumber {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let joined = joined(&self.sets[a as usize - 1], &self.sets[b as usize - 1]);
        let number = self.number(joined);
        self.unions.insert(key, number);
        number
    }

    fn listed(&mut self, number: SetNumber) -> Rc<[Var]> {
        let position = number as usize - 1;
        let set = &self.sets[position];
        let list = self.listed[position].get_or_insert_with(|| {
            let bytes = |range: &Range| {
                let symbol = range.symbol;
                (range.first..range.end).map(move |offset| Var { symbol, offset })
            };
            set.iter().flat_map(bytes).collect()
        });
        list.clone()
    }
}

/// The union of two sorted lists of ranges, joined where they overlap or touch.
fn joined(a: &[Range], b: &[Range]) -> Vec<Range> {
    let mut result: Vec<Range> = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(left), Some(right)) if left <= right => a.next(),
            (_, Some(_)) => b.next(),
            _ => a.next(),
        };
        let Some(next) = next else { return result };
        match result.last_mut() {
            Some(last) if last.symbol == next.symbol && next.first <= last.end => last.end = last.end.max(next.end),
            _ => result.push(next),
        }
    }
}

#[derive(Clone, Copy)]
enum Item {
    Term(TermId),
    Array(ArrayId),
}

impl Terms {
    /// The input bytes that the term mentions, sorted.
    pub fn support(&mut self, term: TermId) -> Rc<[Var]> {
        if self.supports.of_terms.get(term.index()).copied().unwrap_or(0) == 0 {
            self.compute_support(term);
        }
        let number = self.supports.of_terms[term.index()];
        self.supports.listed(number)
    }

    /// Whether the term mentions such an input byte other than as one of the contents of an array that is read.
    pub fn mentions_outside_arrays(&self, term: TermId, is_wanted: impl Fn(Var) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                Node::Byte { symbol, offset } if is_wanted(Var { symbol, offset }) => return true,
                node => pending.extend(node.operands()),
            }
        }
        false
    }

    fn compute_support(&mut self, term: TermId) {
        self.supports.of_terms.resize(self.nodes.len(), 0);
        self.supports.of_arrays.resize(self.arrays.len(), 0);
        let mut pending = vec![Item::Term(term)];
        while let Some(&item) = pending.last() {
            let number = match item {
                Item::Term(term) => self.term_support(term, &mut pending),
                Item::Array(array) => self.array_support(array, &mut pending),
            };
            let Some(number) = number else { continue };
            pending.pop();
            match item {
                Item::Term(term) => self.supports.of_terms[term.index()] = number,
                Item::Array(array) => self.supports.of_arrays[array.0 as usize] = number,
            }
        }
    }

    /// The set of a term, if those of its parts are known; else these are put on the stack.
    fn term_support(&mut self, term: TermId, pending: &mut Vec<Item>) -> Option<SetNumber> {
        let known = self.supports.of_terms[term.index()];
        if known != 0 {
            return Some(known);
        }
        let node = self.node(term);
        match node {
            Node::Byte { symbol, offset: first } => {
                Some(self.supports.number(vec![Range { symbol, first, end: first + 1 }]))
            }
            Node::Read { array, index } => self.joined_support(&[Item::Array(array), Item::Term(index)], pending),
            _ => {
                let mut parts = [Item::Term(term); 3];
                let mut count = 0;
                for operand in node.operands() {
                    parts[count] = Item::Term(operand);
                    count += 1;
                }
                self.joined_support(&parts[..count], pending)
            }
        }
    }

    fn array_support(&mut self, array: ArrayId, pending: &mut Vec<Item>) -> Option<SetNumber> {
        let known = self.supports.of_arrays[array.0 as usize];
        if known != 0 {
            return Some(known);
        }
        match self.array_node(array).clone() {
            ArrayNode::Bytes(_) => Some(EMPTY),
            ArrayNode::Symbol { size: 0, .. } => Some(EMPTY),
            ArrayNode::Symbol { symbol, size } => {
                Some(self.supports.number(vec![Range { symbol, first: 0, end: size }]))
            }
            ArrayNode::Table(terms) => {
                let parts: Vec<Item> = terms.iter().map(|&term| Item::Term(term)).collect();
                self.joined_support(&parts, pending)
            }
            ArrayNode::Store { array, index, value } => {
                self.joined_support(&[Item::Array(array), Item::Term(index), Item::Term(value)], pending)
            }
        }
    }

    fn joined_support(&mut self, parts: &[Item], pending: &mut Vec<Item>) -> Option<SetNumber> {
        let number_of = |supports: &Supports, part: &Item| match *part {
            Item::Term(term) => supports.of_terms[term.index()],
            Item::Array(array) => supports.of_arrays[array.0 as usize],
        };
        let before = pending.len();
        pending.extend(parts.iter().filter(|part| number_of(&self.supports, part) == 0));
        if pending.len() > before {
            return None;
        }
        let mut union = EMPTY;
        for part in parts {
            let number = number_of(&self.supports, part);
            union = self.supports.union(union, number);
        }
        Some(union)
    }
}
