//! What a set of constraints says about the ranges of terms. Each constraint is taken in turn: its truth is pushed down to its
//! operands, and what is learnt about a term is kept if it says more than the ranges of the term's own operands do. So the
//! facts of a path grow with it, one constraint at a time.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use upshot_expr::{Node, TermId, Terms, Var};

use super::order::{Edge, Order, Reading};
use super::range::Range;
use super::refine::backward;
use super::transfer::forward;

/// Terms looked at for one range; what lies deeper may have any value.
const VISITED: usize = 4096;

/// Terms that one constraint may say something about.
const REFINED: usize = 256;

/// A constraint contradicts the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction;

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    known: FxHashMap<TermId, Range>,
    /// The terms of `known`, in the order in which they were first learnt of.
    order: Vec<TermId>,
    comparisons: Order,
    /// Ranges that follow from `known`.
    derived: RefCell<FxHashMap<TermId, Range>>,
}

impl Facts {
    /// The facts of two sets of constraints that share no input byte.
    pub(crate) fn extend(&mut self, other: &Facts) {
        self.known.extend(other.known.iter().map(|(&term, &range)| (term, range)));
        self.order.extend_from_slice(&other.order);
        self.comparisons.extend(&other.comparisons);
    }

    /// A copy to be changed.
    pub(crate) fn copied(&self) -> Facts {
        Facts {
            known: self.known.clone(),
            order: self.order.clone(),
            comparisons: self.comparisons.clone(),
            derived: RefCell::default(),
        }
    }

    /// Terms with a fact, in the order in which they were first learnt of.
    pub(crate) fn order(&self) -> &[TermId] {
        &self.order
    }

    /// What was learnt of this very term, not counting what its operands say.
    pub(crate) fn known(&self, term: TermId) -> Option<Range> {
        self.known.get(&term).copied()
    }

    /// The ranges known of input bytes.
    pub(crate) fn byte_ranges(&self, terms: &Terms) -> FxHashMap<Var, Range> {
        let of_byte = |&term: &TermId| match terms.node(term) {
            Node::Byte { symbol, offset } => Some((Var { symbol, offset }, self.known(term)?)),
            _ => None,
        };
        self.order.iter().filter_map(of_byte).collect()
    }

    /// The values that the term can have.
    pub(crate) fn range(&self, terms: &Terms, term: TermId) -> Range {
        if let Some(range) = self.settled(terms, term) {
            return range;
        }
        let mut pending = vec![term];
        let mut visited = 0;
        while let Some(&next) = pending.last() {
            let before = pending.len();
            visited += 1;
            if visited > VISITED {
                return Range::full(terms.width(term));
            }
            if self.settled(terms, next).is_none() {
                pending.extend(terms.node(next).operands().filter(|&operand| self.settled(terms, operand).is_none()));
                if pending.len() > before {
                    continue;
                }
                self.derive(terms, next);
            }
            pending.pop();
        }
        self.settled(terms, term).unwrap_or_else(|| Range::full(terms.width(term)))
    }

    /// The range of a term, if no operand must be looked at first.
    pub(crate) fn settled(&self, terms: &Terms, term: TermId) -> Option<Range> {
        match terms.node(term) {
            Node::Const(value) => Some(Range::constant(terms.width(term), u128::from(value))),
            Node::Byte { .. } => Some(self.known(term).unwrap_or_else(|| Range::full(8))),
            _ => self.derived.borrow().get(&term).copied(),
        }
    }

    /// What the operands say, whose ranges are at hand.
    pub(crate) fn implied_by_operands(&self, terms: &Terms, term: TermId) -> Range {
        let range_of = |operand| self.settled(terms, operand).unwrap_or_else(|| Range::full(terms.width(operand)));
        forward(terms, term, range_of)
    }

    /// The range of a term whose operands' ranges are at hand; from now on, its own is too.
    pub(crate) fn derive(&self, terms: &Terms, term: TermId) -> Range {
        let computed = self.implied_by_operands(terms, term);
        let range = self.known(term).map_or(computed, |known| known.and(computed));
        self.derived.borrow_mut().insert(term, range);
        range
    }

    /// Takes in a constraint. On a contradiction, nothing more may be asked.
    pub(crate) fn assume(&mut self, terms: &Terms, constraint: TermId) -> Result<(), Contradiction> {
        let mut pending = vec![(constraint, Range::truth(true))];
        let mut found = Vec::new();
        let mut refined = 0;
        let before_all = self.order.len();
        while let Some((term, range)) = pending.pop() {
            let before = self.range(terms, term);
            let after = before.intersect(range).ok_or(Contradiction)?;
            if after == before || refined == REFINED {
                continue;
            }
            refined += 1;
            if self.known.insert(term, after).is_none() {
                self.order.push(term);
            }
            self.derived.get_mut().insert(term, after);
            self.compare(terms, term, after)?;
            backward(terms, term, after, |operand| self.range(terms, operand), &mut found).ok_or(Contradiction)?;
            // The first operand first.
            pending.extend(found.drain(..).rev());
        }
        if refined > 0 {
            self.derived.get_mut().clear();
            self.drop_implied(terms, before_all);
        }
        Ok(())
    }

    /// Forgets those of the latest facts that follow from facts about their operands: once `x < 5` has become a range of `x`, it says
    /// nothing more. So a loop that compares one counter a thousand times leaves one fact.
    fn drop_implied(&mut self, terms: &Terms, first: usize) {
        let latest = self.order.split_off(first);
        for term in latest {
            for operand in terms.node(term).operands() {
                self.range(terms, operand);
            }
            let implied = self.known(term).is_some_and(|known| known == self.implied_by_operands(terms, term));
            if implied && !matches!(terms.node(term), Node::Byte { .. }) {
                self.known.remove(&term);
            } else {
                self.order.push(term);
            }
        }
    }

    /// Takes in what a comparison of two unknown values says about their order.
    fn compare(&mut self, terms: &Terms, term: TermId, truth: Range) -> Result<(), Contradiction> {
        let Some(truth) = truth.as_bool().filter(|_| terms.width(term) == 1) else { return Ok(()) };
        let (lesser, greater, less, reading) = match (terms.node(term), truth) {
            (Node::Ult(a, b), true) => (a, b, true, Reading::Unsigned),
            (Node::Ult(a, b), false) => (b, a, false, Reading::Unsigned),
            (Node::Ule(a, b), true) => (a, b, false, Reading::Unsigned),
            (Node::Ule(a, b), false) => (b, a, true, Reading::Unsigned),
            (Node::Slt(a, b), true) => (a, b, true, Reading::Signed),
            (Node::Slt(a, b), false) => (b, a, false, Reading::Signed),
            (Node::Sle(a, b), true) => (a, b, false, Reading::Signed),
            (Node::Sle(a, b), false) => (b, a, true, Reading::Signed),
            (Node::Eq(a, b), true) => (a, b, false, Reading::Either),
            _ => return Ok(()),
        };
        if terms.as_const(lesser).is_some() || terms.as_const(greater).is_some() {
            return Ok(());
        }
        let edge = Edge { lesser, greater, strict: less, reading };
        let back = Edge { lesser: greater, greater: lesser, ..edge };
        let possible = self.comparisons.add(edge) && (reading != Reading::Either || self.comparisons.add(back));
        if possible { Ok(()) } else { Err(Contradiction) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upshot_expr::{BinOp, IntPredicate};

    use super::*;
    use crate::random_terms::{Generator, Shape};

    const SHAPE: Shape = Shape { bytes: 4, widest: 128, floats: false, arrays: true, widest_product: 129 };

    /// A 32-bit digit `byte - '0'` as C computes it.
    fn digit(terms: &mut Terms, byte: TermId) -> TermId {
        let wide = terms.sext(byte, 32);
        let zero = terms.constant(32, u128::from(b'0'));
        terms.sub(wide, zero)
    }

    #[test]
    fn the_digits_of_a_number_bound_the_number() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("buf", 3);
        let mut facts = Facts::default();
        let mut value = terms.constant(32, 0);
        for offset in 0..3 {
            let byte = terms.byte(symbol, offset);
            let (first, last) = (terms.constant(8, u128::from(b'0')), terms.constant(8, u128::from(b'9')));
            let above = terms.compare(IntPredicate::Sge, byte, first);
            let below = terms.compare(IntPredicate::Sle, byte, last);
            facts.assume(&terms, above).expect("possible");
            facts.assume(&terms, below).expect("possible");
            let ten = terms.constant(32, 10);
            let scaled = terms.mul(value, ten);
            let digit = digit(&mut terms, byte);
            value = terms.add(scaled, digit);
        }
        assert_eq!(facts.range(&terms, value), Range::unsigned(32, 0, 999));
        let limit = terms.constant(32, 1000);
        let large = terms.compare(IntPredicate::Sge, value, limit);
        assert_eq!(facts.range(&terms, large).as_bool(), Some(false));
    }

    #[test]
    fn a_bound_on_a_sum_bounds_the_input() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 1);
        let byte = terms.byte(symbol, 0);
        let wide = terms.zext(byte, 32);
        let five = terms.constant(32, 5);
        let sum = terms.bin(BinOp::Add, wide, five);
        let ten = terms.constant(32, 10);
        let small = terms.compare(IntPredicate::Ult, sum, ten);
        let mut facts = Facts::default();
        facts.assume(&terms, small).expect("possible");
        assert_eq!(facts.range(&terms, byte), Range::unsigned(8, 0, 4));
    }

    #[test]
    fn a_contradiction_is_found() {
        let mut terms = Terms::new();
        let symbol = terms.symbol("x", 1);
        let byte = terms.byte(symbol, 0);
        let ten = terms.constant(8, 10);
        let (small, large) = (terms.compare(IntPredicate::Ult, byte, ten), terms.compare(IntPredicate::Ugt, byte, ten));
        let mut facts = Facts::default();
        facts.assume(&terms, small).expect("possible");
        assert_eq!(facts.assume(&terms, large), Err(Contradiction));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever holds of an input is not excluded by the facts of constraints that the input satisfies.
        #[test]
        fn no_value_is_lost(seed: u64, depth in 1u32..5) {
            let mut generator = Generator::new(seed, SHAPE);
            let mut constraints: Vec<TermId> = (0..4).map(|_| generator.term(1, depth)).collect();
            let width = generator.width();
            let term = generator.term(width, depth);
            let input = generator.assignment();
            let terms = &mut generator.terms;
            for constraint in &mut constraints {
                if !input.eval_bool(terms, *constraint) {
                    *constraint = terms.not(*constraint);
                }
            }
            let mut facts = Facts::default();
            for &constraint in &constraints {
                prop_assert!(facts.assume(terms, constraint).is_ok(), "{}", terms.display(constraint));
            }
            for &checked in facts.order().iter().chain([&term]) {
                let (value, range) = (input.eval(terms, checked), facts.range(terms, checked));
                prop_assert!(range.contains(value), "{}: {value} not in {range:?}", terms.display(checked));
            }
        }
    }
}
