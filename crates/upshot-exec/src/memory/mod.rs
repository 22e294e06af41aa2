//! The address space of a path: byte-addressed objects at deterministic addresses, shared between paths until written.
//!
//! An address says by itself which object it belongs to. The space is cut into zones, one for each owner and class of size, and a
//! zone into equal slots, one object each, with a gap on both sides. So finding the object of an
//! address is a shift and a look-up in a table, an access a little out of bounds never meets a neighbour, and no slot is used
//! twice on a path, which is how a dangling pointer is told from a good one. Addresses stay below 2^47, as on x86-64.

mod object;

use std::rc::Rc;

pub use object::{Byte, ByteOf, Object, Owner, byte_term};

/// Slot sizes (as powers of two), the offset of the object in its slot, and the largest object, by class.
const CLASSES: [(u32, u64, u64); 4] =
    [(8, 64, 128), (16, 1 << 12, 1 << 15), (24, 1 << 20, 1 << 23), (36, 1 << 30, 1 << 35)];
const ZONE_SHIFT: u32 = 43;
const FUNCTION_ZONE: u64 = 13;
const BLOCK_ZONE: u64 = 14;
const LAZY_ZONE: u64 = 15;
const CHUNK: usize = 32;

/// Largest object there can be.
pub const MAX_OBJECT: u64 = CLASSES[3].2;

#[derive(Clone, Debug, Default)]
struct Chunk {
    slots: [Option<Rc<Object>>; CHUNK],
    live: u32,
}

#[derive(Clone, Debug, Default)]
struct Zone {
    /// `None`: all of its objects are gone.
    chunks: Vec<Option<Rc<Chunk>>>,
    next: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    zones: [Zone; 12],
    serial: u32,
    /// Bytes in live objects.
    pub live_bytes: u64,
}

/// What there is at an address.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// The object whose slot this is; the address may still lie outside of it.
    Object(&'a Object),
    /// There was an object, which has been freed or has gone out of scope.
    Gone,
    Nothing,
}

/// What an address belongs to: an object, by zone and slot, also after its end; or a function or block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home(u64, u64);

/// Whether a number is one of those that addresses are taken from.
#[inline(always)]
pub fn may_be_address(number: u64) -> bool {
    (number >> ZONE_SHIFT).wrapping_sub(1) < LAZY_ZONE
}

fn zone_and_slot(address: u64) -> Option<(usize, u64)> {
    let zone = (address >> ZONE_SHIFT) as usize;
    if zone == 0 || zone > 12 {
        return None;
    }
    let (shift, ..) = CLASSES[(zone - 1) % 4];
    Some((zone - 1, (address & ((1 << ZONE_SHIFT) - 1)) >> shift))
}

/// Zone, slot size and offset in the slot for an object.
fn place(size: u64, align: u64, owner: Owner) -> Option<(usize, u32, u64)> {
    let class = CLASSES.iter().position(|&(_, offset, most)| size <= most && align <= offset)?;
    let (shift, offset, _) = CLASSES[class];
    let owner = match owner {
        Owner::Global(_) | Owner::Input => 0,
        Owner::Stack(_) => 1,
        Owner::Heap => 2,
    };
    Some((owner * CLASSES.len() + class, shift, offset))
}

fn address(zone: usize, slot: u64, shift: u32, offset: u64) -> u64 {
    ((zone as u64 + 1) << ZONE_SHIFT) | slot << shift | offset
}

/// The address of function number `index`.
pub fn function_address(index: u32) -> u64 {
    FUNCTION_ZONE << ZONE_SHIFT | u64::from(index) << 4
}

/// The function at an address, by number; the caller checks that there are so many.
pub fn function_at(address: u64) -> Option<u32> {
    (address >> ZONE_SHIFT == FUNCTION_ZONE && address & 15 == 0)
        .then_some(((address & ((1 << ZONE_SHIFT) - 1)) >> 4) as u32)
}

/// The address of a block whose address is taken.
pub fn block_address(function: u32, block: u32) -> u64 {
    BLOCK_ZONE << ZONE_SHIFT | u64::from(function) << 20 | u64::from(block) << 2
}

/// The `FILE *` of a standard stream: 0, 1 or 2. There is nothing to be read behind it.
pub fn stream_address(descriptor: u32) -> u64 {
    BLOCK_ZONE << ZONE_SHIFT | 1 << (ZONE_SHIFT - 1) | u64::from(descriptor) << 4
}

/// The stream that an address stands for.
pub fn stream_at(address: u64) -> Option<u32> {
    (0..3).find(|&descriptor| stream_address(descriptor) == address)
}

/// Whether a number in the zones of code is an address that can have been given out: of one of the first 2^20 functions (programs have fewer), a block in one
/// of them, or a stream. Most numbers there are just numbers.
fn is_code(number: u64) -> bool {
    let offset = number & ((1 << ZONE_SHIFT) - 1);
    match number >> ZONE_SHIFT {
        FUNCTION_ZONE => offset >> 4 < 1 << 20,
        _ => offset < 1 << 40 || stream_at(number).is_some(),
    }
}

/// The provenance of an input pointer that is resolved when it is first used.
pub fn lazy_provenance(index: usize) -> u64 {
    LAZY_ZONE << ZONE_SHIFT | index as u64
}

/// The input pointer that a provenance names.
pub fn lazy_index(provenance: u64) -> Option<usize> {
    (provenance >> ZONE_SHIFT == LAZY_ZONE).then_some((provenance & ((1 << ZONE_SHIFT) - 1)) as usize)
}

impl Memory {
    /// The object of an address, by slot.
    #[inline(always)]
    pub fn find(&self, address: u64) -> Option<&Object> {
        let (zone, slot) = zone_and_slot(address)?;
        let chunk = self.zones[zone].chunks.get(slot as usize / CHUNK)?.as_ref()?;
        chunk.slots[slot as usize % CHUNK].as_deref()
    }

    /// What the number points to or pointed to, if it is an address that was ever given out.
    pub fn home(&self, number: u64) -> Option<Home> {
        let zone = number >> ZONE_SHIFT;
        if zone == FUNCTION_ZONE || zone == BLOCK_ZONE {
            return is_code(number).then_some(Home(zone, number));
        }
        let (zone, slot) = zone_and_slot(number)?;
        (slot < self.zones[zone].next).then_some(Home(zone as u64, slot))
    }

    pub fn lookup(&self, address: u64) -> Lookup<'_> {
        match (self.find(address), zone_and_slot(address)) {
            (Some(object), _) => Lookup::Object(object),
            (None, Some((zone, slot))) if slot < self.zones[zone].next => Lookup::Gone,
            _ => Lookup::Nothing,
        }
    }

    /// The object of an address, to be written; copied first if another path shares it.
    #[inline(always)]
    pub fn find_mut(&mut self, address: u64) -> Option<&mut Object> {
        let (zone, slot) = zone_and_slot(address)?;
        let chunk = self.zones[zone].chunks.get_mut(slot as usize / CHUNK)?.as_mut()?;
        chunk.slots[slot as usize % CHUNK].as_ref()?;
        Rc::make_mut(chunk).slots[slot as usize % CHUNK].as_mut().map(Rc::make_mut)
    }

    /// Makes an object; `None` if it would be too large. Never-written content.
    pub fn allocate(&mut self, size: u64, align: u64, owner: Owner) -> Option<&mut Object> {
        let (zone, shift, offset) = place(size, align, owner)?;
        let slot = self.zones[zone].next;
        if slot >= 1 << (ZONE_SHIFT - shift) {
            return None;
        }
        let base = address(zone, slot, shift, offset);
        self.zones[zone].next += 1;
        self.serial += 1;
        self.live_bytes += size;
        let object = Object::unwritten(base, size, owner, self.serial);
        let chunks = &mut self.zones[zone].chunks;
        let index = slot as usize / CHUNK;
        if index >= chunks.len() {
            chunks.push(Some(Rc::default()));
        }
        let chunk = Rc::make_mut(chunks[index].get_or_insert_with(Rc::default));
        chunk.live += 1;
        Rc::get_mut(chunk.slots[slot as usize % CHUNK].insert(Rc::new(object)))
    }

    /// The address that the next object of this kind would get.
    pub fn next_address(&self, size: u64, align: u64, owner: Owner) -> Option<u64> {
        let (zone, shift, offset) = place(size, align, owner)?;
        Some(address(zone, self.zones[zone].next, shift, offset))
    }

    /// Ends an object's life.
    pub fn release(&mut self, address: u64) {
        let Some((zone, slot)) = zone_and_slot(address) else { return };
        let Some(entry) = self.zones[zone].chunks.get_mut(slot as usize / CHUNK) else { return };
        let Some(chunk) = entry.as_mut() else { return };
        let chunk = Rc::make_mut(chunk);
        if let Some(object) = chunk.slots[slot as usize % CHUNK].take() {
            self.live_bytes -= object.size;
            chunk.live -= 1;
            let full = (slot as usize + 1).is_multiple_of(CHUNK)
                || self.zones[zone].next > (slot / CHUNK as u64 + 1) * CHUNK as u64;
            if chunk.live == 0 && full {
                *entry = None;
            }
        }
    }

    /// Whether both hold the same in all objects of owners that matter. What paths share is not looked into.
    pub fn agrees(&self, other: &Memory, matters: &dyn Fn(Owner) -> bool) -> bool {
        self.zones.iter().zip(&other.zones).all(|(mine, theirs)| {
            let most = mine.chunks.len().max(theirs.chunks.len());
            (0..most).all(|at| {
                let chunk = |zone: &'_ Zone| zone.chunks.get(at).and_then(Option::as_ref).cloned();
                match (chunk(mine), chunk(theirs)) {
                    (Some(a), Some(b)) if Rc::ptr_eq(&a, &b) => true,
                    (a, b) => (0..CHUNK).all(|slot| {
                        let object =
                            |chunk: &Option<Rc<Chunk>>| chunk.as_ref().and_then(|chunk| chunk.slots[slot].clone());
                        match (object(&a), object(&b)) {
                            (None, None) => true,
                            (Some(x), Some(y)) => {
                                Rc::ptr_eq(&x, &y) || !matters(x.owner) && !matters(y.owner) || x.agrees(&y)
                            }
                            (Some(x), None) | (None, Some(x)) => !matters(x.owner),
                        }
                    }),
                }
            })
        })
    }

    /// All live objects, by address.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.zones
            .iter()
            .flat_map(|zone| &zone.chunks)
            .flatten()
            .flat_map(|chunk| chunk.slots.iter().filter_map(|slot| slot.as_deref()))
    }
}
