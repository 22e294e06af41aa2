//! memcpy and its like, also for lengths that are symbolic.

use upshot_ir::IntPredicate;

use super::{CallSite, Model, Reply};
use crate::access::{Offset, Place};
use crate::error::ErrorKind;
use crate::machine::{Machine, Stop};
use crate::memory::{Byte, ByteOf};
use crate::state::State;
use crate::value::Value;

pub(super) const TABLE: &[(&str, Model)] = &[
    ("memcpy", memcpy),
    ("memmove", memcpy),
    ("__memcpy_chk", memcpy),
    ("__memmove_chk", memcpy),
    ("memset", memset),
    ("__memset_chk", memset),
];

fn memcpy(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let (to, from) = (site.argument(machine, state, 0)?, site.argument(machine, state, 1)?);
    let length = site.argument(machine, state, 2)?;
    machine.copy_memory(state, to, from, length, 64)?;
    Ok(Reply::Value(to))
}

fn memset(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let (to, byte) = (site.argument(machine, state, 0)?, site.argument(machine, state, 1)?);
    let length = site.argument(machine, state, 2)?;
    let byte = byte.to_term(&mut machine.terms, site.width(1));
    let byte = machine.terms.trunc(byte, 8);
    let byte = Value::of(&machine.terms, byte);
    machine.fill_memory(state, to, byte, length, 64)?;
    Ok(Reply::Value(to))
}

impl Machine<'_> {
    /// Copies as memmove does: the source is read before anything is written.
    pub(crate) fn copy_memory(
        &mut self,
        state: &mut State,
        to: Value,
        from: Value,
        length: Value,
        width: u8,
    ) -> Result<(), Stop> {
        match length.as_concrete(width) {
            Some(0) => Ok(()),
            Some(length) => {
                let length = u64::try_from(length).unwrap_or(u64::MAX);
                let source = self.place(state, from, length, false)?;
                let target = self.place(state, to, length, true)?;
                if self.copy_concrete(state, source, target, length) {
                    return Ok(());
                }
                let bytes = self.read_run(state, source, length);
                self.write_run(state, target, &bytes);
                Ok(())
            }
            None if self.is_moot(state, &[from, to], length, width)? => Ok(()),
            None => {
                let (source, most_source) = self.whole(state, from, false)?;
                let (target, most_target) = self.whole(state, to, true)?;
                let most = most_source.min(most_target);
                let length = self.checked_length(state, length, width, most)?;
                let new = self.read_run(state, source, most);
                let old = self.read_run(state, target, most);
                let merged = self.up_to(&new, &old, length);
                self.write_run(state, target, &merged);
                Ok(())
            }
        }
    }

    pub(crate) fn fill_memory(
        &mut self,
        state: &mut State,
        to: Value,
        byte: Value,
        length: Value,
        width: u8,
    ) -> Result<(), Stop> {
        let byte = match byte.as_term() {
            None => Byte::Concrete(byte.low() as u8),
            Some(term) => Byte::Term(ByteOf { term, index: 0, provenance: 0 }),
        };
        match length.as_concrete(width) {
            Some(0) => Ok(()),
            Some(length) => {
                let length = u64::try_from(length).unwrap_or(u64::MAX);
                let target = self.place(state, to, length, true)?;
                if let (Byte::Concrete(value), Offset::Known(offset)) = (byte, target.offset) {
                    if let Some(object) = state.memory.find_mut(target.base) {
                        object.write_bytes(offset, &vec![value; length as usize]);
                    }
                    return Ok(());
                }
                self.write_run(state, target, &vec![byte; length as usize]);
                Ok(())
            }
            None if self.is_moot(state, &[to], length, width)? => Ok(()),
            None => {
                let (target, most) = self.whole(state, to, true)?;
                let length = self.checked_length(state, length, width, most)?;
                let old = self.read_run(state, target, most);
                let merged = self.up_to(&vec![byte; most as usize], &old, length);
                self.write_run(state, target, &merged);
                Ok(())
            }
        }
    }

    /// Ends the path with an error where `length` bytes from the pointer on are not all in one object.
    pub(crate) fn check_extent(
        &mut self,
        state: &mut State,
        pointer: Value,
        length: Value,
        width: u8,
    ) -> Result<(), Stop> {
        match length.as_concrete(width) {
            Some(0) => Ok(()),
            Some(length) => self.place(state, pointer, u64::try_from(length).unwrap_or(u64::MAX), false).map(|_| ()),
            None if self.is_moot(state, &[pointer], length, width)? => Ok(()),
            None => {
                let (_, most) = self.whole(state, pointer, false)?;
                self.checked_length(state, length, width, most).map(|_| ())
            }
        }
    }

    /// Whether nothing is to be done to memory through pointers that lead nowhere: with no length, any pointer will do.
    fn is_moot(&mut self, state: &mut State, pointers: &[Value], length: Value, width: u8) -> Result<bool, Stop> {
        for &pointer in pointers {
            let pointer = self.settle(state, pointer)?;
            let address = if pointer.is_concrete() { pointer.low() } else { pointer.provenance() };
            if state.memory.find(address).is_none() {
                let length = length.to_term(&mut self.terms, width);
                let zero = self.terms.constant(width, 0);
                let is_zero = self.terms.eq(length, zero);
                return self.decide(state, is_zero);
            }
        }
        Ok(false)
    }

    /// The quick way for runs of concrete bytes.
    fn copy_concrete(&mut self, state: &mut State, source: Place, target: Place, length: u64) -> bool {
        let (Offset::Known(from), Offset::Known(to)) = (source.offset, target.offset) else { return false };
        let Some(object) = state.memory.find(source.base) else { return false };
        if !object.is_concrete(from, length) {
            return false;
        }
        let bytes = object.bytes()[from as usize..(from + length) as usize].to_vec();
        if let Some(object) = state.memory.find_mut(target.base) {
            object.write_bytes(to, &bytes);
        }
        true
    }

    /// Where a pointer points, and how many bytes there are from there; for lengths that are not known.
    fn whole(&mut self, state: &mut State, pointer: Value, write: bool) -> Result<(Place, u64), Stop> {
        let place = self.place(state, pointer, 0, write)?;
        let size = state.memory.find(place.base).map_or(0, |object| object.size);
        match place.offset {
            Offset::Known(offset) => Ok((place, size - offset)),
            Offset::Symbolic(_) => {
                Err(self.unsupported(state, "copying a symbolic number of bytes at a symbolic offset"))
            }
        }
    }

    /// The length as a term of 64 bits, known to be at most `most`.
    fn checked_length(
        &mut self,
        state: &mut State,
        length: Value,
        width: u8,
        most: u64,
    ) -> Result<upshot_expr::TermId, Stop> {
        let length = length.to_term(&mut self.terms, width);
        let length = self.terms.zext(length, 64);
        let limit = self.terms.constant(64, u128::from(most));
        let fits = self.terms.compare(IntPredicate::Ule, length, limit);
        if self.decide(state, fits)? {
            return Ok(length);
        }
        Err(self.error(
            state,
            ErrorKind::Ptr,
            format!("out of bounds: the length can be more than the {most} bytes there are"),
        ))
    }

    /// `new` for the first `length` bytes, `old` after.
    fn up_to(&mut self, new: &[Byte], old: &[Byte], length: upshot_expr::TermId) -> Vec<Byte> {
        (0..new.len())
            .map(|index| {
                let (a, b) = (self.term_of(new[index]), self.term_of(old[index]));
                let at = self.terms.constant(64, index as u128);
                let within = self.terms.compare(IntPredicate::Ult, at, length);
                let term = self.terms.ite(within, a, b);
                match self.terms.as_const(term) {
                    Some(value) => Byte::Concrete(value as u8),
                    None => Byte::Term(ByteOf { term, index: 0, provenance: 0 }),
                }
            })
            .collect()
    }
}
