//! What a version does on its way that another can tell, or that may end the run; and what memory holds after it.

use std::rc::Rc;

use upshot_expr::fold::mask;
use upshot_expr::{BinOp, IntPredicate, TermId};
use upshot_ir::Scalar;

use super::NoProof;
use super::meaning::Event;
use super::relation::Known;
use super::segment::{Runner, Way, unknown};

impl Runner<'_> {
    /// An access that may be an error, unless the same one, or a larger one, went well since memory last came or went.
    pub(super) fn access(
        &mut self,
        way: &mut Way,
        what: &str,
        (address, home): (TermId, TermId),
        size: u32,
        guide: Option<&Way>,
    ) -> Result<(), NoProof> {
        let event = Event::new(format!("{what} {size}"), vec![address], vec![home]);
        let write = Event::new(format!("write {size}"), vec![address], vec![home]);
        let is_passive =
            |event: &&Event| ["read ", "write ", "store ", "check "].iter().any(|kind| event.what.starts_with(kind));
        if way.done.iter().rev().take_while(is_passive).any(|done| *done == event || *done == write) {
            return Ok(());
        }
        self.note(way, event, guide)
    }

    /// What memory holds: what was stored there last, if nothing can have come between.
    pub(super) fn load(&mut self, way: &Way, address: TermId, scalar: Scalar) -> Known {
        let what = format!("store {scalar:?}");
        let mut history = way.history;
        while let Some((before, event)) = self.histories.last(history).cloned() {
            if event.what == what && event.values[0] == address {
                return Known { term: event.values[1], home: event.homes.first().copied() };
            }
            let Some(size) = stored_size(&event.what) else { break };
            let between = self.terms.sub(address, event.values[0]);
            let Some(distance) = self.terms.as_const(between) else { break };
            let back = (1u128 << 64) - distance;
            if distance < u128::from(size) || back < u128::from(scalar.store_size()) {
                break;
            }
            history = before;
        }
        let name = format!("memory {history} at {} {scalar:?}", address.raw());
        Known::of(unknown(self.terms, &name, scalar.width()), scalar.width())
    }

    pub(super) fn check_faults(
        &mut self,
        way: &mut Way,
        op: BinOp,
        width: u8,
        [a, b]: [TermId; 2],
        guide: Option<&Way>,
    ) -> Result<(), NoProof> {
        let fault = match op {
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
                let zero = self.terms.constant(width, 0);
                let by_zero = self.terms.eq(b, zero);
                let least = self.terms.constant(width, 1u128 << (width - 1));
                let minus_one = self.terms.constant(width, mask(width));
                let (is_least, is_minus_one) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
                let overflow = self.terms.and(is_least, is_minus_one);
                match op {
                    BinOp::SDiv | BinOp::SRem => self.terms.or(by_zero, overflow),
                    _ => by_zero,
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr if u128::from(width) <= mask(width) => {
                let limit = self.terms.constant(width, u128::from(width));
                let fine = self.terms.compare(IntPredicate::Ult, b, limit);
                self.terms.not(fine)
            }
            _ => return Ok(()),
        };
        if !self.may_hold(way, fault) {
            return Ok(());
        }
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        let what = if is_shift { "check shift" } else { "check division" };
        let event = Event::new(what, vec![fault], Vec::new());
        if way.done.contains(&event) {
            return Ok(());
        }
        self.note(way, event, guide)
    }

    /// Something that others can tell, or that changes memory.
    pub(super) fn happen(&mut self, way: &mut Way, event: Event, guide: Option<&Way>) -> Result<(), NoProof> {
        let event = self.aligned(way, event, guide)?;
        way.history = self.histories.after(way.history, &event);
        Rc::make_mut(&mut way.done).push(event);
        Ok(())
    }

    /// Something that may end the run, and changes nothing else.
    pub(super) fn note(&mut self, way: &mut Way, event: Event, guide: Option<&Way>) -> Result<(), NoProof> {
        let event = self.aligned(way, event, guide)?;
        Rc::make_mut(&mut way.done).push(event);
        Ok(())
    }

    /// The same thing as the other version did, in its words.
    pub(super) fn aligned(&mut self, way: &Way, event: Event, guide: Option<&Way>) -> Result<Event, NoProof> {
        let Some(guide) = guide else { return Ok(event) };
        let Some(other) = guide.done.get(way.done.len()) else { return Err(NoProof::new("the new version does more")) };
        if other.what != event.what || other.values.len() != event.values.len() {
            return Err(NoProof::new(format!("{} instead of {}", event.what, other.what)));
        }
        if other.homes != event.homes {
            return Err(NoProof::new(format!("{} with pointers of another origin", event.what)));
        }
        for (&a, &b) in other.values.iter().zip(&event.values) {
            if !self.is_same(way, a, b) {
                return Err(NoProof::new(format!("{} with other values", event.what)));
            }
        }
        Ok(other.clone())
    }
}

/// The bytes that an event writes at its first value, if that is all it does.
fn stored_size(what: &str) -> Option<u32> {
    let kind = what.strip_prefix("store ")?;
    let bits: u32 = match kind {
        "Pointer" => 64,
        _ => kind.strip_prefix("Int(")?.strip_suffix(')')?.parse().ok()?,
    };
    Some(bits.div_ceil(8))
}
