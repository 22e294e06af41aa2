//! Values of terms that were computed before. A model can live long and be asked about ever new terms, so what is kept is
//! bounded: values are kept in two generations, and when the younger one is full it becomes the older one, which is dropped.
//! What is asked for again moves to the younger one. Within one question nothing is dropped, whatever it needs.

use rustc_hash::FxHashMap;

use crate::node::TermId;

/// How many values make a generation.
const GENERATION: usize = 1 << 15;

#[derive(Debug, Default)]
pub(crate) struct Memo {
    young: Generation,
    old: Generation,
}

impl Memo {
    pub(crate) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    /// To be called between questions.
    pub(crate) fn start(&mut self) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
    }

    pub(crate) fn get(&mut self, term: TermId, width: u8) -> Option<u128> {
        if let Some(value) = self.young.get(term, width) {
            return Some(value);
        }
        let value = self.old.get(term, width)?;
        self.young.insert(term, value, width);
        Some(value)
    }

    pub(crate) fn insert(&mut self, term: TermId, value: u128, width: u8) {
        self.young.insert(term, value, width);
    }
}

/// A hash table from terms to values, open addressing. Values of up to 64 bits, which are nearly all, are in the slots.
#[derive(Debug, Default)]
struct Generation {
    slots: Vec<Slot>,
    used: usize,
    wide: FxHashMap<TermId, u128>,
}

/// Twelve bytes; a key of zero is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u32,
    low: u32,
    high: u32,
}

impl Generation {
    fn len(&self) -> usize {
        self.used + self.wide.len()
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.used = 0;
        self.wide.clear();
    }

    /// Where to look first. Terms made one after the other are asked for together, so eight of them stay side by side.
    fn start(&self, key: u32) -> usize {
        let group = (u64::from(key) >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29;
        ((group << 3) as usize | (key & 7) as usize) & (self.slots.len() - 1)
    }

    fn get(&self, term: TermId, width: u8) -> Option<u128> {
        if width > 64 {
            return self.wide.get(&term).copied();
        }
        if self.slots.is_empty() {
            return None;
        }
        let key = term.raw();
        let mut position = self.start(key);
        loop {
            let slot = self.slots[position];
            if slot.key == key {
                return Some(u128::from(slot.high) << 32 | u128::from(slot.low));
            }
            if slot.key == 0 {
                return None;
            }
            position = (position + 1) & (self.slots.len() - 1);
        }
    }

    fn insert(&mut self, term: TermId, value: u128, width: u8) {
        if width > 64 {
            self.wide.insert(term, value);
            return;
        }
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        self.place(Slot { key: term.raw(), low: value as u32, high: (value >> 32) as u32 });
    }

    fn place(&mut self, new: Slot) {
        let mut position = self.start(new.key);
        while self.slots[position].key != 0 && self.slots[position].key != new.key {
            position = (position + 1) & (self.slots.len() - 1);
        }
        self.used += usize::from(self.slots[position].key == 0);
        self.slots[position] = new;
    }

    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(32);
        let slots = std::mem::replace(&mut self.slots, vec![Slot::default(); larger]);
        self.used = 0;
        for slot in slots.into_iter().filter(|slot| slot.key != 0) {
            self.place(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(raw: u32) -> TermId {
        TermId::from_raw(raw).unwrap()
    }

    #[test]
    fn values_come_back() {
        let mut memo = Memo::default();
        for raw in 1..5000 {
            memo.insert(term(raw), u128::from(raw) << 40, 64);
            memo.insert(term(raw + 100_000), u128::from(raw) << 90, 128);
        }
        for raw in 1..5000 {
            assert_eq!(memo.get(term(raw), 64), Some(u128::from(raw) << 40));
            assert_eq!(memo.get(term(raw + 100_000), 128), Some(u128::from(raw) << 90));
            assert_eq!(memo.get(term(raw + 50_000), 64), None);
        }
        memo.clear();
        assert_eq!(memo.get(term(1), 64), None);
    }

    #[test]
    fn what_is_used_is_kept_and_the_rest_is_dropped() {
        let mut memo = Memo::default();
        memo.insert(term(1), 7, 8);
        memo.insert(term(2), 8, 8);
        for round in 1..=4 {
            for raw in 0..GENERATION as u32 {
                memo.insert(term(10 + round * GENERATION as u32 + raw), 1, 8);
            }
            memo.start();
            assert_eq!(memo.get(term(1), 8), Some(7));
        }
        assert_eq!(memo.get(term(2), 8), None);
        assert!(memo.young.len() + memo.old.len() <= 2 * GENERATION + 10);
    }
}
