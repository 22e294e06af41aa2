//! What the simplifier builds has the value of what was asked for, and does not depend on what was built before.

use crate::recipe::{ALL_KINDS, INTEGER_KINDS, Step, assignment, cook, input, step};
use proptest::prelude::*;
use upshot_expr::{Terms, fold};

fn same_values(steps: &[Step], inputs: &[[u8; 9]]) -> Result<(), TestCaseError> {
    let (mut simple, mut plain) = (Terms::new(), Terms::without_simplifier());
    let (simplified, original) = (cook(&mut simple, steps), cook(&mut plain, steps));
    for &bytes in inputs {
        let (left, right) = (assignment(&mut simple, bytes), assignment(&mut plain, bytes));
        for (position, (&term, &wanted)) in simplified.iter().zip(&original).enumerate() {
            prop_assert_eq!(simple.width(term), plain.width(wanted));
            let (value, expected) = (left.eval(&simple, term), right.eval(&plain, wanted));
            prop_assert_eq!(
                value,
                expected,
                "term {}: {} for {} (width {})",
                position,
                simple.display(term),
                plain.display(wanted),
                plain.width(wanted)
            );
            let facts = simple.facts(term);
            prop_assert!(facts.low <= value && value <= facts.high, "range of {}", simple.display(term));
            prop_assert!(
                value & facts.zeros == 0 && value & facts.ones == facts.ones,
                "bits of {}",
                simple.display(term)
            );
            prop_assert_eq!(value & !fold::mask(simple.width(term)), 0);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::recipe::config(20_000))]

    #[test]
    fn integer_terms_keep_their_value(
        steps in prop::collection::vec(step(INTEGER_KINDS), 1..14),
        inputs in prop::collection::vec(input(), 4),
    ) {
        same_values(&steps, &inputs)?;
    }

    #[test]
    fn narrow_arithmetic_keeps_its_value(
        steps in prop::collection::vec(step(0..41), 1..10),
        inputs in prop::collection::vec(input(), 6),
    ) {
        same_values(&steps, &inputs)?;
    }

    #[test]
    fn all_terms_keep_their_value(
        steps in prop::collection::vec(step(ALL_KINDS), 1..10),
        inputs in prop::collection::vec(input(), 3),
    ) {
        same_values(&steps, &inputs)?;
    }
}
