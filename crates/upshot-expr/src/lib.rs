//! Bit-vector and floating-point terms: interned, simplified while they are built, evaluated.
//!
//! A term is a [`TermId`] of the [`Terms`] that made it. This crate knows nothing of LLVM, of paths or of solvers. What holds:
//!
//! - Equal terms have equal ids, and so have many that mean the same: sums, products and logic are built in a normal form.
//! - What is built depends on the structure of the operands alone, never on what was built before; so do the order
//!   ([`Terms::order`]) and the hash of terms. Every worker builds the same terms.
//! - Comparisons come out as `Eq`, `Ult` or `Slt`, with a constant on the right; all others are negations of these.
//! - Building takes bounded time and stack, whatever the depth of the operands: rules look a few operators deep and stop.
//! - [`fold`] is the one place that says what an operator computes.
//!
//! ```
//! use upshot_expr::{Assignment, Terms};
//!
//! let mut terms = Terms::new();
//! let x = terms.symbol("x", 1);
//! let byte = terms.byte(x, 0);
//! let three = terms.constant(8, 3);
//! let sum = terms.add(byte, three);
//! let ten = terms.constant(8, 10);
//! let condition = terms.eq(sum, ten);
//! assert_eq!(terms.display(condition).to_string(), "x == 7");
//!
//! let mut input = Assignment::new();
//! assert!(!input.eval_bool(&terms, condition));
//! input.set(x, 0, 7);
//! assert!(input.eval_bool(&terms, condition));
//! ```

mod arithmetic;
mod array;
mod bitwise;
mod compare;
mod concat;
mod display;
mod division;
mod equality;
mod eval;
mod extend;
mod extract;
mod facts;
mod float;
pub mod fold;
mod interner;
mod ite;
mod linear;
mod logic;
mod memo;
mod naming;
mod node;
mod ops;
mod order;
mod polynomial;
mod quotient;
mod relevance;
mod shifted_order;
mod signed;
mod support;
mod terms;

pub use eval::Assignment;
pub use facts::Facts;
pub use naming::{Part, PartReading};
pub use node::{ArrayId, ArrayNode, Node, Operands, SymbolId, TermId, Var};
pub use ops::*;
pub use relevance::Sources;
pub use terms::Terms;
