//! Intervals: ranges of values that follow from a path. They decide most comparisons in code that parses or counts, and where they do
//! not decide, they tell the bit-blaster how few bits an operation needs.

mod facts;
mod layer;
mod order;
mod range;
mod refine;
mod transfer;

pub(crate) use facts::{Contradiction, Facts};
pub(crate) use layer::answer;
pub(crate) use range::Range;
