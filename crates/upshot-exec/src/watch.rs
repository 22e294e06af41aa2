//! Watching a path come by marked instructions.
//!
//! A marked program ([`upshot_ir::with_marks`]) tells which of its instructions run. What a path has passed is kept as its *sequence*: how many marks, a hash over them in order, and
//! which ones. In a function that matters only when it is called in a certain way, marks count only in such activations (TOSEM'14 section 6.1).

use std::rc::Rc;

use rustc_hash::FxHashSet;
use upshot_ir::{FuncId, InstId};

/// What the marks of a program mean.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// By mark: whether it belongs to the sequence.
    pub counts: Vec<bool>,
    /// By mark: whether the machine stops there, with [`Pause::Mark`](crate::Pause::Mark).
    pub pauses: Vec<bool>,
    /// By function: its marks count in every activation.
    pub always: Vec<bool>,
    /// The calls through which the marks of the callee count, if those of the caller do.
    pub calls: FxHashSet<(FuncId, InstId, FuncId)>,
}

/// The marks that a path has come by.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub length: u64,
    pub hash: u128,
    /// By mark.
    seen: Rc<Vec<bool>>,
}

impl Sequence {
    /// Comes by a mark.
    pub fn pass(&mut self, mark: u32) {
        self.length += 1;
        self.mix(u128::from(mark) + 1);
        if !self.seen.get(mark as usize).copied().unwrap_or(false) {
            let seen = Rc::make_mut(&mut self.seen);
            seen.resize(seen.len().max(mark as usize + 1), false);
            seen[mark as usize] = true;
        }
    }

    /// Takes something else into the sequence: how the path ended there.
    pub fn mix(&mut self, event: u128) {
        // An odd multiplier and a fold of the high half: two sequences that differ are told apart but for 2^-100 or so.
        let mixed = (self.hash ^ event).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        self.hash = (mixed ^ (mixed >> 61)).wrapping_add(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The marks that were passed, each once, in the order of their numbers.
    pub fn marks(&self) -> impl Iterator<Item = u32> + '_ {
        self.seen.iter().enumerate().filter(|(_, seen)| **seen).map(|(mark, _)| mark as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(marks: &[u32]) -> Sequence {
        let mut sequence = Sequence::default();
        marks.iter().for_each(|&mark| sequence.pass(mark));
        sequence
    }

    #[test]
    fn order_and_repeats_count() {
        let all = [&[][..], &[0], &[0, 0], &[1], &[0, 1], &[1, 0], &[0, 1, 0]].map(sequence);
        for (number, one) in all.iter().enumerate() {
            for other in &all[number + 1..] {
                assert_ne!(one.hash, other.hash);
            }
        }
        assert_eq!(sequence(&[3, 1, 3]).marks().collect::<Vec<_>>(), [1, 3]);
    }
}
