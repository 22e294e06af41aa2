//! Sums and products. Sums are built in the normal form of [`crate::linear`]; products have their constant factors outside
//! and their other factors in the structural order.

use crate::Terms;
use crate::fold::{self, mask, signed};
use crate::linear::Linear;
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// The longest product whose factors are sorted.
const MOST_FACTORS: usize = 4;

impl Terms {
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Add, a, b)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Sub, a, b)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.bin(BinOp::Mul, a, b)
    }

    pub fn neg(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        self.bin(BinOp::Sub, zero, a)
    }

    /// An operator applied to two terms of one width.
    pub fn bin(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        if self.simplify
            && let (Some(left), Some(right)) = (self.as_const(a), self.as_const(b))
        {
            return self.constant(width, fold::bin(op, width, left, right));
        }
        match self.attempt(|terms| terms.simplified_bin(op, a, b)) {
            Some(term) => term,
            None => self.finish(Node::Bin(op, a, b), width),
        }
    }

    fn simplified_bin(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        if self.width(a) == 1 {
            return Some(self.one_bit(op, a, b));
        }
        match op {
            BinOp::Add => Some(self.simplified_add(a, b)),
            BinOp::Sub => Some(self.simplified_sub(a, b)),
            BinOp::Mul => Some(self.simplified_mul(a, b)),
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => self.simplified_division(op, a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.simplified_shift(op, a, b),
            BinOp::And | BinOp::Or | BinOp::Xor => Some(self.bitwise(op, a, b)),
        }
    }

    /// On one bit, arithmetic is logic.
    fn one_bit(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Xor => self.bitwise(BinOp::Xor, a, b),
            BinOp::Mul | BinOp::And => self.bitwise(BinOp::And, a, b),
            BinOp::Or => self.bitwise(BinOp::Or, a, b),
            BinOp::UDiv | BinOp::SDiv => {
                let zero = self.not(b);
                self.or(a, zero)
            }
            BinOp::URem | BinOp::SRem | BinOp::Shl | BinOp::LShr => {
                let unset = self.not(b);
                self.and(a, unset)
            }
            BinOp::AShr => a,
        }
    }

    fn simplified_add(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.ordered(a, b);
        if let Some(value) = self.as_const(b)
            && let Some(sum) = self.quick_plus(a, value)
        {
            return sum;
        }
        if a == b {
            return self.times_constant(a, 2);
        }
        match self.linear_of_two(a, b, 1) {
            Ok(sum) => self.sum_term(sum),
            Err(_) => self.long_sum(BinOp::Add, a, b),
        }
    }

    /// Adding a constant to what is not a sum, or only a sum with a constant at its end.
    fn quick_plus(&mut self, term: TermId, value: u128) -> Option<TermId> {
        match self.node(term) {
            Node::Bin(BinOp::Add, inner, last) => {
                let known = self.as_const(last)?;
                let sum = known.wrapping_add(value) & mask(self.width(term));
                (sum != 0).then(|| self.plus_constant(inner, sum))
            }
            Node::Bin(BinOp::Sub, first, _) if self.as_const(first).is_some() => None,
            Node::Not(_) | Node::Ite(..) | Node::SExt(_) => None,
            Node::ZExt(inner) if self.width(inner) == 1 => None,
            _ => Some(self.plus_constant(term, value)),
        }
    }

    fn simplified_sub(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(value) = self.as_const(b) {
            let negated = self.constant(self.width(a), value.wrapping_neg());
            return self.add(a, negated);
        }
        match self.linear_of_two(a, b, mask(self.width(a))) {
            Ok(sum) => self.sum_term(sum),
            Err(_) => self.long_sum(BinOp::Sub, a, b),
        }
    }

    /// A sum too long for the normal form; its constant is still kept apart, at the end.
    fn long_sum(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let (a, first) = self.without_constant(a);
        let (b, second) = self.without_constant(b);
        if a == b && op == BinOp::Sub {
            return self.constant(width, first.wrapping_sub(second));
        }
        let (a, b) = if op == BinOp::Add { self.ordered(a, b) } else { (a, b) };
        let constant = fold::bin(op, width, first, second);
        let sum = match (op, self.is_zero(b)) {
            (_, true) => a,
            _ => self.finish(Node::Bin(op, a, b), width),
        };
        self.plus_constant(sum, constant)
    }

    fn without_constant(&mut self, term: TermId) -> (TermId, u128) {
        if let Node::Bin(BinOp::Add, inner, last) = self.node(term)
            && let Some(value) = self.as_const(last)
        {
            return (inner, value);
        }
        match self.as_const(term) {
            Some(value) => (self.constant(self.width(term), 0), value),
            None => (term, 0),
        }
    }

    fn simplified_mul(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = self.ordered(a, b);
        if let Some(factor) = self.as_const(b) {
            return self.times_constant(a, factor);
        }
        let width = self.width(a);
        let (left, left_factor) = self.multiple(a);
        let (right, right_factor) = self.multiple(b);
        let factor = left_factor.wrapping_mul(right_factor) & mask(width);
        if factor != 1 {
            let product = self.mul(left, right);
            return self.times_constant(product, factor);
        }
        for (bit, other) in [(a, b), (b, a)] {
            if let Some(bit) = self.extended_bit(bit) {
                let zero = self.constant(width, 0);
                return self.ite(bit, other, zero);
            }
        }
        match self.distributed(a, b) {
            Some(sum) => self.sum_term(sum),
            None => self.product(a, b),
        }
    }

    /// The bit that a term extends with zeros.
    pub(crate) fn extended_bit(&self, term: TermId) -> Option<TermId> {
        match self.node(term) {
            Node::ZExt(bit) if self.width(bit) == 1 => Some(bit),
            _ => None,
        }
    }

    pub(crate) fn times_constant(&mut self, term: TermId, factor: u128) -> TermId {
        let width = self.width(term);
        let minus_one = mask(width);
        if factor != 1 && factor != minus_one && matches!(self.node(term), Node::Bin(BinOp::Add | BinOp::Sub, ..)) {
            let mut sum = Linear::new(width);
            // One part always fits.
            let _ = sum.add_part(term, factor);
            return self.sum_term(sum);
        }
        match self.linear_scaled(term, factor) {
            Ok(sum) => self.sum_term(sum),
            Err(_) => {
                let factor = self.constant(width, factor);
                self.finish(Node::Bin(BinOp::Mul, term, factor), width)
            }
        }
    }

    /// `(x + k)(y + m)` as `xy + mx + ky + km`, where that takes no more multiplications: one part on either side, and
    /// constants that are powers of two.
    fn distributed(&mut self, a: TermId, b: TermId) -> Option<Linear> {
        let sum_shaped = |terms: &Terms, term| matches!(terms.node(term), Node::Bin(BinOp::Add | BinOp::Sub, ..));
        if !sum_shaped(self, a) && !sum_shaped(self, b) {
            return None;
        }
        let width = self.width(a);
        let (left, right) = (self.linear(a).ok()?, self.linear(b).ok()?);
        let plain = |value: u128| value == 0 || signed(value, width).unsigned_abs().is_power_of_two();
        let both_plain = plain(left.constant) && plain(right.constant);
        if left.len() != 1 || right.len() != 1 || !both_plain || (left.constant == 0 && right.constant == 0) {
            return None;
        }
        let (x, x_factor) = left.parts().next()?;
        let (y, y_factor) = right.parts().next()?;
        let product = self.mul(x, y);
        let mut sum = self.linear_scaled(product, x_factor.wrapping_mul(y_factor) & mask(width)).ok()?;
        sum.add_constant(left.constant.wrapping_mul(right.constant));
        sum.add_part(x, x_factor.wrapping_mul(right.constant)).ok()?;
        sum.add_part(y, y_factor.wrapping_mul(left.constant)).ok()?;
        Some(sum)
    }

    /// A product of terms that have no constant factor.
    fn product(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let mut factors = Factors { list: [a; MOST_FACTORS], count: 0 };
        let short = self.factors(a, &mut factors, MOST_FACTORS) && self.factors(b, &mut factors, MOST_FACTORS);
        if !short {
            let (a, b) = self.ordered(a, b);
            return self.finish(Node::Bin(BinOp::Mul, a, b), width);
        }
        let factors = &mut factors.list[..factors.count];
        factors.sort_unstable_by(|&left, &right| self.order(left, right));
        let mut product = factors[0];
        for &factor in &factors[1..] {
            product = self.finish(Node::Bin(BinOp::Mul, product, factor), width);
        }
        product
    }

    /// Adds the factors of a product to a list; false if there are too many, or they are nested too deeply.
    fn factors(&self, term: TermId, found: &mut Factors, depth: usize) -> bool {
        if depth == 0 || found.count == MOST_FACTORS {
            return false;
        }
        if let Node::Bin(BinOp::Mul, a, b) = self.node(term)
            && self.as_const(b).is_none()
        {
            return self.factors(a, found, depth - 1) && self.factors(b, found, depth - 1);
        }
        found.list[found.count] = term;
        found.count += 1;
        true
    }

    /// The operands of a commutative operator in the structural order, a constant last.
    pub(crate) fn ordered(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        let key = |term| self.as_const(term).is_some();
        if key(a).cmp(&key(b)).then_with(|| self.order(a, b)).is_gt() { (b, a) } else { (a, b) }
    }
}

struct Factors {
    list: [TermId; MOST_FACTORS],
    count: usize,
}
