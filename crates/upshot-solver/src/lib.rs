//! Satisfiability of path conditions, in layers from cheap to dear: simplification, the state's own model, independent parts, caches,
//! recent models, intervals, bits to SAT, Z3. Each layer is one module and can be switched off ([`Layers`]); how many
//! questions each answered, and in what time, is in [`Statistics`].
//!
//! Two questions can be asked of a [`Solver`]: whether a condition can hold on a path ([`Solver::check`]), where any model
//! will do; and which input to write for a path ([`Solver::canonical`]), where the input depends on the path condition alone.
//! This crate knows nothing of LLVM or of states.
//!
//! ```no_run
//! use upshot_expr::{Assignment, IntPredicate, Terms};
//! use upshot_solver::{Answer, Options, PathCondition, Solver};
//!
//! let mut terms = Terms::new();
//! let x = terms.symbol("x", 1);
//! let byte = terms.byte(x, 0);
//! let ten = terms.constant(8, 10);
//! let small = terms.compare(IntPredicate::Ult, byte, ten);
//! let nine = terms.constant(8, 9);
//! let nine_or_more = terms.compare(IntPredicate::Uge, byte, nine);
//!
//! let mut solver = Solver::new(Options::default())?;
//! let mut path = PathCondition::new();
//! path.push(&mut terms, small);
//! let answer = solver.check(&mut terms, &path, &Assignment::new(), nine_or_more);
//! assert!(matches!(answer, Answer::Sat(input) if input.byte(x, 0) == 9));
//! # Ok::<(), upshot_solver::SolverError>(())
//! ```

mod answer;
mod bits;
mod cache;
mod canonical;
mod cross_check;
mod fingerprint;
mod interval;
mod model;
mod options;
mod path;
mod query;
#[cfg(test)]
mod random_terms;
mod recent;
mod repair;
mod simplify;
mod smt;
mod solver;
mod statistics;

pub use answer::{Answer, SolverError, UnknownReason};
pub use options::{Layers, Options};
pub use path::PathCondition;
pub use solver::Solver;
pub use statistics::{Layer, LayerStatistics, Statistics};

/// The question whether `constraints` can hold together, as SMT-LIB for any solver; or why it cannot be written.
pub fn smt_lib(
    terms: &upshot_expr::Terms,
    constraints: impl IntoIterator<Item = upshot_expr::TermId>,
) -> Result<String, String> {
    smt::smt_lib(&smt::Problem::new(terms, constraints))
}
