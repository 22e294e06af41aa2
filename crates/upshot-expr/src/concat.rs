//! Concatenation. Neighbouring parts of one term are that term again, whatever extraction made of them; a chain of
//! concatenations leans to the right.

use crate::Terms;
use crate::node::{Node, TermId};
use crate::ops::BinOp;

impl Terms {
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let (upper, lower) = (self.width(high), self.width(low));
        debug_assert!(u32::from(upper) + u32::from(lower) <= 128, "a term has at most 128 bits");
        let width = upper + lower;
        match self.attempt(|terms| terms.simplified_concat(high, low)) {
            Some(term) => term,
            None => self.finish(Node::Concat(high, low), width),
        }
    }

    fn simplified_concat(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (upper, lower) = (self.width(high), self.width(low));
        let width = upper + lower;
        let (high_value, low_value) = (self.as_const(high), self.as_const(low));
        if let (Some(high), Some(low)) = (high_value, low_value) {
            return Some(self.constant(width, high << lower | low));
        }
        if let Some(merged) = self.adjacent(high, low) {
            return Some(merged);
        }
        if high_value == Some(0) {
            return Some(self.zext(low, width));
        }
        if self.repeats_sign(high, low) {
            return Some(self.sext(low, width));
        }
        if let Some(choice) = self.concat_choices(high, low) {
            return Some(choice);
        }
        if low_value == Some(0)
            && let Some((term, 0)) = self.as_extract(high)
            && self.width(term) == width
        {
            return Some(self.times_constant(term, 1 << lower));
        }
        match (self.node(high), self.node(low)) {
            (Node::ZExt(inner), _) => {
                let joined = self.concat(inner, low);
                Some(self.zext(joined, width))
            }
            (Node::SExt(inner), _) => {
                let joined = self.concat(inner, low);
                Some(self.sext(joined, width))
            }
            (Node::Concat(highest, middle), _) => {
                let right = self.concat(middle, low);
                Some(self.concat(highest, right))
            }
            (_, Node::Concat(middle, lowest)) => {
                let merged = match self.as_const(high).zip(self.as_const(middle)) {
                    Some(_) => self.concat(high, middle),
                    None => self.adjacent(high, middle)?,
                };
                Some(self.concat(merged, lowest))
            }
            (_, Node::Bin(BinOp::Shl, shifted, count)) => {
                let count = self.as_const(count)? as u8;
                let middle = self.trunc(shifted, lower - count);
                let merged = self.adjacent(high, middle)?;
                let zeros = self.constant(count, 0);
                Some(self.concat(merged, zeros))
            }
            (Node::Not(a), Node::Not(b)) => {
                let joined = self.concat(a, b);
                Some(self.not(joined))
            }
            _ => None,
        }
    }

    /// Whether all bits of the upper part are the sign of the lower one.
    fn repeats_sign(&mut self, high: TermId, low: TermId) -> bool {
        let bit = match self.node(high) {
            Node::SExt(bit) => bit,
            _ => high,
        };
        self.width(bit) == 1 && self.as_const(bit).is_none() && self.extract(low, self.width(low) - 1, 1) == bit
    }

    /// A term as bits of another, from a position on. (The sign bit is a comparison.)
    pub(crate) fn as_extract(&self, term: TermId) -> Option<(TermId, u8)> {
        match self.node(term) {
            Node::Extract { term, low } => Some((term, low)),
            Node::Slt(term, zero) if self.is_zero(zero) => Some((term, self.width(term) - 1)),
            _ => None,
        }
    }

    /// Two neighbouring parts of one term, as one. One of them must be seen to be a part; the other is compared with what
    /// extraction would give there.
    fn adjacent(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (upper, lower) = (self.width(high), self.width(low));
        let width = upper + lower;
        if let Some((term, start)) = self.as_extract(high)
            && start >= lower
            && self.extract(term, start - lower, lower) == low
        {
            return Some(self.extract(term, start - lower, width));
        }
        if let Some((term, start)) = self.as_extract(low)
            && start + width <= self.width(term)
            && self.extract(term, start + lower, upper) == high
        {
            return Some(self.extract(term, start, width));
        }
        None
    }

    /// Choices between constants, under one condition or next to a constant; also a single bit next to a constant.
    fn concat_choices(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (condition, high_choice, low_choice) = match (self.choice(high), self.choice(low)) {
            (Some((condition, a, b)), Some((other, c, d))) if condition == other => (condition, (a, b), (c, d)),
            (Some((condition, a, b)), None) if self.as_const(low).is_some() => (condition, (a, b), (low, low)),
            (None, Some((condition, c, d))) if self.as_const(high).is_some() => (condition, (high, high), (c, d)),
            _ => return None,
        };
        let set = self.concat(high_choice.0, low_choice.0);
        let clear = self.concat(high_choice.1, low_choice.1);
        Some(self.ite(condition, set, clear))
    }

    /// A term as a choice between two constants.
    pub(crate) fn choice(&mut self, term: TermId) -> Option<(TermId, TermId, TermId)> {
        let width = self.width(term);
        match self.node(term) {
            Node::Ite(condition, a, b) if self.as_const(a).is_some() && self.as_const(b).is_some() => {
                Some((condition, a, b))
            }
            Node::ZExt(bit) if self.width(bit) == 1 => Some((bit, self.constant(width, 1), self.constant(width, 0))),
            Node::SExt(bit) if self.width(bit) == 1 => {
                Some((bit, self.constant(width, u128::MAX), self.constant(width, 0)))
            }
            Node::Const(_) | Node::WideConst(_) => None,
            // A bit of a term may yet meet its neighbours.
            _ if width == 1 && self.as_extract(term).is_none() => {
                Some((term, self.constant(1, 1), self.constant(1, 0)))
            }
            _ => None,
        }
    }
}
