//! From bitcode to [`Program`].
//!
//! The one entry point is [`load`]; everything else is the data it returns. This crate never asks a solver and knows
//! nothing of search or of how operations behave: it only says what there is.

mod capi;
mod cfg;
mod constant;
mod debug;
mod debuginfo;
mod dominators;
mod dump;
mod layout;
mod load;
mod lower;
mod marks;
mod places;
mod program;
mod type_names;
mod validate;

pub use cfg::{edges, successors};
pub use debug::*;
pub use dominators::{Adjacency, Dominators, components, control_dependence, reverse_postorder, reversed};
pub use load::{LoadError, check, load, load_trusted};
pub use marks::with_marks;
pub use places::{Place, member_path};
pub use program::*;
pub use validate::{Defect, accesses, validate};
