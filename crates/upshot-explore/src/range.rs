//! A range of paths is the unit of all work (DESIGN, idea 2): all paths that begin with given decisions, and an input that takes them.
//!
//! A worker gets to the start of a range by running the witness along the decisions, which asks the solver nothing. So a
//! range can go to any worker, process or machine, and no state ever has to.

use crate::path::Path;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    pub prefix: Path,
    pub witness: Witness,
}

/// Values of the inputs by name. Bytes that are not mentioned are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// Name, size of the whole input, and its bytes.
    pub inputs: Vec<(String, u32, Vec<u8>)>,
}
