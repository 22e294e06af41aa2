//! Loads, stores and allocation: from a pointer to the object it means, and what happens when it means none.
//!
//! A pointer that is symbolic but derived from a known object (its provenance) is an access to that object, in bounds or an error.
//! One of unknown origin (read from a table at a symbolic index, say) is decided between all live objects, by address.
//! An offset that is symbolic within one object never forks: it reads as a term over the object's content.

use upshot_expr::{ArrayNode, TermId};
use upshot_ir::{IntPredicate, Operand, Scalar};

use crate::error::{Bound, ErrorKind, PathEnd};
use crate::machine::{Machine, Stop};
use crate::memory::{Byte, ByteOf, Lookup, MAX_OBJECT, Owner, byte_term};
use crate::recording::Event;
use crate::state::{InputKind, State};
use crate::value::Value;

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Start of the object.
    pub base: u64,
    pub offset: Offset,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Offset {
    Known(u64),
    /// 64 bits, in bounds.
    Symbolic(TermId),
}

/// Objects up to this size take a write at a symbolic offset byte by byte; larger ones as an array with an update.
const SMALL_OBJECT: u64 = 128;

impl<'p> Machine<'p> {
    pub(crate) fn pointer(&mut self, state: &mut State, operand: Operand, disp: u32) -> Result<Value, Stop> {
        let pointer = self.operand(state, operand, 64)?;
        Ok(self.displaced(pointer, u64::from(disp)))
    }

    pub(crate) fn displaced(&mut self, pointer: Value, disp: u64) -> Value {
        match pointer.as_term() {
            _ if disp == 0 => pointer,
            None => Value::int(pointer.low().wrapping_add(disp)),
            Some(term) => {
                let disp = self.terms.constant(64, u128::from(disp));
                let sum = self.terms.add(term, disp);
                Value::of(&self.terms, sum).with_provenance(pointer.provenance())
            }
        }
    }

    /// The object and offset for an access of `length` bytes; an error path where there is none.
    pub(crate) fn place(&mut self, state: &mut State, pointer: Value, length: u64, write: bool) -> Result<Place, Stop> {
        let pointer = self.dereferenced(state, pointer)?;
        let place = match pointer.as_term() {
            None => self.concrete_place(state, pointer.low(), length)?,
            Some(term) => match state.memory.find(pointer.provenance()) {
                Some(object) => {
                    let base = object.base;
                    self.place_within(state, base, term, length)?
                }
                None => {
                    self.settle_address(state, term)?;
                    match self.selected_address(state, term)? {
                        Some(address) => self.concrete_place(state, address, length)?,
                        None => self.place_anywhere(state, term, length)?,
                    }
                }
            },
        };
        if write && state.memory.find(place.base).is_some_and(|object| object.read_only) {
            return Err(self.error(state, ErrorKind::ReadOnly, "write to constant memory"));
        }
        if state.recording.is_some() {
            note_access(state, place, length, write);
        }
        Ok(place)
    }

    fn concrete_place(&mut self, state: &mut State, address: u64, length: u64) -> Result<Place, Stop> {
        let object = match state.memory.lookup(address) {
            Lookup::Object(object) => object,
            Lookup::Gone => {
                return Err(self.error(state, ErrorKind::Ptr, "use of memory after it was freed or went out of scope"));
            }
            Lookup::Nothing => return Err(self.wild(state, address)),
        };
        let (base, size, symbolic_size) = (object.base, object.size, object.symbolic_size);
        let offset = address.wrapping_sub(base);
        if offset > size || size - offset < length {
            return Err(self.out_of_bounds(state, base, offset as i64, length, size));
        }
        if let Some(real) = symbolic_size {
            let end = self.terms.constant(64, u128::from(offset + length));
            let fine = self.terms.compare(IntPredicate::Ule, end, real);
            if !self.decide(state, fine)? {
                return Err(self.out_of_bounds(state, base, offset as i64, length, size));
            }
        }
        Ok(Place { base, offset: Offset::Known(offset) })
    }

    /// The pointer is about the object at `base`; is it in bounds?
    fn place_within(&mut self, state: &mut State, base: u64, term: TermId, length: u64) -> Result<Place, Stop> {
        let fine = self.in_bounds(state, base, term, length);
        if !self.decide(state, fine)? {
            let size = state.memory.find(base).map_or(0, |object| object.size);
            let message = format!(
                "out of bounds: {length} byte{} at an offset that can leave {}",
                plural(length),
                self.describe(state, base, size)
            );
            return Err(self.error(state, ErrorKind::Ptr, message));
        }
        Ok(Place { base, offset: self.offset_in(base, term) })
    }

    fn offset_in(&mut self, base: u64, term: TermId) -> Offset {
        let base = self.terms.constant(64, u128::from(base));
        let offset = self.terms.sub(term, base);
        match self.terms.as_const(offset) {
            Some(offset) => Offset::Known(offset as u64),
            None => Offset::Symbolic(offset),
        }
    }

    fn in_bounds(&mut self, state: &State, base: u64, term: TermId, length: u64) -> TermId {
        let Some(object) = state.memory.find(base) else { return self.terms.bool(false) };
        let (size, real) = (object.size, object.symbolic_size);
        if size < length {
            return self.terms.bool(false);
        }
        let start = self.terms.constant(64, u128::from(base));
        let offset = self.terms.sub(term, start);
        let last = self.terms.constant(64, u128::from(size - length));
        let fits = self.terms.compare(IntPredicate::Ule, offset, last);
        match real {
            None => fits,
            Some(real) => {
                let length = self.terms.constant(64, u128::from(length));
                let end = self.terms.add(offset, length);
                let within = self.terms.compare(IntPredicate::Ule, end, real);
                self.terms.and(fits, within)
            }
        }
    }

    /// A pointer that is one of a few constants (`c ? a : b`): which one, by value. `None` if it is not of that form.
    fn selected_address(&mut self, state: &mut State, term: TermId) -> Result<Option<u64>, Stop> {
        let mut addresses = std::collections::BTreeSet::new();
        if !self.constant_leaves(term, &mut addresses) {
            return Ok(None);
        }
        let addresses: Vec<u64> = addresses.into_iter().collect();
        let choices: Vec<TermId> = addresses
            .iter()
            .map(|&address| {
                let address = self.terms.constant(64, u128::from(address));
                self.terms.eq(term, address)
            })
            .collect();
        let chosen = self.choose(state, &choices)?;
        Ok(addresses.get(chosen).copied())
    }

    /// Gathers the constants that a nest of conditionals selects from; false if there is anything else in it, or too many.
    fn constant_leaves(&self, term: TermId, leaves: &mut std::collections::BTreeSet<u64>) -> bool {
        const MOST: usize = 64;
        let mut work = vec![term];
        let mut steps = 0;
        while let Some(term) = work.pop() {
            steps += 1;
            match self.terms.node(term) {
                upshot_expr::Node::Ite(_, a, b) => work.extend([a, b]),
                _ => match self.terms.as_const(term) {
                    Some(address) => {
                        leaves.insert(address as u64);
                    }
                    None => return false,
                },
            }
            if leaves.len() > MOST || steps > 8 * MOST {
                return false;
            }
        }
        true
    }

    /// All live objects are candidates, by address; none of them is the error, last.
    fn place_anywhere(&mut self, state: &mut State, term: TermId, length: u64) -> Result<Place, Stop> {
        let candidates: Vec<u64> =
            state.memory.objects().filter(|object| object.size >= length.max(1)).map(|object| object.base).collect();
        let mut choices = Vec::with_capacity(candidates.len() + 1);
        let mut nowhere = self.terms.bool(true);
        for &base in &candidates {
            let here = self.in_bounds(state, base, term, length);
            let elsewhere = self.terms.not(here);
            nowhere = self.terms.and(nowhere, elsewhere);
            choices.push(here);
        }
        choices.push(nowhere);
        let chosen = self.choose(state, &choices)?;
        // A number that is no address natively may be one of ours; which of the two this is, its test will show.
        std::rc::Rc::make_mut(&mut state.followed).push(term);
        match candidates.get(chosen) {
            Some(&base) => Ok(Place { base, offset: self.offset_in(base, term) }),
            None => Err(self.error(state, ErrorKind::Ptr, "a pointer that need not point to any object")),
        }
    }

    fn wild(&self, state: &State, address: u64) -> Stop {
        let message = if address < 4096 {
            "null pointer dereference".to_string()
        } else if crate::memory::function_at(address).is_some() {
            "access to a function as if it were data".to_string()
        } else {
            format!("access to address {address:#x}, where there is nothing")
        };
        self.error(state, ErrorKind::Ptr, message)
    }

    fn out_of_bounds(&self, state: &State, base: u64, offset: i64, length: u64, size: u64) -> Stop {
        let message = format!(
            "out of bounds: {length} byte{} at offset {offset} of {}",
            plural(length),
            self.describe(state, base, size)
        );
        self.error(state, ErrorKind::Ptr, message)
    }

    /// An object in words.
    fn describe(&self, state: &State, base: u64, size: u64) -> String {
        let bytes = match state.memory.find(base).and_then(|object| object.symbolic_size) {
            Some(_) => "(of symbolic size)".to_string(),
            None => format!("({size} byte{})", plural(size)),
        };
        match state.memory.find(base).map(|object| object.owner) {
            Some(Owner::Global(global)) => format!("{} {bytes}", self.program().global(global).source_name),
            Some(Owner::Stack(function)) => match self.local_at(state, base) {
                Some(name) => format!("{name} {bytes}"),
                None => format!("a local of {} {bytes}", self.program().function(function).source_name),
            },
            Some(Owner::Heap) => format!("an allocation {bytes}"),
            Some(Owner::Input) => {
                let named = state.pointers.iter().find(|pointer| {
                    matches!(pointer.resolved, Some(crate::state::PointerTarget::Object { address, .. }) if address == base)
                });
                match named {
                    Some(pointer) => format!("*{} {bytes}", pointer.name),
                    None => format!("an input {bytes}"),
                }
            }
            None => format!("an object {bytes}"),
        }
    }

    /// The name of the local variable at an address: the one whose alloca made it.
    pub(crate) fn local_at(&self, state: &State, base: u64) -> Option<String> {
        let frame = self.frames(state).find(|frame| frame.objects.contains(&base))?;
        let function = self.program().function(frame.function);
        function.locals.iter().find_map(|local| {
            let inst = local.alloca?;
            let ops = function.insts[inst.index()].ops.clone();
            let holds = function.ops[ops.start as usize..ops.end as usize].iter().any(|op| {
                matches!(op, upshot_ir::Op::Alloca { dst, .. } if frame.registers[dst.index()] == Value::int(base))
            });
            holds.then(|| local.name.clone())
        })
    }

    // ---- loads and stores ----

    pub(crate) fn load(&mut self, state: &mut State, pointer: Value, scalar: Scalar) -> Result<Value, Stop> {
        let (length, width) = (u64::from(scalar.store_size()), scalar.width());
        let place = self.place(state, pointer, length, false)?;
        let place = self.at_input_pointer(state, place, length)?;
        if self.options.check_uninit
            && let Offset::Known(offset) = place.offset
            && state.memory.find(place.base).is_some_and(|object| object.has_unwritten(offset, length))
        {
            return Err(self.error(state, ErrorKind::Uninit, "read of memory that was never written"));
        }
        self.name_unwritten(state, place, length);
        let Some(object) = state.memory.find(place.base) else { return Ok(Value::ZERO) };
        match place.offset {
            Offset::Known(offset) if object.is_concrete(offset, length) => {
                let low = object.read_concrete(offset, length.min(8) as u32);
                let high = if length > 8 { object.read_concrete(offset + 8, (length - 8) as u32) } else { 0 };
                let bits = u128::from(low) | u128::from(high) << 64;
                Ok(Value::wide(bits & upshot_expr::fold::mask(width)))
            }
            Offset::Known(offset) => {
                if let Some(whole) = whole_term(&mut self.terms, object, offset, length, width) {
                    return Ok(self.settled(state, whole));
                }
                self.settle_bytes(state, place.base, offset, length)?;
                let Some(object) = state.memory.find(place.base) else { return Ok(Value::ZERO) };
                let mut term = object.byte_term(&mut self.terms, offset);
                for index in 1..length {
                    let byte = object.byte_term(&mut self.terms, offset + index);
                    term = self.terms.concat(byte, term);
                }
                let term = self.terms.trunc(term, width);
                Ok(Value::of(&self.terms, term))
            }
            Offset::Symbolic(offset) => {
                let array = object.array(&mut self.terms);
                self.note_read(state, place.base, offset, length);
                let term = self.read_array(array, offset, length);
                let term = self.terms.trunc(term, width);
                Ok(Value::of(&self.terms, term))
            }
        }
    }

    /// A read at a symbolic offset among input pointers: which one it is gets decided here, since what an input
    /// pointer leads to can only be settled for one pointer, not for a choice between several.
    fn at_input_pointer(&mut self, state: &mut State, place: Place, length: u64) -> Result<Place, Stop> {
        let Offset::Symbolic(offset) = place.offset else { return Ok(place) };
        if state.pointers.is_empty() || length != 8 {
            return Ok(place);
        }
        let Some(object) = state.memory.find(place.base) else { return Ok(place) };
        let slots = object.input_pointers();
        let mut elsewhere = self.terms.bool(true);
        let mut choices = Vec::with_capacity(slots.len() + 1);
        for &slot in &slots {
            let slot = self.terms.constant(64, u128::from(slot));
            let here = self.terms.eq(offset, slot);
            let not_here = self.terms.not(here);
            elsewhere = self.terms.and(elsewhere, not_here);
            choices.push(here);
        }
        choices.push(elsewhere);
        let chosen = self.choose(state, &choices)?;
        Ok(match slots.get(chosen) {
            Some(&slot) => Place { base: place.base, offset: Offset::Known(slot) },
            None => place,
        })
    }

    fn read_array(&mut self, array: upshot_expr::ArrayId, offset: TermId, length: u64) -> TermId {
        let mut term = self.terms.read(array, offset);
        for index in 1..length {
            let step = self.terms.constant(64, u128::from(index));
            let at = self.terms.add(offset, step);
            let byte = self.terms.read(array, at);
            term = self.terms.concat(byte, term);
        }
        term
    }

    pub(crate) fn store(
        &mut self,
        state: &mut State,
        pointer: Value,
        scalar: Scalar,
        value: Value,
    ) -> Result<(), Stop> {
        let (length, width) = (u64::from(scalar.store_size()), scalar.width());
        let place = self.place(state, pointer, length, true)?;
        match place.offset {
            Offset::Known(offset) => {
                let Some(object) = state.memory.find_mut(place.base) else { return Ok(()) };
                match value.as_term() {
                    None => object.write_bytes(offset, &value.bits(width).to_le_bytes()[..length as usize]),
                    Some(term) => {
                        let provenance = value.provenance();
                        for index in 0..length {
                            let byte = ByteOf { term, index: index as u8, provenance };
                            object.set_byte(offset + index, Byte::Term(byte));
                        }
                    }
                }
                Ok(())
            }
            Offset::Symbolic(offset) => {
                let term = value.to_term(&mut self.terms, width);
                let bytes: Vec<TermId> = (0..length)
                    .map(|index| byte_term(&mut self.terms, ByteOf { term, index: index as u8, provenance: 0 }))
                    .collect();
                self.store_symbolic(state, place.base, offset, &bytes);
                Ok(())
            }
        }
    }

    /// Writes bytes at an offset that is a term and in bounds.
    pub(crate) fn store_symbolic(&mut self, state: &mut State, base: u64, offset: TermId, bytes: &[TermId]) {
        self.name_unwritten(state, Place { base, offset: Offset::Symbolic(offset) }, 0);
        let Some(object) = state.memory.find_mut(base) else { return };
        let terms = &mut self.terms;
        if object.size > SMALL_OBJECT {
            let mut array = object.array(terms);
            for (index, &value) in bytes.iter().enumerate() {
                let step = terms.constant(64, index as u128);
                let index = terms.add(offset, step);
                array = terms.array(ArrayNode::Store { array, index, value });
            }
            object.set_array(array);
            return;
        }
        let length = bytes.len() as u64;
        let old: Vec<TermId> = (0..object.size).map(|at| object.byte_term(terms, at)).collect();
        for at in 0..object.size {
            let mut new = old[at as usize];
            for index in 0..length.min(at + 1) {
                let start = at - index;
                if start + length > object.size {
                    continue;
                }
                let start = terms.constant(64, u128::from(start));
                let here = terms.eq(offset, start);
                new = terms.ite(here, bytes[index as usize], new);
            }
            if new != old[at as usize] {
                let byte = match terms.as_const(new) {
                    Some(value) => Byte::Concrete(value as u8),
                    None => Byte::Term(ByteOf { term: new, index: 0, provenance: 0 }),
                };
                object.set_byte(at, byte);
            }
        }
    }

    /// Gives memory that was never written a name, before it is read.
    pub(crate) fn name_unwritten(&mut self, state: &mut State, place: Place, length: u64) {
        let Some(object) = state.memory.find(place.base) else { return };
        if !object.needs_symbol() {
            return;
        }
        let needed = match place.offset {
            Offset::Known(offset) => object.has_unwritten(offset, length),
            Offset::Symbolic(_) => object.has_unwritten(0, object.size),
        };
        if !needed {
            return;
        }
        let (size, serial) = (object.size as u32, object.serial);
        let name = match object.owner {
            Owner::Global(global) => self.program().global(global).source_name.clone(),
            _ => self.local_at(state, place.base).unwrap_or_else(|| format!("memory{serial}")),
        };
        let symbol = self.add_input(state, &format!("{name} (unwritten)"), size, InputKind::Unknown, None);
        if let Some(object) = state.memory.find_mut(place.base) {
            object.fill_unwritten(symbol);
        }
    }

    // ---- runs of bytes ----

    /// Reads `length` bytes at a known place.
    pub(crate) fn read_run(&mut self, state: &mut State, place: Place, length: u64) -> Vec<Byte> {
        self.name_unwritten(state, place, length);
        if state.recording.is_some() && length > 0 {
            note_access(state, place, length, false);
        }
        let Some(object) = state.memory.find(place.base) else { return Vec::new() };
        match place.offset {
            Offset::Known(offset) => (0..length).map(|index| object.byte(&mut self.terms, offset + index)).collect(),
            Offset::Symbolic(offset) => {
                let array = object.array(&mut self.terms);
                (0..length)
                    .map(|index| {
                        let step = self.terms.constant(64, u128::from(index));
                        let at = self.terms.add(offset, step);
                        let term = self.terms.read(array, at);
                        match self.terms.as_const(term) {
                            Some(value) => Byte::Concrete(value as u8),
                            None => Byte::Term(ByteOf { term, index: 0, provenance: 0 }),
                        }
                    })
                    .collect()
            }
        }
    }

    pub(crate) fn write_run(&mut self, state: &mut State, place: Place, bytes: &[Byte]) {
        if state.recording.is_some() && !bytes.is_empty() {
            note_access(state, place, bytes.len() as u64, true);
        }
        match place.offset {
            Offset::Known(offset) => {
                let Some(object) = state.memory.find_mut(place.base) else { return };
                for (index, &byte) in bytes.iter().enumerate() {
                    object.set_byte(offset + index as u64, byte);
                }
            }
            Offset::Symbolic(offset) => {
                let terms: Vec<TermId> = bytes.iter().map(|&byte| self.term_of(byte)).collect();
                self.store_symbolic(state, place.base, offset, &terms);
            }
        }
    }

    /// A byte as a term of 8 bits.
    pub(crate) fn term_of(&mut self, byte: Byte) -> TermId {
        match byte {
            Byte::Concrete(value) => self.terms.constant(8, u128::from(value)),
            Byte::Term(byte) => byte_term(&mut self.terms, byte),
            Byte::Unwritten => self.terms.constant(8, 0),
        }
    }

    // ---- allocation ----

    pub(crate) fn allocate(&mut self, state: &mut State, size: u64, align: u64, owner: Owner) -> Result<u64, Stop> {
        let room = self.options.max_path_memory.saturating_sub(state.memory.live_bytes);
        if size > room || size > MAX_OBJECT {
            return Err(Stop::End(PathEnd::Bound(Bound::Memory)));
        }
        match state.memory.allocate(size, align, owner).map(|object| object.base) {
            Some(base) => {
                let pc = state.frame.pc;
                state.happened(Event::Allocate { pc, base, size });
                Ok(base)
            }
            None => Err(Stop::End(PathEnd::Bound(Bound::Memory))),
        }
    }

    /// An object whose size is a term of 64 bits, up to the limit for such.
    pub(crate) fn allocate_symbolic(
        &mut self,
        state: &mut State,
        size: TermId,
        align: u64,
        owner: Owner,
    ) -> Result<u64, Stop> {
        if let Some(size) = self.terms.as_const(size) {
            return self.allocate(state, size as u64, align, owner);
        }
        let limit = self.options.max_alloc;
        let most = self.terms.constant(64, u128::from(limit));
        let fits = self.terms.compare(IntPredicate::Ule, size, most);
        if !self.decide(state, fits)? {
            return Err(Stop::End(PathEnd::Bound(Bound::AllocationSize)));
        }
        let address = self.allocate(state, limit, align, owner)?;
        if let Some(object) = state.memory.find_mut(address) {
            object.symbolic_size = Some(size);
        }
        Ok(address)
    }
}

/// Writes down an access; one at a symbolic offset is to any part of the object.
fn note_access(state: &mut State, place: Place, length: u64, write: bool) {
    let base = place.base;
    let (offset, length) = match place.offset {
        Offset::Known(offset) => (offset, length),
        Offset::Symbolic(_) => (0, 0),
    };
    state.touched(write, base, offset, length);
}

/// A term that was stored whole and is now loaded whole.
fn whole_term(
    terms: &mut upshot_expr::Terms,
    object: &crate::memory::Object,
    offset: u64,
    length: u64,
    width: u8,
) -> Option<Value> {
    let Byte::Term(first) = object.byte(terms, offset) else { return None };
    if first.index != 0 || terms.width(first.term) != width {
        return None;
    }
    for index in 1..length {
        match object.byte(terms, offset + index) {
            Byte::Term(byte) if byte.term == first.term && u64::from(byte.index) == index => {}
            _ => return None,
        }
    }
    Some(Value::of(terms, first.term).with_provenance(first.provenance))
}

pub(crate) fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
