//! The order in which the conditions of a path are negated (FSE'11, procedure `reorder` of Algorithm 1).
//!
//! The last decision is the pivot: what it depends on comes before it, the rest after it, each reordered in turn. Exploring in path order instead would negate a decision only for
//! another one before it to lose its influence, and so come by the same case again and miss others.

use crate::sets::{SetId, Sets};

/// Reorders decisions, given by their numbers in path order. `slices`: by number, what each depends on.
pub(crate) fn reorder(sets: &Sets, slices: &dyn Fn(usize) -> SetId, sequence: &[usize]) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(sequence.len());
    // What is still to be done, the next on top: a sequence to reorder, or a decision to put down.
    enum Work {
        Reorder(Vec<usize>),
        Put(usize),
    }
    let mut work = vec![Work::Reorder(sequence.to_vec())];
    while let Some(next) = work.pop() {
        match next {
            Work::Put(decision) => ordered.push(decision),
            Work::Reorder(mut sequence) => {
                let Some(pivot) = sequence.pop() else { continue };
                let slice = slices(pivot);
                let (before, after) = sequence.into_iter().partition(|&decision| sets.contains(slice, decision));
                work.push(Work::Reorder(after));
                work.push(Work::Put(pivot));
                work.push(Work::Reorder(before));
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(slices: &[&[usize]]) -> Vec<usize> {
        let mut sets = Sets::default();
        let slices: Vec<SetId> = slices
            .iter()
            .map(|members| members.iter().fold(SetId::EMPTY, |set, &member| sets.with(set, member)))
            .collect();
        let all: Vec<usize> = (0..slices.len()).collect();
        reorder(&sets, &|decision| slices[decision], &all)
    }

    #[test]
    fn what_depends_on_nothing_goes_first_by_the_last() {
        // The two relevant branches of the paper's Fig. 1, for an input with x + y > 10.
        assert_eq!(order(&[&[], &[]]), [1, 0]);
    }

    #[test]
    fn a_decision_comes_after_all_it_depends_on() {
        let slices: [&[usize]; 6] = [&[], &[0], &[], &[0, 1], &[2], &[2, 4]];
        let order = order(&slices);
        assert_eq!(order, [2, 4, 5, 0, 1, 3]);
    }
}
