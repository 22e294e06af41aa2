//! One memory object: concrete bytes, with a symbolic overlay that costs nothing until it is needed.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use upshot_expr::{ArrayId, ArrayNode, SymbolId, TermId, Terms};
use upshot_ir::{FuncId, GlobalId};

/// Whose memory it is; decides how it may be released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Global(GlobalId),
    /// A local of a function.
    Stack(FuncId),
    Heap,
    /// Made for an input: `argv`, or what a symbolic pointer points to.
    Input,
}

/// What the bytes that are neither concrete nor written individually hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    /// Never written. Reads as the bytes of a fresh symbol, made by the first read.
    Unwritten(Option<SymbolId>),
    /// The bytes of an input.
    Symbol(SymbolId),
    /// The content after a write at a symbolic offset.
    Array(ArrayId),
}

/// Byte `index` of `term`, which was stored as a whole; so that loading it whole again needs no new term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteOf {
    pub term: TermId,
    pub index: u8,
    /// See [`crate::value::Value::provenance`].
    pub provenance: u64,
}

#[derive(Clone, Debug)]
struct Overlay {
    /// One bit per byte: set where the byte is not concrete.
    mask: Vec<u64>,
    /// How many bits of the mask are set.
    count: u64,
    terms: FxHashMap<u64, ByteOf>,
    fill: Fill,
}

/// What one byte holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    Concrete(u8),
    Term(ByteOf),
    Unwritten,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub base: u64,
    /// Bytes it can hold; for a symbolic size, the largest that is allowed.
    pub size: u64,
    /// The real size, where it is not a constant. 64 bits wide.
    pub symbolic_size: Option<TermId>,
    pub owner: Owner,
    pub read_only: bool,
    /// Running number of the allocation on this path; names what was never written.
    pub serial: u32,
    bytes: Vec<u8>,
    overlay: Option<Box<Overlay>>,
    /// The content as an array, until the next write.
    snapshot: Cell<Option<ArrayId>>,
}

impl Object {
    pub fn zeroed(base: u64, size: u64, owner: Owner, serial: u32) -> Self {
        Object {
            base,
            size,
            symbolic_size: None,
            owner,
            read_only: false,
            serial,
            bytes: vec![0; size as usize],
            overlay: None,
            snapshot: Cell::new(None),
        }
    }

    pub fn unwritten(base: u64, size: u64, owner: Owner, serial: u32) -> Self {
        let mut object = Object::zeroed(base, size, owner, serial);
        if size > 0 {
            object.overlay = Some(Box::new(Overlay::full(size, Fill::Unwritten(None))));
        }
        object
    }

    /// Whether both hold the same. What was never written is the same unknown.
    pub fn agrees(&self, other: &Object) -> bool {
        let same_overlay = match (&self.overlay, &other.overlay) {
            (None, None) => true,
            (Some(a), Some(b)) => a.mask == b.mask && a.fill == b.fill && a.terms == b.terms,
            _ => false,
        };
        (self.base, self.size, self.symbolic_size, self.owner, self.read_only)
            == (other.base, other.size, other.symbolic_size, other.owner, other.read_only)
            && same_overlay
            && (0..self.size).all(|at| {
                let is_concrete = self.overlay.as_ref().is_none_or(|overlay| !overlay.is_set(at));
                !is_concrete || self.bytes[at as usize] == other.bytes[at as usize]
            })
    }

    /// Whether `length` bytes at `offset` are all concrete; the quick test before [`Object::read_concrete`].
    #[inline(always)]
    pub fn is_concrete(&self, offset: u64, length: u64) -> bool {
        match &self.overlay {
            None => true,
            Some(overlay) => overlay.is_clear(offset, length),
        }
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Up to 8 concrete bytes, little-endian.
    #[inline(always)]
    pub fn read_concrete(&self, offset: u64, length: u32) -> u64 {
        let offset = offset as usize;
        let bytes = &self.bytes[offset..offset + length as usize];
        match length {
            1 => u64::from(bytes[0]),
            2 => u64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            4 => u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            8 => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            _ => {
                let mut word = [0u8; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            }
        }
    }

    /// Writes up to 8 concrete bytes.
    #[inline(always)]
    pub fn write_concrete(&mut self, offset: u64, length: u32, value: u64) {
        if self.overlay.is_some() {
            self.clear_overlay(offset, u64::from(length));
        }
        *self.snapshot.get_mut() = None;
        let at = offset as usize;
        let bytes = &mut self.bytes[at..at + length as usize];
        match length {
            1 => bytes[0] = value as u8,
            4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
            8 => bytes.copy_from_slice(&value.to_le_bytes()),
            _ => bytes.copy_from_slice(&value.to_le_bytes()[..length as usize]),
        }
    }

    /// Overwrites a run of bytes with concrete ones.
    pub fn write_bytes(&mut self, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if bytes.len() as u64 == self.size {
            self.overlay = None;
        }
        self.clear_overlay(offset, bytes.len() as u64);
        self.snapshot.set(None);
        self.bytes[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes);
    }

    pub fn byte(&self, terms: &mut Terms, offset: u64) -> Byte {
        let Some(overlay) = &self.overlay else { return Byte::Concrete(self.bytes[offset as usize]) };
        if !overlay.is_set(offset) {
            return Byte::Concrete(self.bytes[offset as usize]);
        }
        if let Some(&byte) = overlay.terms.get(&offset) {
            return Byte::Term(byte);
        }
        let term = match overlay.fill {
            Fill::Unwritten(None) => return Byte::Unwritten,
            Fill::Unwritten(Some(symbol)) | Fill::Symbol(symbol) => terms.byte(symbol, offset as u32),
            Fill::Array(array) => {
                let index = terms.constant(64, u128::from(offset));
                terms.read(array, index)
            }
        };
        match terms.as_const(term) {
            Some(value) => Byte::Concrete(value as u8),
            None => Byte::Term(ByteOf { term, index: 0, provenance: 0 }),
        }
    }

    /// Where input pointers are stored whose targets are settled when they are first used, in order.
    pub fn input_pointers(&self) -> Vec<u64> {
        let Some(overlay) = &self.overlay else { return Vec::new() };
        let is_first = |byte: &ByteOf| byte.index == 0 && super::lazy_index(byte.provenance).is_some();
        let mut offsets: Vec<u64> =
            overlay.terms.iter().filter(|(_, byte)| is_first(byte)).map(|(&offset, _)| offset).collect();
        offsets.sort_unstable();
        offsets
    }

    pub fn set_byte(&mut self, offset: u64, byte: Byte) {
        self.snapshot.set(None);
        match byte {
            Byte::Concrete(value) => {
                self.clear_overlay(offset, 1);
                self.bytes[offset as usize] = value;
            }
            Byte::Term(byte) => {
                let overlay = self.overlay_mut();
                overlay.set(offset);
                overlay.terms.insert(offset, byte);
            }
            Byte::Unwritten => self.forget(offset, 1),
        }
    }

    /// The bytes become those of the input `symbol`.
    pub fn set_symbolic(&mut self, terms: &mut Terms, offset: u64, length: u64, symbol: SymbolId) {
        self.snapshot.set(None);
        if offset == 0 && length == self.size {
            self.overlay = Some(Box::new(Overlay::full(self.size, Fill::Symbol(symbol))));
            return;
        }
        for index in 0..length {
            let term = terms.byte(symbol, index as u32);
            self.set_byte(offset + index, Byte::Term(ByteOf { term, index: 0, provenance: 0 }));
        }
    }

    /// The bytes become "never written". Only whole objects keep that; in part they read as a fresh unknown all the same, since the
    /// fill of an overlay that is in use by others cannot change.
    pub fn forget(&mut self, offset: u64, length: u64) {
        self.snapshot.set(None);
        if offset == 0 && length == self.size && length > 0 {
            self.overlay = Some(Box::new(Overlay::full(self.size, Fill::Unwritten(None))));
            return;
        }
        let overlay = self.overlay_mut();
        if matches!(overlay.fill, Fill::Unwritten(_)) {
            for at in offset..offset + length {
                overlay.set(at);
                overlay.terms.remove(&at);
            }
        }
    }

    /// Whether some byte of the run was never written.
    pub fn has_unwritten(&self, offset: u64, length: u64) -> bool {
        let Some(overlay) = &self.overlay else { return false };
        matches!(overlay.fill, Fill::Unwritten(_))
            && (offset..offset + length).any(|at| overlay.is_set(at) && !overlay.terms.contains_key(&at))
    }

    /// Gives what was never written the bytes of `symbol`.
    pub fn fill_unwritten(&mut self, symbol: SymbolId) {
        if let Some(overlay) = &mut self.overlay
            && overlay.fill == Fill::Unwritten(None)
        {
            overlay.fill = Fill::Unwritten(Some(symbol));
        }
    }

    /// Whether reading might meet bytes that were never written and have no name yet.
    pub fn needs_symbol(&self) -> bool {
        matches!(&self.overlay, Some(overlay) if overlay.fill == Fill::Unwritten(None))
    }

    /// The whole content as an array, for accesses at symbolic offsets. What was never written must have its symbol.
    pub fn array(&self, terms: &mut Terms) -> ArrayId {
        if let Some(array) = self.snapshot.get() {
            return array;
        }
        let array = match &self.overlay {
            None => terms.array(ArrayNode::Bytes(self.bytes.as_slice().into())),
            Some(overlay) if overlay.count == self.size && overlay.terms.is_empty() => match overlay.fill {
                Fill::Array(array) => array,
                Fill::Symbol(symbol) | Fill::Unwritten(Some(symbol)) => {
                    terms.array(ArrayNode::Symbol { symbol, size: self.size as u32 })
                }
                Fill::Unwritten(None) => terms.array(ArrayNode::Bytes(self.bytes.as_slice().into())),
            },
            Some(_) => {
                let table: Vec<TermId> = (0..self.size).map(|at| self.byte_term(terms, at)).collect();
                terms.array(ArrayNode::Table(table.into()))
            }
        };
        self.snapshot.set(Some(array));
        array
    }

    /// After a write at a symbolic offset: the content is now this array.
    pub fn set_array(&mut self, array: ArrayId) {
        self.overlay = Some(Box::new(Overlay::full(self.size, Fill::Array(array))));
        self.snapshot.set(Some(array));
    }

    /// One byte as a term of 8 bits.
    pub fn byte_term(&self, terms: &mut Terms, offset: u64) -> TermId {
        match self.byte(terms, offset) {
            Byte::Concrete(value) => terms.constant(8, u128::from(value)),
            Byte::Term(byte) => byte_term(terms, byte),
            Byte::Unwritten => terms.constant(8, 0),
        }
    }

    fn overlay_mut(&mut self) -> &mut Overlay {
        let size = self.size;
        self.overlay.get_or_insert_with(|| Box::new(Overlay::empty(size)))
    }

    fn clear_overlay(&mut self, offset: u64, length: u64) {
        if let Some(overlay) = &mut self.overlay {
            overlay.clear(offset, length);
            if overlay.count == 0 {
                self.overlay = None;
            }
        }
    }
}

/// The 8-bit term of a byte of a stored term.
pub fn byte_term(terms: &mut Terms, byte: ByteOf) -> TermId {
    let width = terms.width(byte.term);
    let low = byte.index * 8;
    if low == 0 && width == 8 {
        byte.term
    } else if low + 8 <= width {
        terms.extract(byte.term, low, 8)
    } else {
        let top = terms.extract(byte.term, low, width - low);
        terms.zext(top, 8)
    }
}

impl Overlay {
    fn empty(size: u64) -> Self {
        Overlay {
            mask: vec![0; size.div_ceil(64) as usize],
            count: 0,
            terms: FxHashMap::default(),
            fill: Fill::Unwritten(None),
        }
    }

    fn full(size: u64, fill: Fill) -> Self {
        let mut mask = vec![u64::MAX; size.div_ceil(64) as usize];
        if !size.is_multiple_of(64)
            && let Some(last) = mask.last_mut()
        {
            *last = (1 << (size % 64)) - 1;
        }
        Overlay { mask, count: size, terms: FxHashMap::default(), fill }
    }

    #[inline(always)]
    fn is_set(&self, at: u64) -> bool {
        self.mask[(at / 64) as usize] >> (at % 64) & 1 != 0
    }

    #[inline(always)]
    fn is_clear(&self, offset: u64, length: u64) -> bool {
        if length == 0 {
            return true;
        }
        let (first, bit) = ((offset / 64) as usize, offset % 64);
        if bit + length <= 64 {
            let run = if length == 64 { u64::MAX } else { ((1 << length) - 1) << bit };
            return self.mask[first] & run == 0;
        }
        (offset..offset + length).all(|at| !self.is_set(at))
    }

    fn set(&mut self, at: u64) {
        let word = &mut self.mask[(at / 64) as usize];
        let bit = 1 << (at % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.count += 1;
        }
    }

    fn clear(&mut self, offset: u64, length: u64) {
        for at in offset..offset + length {
            let word = &mut self.mask[(at / 64) as usize];
            let bit = 1 << (at % 64);
            if *word & bit != 0 {
                *word &= !bit;
                self.count -= 1;
                if !self.terms.is_empty() {
                    self.terms.remove(&at);
                }
            }
        }
    }
}
