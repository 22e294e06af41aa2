//! Normal forms are stable, and the structural order is total and the same in every arena.

use std::cmp::Ordering;

use crate::recipe::{ALL_KINDS, INTEGER_KINDS, cook, step};
use proptest::prelude::*;
use upshot_expr::*;

/// Builds a term again from its node.
fn rebuilt(terms: &mut Terms, term: TermId) -> TermId {
    let width = terms.width(term);
    match terms.node(term) {
        Node::Const(_) | Node::WideConst(_) => {
            let value = terms.as_const(term).unwrap();
            terms.constant(width, value)
        }
        Node::Byte { symbol, offset } => terms.byte(symbol, offset),
        Node::Read { array, index } => terms.read(array, index),
        Node::Not(a) => terms.not(a),
        Node::Bin(op, a, b) => terms.bin(op, a, b),
        Node::Eq(a, b) => terms.eq(a, b),
        Node::Ult(a, b) => terms.ult(a, b),
        Node::Ule(a, b) => terms.ule(a, b),
        Node::Slt(a, b) => terms.slt(a, b),
        Node::Sle(a, b) => terms.sle(a, b),
        Node::Ite(c, a, b) => terms.ite(c, a, b),
        Node::Extract { term, low } => terms.extract(term, low, width),
        Node::Concat(high, low) => terms.concat(high, low),
        Node::ZExt(a) => terms.zext(a, width),
        Node::SExt(a) => terms.sext(a, width),
        Node::FloatBin(op, format, a, b) => terms.float_bin(op, format, a, b),
        Node::FloatUn(op, format, a) => terms.float_un(op, format, a),
        Node::FloatFma(format, a, b, c) => terms.float_fma(format, a, b, c),
        Node::FloatEq(format, a, b) => terms.float_compare(FloatPredicate(1), format, a, b),
        Node::FloatLt(format, a, b) => terms.float_compare(FloatPredicate(4), format, a, b),
        Node::FloatLe(format, a, b) => terms.float_compare(FloatPredicate(5), format, a, b),
        Node::FloatIsNan(format, a) => terms.float_is_nan(format, a),
        Node::FloatCast { from, to, term } => terms.float_cast(from, to, term),
        Node::FloatToInt { from, signed, term } => terms.float_to_int(from, signed, width, term),
        Node::IntToFloat { signed, to, term } => terms.int_to_float(signed, to, term),
    }
}

proptest! {
    #![proptest_config(crate::recipe::config(20_000))]

    /// What was built is in normal form: building it again changes nothing.
    #[test]
    fn building_again_changes_nothing(steps in prop::collection::vec(step(INTEGER_KINDS), 1..14)) {
        let mut terms = Terms::new();
        for term in cook(&mut terms, &steps) {
            let again = rebuilt(&mut terms, term);
            prop_assert_eq!(again, term, "{} became {}", terms.display(term), terms.display(again));
        }
    }
}

proptest! {
    #![proptest_config(crate::recipe::config(3_000))]

    /// The same recipe in an arena where other things were built before gives the same terms in the same order.
    #[test]
    fn order_is_the_same_in_every_arena(
        before in prop::collection::vec(step(ALL_KINDS), 0..12),
        steps in prop::collection::vec(step(ALL_KINDS), 1..12),
    ) {
        let (mut fresh, mut used) = (Terms::new(), Terms::new());
        used.symbol("other", 3);
        cook(&mut used, &before);
        let (left, right) = (cook(&mut fresh, &steps), cook(&mut used, &steps));
        for (i, j) in (0..left.len()).flat_map(|i| (0..left.len()).map(move |j| (i, j))) {
            prop_assert_eq!(fresh.order(left[i], left[j]), used.order(right[i], right[j]));
        }
        for (&a, &b) in left.iter().zip(&right) {
            prop_assert_eq!(fresh.structural_hash(a), used.structural_hash(b));
            prop_assert_eq!(fresh.display(a).to_string(), used.display(b).to_string());
        }
    }

    #[test]
    fn order_is_total(steps in prop::collection::vec(step(ALL_KINDS), 1..12)) {
        let mut terms = Terms::new();
        let made = cook(&mut terms, &steps);
        for &a in &made {
            for &b in &made {
                prop_assert_eq!(terms.order(a, b) == Ordering::Equal, a == b);
                prop_assert_eq!(terms.order(a, b), terms.order(b, a).reverse());
                for &c in &made {
                    if terms.order(a, b).is_lt() && terms.order(b, c).is_lt() {
                        prop_assert!(terms.order(a, c).is_lt());
                    }
                }
            }
        }
    }

    /// A term depends on no byte outside its support.
    #[test]
    fn values_depend_on_the_support(
        steps in prop::collection::vec(step(ALL_KINDS), 1..12),
        one in crate::recipe::input(),
        other in crate::recipe::input(),
    ) {
        let mut terms = Terms::new();
        let made = cook(&mut terms, &steps);
        let (one, other) = (crate::recipe::assignment(&mut terms, one), crate::recipe::assignment(&mut terms, other));
        for term in made {
            let support = terms.support(term);
            prop_assert!(support.is_sorted_by(|a, b| a < b));
            let mixed = other.merged(&one, &support);
            prop_assert_eq!(mixed.eval(&terms, term), one.eval(&terms, term));
        }
    }
}
