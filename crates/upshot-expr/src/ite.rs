//! Choice between two terms. A choice between truth values is logic; what both branches have in common stands outside.

use crate::Terms;
use crate::fold::mask;
use crate::node::{Node, TermId};

impl Terms {
    /// `a` if the condition (1 bit) holds, else `b`.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "branches of a choice differ in width");
        debug_assert_eq!(self.width(condition), 1);
        match self.attempt(|terms| terms.simplified_ite(condition, a, b)) {
            Some(term) => term,
            None => self.finish(Node::Ite(condition, a, b), width),
        }
    }

    fn simplified_ite(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        if a == b || self.is_true(condition) {
            return Some(a);
        }
        if self.is_false(condition) {
            return Some(b);
        }
        if let Node::Not(inner) = self.node(condition) {
            return Some(self.ite(inner, b, a));
        }
        if self.width(a) == 1 {
            return Some(self.truth_choice(condition, a, b));
        }
        self.constant_choice(condition, a, b)
            .or_else(|| self.choice_by_condition(condition, a, b))
            .or_else(|| self.nested_choice(condition, a, b))
            .or_else(|| self.shared_structure(condition, a, b))
    }

    /// `(c & a) | (~c & b)`, in as few operators as possible.
    fn truth_choice(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let opposite = self.not(condition);
        match (self.as_const(a), self.as_const(b)) {
            (Some(1), _) => self.or(condition, b),
            (Some(_), _) => self.and(opposite, b),
            (_, Some(0)) => self.and(condition, a),
            (_, Some(_)) => self.or(opposite, a),
            _ if a == condition => self.or(condition, b),
            _ if b == condition => self.and(condition, a),
            _ if a == opposite => self.and(opposite, b),
            _ if b == opposite => self.or(opposite, a),
            _ if self.complementary(a, b) => {
                let differ = self.xor(condition, a);
                self.not(differ)
            }
            _ => match self.nested_choice(condition, a, b) {
                Some(term) => term,
                None => self.finish(Node::Ite(condition, a, b), 1),
            },
        }
    }

    /// 1 and 0 are the condition extended with zeros, -1 and 0 with its sign.
    fn constant_choice(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (x, y) = (self.as_const(a)?, self.as_const(b)?);
        let (bit, value) = match (x, y) {
            (_, 0) => (condition, x),
            (0, _) => (self.not(condition), y),
            _ => return None,
        };
        if value == 1 {
            Some(self.zext(bit, width))
        } else if value == mask(width) {
            Some(self.sext(bit, width))
        } else if value.is_power_of_two() && self.as_extract(bit).is_some() {
            let moved = self.zext(bit, width);
            Some(self.shifted_left(moved, value.trailing_zeros() as u8))
        } else {
            None
        }
    }

    /// `x == k ? x : y` is `x == k ? k : y`, and with `y` = `k` on the other side it is no choice at all.
    fn choice_by_condition(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        let Node::Eq(x, y) = self.node(condition) else { return None };
        if (a == x && b == y) || (a == y && b == x) {
            return Some(b);
        }
        (a == x && self.as_const(y).is_some()).then(|| self.ite(condition, y, b))
    }

    fn nested_choice(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        if let Node::Ite(inner, x, y) = self.node(a) {
            if inner == condition {
                return Some(self.ite(condition, x, b));
            }
            if y == b {
                let both = self.and(condition, inner);
                return Some(self.ite(both, x, b));
            }
            if x == b {
                let other = self.not(inner);
                let both = self.and(condition, other);
                return Some(self.ite(both, y, b));
            }
        }
        if let Node::Ite(inner, x, y) = self.node(b) {
            if inner == condition {
                return Some(self.ite(condition, a, y));
            }
            if x == a {
                let either = self.or(condition, inner);
                return Some(self.ite(either, a, y));
            }
            if y == a {
                let other = self.not(inner);
                let either = self.or(condition, other);
                return Some(self.ite(either, a, x));
            }
        }
        None
    }

    /// An operator around both branches goes outside.
    fn shared_structure(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => {
                let choice = self.ite(condition, x, y);
                Some(self.not(choice))
            }
            (Node::Concat(high, low), Node::Concat(other_high, other_low)) => {
                let same_split = self.width(low) == self.width(other_low);
                if !same_split || (high != other_high && low != other_low) {
                    return None;
                }
                let (high, low) = (self.ite(condition, high, other_high), self.ite(condition, low, other_low));
                Some(self.concat(high, low))
            }
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => {
                let choice = self.ite(condition, x, y);
                Some(self.sext(choice, width))
            }
            (Node::ZExt(x), Node::ZExt(y)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.resize(x, narrow, false), self.resize(y, narrow, false));
                let choice = self.ite(condition, x, y);
                Some(self.zext(choice, width))
            }
            (Node::ZExt(x), _) => self.choice_with_constant(condition, x, b, width, true),
            (_, Node::ZExt(y)) => self.choice_with_constant(condition, y, a, width, false),
            _ => None,
        }
    }

    /// An extended term against a constant that fits the narrow width.
    fn choice_with_constant(
        &mut self,
        condition: TermId,
        narrow: TermId,
        constant: TermId,
        width: u8,
        narrow_first: bool,
    ) -> Option<TermId> {
        let value = self.as_const(constant)?;
        let inner = self.width(narrow);
        if value > mask(inner) {
            return None;
        }
        let value = self.constant(inner, value);
        let (a, b) = if narrow_first { (narrow, value) } else { (value, narrow) };
        let choice = self.ite(condition, a, b);
        Some(self.zext(choice, width))
    }
}
