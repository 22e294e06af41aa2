//! Orders of sums and products with constants, against a constant. Arithmetic wraps, so `x + 3 < 7` is not `x < 4` in general;
//! but where the range of `x` shows that nothing wraps, it is, and a check of bounds on `4 * i + base` becomes one of `i`.

use crate::Terms;
use crate::fold::{mask, signed};
use crate::node::{Node, TermId};
use crate::ops::{BinOp, IntPredicate};

/// What is left of a comparison.
enum Rest {
    /// The operand is less than this.
    Less(TermId, i128),
    /// The operand is greater than this.
    Greater(TermId, i128),
}

impl Terms {
    /// `term < bound` as unsigned numbers, as a comparison of an operand of `term`.
    pub(crate) fn unsigned_order_moved(&mut self, term: TermId, bound: u128) -> Option<TermId> {
        let width = self.width(term);
        let all = mask(width);
        match self.node(term) {
            Node::Bin(BinOp::Add, x, constant) => {
                let constant = self.as_const(constant)?;
                let range = self.facts(x);
                let moved = if range.high <= all - constant {
                    bound.checked_sub(constant)?
                } else if range.low > all - constant {
                    // It always wraps: this is a subtraction that never does.
                    let subtracted = constant.wrapping_neg() & all;
                    bound.checked_add(subtracted).filter(|&moved| moved <= all)?
                } else {
                    return None;
                };
                let moved = self.constant(width, moved);
                Some(self.ult(x, moved))
            }
            Node::Bin(BinOp::Sub, constant, x) => {
                let constant = self.as_const(constant)?;
                if self.facts(x).high > constant {
                    return None;
                }
                let moved = self.constant(width, constant.checked_sub(bound)?);
                Some(self.ult(moved, x))
            }
            Node::Bin(BinOp::Mul | BinOp::Shl, x, _) => {
                let factor = u128::try_from(self.constant_factor(term)?).ok().filter(|&factor| factor > 0)?;
                self.facts(x).high.checked_mul(factor).filter(|&high| high <= all)?;
                let moved = self.constant(width, bound.div_ceil(factor));
                Some(self.ult(x, moved))
            }
            _ => None,
        }
    }

    /// The same for signed numbers.
    pub(crate) fn signed_order_moved(&mut self, term: TermId, bound: u128) -> Option<TermId> {
        let width = self.width(term);
        let (smallest, largest) = (signed(1 << (width - 1), width), signed(mask(width - 1), width));
        let inside = |low: Option<i128>, high: Option<i128>| {
            low.is_some_and(|low| low >= smallest) && high.is_some_and(|high| high <= largest)
        };
        let bound = signed(bound, width);
        let rest = match self.node(term) {
            Node::Bin(BinOp::Add, x, constant) => {
                let constant = signed(self.as_const(constant)?, width);
                let (low, high) = self.signed_range(x);
                if !inside(low.checked_add(constant), high.checked_add(constant)) {
                    return None;
                }
                Rest::Less(x, bound.checked_sub(constant)?)
            }
            Node::Bin(BinOp::Sub, constant, x) => {
                let constant = signed(self.as_const(constant)?, width);
                let (low, high) = self.signed_range(x);
                if !inside(constant.checked_sub(high), constant.checked_sub(low)) {
                    return None;
                }
                Rest::Greater(x, constant.checked_sub(bound)?)
            }
            Node::Bin(BinOp::Mul | BinOp::Shl, x, _) => {
                let factor = self.constant_factor(term).filter(|&factor| factor > 0)?;
                let (low, high) = self.signed_range(x);
                if !inside(low.checked_mul(factor), high.checked_mul(factor)) {
                    return None;
                }
                // Rounded up: negative numbers are rounded up by truncation.
                Rest::Less(x, bound.div_euclid(factor) + i128::from(bound.rem_euclid(factor) != 0))
            }
            _ => return None,
        };
        let (x, value, predicate, beyond) = match rest {
            Rest::Less(x, value) => (x, value, IntPredicate::Slt, value > largest),
            Rest::Greater(x, value) => (x, value, IntPredicate::Sgt, value < smallest),
        };
        if !(smallest..=largest).contains(&value) {
            return Some(self.bool(beyond));
        }
        let value = self.constant(width, value as u128);
        Some(self.compare(predicate, x, value))
    }
}
