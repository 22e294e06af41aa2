//! Which instructions of two versions of a program do the same thing, and which do not.
//!
//! Lines of text only say where to look: instructions are compared as such, so a changed macro is a change in every function that uses it,
//! and a renamed local is none. The result is a map between the unchanged instructions of both versions (what the DiSE
//! papers call the diff analysis: TOSEM'14 section 4.1, the input of its impact rules), and it is a promise: a matched pair does the same thing given
//! the same operand values, and its operands are matched in turn. Nothing here knows what a change may influence.
//!
//! ```no_run
//! use upshot_diff::{Sources, Version, diff};
//! # fn load(path: &str) -> upshot_ir::Program { upshot_ir::load(&std::fs::read(path).unwrap()).unwrap() }
//! let (old, new) = (load("old.bc"), load("new.bc"));
//! let (old_text, new_text) = (Sources::read(&old), Sources::read(&new));
//! let changes = diff(Version { program: &old, sources: &old_text }, Version { program: &new, sources: &new_text });
//! println!("{} functions differ", changes.functions.iter().filter(|function| function.status.differs()).count());
//! ```

mod align;
mod alike;
mod anatomy;
mod body;
mod candidates;
mod changed;
mod changes;
mod comparable;
mod consistent;
mod control;
mod data;
mod extent;
mod fingerprint;
mod flow;
mod keys;
mod lines;
mod locals;
mod lockstep;
mod matching;
mod pairing;
mod parameters;
mod renamed;
mod sources;
mod types;

pub use changes::{ChangedLines, Changes, Fidelity, FunctionMatch, GlobalMatch, Status, TypeChange, TypeKind};
pub use comparable::{Incomparable, check_comparable};
pub use fingerprint::fingerprints;
pub use lockstep::Lockstep;
pub use sources::Sources;

use upshot_ir::Program;

/// One of the two versions: the linked program, and the text it was compiled from.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    pub program: &'a Program,
    pub sources: &'a Sources,
}

/// Compares two versions. See [`check_comparable`] for when that makes sense.
pub fn diff(old: Version<'_>, new: Version<'_>) -> Changes {
    matching::diff(old, new)
}
