//! Sums in a normal form: a constant plus terms with constant coefficients, all modulo 2^width. Adding, subtracting and
//! multiplying by a constant go through this form, so `x + y - x` is `y` and `(x + 1) + 2` is `x + 3` whatever the order in
//! which they were built. A sum longer than [`MOST_PARTS`] is not taken apart: rebuilding ever longer sums would cost more
//! than it finds.
//!
//! In the term that a normal form becomes, the parts stand in the structural order, which puts shallow terms first. A sum that
//! is accumulated in a loop therefore grows at its end, and each step shares the sum before it.

use crate::Terms;
use crate::fold::{mask, signed};
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// The longest sum that is kept in normal form.
pub(crate) const MOST_PARTS: usize = 8;

/// How many nodes are looked at to find the parts of a sum.
const MOST_VISITS: u32 = 32;

/// `constant + Σ coefficient · atom`, modulo 2^width.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) width: u8,
    pub(crate) constant: u128,
    parts: [Option<(TermId, u128)>; MOST_PARTS],
    count: usize,
    visits: u32,
}

/// More parts than are kept in normal form.
#[derive(Debug)]
pub(crate) struct TooLong;

impl Linear {
    pub(crate) fn new(width: u8) -> Linear {
        Linear { width, constant: 0, parts: [None; MOST_PARTS], count: 0, visits: 0 }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = (TermId, u128)> {
        self.parts[..self.count].iter().copied().flatten()
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn add_constant(&mut self, value: u128) {
        self.constant = self.constant.wrapping_add(value) & mask(self.width);
    }

    /// The same with each coefficient and the constant negated.
    pub(crate) fn negate(&mut self) {
        let all = mask(self.width);
        self.constant = self.constant.wrapping_neg() & all;
        for (_, coefficient) in self.parts[..self.count].iter_mut().flatten() {
            *coefficient = coefficient.wrapping_neg() & all;
        }
    }

    pub(crate) fn add_part(&mut self, atom: TermId, coefficient: u128) -> Result<(), TooLong> {
        let all = mask(self.width);
        let known = self.parts[..self.count].iter().position(|part| part.is_some_and(|(known, _)| known == atom));
        let Some(position) = known else {
            if coefficient & all == 0 {
                return Ok(());
            }
            if self.count == MOST_PARTS {
                return Err(TooLong);
            }
            self.parts[self.count] = Some((atom, coefficient & all));
            self.count += 1;
            return Ok(());
        };
        let before = self.parts[position].map_or(0, |(_, coefficient)| coefficient);
        let sum = before.wrapping_add(coefficient) & all;
        if sum == 0 {
            self.remove(position);
        } else {
            self.parts[position] = Some((atom, sum));
        }
        Ok(())
    }

    fn remove(&mut self, position: usize) {
        self.parts.copy_within(position + 1..self.count, position);
        self.count -= 1;
        self.parts[self.count] = None;
    }

    fn sort(&mut self, terms: &Terms) {
        self.parts[..self.count].sort_unstable_by(|left, right| match (left, right) {
            (Some((left, _)), Some((right, _))) => terms.order(*left, *right),
            _ => left.is_none().cmp(&right.is_none()),
        });
    }
}

impl Terms {
    /// Whether the node is a sum whose operands would be parts of a larger sum.
    fn is_sum(&self, term: TermId) -> bool {
        matches!(self.node(term), Node::Bin(BinOp::Add | BinOp::Sub, ..))
    }

    /// A term as a sum in normal form.
    pub(crate) fn linear(&mut self, term: TermId) -> Result<Linear, TooLong> {
        self.linear_scaled(term, 1)
    }

    /// `factor · term` as a sum in normal form.
    pub(crate) fn linear_scaled(&mut self, term: TermId, factor: u128) -> Result<Linear, TooLong> {
        let mut sum = Linear::new(self.width(term));
        self.collect(&mut sum, term, factor)?;
        self.flatten(&mut sum)?;
        Ok(self.recombine(sum))
    }

    /// `a + factor · b` as a sum in normal form.
    pub(crate) fn linear_of_two(&mut self, a: TermId, b: TermId, factor: u128) -> Result<Linear, TooLong> {
        let mut sum = Linear::new(self.width(a));
        self.collect(&mut sum, a, 1)?;
        self.collect(&mut sum, b, factor)?;
        self.flatten(&mut sum)?;
        Ok(self.recombine(sum))
    }

    /// A sum that occurs once is part of the sum around it. (Multiples of a sum are not distributed: `10 * (x + y)` is one
    /// multiplication, `10 * x + 10 * y` are two.)
    fn flatten(&mut self, sum: &mut Linear) -> Result<(), TooLong> {
        let minus_one = mask(sum.width);
        loop {
            let once = |part: &Option<(TermId, u128)>| {
                part.is_some_and(|(atom, factor)| (factor == 1 || factor == minus_one) && self.is_sum(atom))
            };
            let Some(position) = sum.parts[..sum.count].iter().position(once) else { return Ok(()) };
            let Some((atom, factor)) = sum.parts[position] else { return Ok(()) };
            sum.remove(position);
            self.collect(sum, atom, factor)?;
        }
    }

    /// Adds `factor · term` to a sum.
    fn collect(&mut self, sum: &mut Linear, term: TermId, factor: u128) -> Result<(), TooLong> {
        sum.visits += 1;
        if sum.visits > MOST_VISITS {
            return Err(TooLong);
        }
        let all = mask(sum.width);
        match self.node(term) {
            Node::Const(value) => sum.add_constant(u128::from(value).wrapping_mul(factor)),
            Node::WideConst(_) => {
                let value = self.as_const(term).unwrap_or(0);
                sum.add_constant(value.wrapping_mul(factor));
            }
            Node::Bin(BinOp::Add, a, b) => {
                self.collect(sum, a, factor)?;
                self.collect(sum, b, factor)?;
            }
            Node::Bin(BinOp::Sub, a, b) => {
                self.collect(sum, a, factor)?;
                self.collect(sum, b, factor.wrapping_neg() & all)?;
            }
            Node::Not(a) => {
                sum.add_constant(factor.wrapping_neg());
                self.collect(sum, a, factor.wrapping_neg() & all)?;
            }
            Node::ZExt(bit) if self.width(bit) == 1 => self.collect_bit(sum, bit, factor)?,
            Node::SExt(bit) if self.width(bit) == 1 => self.collect_bit(sum, bit, factor.wrapping_neg())?,
            Node::Ite(condition, a, b) => return self.collect_choice(sum, term, factor, (condition, a, b)),
            _ => {
                let (atom, multiple) = self.multiple(term);
                let factor = multiple.wrapping_mul(factor) & all;
                if atom == term || self.is_sum(atom) {
                    sum.add_part(atom, factor)?;
                } else {
                    self.collect(sum, atom, factor)?;
                }
            }
        }
        Ok(())
    }

    /// A choice between constants is one of them, plus the condition times their difference.
    fn collect_choice(
        &mut self,
        sum: &mut Linear,
        term: TermId,
        factor: u128,
        (condition, a, b): (TermId, TermId, TermId),
    ) -> Result<(), TooLong> {
        let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) else { return sum.add_part(term, factor) };
        sum.add_constant(b.wrapping_mul(factor));
        self.collect_bit(sum, condition, a.wrapping_sub(b).wrapping_mul(factor))
    }

    /// A bit counts 0 or 1; its negation is 1 less the bit.
    fn collect_bit(&mut self, sum: &mut Linear, bit: TermId, factor: u128) -> Result<(), TooLong> {
        let (bit, factor) = match self.node(bit) {
            Node::Not(inner) => {
                sum.add_constant(factor);
                (inner, factor.wrapping_neg())
            }
            _ => (bit, factor),
        };
        let atom = self.zext(bit, sum.width);
        sum.add_part(atom, factor)
    }

    /// A term as a constant multiple of another.
    pub(crate) fn multiple(&mut self, term: TermId) -> (TermId, u128) {
        let width = self.width(term);
        match self.node(term) {
            Node::Bin(BinOp::Mul, a, b) => match self.as_const(b) {
                Some(factor) => (a, factor),
                None => (term, 1),
            },
            Node::Bin(BinOp::Shl, a, b) => match self.as_const(b) {
                Some(count) if count < u128::from(width) => (a, 1 << count),
                _ => (term, 1),
            },
            Node::Concat(..) => self.moved(term, width, false).unwrap_or((term, 1)),
            Node::ZExt(inner) => self.moved(inner, width, false).unwrap_or((term, 1)),
            Node::SExt(inner) => self.moved(inner, width, true).unwrap_or((term, 1)),
            _ => (term, 1),
        }
    }

    /// Bits above zeros, extended to a width: a multiple of a power of two.
    fn moved(&mut self, term: TermId, width: u8, signed: bool) -> Option<(TermId, u128)> {
        let zeros = self.zeros_below(term)?;
        let high = self.extract(term, zeros, self.width(term) - zeros);
        Some((self.resize(high, width, signed), 1 << zeros))
    }

    /// How many zeros are written at the end of a concatenation or a shift. (Others may be known to be there, but taking
    /// these off leaves nothing simpler.)
    fn zeros_below(&self, term: TermId) -> Option<u8> {
        let mut last = term;
        while let Node::Concat(_, low) = self.node(last) {
            last = low;
        }
        let zeros = match self.node(last) {
            Node::Bin(BinOp::Shl, _, count) => self.as_const(count)? as u8,
            _ => (self.as_const(last)?.trailing_zeros() as u8).min(self.width(last)),
        };
        (zeros > 0).then_some(zeros)
    }

    /// The term of a sum in normal form.
    pub(crate) fn sum_term(&mut self, mut sum: Linear) -> TermId {
        let width = sum.width;
        if sum.count == 1
            && let Some((atom, factor)) = sum.parts[0]
            && let Some(choice) = self.scaled_bit(atom, factor, sum.constant)
        {
            return choice;
        }
        sum.sort(self);
        let (positive, negative) = self.sides(&sum);
        match (positive, negative) {
            (None, None) => self.constant(width, sum.constant),
            (Some(term), None) => self.plus_constant(term, sum.constant),
            (Some(positive), Some(negative)) => {
                let difference = self.finish(Node::Bin(BinOp::Sub, positive, negative), width);
                self.plus_constant(difference, sum.constant)
            }
            (None, Some(negative)) if sum.constant == mask(width) => self.finish(Node::Not(negative), width),
            (None, Some(negative)) => {
                let constant = self.constant(width, sum.constant);
                self.finish(Node::Bin(BinOp::Sub, constant, negative), width)
            }
        }
    }

    /// The parts with positive coefficients as one sum, and those with negative ones, negated, as another.
    fn sides(&mut self, sum: &Linear) -> (Option<TermId>, Option<TermId>) {
        let width = sum.width;
        let (mut positive, mut negative) = (None, None);
        for (atom, factor) in sum.parts() {
            let (side, factor) = if is_positive(factor, width) {
                (&mut positive, factor)
            } else {
                (&mut negative, factor.wrapping_neg() & mask(width))
            };
            let term = self.scaled(atom, factor);
            *side = Some(match *side {
                None => term,
                Some(before) => self.finish(Node::Bin(BinOp::Add, before, term), width),
            });
        }
        (positive, negative)
    }

    /// Parts and constant of an equation `sum = 0`, moved to where they are positive; the first part stays on the left, and so
    /// the same equation has the same sides whichever way round it was written.
    pub(crate) fn equation(&mut self, mut sum: Linear) -> (TermId, TermId) {
        let width = sum.width;
        sum.sort(self);
        let first = sum.parts().next().map_or(0, |(_, factor)| factor);
        if !is_positive(first, width) {
            sum.negate();
        }
        let (mut left, mut right) = (Linear::new(width), Linear::new(width));
        right.add_constant(sum.constant.wrapping_neg());
        for (atom, factor) in sum.parts() {
            let (side, factor) =
                if is_positive(factor, width) { (&mut left, factor) } else { (&mut right, factor.wrapping_neg()) };
            // Each side has at most as many parts as the whole.
            let _ = side.add_part(atom, factor);
        }
        (self.sum_term(left), self.sum_term(right))
    }

    pub(crate) fn plus_constant(&mut self, term: TermId, value: u128) -> TermId {
        if value == 0 {
            return term;
        }
        let width = self.width(term);
        let constant = self.constant(width, value);
        self.finish(Node::Bin(BinOp::Add, term, constant), width)
    }

    /// `factor · atom`.
    fn scaled(&mut self, atom: TermId, factor: u128) -> TermId {
        let width = self.width(atom);
        if factor == 1 {
            return atom;
        }
        if let Some(choice) = self.scaled_bit(atom, factor, 0) {
            return choice;
        }
        if factor.is_power_of_two() {
            return self.shifted_left(atom, factor.trailing_zeros() as u8);
        }
        let factor = self.constant(width, factor);
        self.finish(Node::Bin(BinOp::Mul, atom, factor), width)
    }

    /// `factor · atom + constant` for an atom that is 0 or 1.
    fn scaled_bit(&mut self, atom: TermId, factor: u128, constant: u128) -> Option<TermId> {
        let Node::ZExt(bit) = self.node(atom) else { return None };
        let moved = constant == 0 && factor.is_power_of_two() && self.as_extract(bit).is_some();
        if self.width(bit) != 1 || moved {
            return None;
        }
        let width = self.width(atom);
        let set = self.constant(width, factor.wrapping_add(constant));
        let clear = self.constant(width, constant);
        Some(self.ite(bit, set, clear))
    }

    /// A term shifted left by less than its width.
    pub(crate) fn shifted_left(&mut self, term: TermId, count: u8) -> TermId {
        let width = self.width(term);
        let amount = self.constant(width, u128::from(count));
        self.finish(Node::Bin(BinOp::Shl, term, amount), width)
    }
}

/// Whether a coefficient counts as positive: also the one that is its own negation.
fn is_positive(factor: u128, width: u8) -> bool {
    signed(factor, width) > 0 || factor == 1 << (width - 1)
}
