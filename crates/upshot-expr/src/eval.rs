//! Concrete values for the input bytes, and the value of a term under them. Values are remembered, so asking about a term
//! that is built on terms asked about before costs only what is new; that is what makes checking a path against a known
//! input orders of magnitude cheaper than solving.

use std::cell::RefCell;

use crate::Terms;
use crate::fold::{self, mask};
use crate::memo::Memo;
use crate::node::{ArrayId, ArrayNode, Node, SymbolId, TermId, Var};
use crate::ops::{FloatPredicate, IntPredicate};

/// A concrete assignment of the input bytes; bytes not mentioned are zero. It belongs to one arena, and to one worker.
#[derive(Debug, Default)]
pub struct Assignment {
    /// By number of symbol. `None`: no byte was set.
    symbols: Vec<Option<Vec<u8>>>,
    remembered: RefCell<Remembered>,
}

/// What earlier questions found, and room for the next one to work in.
#[derive(Debug, Default)]
struct Remembered {
    values: Memo,
    pending: Vec<TermId>,
}

impl Clone for Assignment {
    /// The copy starts with nothing remembered: it is made to be changed.
    fn clone(&self) -> Assignment {
        Assignment { symbols: self.symbols.clone(), remembered: RefCell::default() }
    }
}

impl PartialEq for Assignment {
    /// Equal if every input byte is equal.
    fn eq(&self, other: &Assignment) -> bool {
        let count = self.symbols.len().max(other.symbols.len());
        (0..count as u32).map(SymbolId).all(|symbol| {
            let (a, b) = (self.set_bytes(symbol), other.set_bytes(symbol));
            let shared = a.len().min(b.len());
            a[..shared] == b[..shared] && a[shared..].iter().chain(&b[shared..]).all(|&byte| byte == 0)
        })
    }
}

impl Eq for Assignment {}

impl Assignment {
    pub fn new() -> Assignment {
        Assignment::default()
    }

    pub fn set(&mut self, symbol: SymbolId, offset: u32, value: u8) {
        let (symbol, offset) = (symbol.0 as usize, offset as usize);
        if self.symbols.len() <= symbol {
            self.symbols.resize(symbol + 1, None);
        }
        let bytes = self.symbols[symbol].get_or_insert_default();
        if bytes.len() <= offset {
            bytes.resize(offset + 1, 0);
        }
        bytes[offset] = value;
        self.remembered.get_mut().values.clear();
    }

    fn set_bytes(&self, symbol: SymbolId) -> &[u8] {
        self.symbols.get(symbol.0 as usize).and_then(Option::as_deref).unwrap_or(&[])
    }

    pub fn byte(&self, symbol: SymbolId, offset: u32) -> u8 {
        self.set_bytes(symbol).get(offset as usize).copied().unwrap_or(0)
    }

    pub fn bytes(&self, symbol: SymbolId, size: u32) -> Vec<u8> {
        let mut bytes = self.set_bytes(symbol).to_vec();
        bytes.resize(size as usize, 0);
        bytes
    }

    /// The symbols of which a byte was set, with their bytes up to the last one set.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &[u8])> {
        let numbered = self.symbols.iter().enumerate();
        numbered.filter_map(|(number, bytes)| Some((SymbolId(number as u32), bytes.as_deref()?)))
    }

    /// This assignment, with the bytes `vars` taken from `other`.
    pub fn merged(&self, other: &Assignment, vars: &[Var]) -> Assignment {
        let mut merged = self.clone();
        for var in vars {
            merged.set(var.symbol, var.offset, other.byte(var.symbol, var.offset));
        }
        merged
    }

    pub fn eval_bool(&self, terms: &Terms, term: TermId) -> bool {
        self.eval(terms, term) != 0
    }

    /// The value of the term. Does not recurse, whatever the depth of the term.
    pub fn eval(&self, terms: &Terms, term: TermId) -> u128 {
        let Remembered { values, pending } = &mut *self.remembered.borrow_mut();
        values.start();
        Evaluation { terms, assignment: self, values, pending }.run(term)
    }
}

struct Evaluation<'a> {
    terms: &'a Terms,
    assignment: &'a Assignment,
    values: &'a mut Memo,
    pending: &'a mut Vec<TermId>,
}

impl Evaluation<'_> {
    fn run(&mut self, term: TermId) -> u128 {
        if let Some(value) = self.known(term) {
            return value;
        }
        self.pending.clear();
        self.pending.push(term);
        let mut last = 0;
        while let Some(&term) = self.pending.last() {
            let count = self.pending.len();
            // A term can be on the stack twice. Computing it again, with its operands known, is as cheap as finding that out.
            if let Some(value) = self.compute(term) {
                debug_assert_eq!(self.pending.len(), count);
                self.pending.pop();
                self.values.insert(term, value, self.terms.width(term));
                last = value;
            } else {
                debug_assert!(self.pending.len() > count);
            }
        }
        last
    }

    fn leaf(&self, node: Node) -> Option<u128> {
        match node {
            Node::Const(value) => Some(u128::from(value)),
            Node::Byte { symbol, offset } => Some(u128::from(self.assignment.byte(symbol, offset))),
            _ => None,
        }
    }

    fn known(&mut self, term: TermId) -> Option<u128> {
        let node = self.terms.node(term);
        match node {
            Node::Const(_) | Node::Byte { .. } => self.leaf(node),
            Node::WideConst(_) => self.terms.as_const(term),
            // The commonest terms of all are not worth remembering.
            Node::ZExt(inner) if matches!(self.terms.node(inner), Node::Byte { .. }) => {
                self.leaf(self.terms.node(inner))
            }
            Node::Concat(high, _) if matches!(self.terms.node(high), Node::Byte { .. }) => {
                self.input_integer(term).or_else(|| self.values.get(term, self.terms.width(term)))
            }
            _ => self.values.get(term, self.terms.width(term)),
        }
    }

    /// The value of a concatenation of input bytes and constants.
    fn input_integer(&self, term: TermId) -> Option<u128> {
        let (mut value, mut rest) = (0, term);
        while let Node::Concat(high, low) = self.terms.node(rest) {
            value |= self.leaf(self.terms.node(high))? << self.terms.width(low);
            rest = low;
        }
        Some(value | self.leaf(self.terms.node(rest))?)
    }

    /// The value of an operand. If it is not known, it is put on the stack.
    fn get(&mut self, term: TermId) -> Option<u128> {
        let value = self.known(term);
        if value.is_none() {
            self.pending.push(term);
        }
        value
    }

    fn both(&mut self, a: TermId, b: TermId) -> Option<(u128, u128)> {
        let (a, b) = (self.get(a), self.get(b));
        a.zip(b)
    }

    fn compared(&mut self, predicate: IntPredicate, a: TermId, b: TermId) -> Option<u128> {
        let width = self.terms.width(a);
        let (a, b) = self.both(a, b)?;
        Some(u128::from(fold::compare(predicate, width, a, b)))
    }

    /// The value of a term whose operands are known, else `None` with those that are missing on the stack.
    fn compute(&mut self, term: TermId) -> Option<u128> {
        let width = self.terms.width(term);
        Some(match self.terms.node(term) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte { .. } => self.known(term)?,
            Node::Read { array, index } => u128::from(self.read(array, index)?),
            Node::Not(a) => !self.get(a)? & mask(width),
            Node::Bin(op, a, b) => {
                let (a, b) = self.both(a, b)?;
                fold::bin(op, width, a, b)
            }
            Node::Eq(a, b) => self.compared(IntPredicate::Eq, a, b)?,
            Node::Ult(a, b) => self.compared(IntPredicate::Ult, a, b)?,
            Node::Ule(a, b) => self.compared(IntPredicate::Ule, a, b)?,
            Node::Slt(a, b) => self.compared(IntPredicate::Slt, a, b)?,
            Node::Sle(a, b) => self.compared(IntPredicate::Sle, a, b)?,
            Node::Ite(condition, a, b) => {
                let taken = if self.get(condition)? != 0 { a } else { b };
                self.get(taken)?
            }
            Node::Extract { term, low } => self.get(term)? >> low & mask(width),
            Node::Concat(high, low) => {
                let (high_value, low_value) = self.both(high, low)?;
                high_value << self.terms.width(low) | low_value
            }
            Node::ZExt(a) => self.get(a)?,
            Node::SExt(a) => fold::sign_extend(self.get(a)?, self.terms.width(a), width),
            node => self.compute_float(node, width)?,
        })
    }

    fn compute_float(&mut self, node: Node, width: u8) -> Option<u128> {
        let mut operands = [0; 3];
        let mut complete = true;
        for (slot, operand) in operands.iter_mut().zip(node.operands()) {
            match self.get(operand) {
                Some(value) => *slot = value,
                None => complete = false,
            }
        }
        if !complete {
            return None;
        }
        let [a, b, c] = operands;
        let compared = |predicate, format| u128::from(fold::float_compare(FloatPredicate(predicate), format, a, b));
        Some(match node {
            Node::FloatBin(op, format, ..) => fold::float_bin(op, format, a, b),
            Node::FloatUn(op, format, _) => fold::float_un(op, format, a),
            Node::FloatFma(format, ..) => fold::float_fma(format, a, b, c),
            Node::FloatEq(format, ..) => compared(1, format),
            Node::FloatLt(format, ..) => compared(4, format),
            Node::FloatLe(format, ..) => compared(5, format),
            Node::FloatIsNan(format, _) => u128::from(fold::float_is_nan(format, a)),
            Node::FloatCast { from, to, .. } => fold::float_cast(from, to, a),
            Node::FloatToInt { from, signed, .. } => fold::float_to_int(from, signed, width, a),
            Node::IntToFloat { signed, to, term } => fold::int_to_float(signed, to, self.terms.width(term), a),
            _ => return None,
        })
    }

    /// Reads through stores: first all indices down the chain are asked for at once, so that a long chain is walked a
    /// constant number of times.
    fn read(&mut self, array: ArrayId, index: TermId) -> Option<u8> {
        let position = self.get(index)?;
        let terms = self.terms;
        let (mut array, mut complete) = (array, true);
        loop {
            match terms.array_node(array) {
                ArrayNode::Store { array: below, index, value } => {
                    match self.get(*index) {
                        Some(stored) if stored == position && complete => return Some(self.get(*value)? as u8),
                        Some(stored) if stored == position => return None,
                        Some(_) => {}
                        None => complete = false,
                    }
                    array = *below;
                }
                _ if !complete => return None,
                ArrayNode::Bytes(bytes) => return Some(at(bytes, position).copied().unwrap_or(0)),
                ArrayNode::Table(table) => {
                    let Some(&term) = at(table, position) else { return Some(0) };
                    return Some(self.get(term)? as u8);
                }
                ArrayNode::Symbol { symbol, size } => {
                    let inside = position < u128::from(*size);
                    return Some(if inside { self.assignment.byte(*symbol, position as u32) } else { 0 });
                }
            }
        }
    }
}

fn at<T>(slice: &[T], position: u128) -> Option<&T> {
    slice.get(usize::try_from(position).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_not_set_are_zero() {
        let (x, y) = (SymbolId(0), SymbolId(5));
        let (mut one, mut other) = (Assignment::new(), Assignment::new());
        one.set(x, 0, 7);
        other.set(x, 0, 7);
        other.set(x, 3, 0);
        other.set(y, 2, 0);
        assert_eq!(one, other);
        assert_eq!(other, one);
        other.set(y, 2, 1);
        assert_ne!(one, other);
        assert_ne!(other, one);
        assert_eq!(one.bytes(x, 3), [7, 0, 0]);
        assert_eq!(one.bytes(y, 2), [0, 0]);
        let set: Vec<_> = other.symbols().collect();
        assert_eq!(set, [(x, &[7, 0, 0, 0][..]), (y, &[0, 0, 1][..])]);
    }

    #[test]
    fn setting_a_byte_forgets_what_depended_on_it() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 2);
        let (low, high) = (terms.byte(symbol, 0), terms.byte(symbol, 1));
        let sum = terms.add(low, high);
        let mut input = Assignment::new();
        input.set(symbol, 0, 3);
        assert_eq!(input.eval(&terms, sum), 3);
        input.set(symbol, 1, 4);
        assert_eq!(input.eval(&terms, sum), 7);
        let mut other = Assignment::new();
        other.set(symbol, 0, 100);
        other.set(symbol, 1, 50);
        let merged = input.merged(&other, &[Var { symbol, offset: 1 }]);
        assert_eq!(merged.eval(&terms, sum), 53);
        assert_eq!(input.eval(&terms, sum), 7);
    }
}
