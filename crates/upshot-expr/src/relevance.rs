//! Which input bytes a value comes from, under one assignment.
//!
//! A term mentions every byte that could ever matter; under a given input most of them do not: a conditional takes one side, a
//! read finds one byte. As long as the bytes found here keep their values, so does the term, whatever the others are.

use std::collections::HashSet;

use crate::Terms;
use crate::eval::Assignment;
use crate::fold::mask;
use crate::node::{ArrayId, ArrayNode, Node, TermId, Var};
use crate::ops::BinOp;

/// What counts as a source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sources {
    /// All that the value depends on.
    All,
    /// What the value is made of, but not what it was chosen by: in `a[i]` the bytes of `a`, not those of `i`.
    Made,
}

impl Assignment {
    /// Whether the value of the term under this assignment comes from an input byte that is `wanted`.
    pub fn draws_on(&self, terms: &Terms, term: TermId, sources: Sources, wanted: impl Fn(Var) -> bool) -> bool {
        let mut walk = Walk { terms, input: self, sources, work: vec![term], seen: HashSet::new() };
        while let Some(term) = walk.work.pop() {
            if walk.seen.insert(term)
                && let Some(var) = walk.visit(term)
                && wanted(var)
            {
                return true;
            }
        }
        false
    }
}

struct Walk<'a> {
    terms: &'a Terms,
    input: &'a Assignment,
    sources: Sources,
    work: Vec<TermId>,
    seen: HashSet<TermId>,
}

impl Walk<'_> {
    /// The input byte that the term is; else what it comes from is put on the list.
    fn visit(&mut self, term: TermId) -> Option<Var> {
        match self.terms.node(term) {
            Node::Byte { symbol, offset } => return Some(Var { symbol, offset }),
            Node::Ite(condition, a, b) => {
                self.chosen_by(condition);
                self.work.push(if self.input.eval_bool(self.terms, condition) { a } else { b });
            }
            Node::Read { array, index } => return self.read(array, index),
            Node::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Mul), a, b) => {
                let decisive = if op == BinOp::Or { mask(self.terms.width(term)) } else { 0 };
                match [a, b].into_iter().find(|&operand| self.input.eval(self.terms, operand) == decisive) {
                    Some(operand) => self.work.push(operand),
                    None => self.work.extend([a, b]),
                }
            }
            // `c ? a : 0` may well have become `mask(c) & a`.
            node if is_comparison(node) => node.operands().for_each(|operand| self.chosen_by(operand)),
            node => self.work.extend(node.operands()),
        }
        None
    }

    fn chosen_by(&mut self, term: TermId) {
        if self.sources == Sources::All {
            self.work.push(term);
        }
    }

    /// The one byte that is read, through the stores above it.
    fn read(&mut self, mut array: ArrayId, index: TermId) -> Option<Var> {
        let position = self.input.eval(self.terms, index);
        self.chosen_by(index);
        loop {
            match self.terms.array_node(array) {
                ArrayNode::Store { array: below, index, value } => {
                    self.chosen_by(*index);
                    if self.input.eval(self.terms, *index) == position {
                        self.work.push(*value);
                        return None;
                    }
                    array = *below;
                }
                ArrayNode::Bytes(_) => return None,
                ArrayNode::Table(table) => {
                    self.work.extend(usize::try_from(position).ok().and_then(|position| table.get(position)));
                    return None;
                }
                ArrayNode::Symbol { symbol, size } => {
                    let inside = position < u128::from(*size);
                    return inside.then_some(Var { symbol: *symbol, offset: position as u32 });
                }
            }
        }
    }
}

fn is_comparison(node: Node) -> bool {
    matches!(
        node,
        Node::Eq(..)
            | Node::Ult(..)
            | Node::Ule(..)
            | Node::Slt(..)
            | Node::Sle(..)
            | Node::FloatEq(..)
            | Node::FloatLt(..)
            | Node::FloatLe(..)
            | Node::FloatIsNan(..)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolId;

    fn draws(input: &Assignment, terms: &Terms, term: TermId, sources: Sources, from: SymbolId) -> bool {
        input.draws_on(terms, term, sources, |var| var.symbol == from)
    }

    #[test]
    fn the_side_not_taken_does_not_count() {
        let mut terms = Terms::new();
        let (x, y, z) = (terms.symbol("x", 1), terms.symbol("y", 1), terms.symbol("z", 1));
        let (a, b, c) = (terms.byte(x, 0), terms.byte(y, 0), terms.byte(z, 0));
        let five = terms.constant(8, 5);
        let small = terms.compare(crate::IntPredicate::Ult, a, five);
        let either = terms.ite(small, b, c);
        let mut input = Assignment::new();
        for (taken, other) in [(y, z), (z, y)] {
            assert!(draws(&input, &terms, either, Sources::All, taken));
            assert!(!draws(&input, &terms, either, Sources::All, other));
            assert!(draws(&input, &terms, either, Sources::All, x));
            assert!(!draws(&input, &terms, either, Sources::Made, x));
            input.set(x, 0, 9);
        }
    }

    #[test]
    fn a_zero_factor_decides_alone() {
        let mut terms = Terms::new();
        let (x, y) = (terms.symbol("x", 1), terms.symbol("y", 1));
        let (a, b) = (terms.byte(x, 0), terms.byte(y, 0));
        let product = terms.mul(a, b);
        let mut input = Assignment::new();
        input.set(y, 0, 3);
        assert!(draws(&input, &terms, product, Sources::All, x));
        assert!(!draws(&input, &terms, product, Sources::All, y));
        input.set(x, 0, 1);
        assert!(draws(&input, &terms, product, Sources::All, y));
    }

    #[test]
    fn a_read_comes_from_the_byte_it_finds() {
        let mut terms = Terms::new();
        let (x, i, j, v) = (terms.symbol("x", 4), terms.symbol("i", 1), terms.symbol("j", 1), terms.symbol("v", 1));
        let [i_term, j_term] = [i, j].map(|symbol| {
            let byte = terms.byte(symbol, 0);
            terms.zext(byte, 64)
        });
        let value = terms.byte(v, 0);
        let base = terms.array(ArrayNode::Symbol { symbol: x, size: 4 });
        let stored = terms.array(ArrayNode::Store { array: base, index: i_term, value });
        let read = terms.read(stored, j_term);
        let mut input = Assignment::new();
        assert!(draws(&input, &terms, read, Sources::Made, v) && !draws(&input, &terms, read, Sources::All, x));
        input.set(j, 0, 2);
        assert!(!draws(&input, &terms, read, Sources::Made, v));
        assert!(input.draws_on(&terms, read, Sources::Made, |var| var == Var { symbol: x, offset: 2 }));
        assert!(!input.draws_on(&terms, read, Sources::Made, |var| var != Var { symbol: x, offset: 2 }));
        assert!(draws(&input, &terms, read, Sources::All, i) && draws(&input, &terms, read, Sources::All, j));
    }
}
