//! The values that a term can have: an interval of unsigned numbers and one of signed numbers, both of which hold. The two
//! are kept apart, because neither follows from the other when the sign is open; where one does bound the other, it is used at
//! once, so a range is always as tight as the pair allows.

use upshot_expr::fold::{mask, signed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) width: u8,
    /// Unsigned bounds.
    pub(crate) low: u128,
    pub(crate) high: u128,
    /// Signed bounds.
    pub(crate) least: i128,
    pub(crate) most: i128,
}

/// The smallest signed number.
pub(crate) fn lowest(width: u8) -> i128 {
    i128::MIN >> (128 - u32::from(width))
}

/// The largest signed number.
pub(crate) fn highest(width: u8) -> i128 {
    i128::MAX >> (128 - u32::from(width))
}

impl Range {
    pub(crate) fn full(width: u8) -> Range {
        Range { width, low: 0, high: mask(width), least: lowest(width), most: highest(width) }
    }

    pub(crate) fn constant(width: u8, value: u128) -> Range {
        let number = signed(value, width);
        Range { width, low: value, high: value, least: number, most: number }
    }

    pub(crate) fn truth(value: bool) -> Range {
        Range::constant(1, u128::from(value))
    }

    /// `low..=high`, which is not empty.
    pub(crate) fn unsigned(width: u8, low: u128, high: u128) -> Range {
        debug_assert!(low <= high && high <= mask(width));
        Range { low, high, ..Range::full(width) }.tightened().unwrap_or_else(|| Range::full(width))
    }

    /// `least..=most`, which is not empty.
    pub(crate) fn signed(width: u8, least: i128, most: i128) -> Range {
        debug_assert!(least <= most && lowest(width) <= least && most <= highest(width));
        Range { least, most, ..Range::full(width) }.tightened().unwrap_or_else(|| Range::full(width))
    }

    /// `None` if nothing is left.
    pub(crate) fn intersect(self, other: Range) -> Option<Range> {
        debug_assert_eq!(self.width, other.width);
        Range {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
        .tightened()
    }

    /// Like [`Range::intersect`], for two ranges that are known to share a value.
    pub(crate) fn and(self, other: Range) -> Range {
        self.intersect(other).unwrap_or(self)
    }

    pub(crate) fn hull(self, other: Range) -> Range {
        Range {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Uses each pair of bounds for the other: the values without and with the sign bit are looked at separately.
    fn tightened(self) -> Option<Range> {
        let Range { width, low, high, least, most } = self;
        if low > high || least > most {
            return None;
        }
        let half = 1u128 << (width - 1);
        let positive = (low.max(least.max(0) as u128), high.min(half - 1).min(most.max(0) as u128));
        let positive = (most >= 0 && positive.0 <= positive.1).then_some(positive);
        let bits = |number: i128| number as u128 & mask(width);
        let negative = (low.max(half).max(bits(least.min(-1))), high.min(bits(most.min(-1))));
        let negative = (least < 0 && negative.0 <= negative.1).then_some(negative);
        let (low, high, least, most) = match (positive, negative) {
            (Some(p), Some(n)) => (p.0, n.1, signed(n.0, width), p.1 as i128),
            (Some(p), None) => (p.0, p.1, p.0 as i128, p.1 as i128),
            (None, Some(n)) => (n.0, n.1, signed(n.0, width), signed(n.1, width)),
            (None, None) => return None,
        };
        Some(Range { width, low, high, least, most })
    }

    pub(crate) fn as_constant(self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        self.as_constant().map(|value| value != 0)
    }

    pub(crate) fn contains(self, value: u128) -> bool {
        let number = signed(value, self.width);
        self.low <= value && value <= self.high && self.least <= number && number <= self.most
    }

    /// Without one value, where that is at an end.
    pub(crate) fn without(self, value: u128) -> Option<Range> {
        let number = signed(value, self.width);
        let mut rest = self;
        if self.as_constant() == Some(value) {
            return None;
        }
        rest.low += u128::from(rest.low == value);
        rest.high -= u128::from(rest.high == value);
        rest.least += i128::from(rest.least == number);
        rest.most -= i128::from(rest.most == number);
        rest.tightened()
    }

    /// Bits that the value needs as a signed number, the sign included.
    pub(crate) fn signed_bits(self) -> u8 {
        let magnitude = |number: i128| 128 - (if number < 0 { !number } else { number }).leading_zeros();
        (magnitude(self.least).max(magnitude(self.most)) + 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(width: u8, low: u128, high: u128, least: i128, most: i128) -> Option<Range> {
        Range { width, low, high, least, most }.tightened()
    }

    #[test]
    fn the_sign_decides_both() {
        let small = Range::unsigned(8, 3, 9);
        assert_eq!((small.least, small.most), (3, 9));
        let negative = Range::signed(8, -3, -1);
        assert_eq!((negative.low, negative.high), (253, 255));
        let open = Range::signed(8, -3, 4);
        assert_eq!((open.low, open.high), (0, 255));
    }

    #[test]
    fn a_gap_between_the_signs_is_used() {
        // Signed: -3..=9. Unsigned: at least 10. So it is negative.
        let range = range(8, 10, 255, -3, 9).expect("not empty");
        assert_eq!((range.low, range.high, range.least, range.most), (253, 255, -3, -1));
    }

    #[test]
    fn bits_needed() {
        assert_eq!(Range::signed(32, -5, 9).signed_bits(), 5);
        assert_eq!(Range::signed(32, -16, 15).signed_bits(), 5);
        assert_eq!(Range::constant(32, 0).signed_bits(), 1);
        assert_eq!(Range::full(128).signed_bits(), 128);
    }

    #[test]
    fn an_end_can_be_cut_off() {
        let range = Range::unsigned(8, 5, 9);
        assert_eq!(range.without(5), Some(Range::unsigned(8, 6, 9)));
        assert_eq!(range.without(7), Some(range));
        assert_eq!(Range::constant(8, 5).without(5), None);
        assert_eq!(Range::full(1).without(0), Some(Range::truth(true)));
    }

    proptest! {
        #[test]
        fn tightening_loses_no_value(width in 1u8..9, a: u128, b: u128, c: i128, d: i128) {
            let (a, b) = (a & mask(width), b & mask(width));
            let (c, d) = (signed(c as u128, width), signed(d as u128, width));
            let (low, high, least, most) = (a.min(b), a.max(b), c.min(d), c.max(d));
            let tight = range(width, low, high, least, most);
            let inside = |value: u128| {
                low <= value && value <= high && (least..=most).contains(&signed(value, width))
            };
            let values: Vec<u128> = (0..=mask(width)).filter(|&value| inside(value)).collect();
            prop_assert_eq!(tight.is_none(), values.is_empty());
            if let Some(tight) = tight {
                prop_assert!(values.iter().all(|&value| tight.contains(value)));
                prop_assert_eq!(values.first(), Some(&tight.low));
                prop_assert_eq!(values.last(), Some(&tight.high));
                let numbers = values.iter().map(|&value| signed(value, width));
                prop_assert_eq!(numbers.clone().min(), Some(tight.least));
                prop_assert_eq!(numbers.max(), Some(tight.most));
            }
        }
    }
}
