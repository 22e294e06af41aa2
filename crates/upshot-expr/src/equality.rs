//! Equalities. Since arithmetic wraps, an equation can be rearranged freely: all of it is brought to one side, what cancels
//! cancels, and it is solved for a single unknown where there is one.

use crate::Terms;
use crate::fold::{mask, sign_extend};
use crate::linear::Linear;
use crate::node::{Node, TermId};
use crate::ops::{BinOp, IntPredicate};

impl Terms {
    pub(crate) fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.ordered(a, b);
        match self.attempt(|terms| terms.simplified_equal(a, b)) {
            Some(term) => term,
            None => self.intern(Node::Eq(a, b), 1),
        }
    }

    fn simplified_equal(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.width(a) == 1 {
            let differ = self.xor(a, b);
            return Some(self.not(differ));
        }
        if self.complementary(a, b) || self.facts(a).excludes(self.facts(b)) {
            return Some(self.bool(false));
        }
        if let Some(decided) = self.compared_choice(IntPredicate::Eq, a, b) {
            return Some(decided);
        }
        self.equal_sums(a, b)
            .or_else(|| self.equal_parts(a, b))
            .or_else(|| self.equal_bitwise(a, b))
            .or_else(|| self.equal_choice(a, b))
            .or_else(|| self.equal_choice(b, a))
    }

    /// Whether bringing the sides together could change anything.
    fn is_arithmetic(&self, term: TermId) -> bool {
        match self.node(term) {
            Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Node::Not(_) => true,
            Node::Bin(BinOp::Shl, _, count) => self.as_const(count).is_some(),
            _ => false,
        }
    }

    fn equal_sums(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if !self.is_arithmetic(a) && !self.is_arithmetic(b) {
            return None;
        }
        let width = self.width(a);
        let sum = match self.polynomial_difference(a, b) {
            Some(sum) => sum,
            None => self.linear_of_two(a, b, mask(width)).ok()?,
        };
        if sum.len() == 0 {
            return Some(self.bool(sum.constant == 0));
        }
        let first = sum.parts().next();
        if let Some((atom, factor)) = first.filter(|_| sum.len() == 1) {
            return self.solved(atom, factor, &sum, (a, b));
        }
        let (left, right) = self.equation(sum);
        let (left, right) = self.ordered(left, right);
        ((left, right) != (a, b)).then(|| self.equal(left, right))
    }

    /// `factor · atom + constant = 0`: an odd factor has an inverse, and a power of two says nothing of the upper bits.
    fn solved(&mut self, atom: TermId, factor: u128, sum: &Linear, sides: (TermId, TermId)) -> Option<TermId> {
        let width = sum.width;
        let shift = factor.trailing_zeros() as u8;
        let target = sum.constant.wrapping_neg() & mask(width);
        if target & mask(shift) != 0 {
            return Some(self.bool(false));
        }
        let rest = width - shift;
        let value = (target >> shift).wrapping_mul(inverse(factor >> shift)) & mask(rest);
        let unknown = self.trunc(atom, rest);
        let value = self.constant(rest, value);
        ((unknown, value) != sides).then(|| self.equal(unknown, value))
    }

    /// `a - b`, if it is a constant.
    pub(crate) fn difference(&mut self, a: TermId, b: TermId) -> Option<u128> {
        if !self.is_arithmetic(a) && !self.is_arithmetic(b) {
            return None;
        }
        let sum = match self.polynomial_difference(a, b) {
            Some(sum) => sum,
            None => self.linear_of_two(a, b, mask(self.width(a))).ok()?,
        };
        (sum.len() == 0).then_some(sum.constant)
    }

    /// Extensions and concatenations: compare what is inside.
    fn equal_parts(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            (Node::ZExt(x), Node::ZExt(y)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.resize(x, narrow, false), self.resize(y, narrow, false));
                Some(self.equal(x, y))
            }
            (Node::SExt(x), Node::SExt(y)) => {
                let narrow = self.width(x).max(self.width(y));
                let (x, y) = (self.resize(x, narrow, true), self.resize(y, narrow, true));
                Some(self.equal(x, y))
            }
            (Node::ZExt(x), _) if self.as_const(b).is_some() => {
                let value = self.trunc(b, self.width(x));
                Some(self.equal(x, value))
            }
            (Node::SExt(x), _) if self.as_const(b).is_some() => {
                let narrow = self.width(x);
                let value = self.as_const(b)?;
                if sign_extend(value & mask(narrow), narrow, width) != value {
                    return Some(self.bool(false));
                }
                let value = self.trunc(b, narrow);
                Some(self.equal(x, value))
            }
            (Node::Concat(high, low), _) => self.equal_concatenated(high, low, b),
            (_, Node::Concat(high, low)) => self.equal_concatenated(high, low, a),
            _ => None,
        }
    }

    /// A concatenation equals another term if both parts do; worth asking separately if one of the answers is known.
    fn equal_concatenated(&mut self, high: TermId, low: TermId, other: TermId) -> Option<TermId> {
        let split = self.width(low);
        let same_split = match self.node(other) {
            Node::Const(_) | Node::WideConst(_) => true,
            Node::Concat(_, other_low) => self.width(other_low) == split,
            Node::ZExt(inner) => self.width(inner) == split,
            _ => false,
        };
        if !same_split {
            return None;
        }
        let (other_high, other_low) = (self.extract(other, split, self.width(high)), self.trunc(other, split));
        let known = |terms: &Terms, x: TermId, y: TermId| {
            x == y
                || terms.facts(x).excludes(terms.facts(y))
                || (terms.as_const(x).is_some() && terms.as_const(y).is_some())
        };
        if !known(self, high, other_high) && !known(self, low, other_low) {
            return None;
        }
        let (highs, lows) = (self.equal(high, other_high), self.equal(low, other_low));
        Some(self.and(highs, lows))
    }

    fn equal_bitwise(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match (self.node(a), self.node(b)) {
            (Node::Bin(BinOp::Xor, x, y), _) if self.is_zero(b) => Some(self.equal(x, y)),
            (Node::Bin(BinOp::Xor, x, y), _) if self.as_const(y).is_some() && self.as_const(b).is_some() => {
                let value = self.xor(y, b);
                Some(self.equal(x, value))
            }
            (Node::Bin(BinOp::Xor, x, y), _) if x == b || y == b => {
                let zero = self.constant(self.width(a), 0);
                Some(self.equal(if x == b { y } else { x }, zero))
            }
            (_, Node::Bin(BinOp::Xor, x, y)) if x == a || y == a => {
                let zero = self.constant(self.width(a), 0);
                Some(self.equal(if x == a { y } else { x }, zero))
            }
            (Node::Bin(BinOp::Or, x, y), _) if self.is_zero(b) => {
                let (x, y) = (self.equal(x, b), self.equal(y, b));
                Some(self.and(x, y))
            }
            (Node::Bin(BinOp::And, x, y), _) if self.is_ones(b) => {
                let (x, y) = (self.equal(x, b), self.equal(y, b));
                Some(self.and(x, y))
            }
            // Divisible by a power of two, whatever the sign.
            (Node::Bin(BinOp::SRem, x, divisor), _) if self.is_zero(b) => {
                let divisor = self.as_const(divisor).filter(|divisor| divisor.is_power_of_two())?;
                let rest = self.trunc(x, divisor.trailing_zeros() as u8);
                let zero = self.constant(self.width(rest), 0);
                Some(self.equal(rest, zero))
            }
            _ => None,
        }
    }

    /// `x == (c ? x : y)` is `c || x == y`.
    fn equal_choice(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let Node::Ite(condition, x, y) = self.node(b) else { return None };
        if x == a {
            let other = self.equal(a, y);
            return Some(self.or(condition, other));
        }
        if y == a {
            let other = self.equal(a, x);
            let unset = self.not(condition);
            return Some(self.or(unset, other));
        }
        None
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration: each step doubles the number of right bits.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1u128, 3, 5, 0xdead_beef, u128::MAX, 0xcafe_0001] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
