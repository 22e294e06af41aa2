//! C types as the debug information tells them: what inputs look like to the person who wrote the program.

/// Index into [`DebugTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct CTypeId(pub u32);

/// All C types of a program. Types may be cyclic (a list node holds a pointer to its like).
#[derive(Clone, Debug, Default)]
pub struct DebugTypes {
    pub types: Vec<CType>,
}

impl DebugTypes {
    pub fn get(&self, id: CTypeId) -> &CType {
        &self.types[id.0 as usize]
    }

    /// The type behind typedefs and qualifiers.
    pub fn resolve(&self, mut id: CTypeId) -> CTypeId {
        while let CType::Typedef { target, .. } | CType::Qualified { target, .. } = self.get(id) {
            id = *target;
        }
        id
    }

    /// Size in bytes; 0 where unknown or incomplete.
    pub fn size(&self, id: CTypeId) -> u64 {
        match self.get(self.resolve(id)) {
            CType::Int { size, .. } | CType::Float { size, .. } | CType::Enum { size, .. } => u64::from(*size),
            CType::Pointer { .. } => 8,
            CType::Record { size, .. } => *size,
            CType::Array { element, count } => self.size(*element) * count.unwrap_or(0),
            CType::Void | CType::Function { .. } | CType::Opaque { .. } => 0,
            CType::Typedef { .. } | CType::Qualified { .. } => unreachable!("resolved above"),
        }
    }
}

/// How an integer type prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    Signed,
    Unsigned,
    /// Signed or not by the second field of [`CType::Int`]: `char`, `signed char`, `unsigned char`.
    Char,
    Bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    Void,
    Int {
        name: String,
        /// Bytes.
        size: u32,
        signed: bool,
        kind: IntKind,
    },
    Float {
        name: String,
        /// Bytes, 16 for `long double`.
        size: u32,
    },
    Pointer {
        target: CTypeId,
    },
    Record {
        /// The tag; empty for an anonymous one.
        name: String,
        union: bool,
        size: u64,
        members: Vec<Member>,
    },
    Array {
        element: CTypeId,
        /// `None` for a flexible or unknown length.
        count: Option<u64>,
    },
    Enum {
        name: String,
        size: u32,
        signed: bool,
        values: Vec<(String, i128)>,
    },
    Function {
        result: Option<CTypeId>,
        parameters: Vec<CTypeId>,
        variadic: bool,
    },
    Typedef {
        name: String,
        target: CTypeId,
    },
    Qualified {
        /// `const`, `volatile`, `restrict`, `_Atomic`
        qualifier: &'static str,
        target: CTypeId,
    },
    /// Declared, not defined.
    Opaque {
        name: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Empty for an anonymous struct or union member.
    pub name: String,
    pub ty: CTypeId,
    /// Bits from the start of the record.
    pub bit_offset: u64,
    /// `Some(width)` for a bit-field.
    pub bit_width: Option<u32>,
}
