//! Rules of the blaster that can be broken on purpose, one at a time, to see whether a test notices (`scripts/mutate-blaster`). Without the
//! feature `mutation` a rule is what it says, and costs nothing.

use super::gates::Bit;
use super::sat::Literal;

#[cfg(feature = "mutation")]
fn is_broken(name: &str) -> bool {
    static BROKEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    BROKEN.get_or_init(|| std::env::var("UPSHOT_MUTATION").ok()).as_deref() == Some(name)
}

#[cfg(not(feature = "mutation"))]
#[inline(always)]
fn is_broken(_: &str) -> bool {
    false
}

/// A bit that a rule gives; the opposite, if the rule is broken.
#[inline(always)]
pub(super) fn rule(name: &'static str, bit: Bit) -> Bit {
    if is_broken(name) { !bit } else { bit }
}

/// A number that a rule gives; one less, if the rule is broken.
#[inline(always)]
pub(super) fn count(name: &'static str, number: usize) -> usize {
    if is_broken(name) { number.saturating_sub(1).max(1) } else { number }
}

/// A clause of a gate; with its last literal negated, if the rule is broken.
#[inline(always)]
pub(super) fn clause<const N: usize>(name: &'static str, mut literals: [Literal; N]) -> [Literal; N] {
    if is_broken(name) {
        literals[N - 1].negated = !literals[N - 1].negated;
    }
    literals
}
