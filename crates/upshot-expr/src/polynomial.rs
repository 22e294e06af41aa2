//! Differences with products multiplied out, so that `x * (y + 1) == x * y + x` is seen to hold. Only the difference of two
//! sides is expanded, never a term that is kept: expanded terms can be far larger than what they were made from.

use rustc_hash::FxHashMap;

use crate::Terms;
use crate::fold::mask;
use crate::linear::Linear;
use crate::node::{Node, TermId};
use crate::ops::BinOp;

/// The largest expansion that is tried.
const MOST_MONOMIALS: usize = 32;
const HIGHEST_DEGREE: usize = 4;
const MOST_VISITS: u32 = 64;

/// A product of terms, in the order of their ids (which is good enough to recognise equal products), padded.
type Monomial = [Option<TermId>; HIGHEST_DEGREE];

const UNIT: Monomial = [None; HIGHEST_DEGREE];

/// Products with their coefficients.
type Polynomial = FxHashMap<Monomial, u128>;

impl Terms {
    /// `a - b` multiplied out, if there are products in it and it then is a sum without products.
    pub(crate) fn polynomial_difference(&mut self, a: TermId, b: TermId) -> Option<Linear> {
        if !self.has_product(a, 4) && !self.has_product(b, 4) {
            return None;
        }
        let width = self.width(a);
        let mut visits = 0;
        let mut difference = self.expanded(a, &mut visits)?;
        for (monomial, coefficient) in self.expanded(b, &mut visits)? {
            add(&mut difference, monomial, coefficient.wrapping_neg(), width);
        }
        let mut sum = Linear::new(width);
        for (monomial, coefficient) in difference {
            match (monomial[0], monomial[1]) {
                (None, _) => sum.add_constant(coefficient),
                (Some(atom), None) => sum.add_part(atom, coefficient).ok()?,
                _ => return None,
            }
        }
        Some(sum)
    }

    /// Whether there is something to multiply out, not too deep inside.
    fn has_product(&self, term: TermId, depth: u8) -> bool {
        if depth == 0 {
            return false;
        }
        match self.node(term) {
            Node::Bin(BinOp::Add | BinOp::Sub, a, b) => {
                self.has_product(a, depth - 1) || self.has_product(b, depth - 1)
            }
            Node::Not(a) => self.has_product(a, depth - 1),
            Node::Bin(BinOp::Mul, a, b) => self.as_const(b).is_none() || self.is_expandable(a),
            Node::Bin(BinOp::Shl, a, b) => self.as_const(b).is_some() && self.is_expandable(a),
            _ => false,
        }
    }

    fn is_expandable(&self, term: TermId) -> bool {
        matches!(self.node(term), Node::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Node::Not(_))
    }

    fn expanded(&mut self, term: TermId, visits: &mut u32) -> Option<Polynomial> {
        *visits += 1;
        if *visits > MOST_VISITS {
            return None;
        }
        let width = self.width(term);
        let minus_one = mask(width);
        match self.node(term) {
            Node::Bin(BinOp::Add, a, b) => self.combined(a, b, 1, visits),
            Node::Bin(BinOp::Sub, a, b) => self.combined(a, b, minus_one, visits),
            Node::Not(a) => {
                let mut result = Polynomial::default();
                for (monomial, coefficient) in self.expanded(a, visits)? {
                    add(&mut result, monomial, coefficient.wrapping_neg(), width);
                }
                add(&mut result, UNIT, minus_one, width);
                Some(result)
            }
            Node::Bin(BinOp::Mul, a, b) => {
                let (a, b) = (self.expanded(a, visits)?, self.expanded(b, visits)?);
                multiplied(&a, &b, width)
            }
            Node::Const(_) | Node::WideConst(_) => {
                let value = self.as_const(term)?;
                Some(Polynomial::from_iter((value != 0).then_some((UNIT, value))))
            }
            _ => {
                let (atom, factor) = self.multiple(term);
                if atom == term {
                    return Some(Polynomial::from_iter([(single(atom), 1)]));
                }
                let mut result = Polynomial::default();
                for (monomial, coefficient) in self.expanded(atom, visits)? {
                    add(&mut result, monomial, coefficient.wrapping_mul(factor), width);
                }
                Some(result)
            }
        }
    }

    fn combined(&mut self, a: TermId, b: TermId, factor: u128, visits: &mut u32) -> Option<Polynomial> {
        let width = self.width(a);
        let mut result = self.expanded(a, visits)?;
        for (monomial, coefficient) in self.expanded(b, visits)? {
            add(&mut result, monomial, coefficient.wrapping_mul(factor), width);
        }
        Some(result)
    }
}

fn single(atom: TermId) -> Monomial {
    let mut monomial = UNIT;
    monomial[0] = Some(atom);
    monomial
}

/// Adds a product with its coefficient.
fn add(polynomial: &mut Polynomial, monomial: Monomial, coefficient: u128, width: u8) {
    let entry = polynomial.entry(monomial).or_insert(0);
    *entry = entry.wrapping_add(coefficient) & mask(width);
    if *entry == 0 {
        polynomial.remove(&monomial);
    }
}

fn multiplied(a: &Polynomial, b: &Polynomial, width: u8) -> Option<Polynomial> {
    // The limit is on what both have before anything cancels: a limit on the way would depend on the order of the map.
    if a.len() * b.len() > MOST_MONOMIALS {
        return None;
    }
    let mut result = Polynomial::default();
    for (left, left_coefficient) in a {
        for (right, right_coefficient) in b {
            let product = joined(left, right)?;
            add(&mut result, product, left_coefficient.wrapping_mul(*right_coefficient), width);
        }
    }
    Some(result)
}

/// The product of two products; `None` if its degree is too high.
fn joined(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut factors = a.iter().chain(b).flatten().copied();
    let mut result = UNIT;
    for slot in &mut result {
        *slot = factors.next();
    }
    if factors.next().is_some() {
        return None;
    }
    // Present factors first, in order of their ids.
    result.sort_unstable_by_key(|factor| (factor.is_none(), *factor));
    Some(result)
}
