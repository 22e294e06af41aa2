//! Quotients and remainders in a sum: `(x / y) * y + x % y` is `x`, and `x - (x / y) * y` is `x % y`, as code writes it that takes a number
//! apart. A solver finds this out the hard way, by multiplying what it has divided. It holds for every divisor: with a zero, the
//! remainder is the dividend, and the smallest number by -1 wraps to itself.

use crate::Terms;
use crate::fold::{mask, signed};
use crate::linear::Linear;
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// `factor · quotient · divisor`, as a part of a sum.
struct Multiple {
    dividend: TermId,
    remainder: TermId,
    factor: u128,
}

impl Terms {
    /// The same sum with quotients and remainders put together, where that makes it shorter.
    pub(crate) fn recombine(&mut self, sum: Linear) -> Linear {
        if sum.len() < 2 {
            return sum;
        }
        let mut quotients: Vec<(TermId, u128)> =
            sum.parts().filter(|&(atom, _)| self.may_hold_quotient(atom)).collect();
        quotients.sort_unstable_by(|a, b| self.order(a.0, b.0));
        quotients.into_iter().find_map(|part| self.recombined(&sum, part)).unwrap_or(sum)
    }

    /// The sum with this part, `factor · quotient · divisor`, replaced by `factor · dividend - factor · remainder`.
    fn recombined(&mut self, sum: &Linear, (atom, coefficient): (TermId, u128)) -> Option<Linear> {
        let Multiple { dividend, remainder, factor } = self.multiple_of_divisor(atom, coefficient)?;
        let dividend = self.linear_scaled(dividend, factor).ok()?;
        let mut result = sum.clone();
        result.add_part(atom, coefficient.wrapping_neg()).ok()?;
        result.add_part(remainder, factor.wrapping_neg()).ok()?;
        let had_remainder = result.len() + 2 == sum.len();
        result.add_constant(dividend.constant);
        for (part, factor) in dividend.parts() {
            result.add_part(part, factor).ok()?;
        }
        // Either the remainder was there, or the dividend was, and is gone.
        let had_dividend = dividend.len() > 0 && result.len() + dividend.len() == sum.len();
        (had_remainder || had_dividend).then_some(result)
    }

    fn may_hold_quotient(&self, atom: TermId) -> bool {
        match self.node(atom) {
            Node::Bin(BinOp::Mul, a, b) => self.is_quotient(a) || self.is_quotient(b),
            _ => self.is_quotient(atom),
        }
    }

    fn is_quotient(&self, term: TermId) -> bool {
        match self.node(term) {
            Node::Bin(BinOp::UDiv | BinOp::SDiv, ..) => true,
            Node::ZExt(inner) => matches!(self.node(inner), Node::Bin(BinOp::UDiv, ..)),
            Node::SExt(inner) => matches!(self.node(inner), Node::Bin(BinOp::SDiv, ..)),
            _ => false,
        }
    }

    /// `coefficient · atom` as a multiple of a quotient times its divisor.
    fn multiple_of_divisor(&mut self, atom: TermId, coefficient: u128) -> Option<Multiple> {
        let candidates = match self.node(atom) {
            Node::Bin(BinOp::Mul, a, b) => [Some((a, Some(b))), Some((b, Some(a)))],
            _ => [Some((atom, None)), None],
        };
        candidates.into_iter().flatten().find_map(|(quotient, other)| {
            let (op, dividend, divisor) = self.operands_of_quotient(quotient)?;
            let (unknown, scale) = match self.as_const(divisor) {
                Some(value) => (None, value),
                None => Some(self.multiple(divisor)).map(|(unknown, scale)| (Some(unknown), scale))?,
            };
            if unknown != other {
                return None;
            }
            let width = self.width(atom);
            let (whole, scale) = (signed(coefficient, width), signed(scale, width));
            let factor = (whole.checked_rem(scale)? == 0).then(|| whole.wrapping_div(scale))? as u128 & mask(width);
            let remainder = self.bin(if op == BinOp::UDiv { BinOp::URem } else { BinOp::SRem }, dividend, divisor);
            Some(Multiple { dividend, remainder, factor })
        })
    }

    /// Dividend and divisor at the width of the quotient. An extended quotient is that of the extended operands, but for the smallest
    /// number by -1, so an extended signed one counts only if its divisor is another constant.
    fn operands_of_quotient(&mut self, quotient: TermId) -> Option<(BinOp, TermId, TermId)> {
        let width = self.width(quotient);
        match self.node(quotient) {
            Node::Bin(op @ (BinOp::UDiv | BinOp::SDiv), dividend, divisor) => Some((op, dividend, divisor)),
            Node::ZExt(inner) => match self.node(inner) {
                Node::Bin(BinOp::UDiv, dividend, divisor) => {
                    Some((BinOp::UDiv, self.zext(dividend, width), self.zext(divisor, width)))
                }
                _ => None,
            },
            Node::SExt(inner) => match self.node(inner) {
                Node::Bin(BinOp::SDiv, dividend, divisor) => {
                    let value = self.as_const(divisor)?;
                    let plain = value != 0 && value != mask(self.width(inner));
                    plain.then(|| (BinOp::SDiv, self.sext(dividend, width), self.sext(divisor, width)))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
