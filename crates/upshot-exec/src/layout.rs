//! What a program does with addresses beyond following them: `p < q` for unrelated objects, hashes of pointers, alignment tests.
//!
//! Addresses here are not those of a native run, so neither need be the outcome. A path that once computes with an address in a way whose result
//! depends on where objects lie is marked, and promises nothing about a native run. Differences and orders within
//! one object, tests against null, and the four low bits of heap blocks and inputs are the same everywhere and do not count.

use std::rc::Rc;

use upshot_expr::TermId;
use upshot_ir::{BinOp, IntPredicate};

use crate::machine::{Machine, Stop};
use crate::memory::{Byte, Home, Owner, lazy_index, may_be_address};
use crate::state::{PointerTarget, State};
use crate::value::Value;

/// `malloc` aligns to this, natively and here.
const ALIGNMENT: u64 = 16;

/// Whether an order between two numbers could be one between addresses.
#[inline(always)]
pub(crate) fn orders_addresses(predicate: IntPredicate, width: u8, a: u64, b: u64) -> bool {
    width == 64 && !is_equality(predicate) && may_be_address(a) && may_be_address(b)
}

/// Whether an operation on two numbers could be one on addresses, other than moving within an object.
#[inline(always)]
pub(crate) fn computes_with_addresses(op: BinOp, width: u8, a: u64, b: u64) -> bool {
    width == 64 && op != BinOp::Add && (may_be_address(a) || may_be_address(b))
}

pub(crate) fn is_equality(predicate: IntPredicate) -> bool {
    matches!(predicate, IntPredicate::Eq | IntPredicate::Ne)
}

impl State {
    /// The object that a value points to or was derived from.
    fn home(&self, value: Value) -> Option<Home> {
        if value.is_concrete() { self.memory.home(value.low()) } else { self.memory.home(value.provenance()) }
    }

    /// An order between two values was asked for.
    #[cold]
    pub(crate) fn note_order(&mut self, a: Value, b: Value) {
        if let (Some(x), Some(y)) = (self.home(a), self.home(b)) {
            self.unspecified |= x != y;
        }
    }

    /// A number was computed from two values.
    #[cold]
    pub(crate) fn note_arithmetic(&mut self, op: BinOp, a: Value, b: Value) {
        let homes = (self.home(a), self.home(b));
        let same_everywhere = match (op, homes) {
            (_, (None, None)) | (BinOp::Add, _) => true,
            (BinOp::Sub, (x, y)) => y.is_none() || x == y,
            (BinOp::And | BinOp::Or | BinOp::Xor, (Some(_), None)) => self.is_aligned(a) && concerns_alignment(op, b),
            (BinOp::And | BinOp::Or | BinOp::Xor, (None, Some(_))) => self.is_aligned(b) && concerns_alignment(op, a),
            (BinOp::URem, (Some(_), None)) => {
                self.is_aligned(a) && b.is_concrete() && b.low() != 0 && ALIGNMENT.is_multiple_of(b.low())
            }
            _ => false,
        };
        self.unspecified |= !same_everywhere;
    }

    /// Only the low bits of a value are kept.
    #[cold]
    pub(crate) fn note_truncation(&mut self, to: u8, a: Value) {
        if self.home(a).is_some() {
            self.unspecified |= to > ALIGNMENT.ilog2() as u8 || !self.is_aligned(a);
        }
    }

    /// Whether the object that the value points into has the alignment of `malloc` here and natively.
    fn is_aligned(&self, value: Value) -> bool {
        let address = if value.is_concrete() { value.low() } else { value.provenance() };
        self.memory.find(address).is_some_and(|object| matches!(object.owner, Owner::Heap | Owner::Input))
    }
}

/// Whether a mask leaves, sets or flips only bits that the alignment decides; or clears only those.
fn concerns_alignment(op: BinOp, mask: Value) -> bool {
    mask.is_concrete() && (mask.low() < ALIGNMENT || (op == BinOp::And && mask.low() >= ALIGNMENT.wrapping_neg()))
}

impl Machine<'_> {
    /// Bytes at a known offset are read, some of which may be parts of input pointers. Null is the same in all its bytes.
    pub(crate) fn settle_bytes(&mut self, state: &mut State, base: u64, offset: u64, length: u64) -> Result<(), Stop> {
        if state.pointers.is_empty() {
            return Ok(());
        }
        for at in offset..offset + length {
            let Some(object) = state.memory.find(base) else { return Ok(()) };
            let Byte::Term(byte) = object.byte(&mut self.terms, at) else { continue };
            let Some(index) = lazy_index(byte.provenance) else { continue };
            let whole = Value::of(&self.terms, state.pointers[index].term).with_provenance(byte.provenance);
            self.settle(state, whole)?;
            state.unspecified |= state.pointers[index].resolved != Some(PointerTarget::Null);
        }
        Ok(())
    }

    /// A read at a symbolic offset, which may be among the bytes of an input pointer: those are no data that a test decides. Mostly no
    /// input gets there (the bytes lie in an array beside the pointer), so this is only looked at when the path's test is known.
    pub(crate) fn note_read(&mut self, state: &mut State, base: u64, offset: TermId, length: u64) {
        if state.pointers.is_empty() {
            return;
        }
        let Some(object) = state.memory.find(base) else { return };
        let mut hit = self.terms.bool(false);
        for slot in object.input_pointers() {
            // slot - length < offset < slot + 8, all at once, modulo 2^64
            let first = self.terms.constant(64, u128::from((slot + 1).wrapping_sub(length)));
            let span = self.terms.constant(64, u128::from(7 + length));
            let distance = self.terms.sub(offset, first);
            let within = self.terms.compare(IntPredicate::Ult, distance, span);
            hit = self.terms.or(hit, within);
        }
        self.note_unspecified(state, hit);
    }

    /// Where `condition` holds, a result was used that the language leaves open.
    pub(crate) fn note_unspecified(&mut self, state: &mut State, condition: TermId) {
        if !self.terms.is_false(condition) {
            Rc::make_mut(&mut state.unspecified_if).push(condition);
        }
    }

    /// The operands of an operation on addresses: what input pointers among them lead to is decided first, since an
    /// unknown number has differences and low bits that no address has.
    pub(crate) fn settle_operands(
        &mut self,
        state: &mut State,
        op: BinOp,
        a: Value,
        b: Value,
    ) -> Result<(Value, Value), Stop> {
        let lazy = |value: Value| lazy_index(value.provenance()).is_some();
        let moves = op == BinOp::Add || (op == BinOp::Sub && !lazy(b));
        if moves {
            return Ok((a, b));
        }
        Ok((self.settle(state, a)?, self.settle(state, b)?))
    }
}
