//! Extraction. It is pushed inwards where the result is smaller than what it was taken from; where it would only be copied
//! to several operands, it stays. So the bytes of a term that was stored can be put together again ([`crate::concat`]).

use crate::Terms;
use crate::fold::mask;
use crate::node::{Node, TermId};
use crate::ops::BinOp;

impl Terms {
    /// `width` bits of a term, from bit `low` on.
    pub fn extract(&mut self, term: TermId, low: u8, width: u8) -> TermId {
        let whole = self.width(term);
        debug_assert!(width >= 1 && u32::from(low) + u32::from(width) <= u32::from(whole), "extract out of range");
        if low == 0 && width == whole {
            return term;
        }
        match self.attempt(|terms| terms.simplified_extract(term, low, width)) {
            Some(term) => term,
            None => self.finish(Node::Extract { term, low }, width),
        }
    }

    /// The lowest bits of a term.
    pub fn trunc(&mut self, term: TermId, width: u8) -> TermId {
        self.extract(term, 0, width)
    }

    fn simplified_extract(&mut self, term: TermId, low: u8, width: u8) -> Option<TermId> {
        let whole = self.width(term);
        match self.node(term) {
            Node::Const(_) | Node::WideConst(_) => {
                let value = self.as_const(term)?;
                return Some(self.constant(width, value >> low));
            }
            Node::Extract { term, low: inner } => return Some(self.extract(term, inner + low, width)),
            Node::Concat(..) if low < 8 && low + width + 8 > whole && self.is_input_integer(term) => {}
            Node::Concat(upper, lower) => return Some(self.extract_concatenated(upper, lower, low, width)),
            Node::ZExt(inner) => return Some(self.extract_extended(inner, low, width, false)),
            Node::SExt(inner) => return Some(self.extract_extended(inner, low, width, true)),
            Node::Not(inner) => {
                let part = self.extract(inner, low, width);
                return Some(self.not(part));
            }
            Node::Ite(condition, a, b) if self.as_const(a).is_some() && self.as_const(b).is_some() => {
                let (a, b) = (self.extract(a, low, width), self.extract(b, low, width));
                return Some(self.ite(condition, a, b));
            }
            Node::Bin(BinOp::And | BinOp::Or | BinOp::Xor, ..) => {
                if let Some(term) = self.extract_bitwise(term, low, width) {
                    return Some(term);
                }
            }
            Node::Bin(BinOp::Shl, shifted, count) => {
                if let Some(count) = self.as_const(count)
                    && let Some(term) = self.extract_shifted(shifted, count as u8, low, width)
                {
                    return Some(term);
                }
            }
            Node::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b)
                if low == 0 && self.shrinks(a, width, 4) && self.shrinks(b, width, 4) =>
            {
                let (a, b) = (self.trunc(a, width), self.trunc(b, width));
                return Some(self.bin(op, a, b));
            }
            _ => {}
        }
        if width == 1 && low == whole - 1 {
            // The sign bit has a name already.
            let zero = self.constant(whole, 0);
            return Some(self.slt(term, zero));
        }
        None
    }

    /// Whether the term is consecutive bytes of an input. Bits of all of these bytes say more as bits of the integer: what is
    /// known of it, and its name, are kept.
    fn is_input_integer(&self, term: TermId) -> bool {
        let mut rest = term;
        let mut expected = None;
        loop {
            let (byte, below) = match self.node(rest) {
                Node::Concat(high, low) => (high, Some(low)),
                _ => (rest, None),
            };
            let Node::Byte { symbol, offset } = self.node(byte) else { return false };
            if expected.is_some_and(|expected| expected != (symbol, offset)) {
                return false;
            }
            let Some(below) = below else { return true };
            let Some(next) = offset.checked_sub(1) else { return false };
            expected = Some((symbol, next));
            rest = below;
        }
    }

    fn extract_concatenated(&mut self, upper: TermId, lower: TermId, low: u8, width: u8) -> TermId {
        let split = self.width(lower);
        if low >= split {
            return self.extract(upper, low - split, width);
        }
        if low + width <= split {
            return self.extract(lower, low, width);
        }
        let high_part = self.trunc(upper, low + width - split);
        let low_part = self.extract(lower, low, split - low);
        self.concat(high_part, low_part)
    }

    fn extract_extended(&mut self, inner: TermId, low: u8, width: u8, signed: bool) -> TermId {
        let narrow = self.width(inner);
        if low + width <= narrow {
            return self.extract(inner, low, width);
        }
        let start = match signed {
            true => low.min(narrow - 1),
            false if low >= narrow => return self.constant(width, 0),
            false => low,
        };
        let part = self.extract(inner, start, narrow - start);
        self.resize(part, width, signed)
    }

    /// Through a bitwise operator, if one operand is a constant there or both get smaller.
    fn extract_bitwise(&mut self, term: TermId, low: u8, width: u8) -> Option<TermId> {
        let Node::Bin(op, a, b) = self.node(term) else { return None };
        let simple = self.as_const(b).is_some()
            || self.constant_bits(a, low, width)
            || self.constant_bits(b, low, width)
            || (low == 0 && self.shrinks(a, width, 4) && self.shrinks(b, width, 4));
        if !simple {
            return None;
        }
        let (a, b) = (self.extract(a, low, width), self.extract(b, low, width));
        Some(self.bin(op, a, b))
    }

    /// Whether these bits of the term are always the same.
    fn constant_bits(&self, term: TermId, low: u8, width: u8) -> bool {
        let facts = self.facts(term);
        (facts.zeros | facts.ones) >> low & mask(width) == mask(width)
    }

    /// Through a shift by a constant, unless the bits come from both sides of its border: all others move, so the one extract
    /// that does not is what the shifted term is found by when its bytes are put together.
    fn extract_shifted(&mut self, term: TermId, count: u8, low: u8, width: u8) -> Option<TermId> {
        if low >= count {
            return Some(self.extract(term, low - count, width));
        }
        if low + width <= count {
            return Some(self.constant(width, 0));
        }
        None
    }

    /// Whether the lowest bits of a term are a smaller term: an extension falls away, a constant stays one.
    fn shrinks(&self, term: TermId, width: u8, depth: u8) -> bool {
        if depth == 0 {
            return false;
        }
        match self.node(term) {
            Node::Const(_) | Node::WideConst(_) => true,
            Node::ZExt(inner) | Node::SExt(inner) | Node::Concat(_, inner) => self.width(inner) >= width,
            Node::Extract { .. } => true,
            Node::Not(a) => self.shrinks(a, width, depth - 1),
            Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor, a, b) => {
                self.shrinks(a, width, depth - 1) && self.shrinks(b, width, depth - 1)
            }
            Node::Ite(_, a, b) => self.as_const(a).is_some() && self.as_const(b).is_some(),
            _ => false,
        }
    }
}
