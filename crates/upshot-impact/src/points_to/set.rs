//! Sets of small numbers, for points-to sets: sorted words of 64 bits, so that a set costs what it holds and a union is a merge.

/// A set of `u32`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Set {
    /// (number / 64, bits), sorted, no empty words.
    words: Vec<(u32, u64)>,
}

impl Set {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number / 64, 1u64 << (number % 64));
        match self.words.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(at) => {
                let new = self.words[at].1 & bit == 0;
                self.words[at].1 |= bit;
                new
            }
            Err(at) => {
                self.words.insert(at, (word, bit));
                true
            }
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        let found = self.words.binary_search_by_key(&(number / 64), |(word, _)| *word);
        found.is_ok_and(|at| self.words[at].1 & (1 << (number % 64)) != 0)
    }

    /// Adds all of `other`; whether that added anything.
    pub(crate) fn union(&mut self, other: &Set) -> bool {
        if self.includes(other) {
            return false;
        }
        let mut merged = Vec::with_capacity(self.words.len() + other.words.len());
        let (mut mine, mut theirs) = (self.words.as_slice(), other.words.as_slice());
        while let (Some((a, rest_of_mine)), Some((b, rest_of_theirs))) = (mine.split_first(), theirs.split_first()) {
            let bits = if a.0 <= b.0 { a.1 } else { 0 } | if b.0 <= a.0 { b.1 } else { 0 };
            merged.push((a.0.min(b.0), bits));
            if a.0 <= b.0 {
                mine = rest_of_mine;
            }
            if b.0 <= a.0 {
                theirs = rest_of_theirs;
            }
        }
        merged.extend_from_slice(mine);
        merged.extend_from_slice(theirs);
        self.words = merged;
        true
    }

    fn includes(&self, other: &Set) -> bool {
        let mut mine = self.words.iter();
        other.words.iter().all(|(word, bits)| {
            mine.by_ref().find(|(have, _)| have >= word).is_some_and(|(have, mine)| have == word && bits & !mine == 0)
        })
    }

    /// What is here and not in `other`.
    pub(crate) fn without(&self, other: &Set) -> Set {
        let mut theirs = other.words.iter().peekable();
        let mut words = Vec::new();
        for &(word, bits) in &self.words {
            while theirs.next_if(|(have, _)| *have < word).is_some() {}
            let taken = theirs.peek().filter(|(have, _)| *have == word).map_or(0, |(_, bits)| *bits);
            if bits & !taken != 0 {
                words.push((word, bits & !taken));
            }
        }
        Set { words }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(word, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Set;
    use std::collections::BTreeSet;

    #[test]
    fn sets_agree_with_ordinary_ones() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let (mut a, mut b) = (Set::default(), Set::default());
            let (mut plain_a, mut plain_b) = (BTreeSet::new(), BTreeSet::new());
            for _ in 0..random(40) {
                let number = random(400) as u32;
                assert_eq!(a.insert(number), plain_a.insert(number));
            }
            for _ in 0..random(40) {
                let number = random(400) as u32;
                assert_eq!(b.insert(number), plain_b.insert(number));
            }
            let only: Vec<u32> = plain_a.difference(&plain_b).copied().collect();
            assert_eq!(a.without(&b).iter().collect::<Vec<_>>(), only);
            let grows = !plain_b.is_subset(&plain_a);
            assert_eq!(a.union(&b), grows);
            plain_a.extend(&plain_b);
            assert_eq!(a.iter().collect::<Vec<_>>(), plain_a.iter().copied().collect::<Vec<_>>());
            assert_eq!(a.len(), plain_a.len());
            assert!(plain_a.iter().all(|&number| a.contains(number)));
        }
    }
}
