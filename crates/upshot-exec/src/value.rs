//! What a register holds: a concrete scalar, a term, or nothing yet.
//!
//! Concrete values never allocate and never touch the term arena, whatever their width; that is what makes concrete code fast.

use upshot_expr::{TermId, Terms};

/// A scalar of up to 128 bits, zero-extended. The width is on the operation that uses it, not here.
///
/// For a term, the payload is free, so it carries the *provenance* of a pointer: an address inside the object that the pointer was
/// derived from. That is how `a[i]` with an unknown `i` is known to be about `a`, and an overrun of it is an error rather than
/// an access to whatever else lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    low: u64,
    high: u64,
    tag: u32,
}

const CONCRETE: u32 = 0;
const UNWRITTEN: u32 = u32::MAX;

impl Value {
    pub const UNWRITTEN: Value = Value { low: 0, high: 0, tag: UNWRITTEN };
    pub const ZERO: Value = Value { low: 0, high: 0, tag: CONCRETE };

    #[inline(always)]
    pub const fn int(value: u64) -> Self {
        Value { low: value, high: 0, tag: CONCRETE }
    }

    #[inline(always)]
    pub fn wide(value: u128) -> Self {
        Value { low: value as u64, high: (value >> 64) as u64, tag: CONCRETE }
    }

    #[inline(always)]
    pub fn bool(value: bool) -> Self {
        Value::int(u64::from(value))
    }

    /// The value of a term; a constant term becomes a concrete value.
    pub fn of(terms: &Terms, term: TermId) -> Self {
        match terms.as_const(term) {
            Some(value) => Value::wide(value),
            None => Value { low: 0, high: 0, tag: term.raw() },
        }
    }

    /// The same term, known to point into the object around `address`.
    pub fn with_provenance(mut self, address: u64) -> Self {
        if self.is_symbolic() {
            self.low = address;
        }
        self
    }

    /// An address inside the object that a symbolic pointer was derived from; 0 where that is not known.
    pub fn provenance(self) -> u64 {
        if self.is_symbolic() { self.low } else { 0 }
    }

    #[inline(always)]
    pub fn is_concrete(self) -> bool {
        self.tag == CONCRETE
    }

    #[inline(always)]
    pub fn both_concrete(self, other: Value) -> bool {
        self.tag | other.tag == CONCRETE
    }

    #[inline(always)]
    pub fn is_unwritten(self) -> bool {
        self.tag == UNWRITTEN
    }

    #[inline(always)]
    pub fn is_symbolic(self) -> bool {
        self.tag != CONCRETE && self.tag != UNWRITTEN
    }

    /// The low 64 bits of a concrete value.
    #[inline(always)]
    pub fn low(self) -> u64 {
        self.low
    }

    /// A concrete value of up to 128 bits. What stands above bit 63 counts only for `width > 64`.
    #[inline(always)]
    pub fn bits(self, width: u8) -> u128 {
        if width > 64 { u128::from(self.low) | u128::from(self.high) << 64 } else { u128::from(self.low) }
    }

    pub fn as_term(self) -> Option<TermId> {
        if self.is_symbolic() { TermId::from_raw(self.tag) } else { None }
    }

    pub fn as_concrete(self, width: u8) -> Option<u128> {
        self.is_concrete().then(|| self.bits(width))
    }

    /// The term for it. A register that was never written reads as zero here; reads that matter go through a fresh unknown first.
    pub fn to_term(self, terms: &mut Terms, width: u8) -> TermId {
        match self.as_term() {
            Some(term) => term,
            None => terms.constant(width, self.bits(width)),
        }
    }
}
