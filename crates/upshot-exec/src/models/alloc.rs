//! The malloc family.

use upshot_ir::IntPredicate;

use super::{CallSite, Model, Reply};
use crate::access::{Offset, Place};
use crate::error::ErrorKind;
use crate::machine::{Machine, Stop};
use crate::memory::{Lookup, Owner};
use crate::state::State;
use crate::value::Value;

pub(super) const TABLE: &[(&str, Model)] = &[
    ("malloc", malloc),
    ("calloc", calloc),
    ("realloc", realloc),
    ("reallocarray", reallocarray),
    ("free", free),
    ("cfree", free),
    ("aligned_alloc", aligned_alloc),
    ("memalign", aligned_alloc),
    ("posix_memalign", posix_memalign),
    ("valloc", valloc),
    ("malloc_usable_size", usable_size),
];

/// More than this and the real malloc says no.
const HOPELESS: u64 = 1 << 46;

/// A heap object of this size, or null where that is allowed and chosen.
fn obtain(machine: &mut Machine<'_>, state: &mut State, size: Value, align: u64) -> Result<u64, Stop> {
    let name = format!("malloc fails#{}", state.unknown_calls);
    let address = if machine.options.malloc_fail && machine.happens(state, &name)? {
        0
    } else {
        match size.as_term() {
            None if size.low() >= HOPELESS => 0,
            None => machine.allocate(state, size.low(), align, Owner::Heap)?,
            Some(term) => machine.allocate_symbolic(state, term, align, Owner::Heap)?,
        }
    };
    if machine.options.malloc_fail {
        state.unknown_calls += 1;
        machine.add_input(state, &name, 1, crate::state::InputKind::Given, None);
    }
    Ok(address)
}

fn malloc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let size = site.argument(machine, state, 0)?;
    Ok(Reply::Value(Value::int(obtain(machine, state, size, 16)?)))
}

fn valloc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let size = site.argument(machine, state, 0)?;
    Ok(Reply::Value(Value::int(obtain(machine, state, size, 4096)?)))
}

fn aligned_alloc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let align = site.argument(machine, state, 0)?;
    let size = site.argument(machine, state, 1)?;
    let align = machine.known_address(state, align, "an alignment")?;
    Ok(Reply::Value(Value::int(obtain(machine, state, size, align.max(16))?)))
}

fn posix_memalign(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let result = site.argument(machine, state, 0)?;
    let align = site.argument(machine, state, 1)?;
    let size = site.argument(machine, state, 2)?;
    let align = machine.known_address(state, align, "an alignment")?;
    let place = machine.place(state, result, 8, true)?;
    let address = obtain(machine, state, size, align.max(16))?;
    if address == 0 {
        return Ok(Reply::Value(Value::int(12)));
    }
    let bytes: Vec<_> = address.to_le_bytes().iter().map(|&byte| crate::memory::Byte::Concrete(byte)).collect();
    machine.write_run(state, place, &bytes);
    Ok(Reply::Value(Value::ZERO))
}

/// The product of two sizes as one value; the wrapped one where it overflows, with whether it does.
fn product(
    machine: &mut Machine<'_>,
    state: &mut State,
    site: &CallSite<'_>,
    first: usize,
) -> Result<Option<Value>, Stop> {
    let (a, b) = (site.argument(machine, state, first)?, site.argument(machine, state, first + 1)?);
    if let (Some(a), Some(b)) = (a.as_concrete(64), b.as_concrete(64)) {
        return Ok(u64::try_from(a * b).ok().map(Value::int));
    }
    let (a, b) = (a.to_term(&mut machine.terms, 64), b.to_term(&mut machine.terms, 64));
    let overflow = machine.does_not_fit(upshot_ir::BinOp::Mul, 128, false, a, b);
    let fits = machine.terms.not(overflow);
    if !machine.decide(state, fits)? {
        return Ok(None);
    }
    let size = machine.terms.mul(a, b);
    Ok(Some(Value::of(&machine.terms, size)))
}

fn calloc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let Some(size) = product(machine, state, site, 0)? else { return Ok(Reply::Value(Value::ZERO)) };
    let address = obtain(machine, state, size, 16)?;
    if let Some(object) = state.memory.find_mut(address) {
        let zeros = vec![0; object.size as usize];
        object.write_bytes(0, &zeros);
    }
    Ok(Reply::Value(Value::int(address)))
}

/// Where a heap object starts, for a pointer given back to the allocator; null gives none.
fn heap_object(machine: &mut Machine<'_>, state: &mut State, pointer: Value, who: &str) -> Result<Option<u64>, Stop> {
    let pointer = machine.settle(state, pointer)?;
    let address = match pointer.as_concrete(64) {
        Some(address) => address as u64,
        None => {
            // Null, or the start of some object that can be freed.
            let mut candidates = vec![0];
            candidates.extend(
                state.memory.objects().filter(|o| matches!(o.owner, Owner::Heap | Owner::Input)).map(|o| o.base),
            );
            match machine.choose_target(state, pointer, &candidates)? {
                Some(index) => candidates[index],
                None => {
                    return Err(machine.error(
                        state,
                        ErrorKind::Free,
                        format!("{who} of a pointer that malloc need not have returned"),
                    ));
                }
            }
        }
    };
    if address == 0 {
        return Ok(None);
    }
    let problem = match state.memory.lookup(address) {
        Lookup::Object(object) => match object.owner {
            Owner::Heap | Owner::Input if object.base == address => return Ok(Some(address)),
            Owner::Heap | Owner::Input => format!("{who} of a pointer into the middle of an allocation"),
            Owner::Global(_) => format!("{who} of a global variable"),
            Owner::Stack(_) => format!("{who} of a local variable"),
        },
        Lookup::Gone => format!("{who} of memory that was freed already"),
        Lookup::Nothing => format!("{who} of a pointer that malloc did not return"),
    };
    Err(machine.error(state, ErrorKind::Free, problem))
}

fn free(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    if let Some(address) = heap_object(machine, state, pointer, "free")? {
        state.memory.release(address);
    }
    Ok(Reply::Nothing)
}

fn realloc(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let size = site.argument(machine, state, 1)?;
    resize(machine, state, site, size)
}

fn reallocarray(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    match product(machine, state, site, 1)? {
        Some(size) => resize(machine, state, site, size),
        None => Ok(Reply::Value(Value::ZERO)),
    }
}

fn resize(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>, size: Value) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let old = heap_object(machine, state, pointer, "realloc")?;
    if old.is_some() && size.as_concrete(64) == Some(0) {
        // As glibc does: it frees.
        if let Some(old) = old {
            state.memory.release(old);
        }
        return Ok(Reply::Value(Value::ZERO));
    }
    let new = obtain(machine, state, size, 16)?;
    if let (Some(old), true) = (old, new != 0) {
        let room = state.memory.find(new).map_or(0, |object| object.size);
        let length = state.memory.find(old).map_or(0, |object| object.size).min(room);
        let bytes = machine.read_run(state, Place { base: old, offset: Offset::Known(0) }, length);
        machine.write_run(state, Place { base: new, offset: Offset::Known(0) }, &bytes);
        state.memory.release(old);
    }
    Ok(Reply::Value(Value::int(new)))
}

fn usable_size(machine: &mut Machine<'_>, state: &mut State, site: &CallSite<'_>) -> Result<Reply, Stop> {
    let pointer = site.argument(machine, state, 0)?;
    let size = heap_object(machine, state, pointer, "malloc_usable_size")?
        .and_then(|address| state.memory.find(address))
        .map_or(0, |object| object.size);
    Ok(Reply::Value(Value::int(size)))
}

impl Machine<'_> {
    /// A decision that the environment makes, under this name: no before yes. The caller adds the input once it has asked all it has to.
    fn happens(&mut self, state: &mut State, name: &str) -> Result<bool, Stop> {
        let symbol = self.terms.symbol(name, 1);
        let byte = self.terms.byte(symbol, 0);
        let zero = self.terms.constant(8, 0);
        let no = self.terms.compare(IntPredicate::Eq, byte, zero);
        Ok(!self.decide(state, no)?)
    }
}
