//! A name for a set of constraints. Each term id is hashed to 128 bits and a set is the sum, so a set's name follows from
//! that of a smaller one in constant time, and does not depend on order. Two of the at most 2^32 sets of a run share a name
//! with a probability below 2^-60, which is why the caches compare names only.

use upshot_expr::TermId;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint(u128);

impl Fingerprint {
    /// Adds a term that is not in the set.
    pub(crate) fn add(&mut self, term: TermId) {
        self.0 = self.0.wrapping_add(spread(u64::from(term.raw())));
    }

    /// Adds a set that shares no term with this one.
    pub(crate) fn add_all(&mut self, other: Fingerprint) {
        self.0 = self.0.wrapping_add(other.0);
    }

    /// Extends a sequence (not a set): order matters.
    pub(crate) fn append(&mut self, term: TermId) {
        let turned = self.0.rotate_left(47).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = turned.wrapping_add(spread(u64::from(term.raw())));
    }
}

fn spread(value: u64) -> u128 {
    let low = scramble(value.wrapping_add(0x9e37_79b9_7f4a_7c15));
    let high = scramble(value ^ 0xd1b5_4a32_d192_ed03);
    u128::from(high) << 64 | u128::from(low)
}

/// A bijection in which every input bit reaches every output bit.
fn scramble(mut value: u64) -> u64 {
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ value >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(raw: u32) -> TermId {
        TermId::from_raw(raw).expect("not zero")
    }

    #[test]
    fn sets_ignore_order_and_sequences_do_not() {
        let (mut forward, mut backward) = (Fingerprint::default(), Fingerprint::default());
        let (mut first, mut second) = (Fingerprint::default(), Fingerprint::default());
        for raw in 1..50 {
            forward.add(term(raw));
            backward.add(term(50 - raw));
            first.append(term(raw));
            second.append(term(50 - raw));
        }
        assert_eq!(forward, backward);
        assert_ne!(first, second);
    }

    #[test]
    fn pairs_of_small_ids_do_not_collide() {
        let mut seen = rustc_hash::FxHashSet::default();
        for a in 1..200 {
            for b in a + 1..200 {
                let mut set = Fingerprint::default();
                set.add(term(a));
                set.add(term(b));
                assert!(seen.insert(set));
            }
        }
    }
}
