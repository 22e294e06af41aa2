//! What a term is made of. A node is 16 bytes and names its operands by id, so that an arena of terms is one flat vector.
//! The width of a term is not in its node but beside it (see [`Terms::width`](crate::Terms::width)).

use std::num::NonZeroU32;
use std::rc::Rc;

use crate::ops::{BinOp, FloatBinOp, FloatFormat, FloatUnOp};

/// A term of one arena. Equal terms of one arena have equal ids; ids say nothing across arenas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(NonZeroU32);

impl TermId {
    pub fn raw(self) -> u32 {
        self.0.get()
    }

    pub fn from_raw(raw: u32) -> Option<TermId> {
        NonZeroU32::new(raw).map(TermId)
    }

    /// Position in the vectors of an arena.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(crate) fn from_index(index: usize) -> TermId {
        let raw = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        TermId(raw.expect("an arena holds fewer than 2^32 terms"))
    }
}

/// An input object: a name, unique on a path, and a size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// The content of a memory object, for reads at symbolic offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// One input byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var {
    pub symbol: SymbolId,
    pub offset: u32,
}

/// One node of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A value below 2^64, of any width.
    Const(u64),
    /// A larger value: an index into a side table. [`Terms::as_const`](crate::Terms::as_const) reads both.
    WideConst(u32),
    /// 8 bits: one input byte.
    Byte {
        symbol: SymbolId,
        offset: u32,
    },
    /// 8 bits. The index is 64 bits wide; reads out of range are 0.
    Read {
        array: ArrayId,
        index: TermId,
    },
    /// Bitwise.
    Not(TermId),
    /// SMT-LIB semantics for division by zero and for shifts by the width or more.
    Bin(BinOp, TermId, TermId),
    Eq(TermId, TermId),
    Ult(TermId, TermId),
    Ule(TermId, TermId),
    Slt(TermId, TermId),
    Sle(TermId, TermId),
    /// The condition is 1 bit wide.
    Ite(TermId, TermId, TermId),
    /// As many bits as this term is wide, from bit `low` on.
    Extract {
        term: TermId,
        low: u8,
    },
    /// High part, low part.
    Concat(TermId, TermId),
    ZExt(TermId),
    SExt(TermId),
    /// `Add`, `Sub`, `Mul`, `Div` and `Rem` only; the others are expanded when they are built.
    FloatBin(FloatBinOp, FloatFormat, TermId, TermId),
    /// `Sqrt` and the roundings only; `Neg` and `Abs` are operations on the sign bit.
    FloatUn(FloatUnOp, FloatFormat, TermId),
    FloatFma(FloatFormat, TermId, TermId, TermId),
    /// Comparisons are ordered: false if an operand is a NaN.
    FloatEq(FloatFormat, TermId, TermId),
    FloatLt(FloatFormat, TermId, TermId),
    FloatLe(FloatFormat, TermId, TermId),
    FloatIsNan(FloatFormat, TermId),
    FloatCast {
        from: FloatFormat,
        to: FloatFormat,
        term: TermId,
    },
    /// Truncating. A NaN, or a value out of range, gives the "integer indefinite" value `1 << (width - 1)`.
    FloatToInt {
        from: FloatFormat,
        signed: bool,
        term: TermId,
    },
    IntToFloat {
        signed: bool,
        to: FloatFormat,
        term: TermId,
    },
}

const _: () = assert!(std::mem::size_of::<Node>() == 16);

impl Node {
    /// The operands that are terms, in order. A [`Node::Read`] also depends on its array.
    pub fn operands(self) -> Operands {
        let (list, count) = match self {
            Node::Const(_) | Node::WideConst(_) | Node::Byte { .. } => ([None; 3], 0),
            Node::Read { index: a, .. }
            | Node::Not(a)
            | Node::Extract { term: a, .. }
            | Node::ZExt(a)
            | Node::SExt(a)
            | Node::FloatUn(_, _, a)
            | Node::FloatIsNan(_, a)
            | Node::FloatCast { term: a, .. }
            | Node::FloatToInt { term: a, .. }
            | Node::IntToFloat { term: a, .. } => ([Some(a), None, None], 1),
            Node::Bin(_, a, b)
            | Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Ule(a, b)
            | Node::Slt(a, b)
            | Node::Sle(a, b)
            | Node::Concat(a, b)
            | Node::FloatBin(_, _, a, b)
            | Node::FloatEq(_, a, b)
            | Node::FloatLt(_, a, b)
            | Node::FloatLe(_, a, b) => ([Some(a), Some(b), None], 2),
            Node::Ite(a, b, c) | Node::FloatFma(_, a, b, c) => ([Some(a), Some(b), Some(c)], 3),
        };
        Operands { list, next: 0, count }
    }

    /// A number for the kind of node and all of its payload that is neither an operand, nor a symbol, nor an array.
    pub(crate) fn shape(self) -> u64 {
        let (kind, payload): (u64, u64) = match self {
            Node::Const(_) => (0, 0),
            Node::WideConst(_) => (0, 0),
            Node::Byte { offset, .. } => (1, u64::from(offset)),
            Node::Read { .. } => (2, 0),
            Node::Not(_) => (3, 0),
            Node::Bin(op, ..) => (4, op as u64),
            Node::Eq(..) => (5, 0),
            Node::Ult(..) => (6, 0),
            Node::Ule(..) => (7, 0),
            Node::Slt(..) => (8, 0),
            Node::Sle(..) => (9, 0),
            Node::Ite(..) => (10, 0),
            Node::Extract { low, .. } => (11, u64::from(low)),
            Node::Concat(..) => (12, 0),
            Node::ZExt(_) => (13, 0),
            Node::SExt(_) => (14, 0),
            Node::FloatBin(op, format, ..) => (15, op as u64 * 8 + format as u64),
            Node::FloatUn(op, format, _) => (16, op as u64 * 8 + format as u64),
            Node::FloatFma(format, ..) => (17, format as u64),
            Node::FloatEq(format, ..) => (18, format as u64),
            Node::FloatLt(format, ..) => (19, format as u64),
            Node::FloatLe(format, ..) => (20, format as u64),
            Node::FloatIsNan(format, _) => (21, format as u64),
            Node::FloatCast { from, to, .. } => (22, from as u64 * 8 + to as u64),
            Node::FloatToInt { from, signed, .. } => (23, from as u64 * 2 + u64::from(signed)),
            Node::IntToFloat { signed, to, .. } => (24, to as u64 * 2 + u64::from(signed)),
        };
        kind << 32 | payload
    }
}

/// The operands of a node; see [`Node::operands`].
#[derive(Clone, Debug)]
pub struct Operands {
    list: [Option<TermId>; 3],
    next: u8,
    count: u8,
}

impl Iterator for Operands {
    type Item = TermId;

    fn next(&mut self) -> Option<TermId> {
        if self.next == self.count {
            return None;
        }
        self.next += 1;
        self.list[self.next as usize - 1]
    }
}

/// The content of a memory object: a base, under any number of stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayNode {
    Bytes(Rc<[u8]>),
    /// Terms of 8 bits.
    Table(Rc<[TermId]>),
    /// The bytes of an input object.
    Symbol {
        symbol: SymbolId,
        size: u32,
    },
    /// Another array with one byte replaced. The index is 64 bits wide, the value 8.
    Store {
        array: ArrayId,
        index: TermId,
        value: TermId,
    },
}
