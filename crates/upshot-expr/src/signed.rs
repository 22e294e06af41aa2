//! The range of a term as a signed number. Facts are about unsigned numbers, which say little of a character that was extended
//! with its sign and had `'0'` subtracted. Of every term it is known how many bits it takes as a signed number, which is a
//! byte; the exact range is found when it is asked for, by looking a few operators deep where those bits leave any hope.

use crate::Terms;
use crate::facts::{Facts, bit_length};
use crate::fold::{mask, signed};
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// How many operators deep.
const DEPTH: u8 = 4;

/// The smallest and the largest value.
type SignedRange = (i128, i128);

impl Terms {
    /// The smallest and largest value of the term as signed numbers.
    pub(crate) fn signed_range(&self, term: TermId) -> SignedRange {
        self.signed_range_within(term, DEPTH)
    }

    fn signed_range_within(&self, term: TermId, depth: u8) -> SignedRange {
        let known = self.facts(term).signed_range(self.width(term));
        if depth == 0 || self.signed_widths[term.index()] == self.width(term) {
            return known;
        }
        match self.derived_range(term, depth - 1) {
            Some((low, high)) => (known.0.max(low), known.1.min(high)),
            None => known,
        }
    }

    /// How many bits a new node takes at most as a signed number: the others repeat the sign.
    pub(crate) fn signed_width_of(&self, node: Node, width: u8, facts: Facts) -> u8 {
        let bits = |term: TermId| u32::from(self.signed_widths[term.index()]);
        let needed = match node {
            Node::Const(value) => return signed_width_of_constant(u128::from(value), width),
            Node::WideConst(index) => return signed_width_of_constant(self.wide[index as usize], width),
            Node::SExt(a) | Node::Not(a) => bits(a),
            Node::Ite(_, a, b) | Node::Bin(BinOp::And | BinOp::Or | BinOp::Xor, a, b) => bits(a).max(bits(b)),
            Node::Bin(BinOp::Add | BinOp::Sub, a, b) => bits(a).max(bits(b)) + 1,
            Node::Bin(BinOp::Mul, a, b) => bits(a) + bits(b),
            Node::Bin(BinOp::Shl, a, b) => self.as_const(b).map_or(u32::MAX, |count| bits(a) + count.min(128) as u32),
            Node::Bin(BinOp::SRem, a, _) => bits(a),
            _ => u32::MAX,
        };
        let not_negative = if facts.sign(width) == Some(false) { facts.significant_bits() + 1 } else { width };
        needed.min(u32::from(not_negative)) as u8
    }

    /// The range that follows from those of the operands, if nothing overflows.
    fn derived_range(&self, term: TermId, depth: u8) -> Option<SignedRange> {
        let width = self.width(term);
        let range = |operand| self.signed_range_within(operand, depth);
        let (low, high) = match self.node(term) {
            Node::SExt(inner) => return Some(range(inner)),
            Node::Ite(_, a, b) => {
                let (a, b) = (range(a), range(b));
                return Some((a.0.min(b.0), a.1.max(b.1)));
            }
            Node::Bin(BinOp::Add, a, b) => {
                let (a, b) = (range(a), range(b));
                (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)
            }
            Node::Bin(BinOp::Sub, a, b) => {
                let (a, b) = (range(a), range(b));
                (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)
            }
            Node::Bin(BinOp::Mul | BinOp::Shl, a, _) => {
                let factor = self.constant_factor(term).filter(|&factor| factor > 0)?;
                let a = range(a);
                (a.0.checked_mul(factor)?, a.1.checked_mul(factor)?)
            }
            Node::Bin(BinOp::SRem, a, b) => {
                // Smaller than the divisor, and of the sign of the dividend.
                let most = signed(self.as_const(b).filter(|&divisor| divisor != 0)?, width).checked_abs()? - 1;
                let (low, high) = range(a);
                return Some((low.clamp(-most, 0), high.clamp(0, most)));
            }
            _ => return None,
        };
        let (smallest, largest) = (signed(1 << (width - 1), width), signed(mask(width - 1), width));
        (smallest <= low && high <= largest).then_some((low, high))
    }

    /// The constant that a product or a shift multiplies its first operand with, as a signed number.
    pub(crate) fn constant_factor(&self, term: TermId) -> Option<i128> {
        let width = self.width(term);
        match self.node(term) {
            Node::Bin(BinOp::Mul, _, factor) => Some(signed(self.as_const(factor)?, width)),
            Node::Bin(BinOp::Shl, _, count) => {
                let count = self.as_const(count)?;
                (count < u128::from(width) - 1).then(|| 1 << count)
            }
            _ => None,
        }
    }
}

fn signed_width_of_constant(value: u128, width: u8) -> u8 {
    let magnitude = if signed(value, width) < 0 { !value & mask(width) } else { value };
    bit_length(magnitude) + 1
}
