//! Which bits of a returned object mean something.
//!
//! A struct travels in registers padding and all, and what is in the padding is nobody's promise; an address is one
//! thing here and another there. So before two results are compared, padding is cleared and a pointer is reduced to
//! whether it is null.

use upshot_ir::{CType, CTypeId, DebugTypes};

/// The meaningful bits of an object, and where its pointers are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectShape {
    /// One byte for each of the object's, with ones where there is data.
    mask: Vec<u8>,
    /// Byte offsets.
    pointers: Vec<usize>,
}

/// Larger objects are not worth looking into; they are compared as they are.
const LARGEST: u64 = 1 << 20;

impl ObjectShape {
    /// The shape of a C type.
    pub(super) fn of(types: &DebugTypes, ty: CTypeId) -> ObjectShape {
        let size = types.size(ty);
        if size > LARGEST {
            return ObjectShape { mask: vec![0xff; size as usize], pointers: Vec::new() };
        }
        let mut shape = ObjectShape { mask: vec![0; size as usize], pointers: Vec::new() };
        shape.add(types, ty, 0);
        shape
    }

    /// `size` bytes of which nothing is known.
    pub(super) fn plain(size: usize) -> ObjectShape {
        ObjectShape { mask: vec![0xff; size], pointers: Vec::new() }
    }

    /// Adds what `count` bytes at `offset` of `other` are. Past its end there is nothing that means anything.
    pub(super) fn push(&mut self, other: &ObjectShape, offset: usize, count: usize) {
        let start = self.mask.len();
        self.mask.extend((offset..offset + count).map(|i| other.mask.get(i).copied().unwrap_or(0)));
        let inside = other.pointers.iter().filter(|p| (offset..offset + count).contains(*p));
        self.pointers.extend(inside.map(|p| p - offset + start));
    }

    /// Adds a scalar of which only its kind is known.
    pub(super) fn push_scalar(&mut self, size: usize, is_pointer: bool) {
        if is_pointer {
            self.pointers.push(self.mask.len());
        }
        self.mask.extend(std::iter::repeat_n(0xff, size));
    }

    pub(super) fn size(&self) -> usize {
        self.mask.len()
    }

    /// What is left of the bytes to compare. Bytes past the shape's end are kept.
    pub(super) fn reduce(&self, bytes: &[u8]) -> Vec<u8> {
        let mut reduced = bytes.to_vec();
        for &pointer in &self.pointers {
            let end = (pointer + 8).min(reduced.len());
            if let Some(address) = reduced.get_mut(pointer..end) {
                let is_null = address.iter().all(|b| *b == 0);
                address.fill(0);
                if let (false, Some(first)) = (is_null, address.first_mut()) {
                    *first = 1;
                }
            }
        }
        for (byte, mask) in reduced.iter_mut().zip(&self.mask) {
            *byte &= mask;
        }
        reduced
    }

    /// What is to be compared of a recorded result and a native one, which is reduced already. Where the record does not know a byte, neither
    /// has it; of an address, all eight.
    pub(super) fn comparable(&self, recorded: &[Option<u8>], native: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut unknown: Vec<usize> = (0..recorded.len()).filter(|&at| recorded[at].is_none()).collect();
        let is_unknown = |pointer: &&usize| unknown.iter().any(|at| (**pointer..**pointer + 8).contains(at));
        let pointers: Vec<usize> = self.pointers.iter().filter(is_unknown).copied().collect();
        unknown.extend(pointers.into_iter().flat_map(|pointer| pointer..pointer + 8));
        let bytes: Vec<u8> = recorded.iter().map(|byte| byte.unwrap_or(0)).collect();
        let (mut recorded, mut native) = (self.reduce(&bytes), native.to_vec());
        for at in unknown {
            recorded.get_mut(at).map(|byte| *byte = 0).zip(native.get_mut(at).map(|byte| *byte = 0));
        }
        (recorded, native)
    }

    fn add(&mut self, types: &DebugTypes, ty: CTypeId, offset: u64) {
        let id = types.resolve(ty);
        match types.get(id) {
            CType::Int { .. } | CType::Enum { .. } => self.mark(offset, types.size(id)),
            // Of long double's 16 bytes, 10 are stored.
            CType::Float { size: 16, name } if name.contains("long double") => self.mark(offset, 10),
            CType::Float { .. } => self.mark(offset, types.size(id)),
            CType::Pointer { .. } => {
                self.mark(offset, 8);
                self.pointers.push(offset as usize);
            }
            CType::Array { element, count } => {
                let size = types.size(*element);
                for i in 0..count.unwrap_or(0) {
                    self.add(types, *element, offset + i * size);
                }
            }
            CType::Record { members, union, .. } => {
                let pointers = self.pointers.len();
                for member in members {
                    match member.bit_width {
                        Some(width) => self.mark_bits(offset * 8 + member.bit_offset, u64::from(width)),
                        None => self.add(types, member.ty, offset + member.bit_offset / 8),
                    }
                }
                if *union {
                    // Which member it is nobody knows, so nothing in it is known to be an address.
                    self.pointers.truncate(pointers);
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, offset: u64, size: u64) {
        for i in offset..offset + size {
            if let Some(byte) = self.mask.get_mut(i as usize) {
                *byte = 0xff;
            }
        }
    }

    fn mark_bits(&mut self, start: u64, width: u64) {
        for bit in start..start + width {
            if let Some(byte) = self.mask.get_mut(bit as usize / 8) {
                *byte |= 1 << (bit % 8);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upshot_ir::{IntKind, Member};

    fn types() -> DebugTypes {
        let int = |name: &str, size| CType::Int { name: name.into(), size, signed: true, kind: IntKind::Signed };
        let member = |name: &str, ty, bit_offset, bit_width| Member {
            name: name.into(),
            ty: CTypeId(ty),
            bit_offset,
            bit_width,
        };
        let record = |members, size, union| CType::Record { name: "s".into(), union, size, members };
        DebugTypes {
            types: vec![
                int("char", 1),
                int("int", 4),
                CType::Pointer { target: CTypeId(1) },
                record(vec![member("c", 0, 0, None), member("i", 1, 32, None), member("p", 2, 64, None)], 16, false),
                record(vec![member("a", 1, 0, Some(3)), member("b", 1, 5, Some(2))], 4, false),
                record(vec![member("p", 2, 0, None), member("i", 1, 0, None)], 8, true),
                CType::Array { element: CTypeId(3), count: Some(2) },
                CType::Float { name: "long double".into(), size: 16 },
            ],
        }
    }

    #[test]
    fn padding_and_addresses_are_left_out() {
        let shape = ObjectShape::of(&types(), CTypeId(3));
        let bytes: Vec<u8> = (1..=16).collect();
        assert_eq!(shape.reduce(&bytes), [1, 0, 0, 0, 5, 6, 7, 8, 1, 0, 0, 0, 0, 0, 0, 0]);
        let array = ObjectShape::of(&types(), CTypeId(6));
        assert_eq!(array.pointers, [8, 24]);
        let mut null = bytes.clone();
        null[8..].fill(0);
        assert_eq!(shape.reduce(&null)[8..], [0; 8]);
    }

    #[test]
    fn what_the_record_does_not_know_is_not_compared() {
        let shape = ObjectShape::of(&types(), CTypeId(3));
        let mut recorded: Vec<Option<u8>> = (1..=16).map(Some).collect();
        let native = shape.reduce(&[1, 99, 99, 99, 5, 77, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
        let agree = |recorded: &[Option<u8>]| {
            let (recorded, native) = shape.comparable(recorded, &native);
            recorded == native
        };
        assert!(!agree(&recorded));
        recorded[5] = None;
        assert!(!agree(&recorded)); // the address is null in one of them
        recorded[12] = None;
        assert!(agree(&recorded));
        recorded[4] = Some(6);
        assert!(!agree(&recorded));
    }

    #[test]
    fn bit_fields_unions_and_long_double() {
        assert_eq!(ObjectShape::of(&types(), CTypeId(4)).mask, [0b0110_0111, 0, 0, 0]);
        let union = ObjectShape::of(&types(), CTypeId(5));
        assert_eq!((union.mask, union.pointers), (vec![0xff; 8], vec![]));
        let long = ObjectShape::of(&types(), CTypeId(7));
        assert_eq!(long.mask, [[0xff; 10].as_slice(), &[0; 6]].concat());
    }

    #[test]
    fn pieces_keep_their_shape() {
        let whole = ObjectShape::of(&types(), CTypeId(3));
        let mut pieces = ObjectShape::default();
        pieces.push(&whole, 8, 8);
        pieces.push(&whole, 0, 8);
        pieces.push_scalar(2, false);
        assert_eq!(pieces.pointers, [0]);
        assert_eq!(pieces.mask[8..], [0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(pieces.size(), 18);
    }
}
