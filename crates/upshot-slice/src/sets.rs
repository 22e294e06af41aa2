//! Sets of decisions, each kept once.
//!
//! Along a path most values depend on the same few sets of decisions, so a set is a number, a union of two that were united before is a look-up, and the whole
//! path is sliced for all of its instructions at once.

use rustc_hash::FxHashMap;

/// A set; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(u32);

impl SetId {
    pub const EMPTY: SetId = SetId(0);
}

#[derive(Clone, Debug)]
pub(crate) struct Sets {
    sets: Vec<Box<[u64]>>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    unions: FxHashMap<(u32, u32), u32>,
}

impl Default for Sets {
    fn default() -> Self {
        let empty: Box<[u64]> = Box::default();
        Sets { sets: vec![empty.clone()], numbers: [(empty, 0)].into_iter().collect(), unions: FxHashMap::default() }
    }
}

impl Sets {
    fn intern(&mut self, mut words: Vec<u64>) -> SetId {
        while words.last() == Some(&0) {
            words.pop();
        }
        let words = words.into_boxed_slice();
        if let Some(&number) = self.numbers.get(&words) {
            return SetId(number);
        }
        let number = self.sets.len() as u32;
        self.sets.push(words.clone());
        self.numbers.insert(words, number);
        SetId(number)
    }

    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        if let Some(&known) = self.unions.get(&key) {
            return SetId(known);
        }
        let (x, y) = (&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
        let mut words = long.to_vec();
        words.iter_mut().zip(short.iter()).for_each(|(word, other)| *word |= other);
        let united = self.intern(words);
        self.unions.insert(key, united.0);
        united
    }

    /// The set with one more decision.
    pub(crate) fn with(&mut self, set: SetId, decision: usize) -> SetId {
        let mut words = self.sets[set.0 as usize].to_vec();
        words.resize(words.len().max(decision / 64 + 1), 0);
        words[decision / 64] |= 1 << (decision % 64);
        self.intern(words)
    }

    pub(crate) fn contains(&self, set: SetId, decision: usize) -> bool {
        self.sets[set.0 as usize].get(decision / 64).is_some_and(|word| word >> (decision % 64) & 1 == 1)
    }

    pub(crate) fn is_subset(&mut self, small: SetId, large: SetId) -> bool {
        small == large || self.union(small, large) == large
    }

    /// The decisions, in path order.
    pub(crate) fn members(&self, set: SetId) -> Vec<usize> {
        let words = &self.sets[set.0 as usize];
        (0..64 * words.len()).filter(|&decision| self.contains(set, decision)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_their_members_are() {
        let mut sets = Sets::default();
        let a = sets.with(SetId::EMPTY, 3);
        let b = sets.with(SetId::EMPTY, 130);
        let both = sets.union(a, b);
        assert_eq!(sets.members(both), [3, 130]);
        let again = sets.with(b, 3);
        assert_eq!(both, again);
        assert!(sets.is_subset(a, both) && !sets.is_subset(both, a));
        assert!(sets.is_subset(SetId::EMPTY, a));
        assert!(sets.contains(both, 130) && !sets.contains(both, 4));
    }
}
