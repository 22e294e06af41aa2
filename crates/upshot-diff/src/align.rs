//! Sequences put side by side by a diff algorithm.
//!
//! Histogram diff, as git has it: elements that occur rarely are anchors, so what is common everywhere (a closing brace, a load of a local) does not pull
//! the rest out of place.

use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

/// Pairs of positions, ascending on both sides, at which the sequences hold equal elements.
pub(crate) fn align<T: Hash + Eq>(old: impl Iterator<Item = T>, new: impl Iterator<Item = T>) -> Vec<(usize, usize)> {
    let estimate = old.size_hint().0 + new.size_hint().0;
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner: Interner::new(estimate) };
    input.update_before(old);
    input.update_after(new);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let same = |side: usize, changed: &dyn Fn(u32) -> bool| {
        (0..side as u32).filter(|&at| !changed(at)).map(|at| at as usize).collect::<Vec<_>>()
    };
    let old = same(input.before.len(), &|at| diff.is_removed(at));
    let new = same(input.after.len(), &|at| diff.is_added(at));
    old.into_iter().zip(new).collect()
}

/// What lies between consecutive pairs, before the first and after the last; without those empty on a side.
pub(crate) fn gaps(pairs: &[(usize, usize)], old: usize, new: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::new();
    let (mut after_old, mut after_new) = (0, 0);
    for &(a, b) in pairs.iter().chain([&(old, new)]) {
        if after_old < a && after_new < b {
            gaps.push((after_old..a, after_new..b));
        }
        (after_old, after_new) = (a + 1, b + 1);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_are_paired_in_order() {
        let pairs = align("abcdef".chars(), "axcdfg".chars());
        assert_eq!(pairs, [(0, 0), (2, 2), (3, 3), (5, 4)]);
        assert_eq!(gaps(&pairs, 6, 6), [(1..2, 1..2)]);
    }

    #[test]
    fn nothing_is_between_what_is_nowhere() {
        assert!(align("".chars(), "abc".chars()).is_empty());
        assert!(gaps(&[], 0, 3).is_empty());
        assert_eq!(gaps(&[], 2, 3), [(0..2, 0..3)]);
    }
}
