//! What holds of a term under every input: bits that are always zero or always one, and the range of its value as an unsigned
//! number. Computed once, when a term is new, from the facts of its operands; so a comparison that can be decided without
//! looking at the path is decided when it is built. Most terms have no facts beyond their width, and cost nothing here.

use crate::Terms;
use crate::fold::{mask, sign_extend, signed};
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// What holds of a term of a known width under every input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bits that are always zero (within the width).
    pub zeros: u128,
    /// Bits that are always one.
    pub ones: u128,
    /// The smallest value.
    pub low: u128,
    /// The largest value.
    pub high: u128,
}

impl Facts {
    /// Nothing but the width is known.
    pub(crate) fn unknown(width: u8) -> Facts {
        Facts { zeros: 0, ones: 0, low: 0, high: mask(width) }
    }

    pub(crate) fn exactly(width: u8, value: u128) -> Facts {
        Facts { zeros: !value & mask(width), ones: value, low: value, high: value }
    }

    pub(crate) fn range(width: u8, low: u128, high: u128) -> Facts {
        Facts { zeros: 0, ones: 0, low, high }.tightened(width)
    }

    fn bits(width: u8, zeros: u128, ones: u128) -> Facts {
        Facts { zeros, ones, ..Facts::unknown(width) }.tightened(width)
    }

    /// Bits tell about the range, and the range about the leading bits.
    fn tightened(self, width: u8) -> Facts {
        let low = self.low.max(self.ones);
        let high = self.high.min(mask(width) & !self.zeros);
        let unsettled = mask((128 - (low ^ high).leading_zeros()) as u8);
        let settled = mask(width) & !unsettled;
        Facts { zeros: self.zeros | (settled & !low), ones: self.ones | (settled & low), low, high }
    }

    /// Both hold.
    fn and(self, other: Facts, width: u8) -> Facts {
        Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
        .tightened(width)
    }

    /// One of the two holds.
    pub(crate) fn or(self, other: Facts) -> Facts {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The value, if there is only one.
    pub(crate) fn single(self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// How many of the lowest bits are always zero.
    pub(crate) fn trailing_zeros(self) -> u8 {
        (!self.zeros).trailing_zeros() as u8
    }

    /// How many bits the largest value has.
    pub(crate) fn significant_bits(self) -> u8 {
        bit_length(self.high)
    }

    /// Whether no value satisfies both.
    pub(crate) fn excludes(self, other: Facts) -> bool {
        self.high < other.low || other.high < self.low || self.zeros & other.ones != 0 || self.ones & other.zeros != 0
    }

    /// The sign bit, if it is always the same.
    pub(crate) fn sign(self, width: u8) -> Option<bool> {
        let bit = 1 << (width - 1);
        if self.zeros & bit != 0 {
            Some(false)
        } else if self.ones & bit != 0 {
            Some(true)
        } else {
            None
        }
    }

    /// The smallest and largest value as signed numbers.
    pub(crate) fn signed_range(self, width: u8) -> (i128, i128) {
        match self.sign(width) {
            Some(_) => (signed(self.low, width), signed(self.high, width)),
            None => (signed(1 << (width - 1), width), signed(mask(width - 1), width)),
        }
    }
}

/// How many bits a value has.
pub(crate) fn bit_length(value: u128) -> u8 {
    (128 - value.leading_zeros()) as u8
}

/// The facts of an arena: for most terms there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactTable {
    /// Per term: zero, or the position in `facts` plus one.
    of_terms: Vec<u32>,
    facts: Vec<Facts>,
}

impl FactTable {
    /// Notes the facts of the next term.
    pub(crate) fn push(&mut self, facts: Facts, width: u8) {
        if facts == Facts::unknown(width) || facts.single().is_some() {
            self.of_terms.push(0);
            return;
        }
        // The terms of a loop tend to have the facts of the one before.
        if self.facts.last() != Some(&facts) {
            self.facts.push(facts);
        }
        self.of_terms.push(self.facts.len() as u32);
    }
}

impl Terms {
    /// What holds of the term under every input.
    pub fn facts(&self, term: TermId) -> Facts {
        let number = self.facts.of_terms[term.index()];
        if number != 0 {
            return self.facts.facts[number as usize - 1];
        }
        match self.as_const(term) {
            Some(value) => Facts::exactly(self.width(term), value),
            None => Facts::unknown(self.width(term)),
        }
    }

    /// The facts of a node that is about to become a term.
    pub(crate) fn facts_of(&self, node: Node, width: u8) -> Facts {
        match node {
            Node::Const(value) => Facts::exactly(width, u128::from(value)),
            Node::WideConst(index) => Facts::exactly(width, self.wide[index as usize]),
            Node::Read { array, index } => self.read_facts(array, index),
            Node::Not(a) => {
                let a = self.facts(a);
                let all = mask(width);
                Facts { zeros: a.ones, ones: a.zeros, low: all - a.high, high: all - a.low }
            }
            Node::Bin(op, a, b) => bin_facts(op, width, self.facts(a), self.facts(b)),
            Node::Ite(_, a, b) => self.facts(a).or(self.facts(b)).tightened(width),
            Node::Extract { term, low } => extract_facts(self.facts(term), low, width),
            Node::Concat(high, low) => concat_facts(self.facts(high), self.facts(low), self.width(low), width),
            Node::ZExt(a) => {
                let inner = self.facts(a);
                Facts { zeros: inner.zeros | (mask(width) & !mask(self.width(a))), ..inner }
            }
            Node::SExt(a) => sext_facts(self.facts(a), self.width(a), width),
            _ => Facts::unknown(width),
        }
    }
}

fn bin_facts(op: BinOp, width: u8, a: Facts, b: Facts) -> Facts {
    match op {
        BinOp::Add => add_bits(width, a, b, false).and(add_range(width, a, b), width),
        BinOp::Sub => {
            let negated = Facts { zeros: b.ones, ones: b.zeros, ..Facts::unknown(width) };
            add_bits(width, a, negated, true).and(sub_range(width, a, b), width)
        }
        BinOp::Mul => mul_facts(width, a, b),
        BinOp::UDiv if b.low > 0 => Facts::range(width, a.low / b.high, a.high / b.low),
        BinOp::URem if b.low > a.high => a,
        BinOp::URem if b.low > 0 => Facts::range(width, 0, a.high.min(b.high - 1)),
        BinOp::URem => Facts::range(width, 0, a.high),
        // Of operands that are not negative, these have become unsigned ones before.
        BinOp::UDiv | BinOp::SDiv | BinOp::SRem => Facts::unknown(width),
        BinOp::Shl => shl_facts(width, a, b),
        BinOp::LShr => {
            let shifted = |value: u128, count: u128| if count >= u128::from(width) { 0 } else { value >> count };
            Facts::range(width, shifted(a.low, b.high), shifted(a.high, b.low))
        }
        BinOp::AShr if a.sign(width) == Some(false) => bin_facts(BinOp::LShr, width, a, b),
        BinOp::AShr => Facts::unknown(width),
        BinOp::And => {
            Facts { zeros: a.zeros | b.zeros, ones: a.ones & b.ones, low: 0, high: a.high.min(b.high) }.tightened(width)
        }
        BinOp::Or => {
            Facts { zeros: a.zeros & b.zeros, ones: a.ones | b.ones, low: a.low.max(b.low), high: mask(width) }
                .tightened(width)
        }
        BinOp::Xor => {
            Facts::bits(width, (a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros))
        }
    }
}

/// Known bits of a sum: where both operands' bits and the carry into them are known. The carries are between those of the
/// smallest and those of the largest operands.
fn add_bits(width: u8, a: Facts, b: Facts, carry: bool) -> Facts {
    let all = mask(width);
    let (a_high, b_high) = (all & !a.zeros, all & !b.zeros);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(u128::from(carry));
    let most = a_high.wrapping_add(b_high).wrapping_add(u128::from(carry));
    let carries_zero = !(most ^ a_high ^ b_high);
    let carries_one = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carries_zero | carries_one) & all;
    Facts::bits(width, !most & known & all, least & known)
}

fn add_range(width: u8, a: Facts, b: Facts) -> Facts {
    let all = mask(width);
    let wraps = |x: u128, y: u128| y > all - x;
    let sum = |x: u128, y: u128| x.wrapping_add(y) & all;
    if wraps(a.low, b.low) == wraps(a.high, b.high) {
        Facts::range(width, sum(a.low, b.low), sum(a.high, b.high))
    } else {
        Facts::unknown(width)
    }
}

fn sub_range(width: u8, a: Facts, b: Facts) -> Facts {
    let all = mask(width);
    let difference = |x: u128, y: u128| x.wrapping_sub(y) & all;
    if (a.low < b.high) == (a.high < b.low) {
        Facts::range(width, difference(a.low, b.high), difference(a.high, b.low))
    } else {
        Facts::unknown(width)
    }
}

fn mul_facts(width: u8, a: Facts, b: Facts) -> Facts {
    let zeros = u32::from(a.trailing_zeros()) + u32::from(b.trailing_zeros());
    let bits = Facts::bits(width, mask(zeros.min(u32::from(width)) as u8), 0);
    match a.high.checked_mul(b.high) {
        Some(high) if high <= mask(width) => bits.and(Facts::range(width, a.low * b.low, high), width),
        _ => bits,
    }
}

fn shl_facts(width: u8, a: Facts, b: Facts) -> Facts {
    let all = mask(width);
    if b.low >= u128::from(width) {
        return Facts::exactly(width, 0);
    }
    let least = b.low as u8;
    if b.single().is_some() {
        let zeros = (a.zeros << least | mask(least)) & all;
        let bits = Facts::bits(width, zeros, a.ones << least & all);
        let fits = a.significant_bits() + least <= width;
        return if fits { bits.and(Facts::range(width, a.low << least, a.high << least), width) } else { bits };
    }
    let zeros = u32::from(a.trailing_zeros()) + u32::from(least);
    let bits = Facts::bits(width, mask(zeros.min(u32::from(width)) as u8), 0);
    let fits = b.high < u128::from(width) && u128::from(a.significant_bits()) + b.high <= u128::from(width);
    if fits { bits.and(Facts::range(width, a.low << least, a.high << b.high), width) } else { bits }
}

fn extract_facts(a: Facts, low: u8, width: u8) -> Facts {
    let all = mask(width);
    let bits = Facts::bits(width, a.zeros >> low & all, a.ones >> low & all);
    let (smallest, largest) = (a.low >> low, a.high >> low);
    // Only if nothing above the extracted bits changes does their range follow.
    if smallest & !all == largest & !all {
        bits.and(Facts::range(width, smallest & all, largest & all), width)
    } else {
        bits
    }
}

fn concat_facts(high: Facts, low: Facts, low_width: u8, width: u8) -> Facts {
    Facts {
        zeros: high.zeros << low_width | low.zeros,
        ones: high.ones << low_width | low.ones,
        low: high.low << low_width | low.low,
        high: high.high << low_width | low.high,
    }
    .tightened(width)
}

fn sext_facts(a: Facts, from: u8, width: u8) -> Facts {
    let extended = |value| sign_extend(value, from, width);
    if a.sign(from).is_some() {
        return Facts {
            zeros: extended(a.zeros),
            ones: extended(a.ones),
            low: extended(a.low),
            high: extended(a.high),
        };
    }
    Facts { zeros: a.zeros & mask(from - 1), ones: a.ones & mask(from - 1), ..Facts::unknown(width) }.tightened(width)
}
