//! How a path ends: one enum for all of it, and the kinds of errors, with KLEE's names where KLEE has one.

use upshot_ir::{FuncId, InstId, Location, Program};

use crate::value::Value;

/// What went wrong, as a short name that is part of the interface (`test000001.ptr.err`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum ErrorKind {
    Ptr,
    Free,
    ReadOnly,
    Div,
    OverShift,
    Assert,
    Abort,
    Unreachable,
    Stack,
    User,
    Model,
    Overflow,
    Uninit,
    /// The path never ends: a state on it came back. Found by those who compare versions only.
    Endless,
}

impl ErrorKind {
    const ALL: [ErrorKind; 14] = [
        ErrorKind::Ptr,
        ErrorKind::Free,
        ErrorKind::ReadOnly,
        ErrorKind::Div,
        ErrorKind::OverShift,
        ErrorKind::Assert,
        ErrorKind::Abort,
        ErrorKind::Unreachable,
        ErrorKind::Stack,
        ErrorKind::User,
        ErrorKind::Model,
        ErrorKind::Overflow,
        ErrorKind::Uninit,
        ErrorKind::Endless,
    ];

    /// The kind of this [name](ErrorKind::name).
    pub fn from_name(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Ptr => "ptr",
            ErrorKind::Free => "free",
            ErrorKind::ReadOnly => "readonly",
            ErrorKind::Div => "div",
            ErrorKind::OverShift => "overshift",
            ErrorKind::Assert => "assert",
            ErrorKind::Abort => "abort",
            ErrorKind::Unreachable => "unreachable",
            ErrorKind::Stack => "stack",
            ErrorKind::User => "user",
            ErrorKind::Model => "model",
            ErrorKind::Overflow => "overflow",
            ErrorKind::Uninit => "uninit",
            ErrorKind::Endless => "endless",
        }
    }
}

/// A place on the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackEntry {
    pub function: FuncId,
    pub inst: InstId,
}

impl StackEntry {
    /// Its line. Making room for a local belongs to no line; then it is that of the function.
    pub fn location(self, program: &Program) -> Location {
        let function = program.function(self.function);
        let location = function.insts[self.inst.index()].location;
        if location.is_known() { location } else { function.location }
    }
}

/// An error with where it happened. `location` is that of the innermost frame in the user's own code.
#[derive(Clone, Debug, PartialEq)]
pub struct PathError {
    pub kind: ErrorKind,
    pub message: String,
    pub function: FuncId,
    pub location: Location,
    /// Innermost first, the C runtime's frames left out.
    pub stack: Vec<StackEntry>,
    /// The pointer argument of the entry whose being null is behind this, by its C name.
    pub null_input: Option<String>,
}

/// Which limit of the search cut a path off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Bound {
    Depth,
    Instructions,
    Memory,
    AllocationSize,
    Time,
}

impl Bound {
    /// The bound that this [flag](Bound::flag) changes.
    pub fn from_flag(flag: &str) -> Option<Bound> {
        let all = [Bound::Depth, Bound::Instructions, Bound::Memory, Bound::AllocationSize, Bound::Time];
        all.into_iter().find(|bound| bound.flag() == flag)
    }

    /// The flag that changes it.
    pub fn flag(self) -> &'static str {
        match self {
            Bound::Depth => "--max-depth",
            Bound::Instructions => "--max-instructions",
            Bound::Memory => "--max-memory",
            Bound::AllocationSize => "--max-alloc",
            Bound::Time => "--timeout",
        }
    }
}

/// How a path ended. Everything that counts paths counts these.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    /// The entry returned these scalars (none for void).
    Returned(Vec<Value>),
    /// `exit` and its like, with the status.
    Exited(Value),
    Error(Box<PathError>),
    Bound(Bound),
    /// Something that Upshot cannot execute yet, in words, and where.
    Unsupported {
        what: String,
        location: Location,
    },
    /// The solver could not say whether this side of a branch exists.
    Unknown {
        why: String,
        location: Location,
    },
    /// `klee_silent_exit`: ended on purpose, without a test.
    Silent,
    /// Contradicts an assumption, so it is not a path of the program at all.
    Infeasible,
}
