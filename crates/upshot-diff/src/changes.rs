//! What a comparison yields: plain data, which impact analysis and reports read.

use upshot_ir::{FileId, FuncId, GlobalId, InstId};

/// All that was found between two versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Every function of both versions once, declarations and the C runtime's included: those of the new version in its
    /// order, then those that only the old one has.
    pub functions: Vec<FunctionMatch>,
    /// Every global likewise, string literals and other nameless ones included.
    pub globals: Vec<GlobalMatch>,
    /// Named structs, unions, enums and typedefs that are not the same in both versions, by name.
    pub types: Vec<TypeChange>,
    pub fidelity: Fidelity,
}

/// What became of a function or global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    Added,
    Removed,
    Changed,
    /// Does the same thing; its text, its name and its place may differ.
    Unchanged,
}

impl Status {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Removed => "removed",
            Status::Changed => "changed",
            Status::Unchanged => "unchanged",
        }
    }

    pub fn differs(self) -> bool {
        self != Status::Unchanged
    }
}

/// What the alignment of instructions could rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Both versions say which line each instruction is from.
    #[default]
    Lines,
    /// A version has no debug information: instructions were aligned by their order alone, and no lines can be named.
    Position,
}

/// A function in both versions, or in one. One that is defined in one version and only declared in the other is added or removed, with both ids.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionMatch {
    pub old: Option<FuncId>,
    pub new: Option<FuncId>,
    pub status: Status,
    /// Found in both versions under different names.
    pub renamed: bool,
    /// By old [`InstId`]: its unchanged counterpart in the new version. `None`: removed or changed, or under branches that are all matched but are not the
    /// same ones, or out of order with what else is matched.
    pub to_new: Vec<Option<InstId>>,
    /// By new [`InstId`]: its unchanged counterpart in the old version. `None`: added or changed.
    pub to_old: Vec<Option<InstId>>,
    pub changed_lines: ChangedLines,
}

/// The lines whose own code differs, sorted. An instruction that does the same thing under other conditions has no counterpart, but the line that
/// is told is that of the condition or jump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    pub old: Vec<(FileId, u32)>,
    pub new: Vec<(FileId, u32)>,
}

/// A global in both versions, or in one.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalMatch {
    pub old: Option<GlobalId>,
    pub new: Option<GlobalId>,
    /// `Changed` where the initial contents, the size or the kind of storage differ. Instructions that name a global whose contents alone differ are
    /// matched all the same: what they read is a changed definition.
    pub status: Status,
    pub renamed: bool,
    /// A string literal or another constant without a name in the source; its contents are its identity, so it is never `Changed`.
    pub nameless: bool,
}

/// What sort of type a [`TypeChange`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeKind {
    Struct,
    Union,
    Enum,
    Typedef,
}

impl TypeKind {
    /// The C keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            TypeKind::Struct => "struct",
            TypeKind::Union => "union",
            TypeKind::Enum => "enum",
            TypeKind::Typedef => "typedef",
        }
    }
}

/// A named type that is not the same in both versions. By itself it changes nothing: the instructions that depend on it do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeChange {
    pub kind: TypeKind,
    pub name: String,
    pub status: Status,
    /// What is different, a line each, for people.
    pub details: Vec<String>,
}
