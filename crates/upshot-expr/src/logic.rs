//! Logic on comparisons of one term with constants: `x < 5 && x < 9` is `x < 5`, `x == 3 && x < 2` is false. Such a
//! comparison says that the term lies in an interval, unsigned or signed; two of them are intersected. Disjunctions are done
//! as the negation of a conjunction.

use crate::Terms;
use crate::fold::mask;
use crate::node::{Node, TermId};
use crate::ops::{BinOp, IntPredicate};

/// How the bounds of an interval are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    Unsigned,
    Signed,
    /// A single value: either.
    Both,
}

/// A comparison of a term with a constant: the term lies between the bounds.
#[derive(Clone, Copy)]
struct Interval {
    term: TermId,
    sense: Sense,
    low: u128,
    high: u128,
}

impl Terms {
    pub(crate) fn joined_comparisons(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        match op {
            BinOp::And => self.both_comparisons(a, b, false),
            BinOp::Or => {
                let joined = self.both_comparisons(a, b, true)?;
                Some(self.not(joined))
            }
            _ => None,
        }
    }

    /// The conjunction of two comparisons of the same term, or of their negations, if it is a single comparison.
    fn both_comparisons(&mut self, a: TermId, b: TermId, negated: bool) -> Option<TermId> {
        let first = self.interval(a, negated);
        let second = self.interval(b, negated);
        match (first, second) {
            (Some(first), Some(second)) if first.term == second.term => self.intersected(first, second),
            (Some(interval), None) => self.without_hole(interval, b, negated),
            (None, Some(interval)) => self.without_hole(interval, a, negated),
            _ => None,
        }
    }

    /// The interval that a comparison with a constant, or its negation, puts a term in.
    fn interval(&self, comparison: TermId, negated: bool) -> Option<Interval> {
        match (self.node(comparison), negated) {
            (Node::Not(inner), _) if !matches!(self.node(inner), Node::Not(_)) => self.interval(inner, !negated),
            (Node::Eq(term, value), false) => {
                let value = self.as_const(value)?;
                Some(Interval { term, sense: Sense::Both, low: value, high: value })
            }
            (Node::Ult(term, bound), _) => {
                let bound = self.as_const(bound)?;
                let largest = mask(self.width(term));
                let (low, high) = if negated { (bound, largest) } else { (0, bound.checked_sub(1)?) };
                Some(Interval { term, sense: Sense::Unsigned, low, high })
            }
            (Node::Slt(term, bound), _) => {
                let bound = self.as_const(bound)?;
                let width = self.width(term);
                let (smallest, largest) = (1 << (width - 1), mask(width - 1));
                let below = bound.wrapping_sub(1) & mask(width);
                let (low, high) = if negated { (bound, largest) } else { (smallest, below) };
                (negated || bound != smallest).then_some(Interval { term, sense: Sense::Signed, low, high })
            }
            _ => None,
        }
    }

    fn intersected(&mut self, a: Interval, b: Interval) -> Option<TermId> {
        let sense = match (a.sense, b.sense) {
            (Sense::Both, other) | (other, Sense::Both) => other,
            (one, other) if one == other => one,
            _ => return None,
        };
        let width = self.width(a.term);
        let key = |value: u128| ordering_key(sense, width, value);
        let low = if key(a.low) >= key(b.low) { a.low } else { b.low };
        let high = if key(a.high) <= key(b.high) { a.high } else { b.high };
        if key(low) > key(high) {
            return Some(self.bool(false));
        }
        self.interval_term(Interval { term: a.term, sense, low, high })
    }

    /// An interval as one comparison, if it is one.
    fn interval_term(&mut self, interval: Interval) -> Option<TermId> {
        let Interval { term, sense, low, high } = interval;
        let width = self.width(term);
        let (lowest, highest) = match sense {
            Sense::Signed => (1 << (width - 1), mask(width - 1)),
            _ => (0, mask(width)),
        };
        let (less_or_equal, greater_or_equal) = match sense {
            Sense::Signed => (IntPredicate::Sle, IntPredicate::Sge),
            _ => (IntPredicate::Ule, IntPredicate::Uge),
        };
        let (predicate, bound) = match (low == lowest, high == highest) {
            _ if low == high => (IntPredicate::Eq, low),
            (true, _) => (less_or_equal, high),
            (_, true) => (greater_or_equal, low),
            _ => return None,
        };
        let bound = self.constant(width, bound);
        Some(self.compare(predicate, term, bound))
    }

    /// An interval and `x != value`: the value is outside already, or is a bound.
    fn without_hole(&mut self, interval: Interval, comparison: TermId, negated: bool) -> Option<TermId> {
        let equation = match (self.node(comparison), negated) {
            (Node::Not(inner), false) => inner,
            (Node::Eq(..), true) => comparison,
            _ => return None,
        };
        let Node::Eq(term, value) = self.node(equation) else { return None };
        let value = self.as_const(value)?;
        if term != interval.term || interval.sense == Sense::Both {
            return None;
        }
        let width = self.width(term);
        let bound = |value: u128| ordering_key(interval.sense, width, value);
        let (low, high, hole) = (bound(interval.low), bound(interval.high), bound(value));
        if hole < low || hole > high {
            return self.interval_term(interval);
        }
        if low == high {
            return Some(self.bool(false));
        }
        let next = |value: u128, step: u128| value.wrapping_add(step) & mask(width);
        let smaller = if hole == low {
            Interval { low: next(interval.low, 1), ..interval }
        } else if hole == high {
            Interval { high: next(interval.high, u128::MAX), ..interval }
        } else {
            return None;
        };
        self.interval_term(smaller)
    }
}

/// The value moved so that unsigned comparison of the results is comparison in the given sense.
fn ordering_key(sense: Sense, width: u8, value: u128) -> u128 {
    if sense == Sense::Signed { value ^ (1 << (width - 1)) } else { value }
}
