//! Comparisons. Only `Eq`, `Ult` and `Slt` are built, the others as their negations or with the sides exchanged; a constant
//! stands on the right. So a condition and its opposite always are `c` and `Not(c)`, which is how paths are told apart.

use crate::Terms;
use crate::fold::{self, mask, sign_extend};
use crate::node::{Node, TermId};
use crate::ops::{BinOp, IntPredicate};

/// Which of the two orders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Unsigned,
    Signed,
}

impl Terms {
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Eq, a, b)
    }

    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Ne, a, b)
    }

    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Ult, a, b)
    }

    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Ule, a, b)
    }

    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Slt, a, b)
    }

    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        self.compare(IntPredicate::Sle, a, b)
    }

    /// Compares two terms of one width.
    pub fn compare(&mut self, predicate: IntPredicate, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {predicate:?} differ in width");
        if !self.simplify {
            return self.plain_comparison(predicate, a, b);
        }
        if let (Some(left), Some(right)) = (self.as_const(a), self.as_const(b)) {
            return self.bool(fold::compare(predicate, width, left, right));
        }
        match predicate {
            IntPredicate::Eq => self.equal(a, b),
            IntPredicate::Ult => self.less(Order::Unsigned, a, b),
            IntPredicate::Ugt => self.less(Order::Unsigned, b, a),
            IntPredicate::Slt => self.less(Order::Signed, a, b),
            IntPredicate::Sgt => self.less(Order::Signed, b, a),
            IntPredicate::Ne => self.opposite(IntPredicate::Eq, a, b),
            IntPredicate::Ule => self.opposite(IntPredicate::Ugt, a, b),
            IntPredicate::Uge => self.opposite(IntPredicate::Ult, a, b),
            IntPredicate::Sle => self.opposite(IntPredicate::Sgt, a, b),
            IntPredicate::Sge => self.opposite(IntPredicate::Slt, a, b),
        }
    }

    fn opposite(&mut self, predicate: IntPredicate, a: TermId, b: TermId) -> TermId {
        let comparison = self.compare(predicate, a, b);
        self.not(comparison)
    }

    fn plain_comparison(&mut self, predicate: IntPredicate, a: TermId, b: TermId) -> TermId {
        let node = match predicate {
            IntPredicate::Eq => Node::Eq(a, b),
            IntPredicate::Ne => {
                let equal = self.intern(Node::Eq(a, b), 1);
                Node::Not(equal)
            }
            IntPredicate::Ult => Node::Ult(a, b),
            IntPredicate::Ule => Node::Ule(a, b),
            IntPredicate::Ugt => Node::Ult(b, a),
            IntPredicate::Uge => Node::Ule(b, a),
            IntPredicate::Slt => Node::Slt(a, b),
            IntPredicate::Sle => Node::Sle(a, b),
            IntPredicate::Sgt => Node::Slt(b, a),
            IntPredicate::Sge => Node::Sle(b, a),
        };
        self.intern(node, 1)
    }

    /// A comparison of a choice with a constant, where a branch of the choice is a constant too: decided in that branch.
    pub(crate) fn compared_choice(&mut self, predicate: IntPredicate, a: TermId, b: TermId) -> Option<TermId> {
        let Node::Ite(condition, x, y) = self.node(a) else { return None };
        self.as_const(b)?;
        if self.as_const(x).is_none() && self.as_const(y).is_none() {
            return None;
        }
        let (x, y) = (self.compare(predicate, x, b), self.compare(predicate, y, b));
        Some(self.ite(condition, x, y))
    }

    fn less(&mut self, order: Order, a: TermId, b: TermId) -> TermId {
        match self.attempt(|terms| terms.simplified_less(order, a, b)) {
            Some(term) => term,
            None => match order {
                Order::Unsigned => self.intern(Node::Ult(a, b), 1),
                Order::Signed => self.intern(Node::Slt(a, b), 1),
            },
        }
    }

    fn simplified_less(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bool(false));
        }
        if self.width(a) == 1 {
            // As a signed number, one bit is 0 or -1.
            let (a, b) = if order == Order::Unsigned { (a, b) } else { (b, a) };
            let unset = self.not(a);
            return Some(self.and(unset, b));
        }
        if let Some(decided) = self.less_by_facts(order, a, b) {
            return Some(decided);
        }
        if let Some(value) = self.as_const(a) {
            // Not the largest value, or the facts would have decided: c < b is not b < c + 1.
            let next = self.constant(self.width(a), value.wrapping_add(1));
            let less = self.less(order, b, next);
            return Some(self.not(less));
        }
        let predicate = if order == Order::Unsigned { IntPredicate::Ult } else { IntPredicate::Slt };
        if let Some(choice) = self.compared_choice(predicate, a, b) {
            return Some(choice);
        }
        self.less_narrowed(order, a, b).or_else(|| self.less_rearranged(order, a, b))
    }

    /// Decides by ranges, and turns an order into an equality where only one value is left on one side.
    fn less_by_facts(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (left, right) = (self.facts(a), self.facts(b));
        if order == Order::Signed && left.sign(width).is_some() && left.sign(width) == right.sign(width) {
            return Some(self.less(Order::Unsigned, a, b));
        }
        let flip = if order == Order::Signed { 1 << (width - 1) } else { 0 };
        let ((low, high), (other_low, other_high)) = match order {
            Order::Unsigned => ((left.low, left.high), (right.low, right.high)),
            Order::Signed => (self.flipped_range(a, flip), self.flipped_range(b, flip)),
        };
        if high < other_low {
            return Some(self.bool(true));
        }
        if low >= other_high {
            return Some(self.bool(false));
        }
        if let Some(bound) = self.as_const(b) {
            let bound = bound ^ flip;
            if bound == low + 1 {
                let value = self.constant(width, low ^ flip);
                return Some(self.eq(a, value));
            }
            if bound == high {
                return Some(self.ne(a, b));
            }
        }
        if let Some(bound) = self.as_const(a) {
            let bound = bound ^ flip;
            if bound == other_low {
                return Some(self.ne(a, b));
            }
            if bound + 1 == other_high {
                let value = self.constant(width, other_high ^ flip);
                return Some(self.eq(b, value));
            }
        }
        None
    }

    /// The signed range of a term, moved so that its order is the unsigned one.
    fn flipped_range(&self, term: TermId, flip: u128) -> (u128, u128) {
        let width = self.width(term);
        let (low, high) = self.signed_range(term);
        let moved = |value: i128| (value as u128 & mask(width)) ^ flip;
        (moved(low), moved(high))
    }

    /// Comparisons of extended terms are done at the narrow width, of concatenations in the part that decides.
    fn less_narrowed(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        match (self.node(a), self.node(b)) {
            // (Both signs are known for extensions by zeros, so a signed order has become an unsigned one before.)
            (Node::ZExt(x), Node::ZExt(y)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.resize(x, narrow, false), self.resize(y, narrow, false));
                Some(self.less(Order::Unsigned, x, y))
            }
            (Node::SExt(x), Node::SExt(y)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.resize(x, narrow, true), self.resize(y, narrow, true));
                Some(self.less(order, x, y))
            }
            (Node::ZExt(x), _) if order == Order::Unsigned => {
                let value = self.as_const(b)?;
                let value = self.constant(self.width(x), value);
                Some(self.less(order, x, value))
            }
            (Node::SExt(x), _) => {
                let value = self.as_const(b)?;
                self.less_sign_extended(order, x, value, self.width(a))
            }
            (Node::Concat(high, low), _) => self.less_concatenated(order, high, low, b),
            _ => None,
        }
    }

    fn less_sign_extended(&mut self, order: Order, inner: TermId, value: u128, width: u8) -> Option<TermId> {
        let narrow = self.width(inner);
        let bound = self.constant(narrow, value);
        if sign_extend(value & mask(narrow), narrow, width) == value {
            return Some(self.less(order, inner, bound));
        }
        // A signed bound outside the range has been decided by it. An unsigned one lies above all that is not negative and
        // below all that is.
        (order == Order::Unsigned).then(|| {
            let zero = self.constant(narrow, 0);
            self.compare(IntPredicate::Sge, inner, zero)
        })
    }

    fn less_concatenated(&mut self, order: Order, high: TermId, low: TermId, b: TermId) -> Option<TermId> {
        let split = self.width(low);
        if let Node::Concat(other_high, other_low) = self.node(b) {
            if self.width(other_low) != split {
                return None;
            }
            if high == other_high {
                return Some(self.less(Order::Unsigned, low, other_low));
            }
            return (low == other_low).then(|| self.less(order, high, other_high));
        }
        let value = self.as_const(b)?;
        let (upper, lower) = (value >> split, value & mask(split));
        let upper_term = self.constant(self.width(high), upper);
        if lower == 0 {
            return Some(self.less(order, high, upper_term));
        }
        if self.as_const(high) == Some(upper) {
            let lower = self.constant(split, lower);
            return Some(self.less(Order::Unsigned, low, lower));
        }
        None
    }

    fn less_rearranged(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => return Some(self.less(order, y, x)),
            (Node::Not(x), _) if self.as_const(b).is_some() => {
                let bound = self.not(b);
                return Some(self.less(order, bound, x));
            }
            (Node::Bin(BinOp::UDiv, x, divisor), _) if order == Order::Unsigned => {
                if let (Some(divisor), Some(bound)) = (self.as_const(divisor), self.as_const(b)) {
                    // Had the product overflowed, the range of the quotient would have decided.
                    let product = divisor.checked_mul(bound).filter(|&product| product <= mask(width))?;
                    let bound = self.constant(width, product);
                    return Some(self.less(order, x, bound));
                }
            }
            _ => {}
        }
        match (self.as_const(b), order) {
            (Some(bound), Order::Unsigned) => self.unsigned_order_moved(a, bound),
            (Some(bound), Order::Signed) => self.signed_order_moved(a, bound),
            (None, _) => (self.difference(a, b) == Some(0)).then(|| self.bool(false)),
        }
    }
}
