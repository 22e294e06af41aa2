//! Property tests: random terms of all operators and widths, and all small ones.

mod exhaustive;
mod fold;
mod recipe;
mod simplifier;
mod stability;
