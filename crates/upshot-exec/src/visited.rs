//! The blocks that a path has been through.
//!
//! A set of bits over the blocks of all functions, shared between states until one of them gets to a block that is new on its path; so a loop
//! costs a test of one bit per block, and a fork nothing.

use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub(crate) struct Visited(Rc<Vec<u64>>);

impl Visited {
    #[inline(always)]
    pub fn add(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.0.get(word).is_none_or(|bits| bits & bit == 0) {
            self.insert(word, bit);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, word: usize, bit: u64) {
        let words = Rc::make_mut(&mut self.0);
        words.resize(words.len().max(word + 1), 0);
        words[word] |= bit;
    }

    /// In ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let of_word = |(word, &bits): (usize, &u64)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(word * 64 + bit)
            })
        };
        self.0.iter().enumerate().flat_map(of_word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_order_and_copies_part() {
        let mut one = Visited::default();
        [130, 0, 63, 64, 0].into_iter().for_each(|number| one.add(number));
        let mut other = one.clone();
        other.add(5);
        assert_eq!(one.numbers().collect::<Vec<_>>(), [0, 63, 64, 130]);
        assert_eq!(other.numbers().collect::<Vec<_>>(), [0, 5, 63, 64, 130]);
    }
}
