//! The blocks that a path has been through.
//!
//! A set of bits over the blocks of all functions, shared between states until one of them gets to a block that is new on its path; so a loop
//! costs a test of one bit per block, and a fork nothing.

use std::sync::Arc;

use upshot_ir::{BlockId, FuncId, Program};

/// The blocks, by number over all functions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Visited(Arc<Vec<u64>>);

impl serde::Serialize for Visited {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_slice().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Visited {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Visited(Arc::new(Vec::deserialize(deserializer)?)))
    }
}

impl Visited {
    #[inline(always)]
    pub(crate) fn add(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.0.get(word).is_none_or(|bits| bits & bit == 0) {
            self.insert(word, bit);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, word: usize, bit: u64) {
        let words = Arc::make_mut(&mut self.0);
        words.resize(words.len().max(word + 1), 0);
        words[word] |= bit;
    }

    /// These blocks, of functions in the order of the program.
    pub fn of(program: &Program, blocks: impl IntoIterator<Item = (FuncId, BlockId)>) -> Self {
        let mut visited = Visited::default();
        let (mut counted, mut first) = (0, 0);
        for (function, block) in blocks {
            first += program.functions[counted..function.index()].iter().map(|f| f.blocks.len()).sum::<usize>();
            counted = function.index();
            visited.add(first + block.index());
        }
        visited
    }

    /// The blocks of each function of the program that has any here, in order.
    pub fn by_function(&self, program: &Program) -> Vec<(FuncId, Vec<BlockId>)> {
        let mut numbers = self.numbers().peekable();
        let mut first = 0;
        let mut functions = Vec::new();
        for (id, function) in (0..).map(FuncId).zip(&program.functions) {
            let next = first + function.blocks.len();
            let mut blocks = Vec::new();
            while let Some(number) = numbers.next_if(|&number| number < next) {
                blocks.push(BlockId((number - first) as u32));
            }
            if !blocks.is_empty() {
                functions.push((id, blocks));
            }
            first = next;
        }
        functions
    }

    /// Whether a block is in both.
    pub fn meets(&self, other: &Visited) -> bool {
        self.0.iter().zip(other.0.iter()).any(|(a, b)| a & b != 0)
    }

    /// In ascending order.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
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
        let mut apart = Visited::default();
        apart.add(5);
        assert!(other.meets(&apart) && apart.meets(&other) && !one.meets(&apart));
    }
}
