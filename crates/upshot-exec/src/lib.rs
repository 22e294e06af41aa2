//! The executor: states, memory, instructions, library models, errors.
//!
//! [`Machine::run`] takes a [`State`] to its next decision; it never decides itself, never asks a solver, and does not know why a path is wanted.
//! See [`machine`] for the protocol.

mod access;
mod compute;
mod control;
mod coverage;
mod error;
mod externals;
mod image;
mod interpret;
mod intrinsics;
mod layout;
mod locals;
mod machine;
mod memory;
mod models;
mod observe;
mod pairing;
mod parts;
mod pointers;
mod reachable;
mod recording;
mod state;
mod value;
mod view;
mod visited;
mod watch;

pub use coverage::{Coverage, Covered};
pub use error::{Bound, ErrorKind, PathEnd, PathError, StackEntry};
pub use externals::Externals;
pub use image::Image;
pub use locals::LocalPlace;
pub use machine::{Fork, Machine, Options, Pause};
pub use memory::Owner;
pub use models::{format_conversion, format_text};
pub use observe::{Cell, Content, ExternalCall};
pub use pairing::Pairing;
pub use pointers::{Start, Unshared};
pub use reachable::reachable_globals;
pub use recording::{Event, Recording};
pub use state::{Input, InputKind, InputPointer, Output, Piece, PointerTarget, State, Trace};
pub use value::Value;
pub use view::View;
pub use visited::Visited;
pub use watch::{Sequence, Watch};
