//! What a question can end in. "Unknown" is an answer of its own: it makes the result of a run incomplete, never wrong, so
//! it must not be confused with either of the other two.

use upshot_expr::Assignment;

/// The answer to "can this condition hold on this path?".
#[derive(Clone, Debug)]
pub enum Answer {
    /// Yes, and here is an input. It was evaluated on the terms asked about before it was returned.
    Sat(Assignment),
    Unsat,
    Unknown(UnknownReason),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownReason {
    #[error("the solver's time limit was reached")]
    TimedOut,
    #[error("interrupted")]
    Interrupted,
    #[error("the solver gave up: {0}")]
    GaveUp(String),
}

/// Why a solver cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error("Z3 {needed} or newer is needed, but `{found}` was linked; run scripts/setup, and rebuild")]
    Version { found: String, needed: &'static str },
    #[error("cannot write queries to {path}: {source}")]
    LogFolder { path: std::path::PathBuf, source: std::io::Error },
}
