//! Quotients, remainders and shifts. What a constant power of two or a known range allows is turned into moving bits or into
//! the same operation at a smaller width, since division is the dearest operation a solver can be given.

use crate::Terms;
use crate::fold::{mask, signed};
use crate::node::{Node, TermId};
use crate::ops::BinOp;

impl Terms {
    pub(crate) fn simplified_division(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (left, right) = (self.facts(a), self.facts(b));
        if left.sign(width) == Some(false) && right.sign(width) == Some(false) {
            match op {
                BinOp::SDiv => return Some(self.bin(BinOp::UDiv, a, b)),
                BinOp::SRem => return Some(self.bin(BinOp::URem, a, b)),
                _ => {}
            }
        }
        if let Some(divisor) = self.as_const(b)
            && let Some(term) = self.divided_by_constant(op, a, divisor)
        {
            return Some(term);
        }
        match op {
            BinOp::UDiv if right.low > left.high => Some(self.constant(width, 0)),
            BinOp::URem if right.low > left.high => Some(a),
            BinOp::URem | BinOp::SRem if a == b => Some(self.constant(width, 0)),
            BinOp::UDiv | BinOp::URem => self.narrowed_division(op, a, b),
            _ => None,
        }
    }

    fn divided_by_constant(&mut self, op: BinOp, a: TermId, divisor: u128) -> Option<TermId> {
        let width = self.width(a);
        let minus_one = mask(width);
        match (op, divisor) {
            (BinOp::URem | BinOp::SRem, 0) | (BinOp::UDiv | BinOp::SDiv, 1) => Some(a),
            (BinOp::UDiv, 0) => Some(self.constant(width, minus_one)),
            (BinOp::SDiv, 0) => {
                let zero = self.constant(width, 0);
                let negative = self.slt(a, zero);
                let (one, minus_one) = (self.constant(width, 1), self.constant(width, minus_one));
                Some(self.ite(negative, one, minus_one))
            }
            (BinOp::URem | BinOp::SRem, 1) => Some(self.constant(width, 0)),
            (BinOp::SRem, _) if divisor == minus_one => Some(self.constant(width, 0)),
            (BinOp::SDiv, _) if divisor == minus_one => Some(self.neg(a)),
            (BinOp::UDiv, _) if divisor.is_power_of_two() => {
                Some(self.shifted_right(a, divisor.trailing_zeros() as u8, false))
            }
            (BinOp::URem, _) if divisor.is_power_of_two() => {
                let rest = self.trunc(a, divisor.trailing_zeros() as u8);
                Some(self.zext(rest, width))
            }
            (BinOp::UDiv, _) => self.divided_again(a, divisor),
            (BinOp::SDiv | BinOp::SRem, _) => self.narrowed_signed_division(op, a, divisor),
            _ => None,
        }
    }

    /// `x / c / d` is `x / (c * d)`, if that product does not overflow.
    fn divided_again(&mut self, a: TermId, divisor: u128) -> Option<TermId> {
        let Node::Bin(BinOp::UDiv, inner, first) = self.node(a) else { return None };
        let width = self.width(a);
        match self.as_const(first)?.checked_mul(divisor) {
            Some(product) if product <= mask(width) => {
                let product = self.constant(width, product);
                Some(self.bin(BinOp::UDiv, inner, product))
            }
            _ => Some(self.constant(width, 0)),
        }
    }

    /// Operands that are known to be small are divided as such. A zero divisor gives all ones, which is not the extension of
    /// the narrow result, so it must be excluded for quotients.
    fn narrowed_division(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (left, right) = (self.facts(a), self.facts(b));
        let narrow = left.significant_bits().max(right.significant_bits()).max(1);
        if narrow == width || (op == BinOp::UDiv && right.low == 0) {
            return None;
        }
        let (a, b) = (self.trunc(a, narrow), self.trunc(b, narrow));
        let result = self.bin(op, a, b);
        Some(self.zext(result, width))
    }

    /// The same for signed operands, by a constant that is neither 0 nor -1.
    fn narrowed_signed_division(&mut self, op: BinOp, a: TermId, divisor: u128) -> Option<TermId> {
        let width = self.width(a);
        let Node::SExt(inner) = self.node(a) else { return None };
        let narrow = self.width(inner);
        let value = signed(divisor, width);
        if signed(divisor & mask(narrow), narrow) != value {
            // The divisor is larger than anything it is to divide, but for the smallest value.
            return None;
        }
        let divisor = self.constant(narrow, divisor);
        let result = self.bin(op, inner, divisor);
        Some(self.sext(result, width))
    }

    pub(crate) fn simplified_shift(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (value, count) = (self.facts(a), self.facts(b));
        if op == BinOp::AShr && value.sign(width) == Some(false) {
            return Some(self.bin(BinOp::LShr, a, b));
        }
        if count.low >= u128::from(width) {
            return Some(match op {
                BinOp::AShr => self.shifted_right(a, width - 1, true),
                _ => self.constant(width, 0),
            });
        }
        if self.is_zero(a) || (op == BinOp::AShr && self.is_ones(a)) {
            return Some(a);
        }
        let count = self.as_const(b)? as u8;
        Some(match op {
            BinOp::Shl => self.times_constant(a, 1 << count),
            _ => self.shifted_right(a, count, op == BinOp::AShr),
        })
    }

    /// A term shifted right by less than its width: the upper bits, extended.
    fn shifted_right(&mut self, a: TermId, count: u8, arithmetic: bool) -> TermId {
        let width = self.width(a);
        let kept = self.extract(a, count, width - count);
        if arithmetic { self.sext(kept, width) } else { self.zext(kept, width) }
    }
}
