//! Numbers that look random and are fixed by a seed.

/// xorshift64*: any generator does, as long as the seed fixes it.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }
}
