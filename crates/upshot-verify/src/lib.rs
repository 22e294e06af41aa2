//! Partition-based regression verification (ICSE'13): the inputs that two versions of a program have in common, partition by partition, each proved equal or shown
//! different.
//!
//! [`verify`] runs the old version along a path, then the new one under that path's condition, so that each pair of paths is a *differential partition*: a set of inputs
//! for which both outputs are known as terms. The solver splits it into the part where the outputs agree and the part where they do not. The partitions are disjoint, and
//! together with those left open they cover all inputs.
//!
//! This crate knows no file format, no terminal, and nothing of how versions are compiled.

mod describe;
mod observe;
mod output;
mod pair;
mod partition;
mod prepare;
mod search;
mod share;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use upshot_exec::{Image, Start};
use upshot_ir::{FuncId, GlobalId};

pub use observe::Observe;
pub use partition::{Change, Kind, Partition, Proof, Shown};
pub use prepare::{Beginning, Prepared};

/// One of the two versions.
#[derive(Clone)]
pub struct Side<'a> {
    /// Placed by a [`Pairing`](upshot_exec::Pairing) with the other one.
    pub image: &'a Image<'a>,
    pub entry: FuncId,
    pub start: Start,
}

/// What to compare, and within which bounds.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub exec: upshot_exec::Options,
    pub solver: upshot_solver::Options,
    pub observe: Observe,
    /// Null is no value for the entry's pointer parameters.
    pub no_null_arguments: bool,
    pub max_depth: Option<usize>,
    pub max_partitions: Option<u64>,
    pub deadline: Option<Instant>,
    pub max_terms: Option<usize>,
    pub interrupt: Arc<AtomicBool>,
    /// The globals that both versions have.
    pub globals: Vec<(GlobalId, GlobalId)>,
}

/// Whether an input, given as named objects, belongs to a partition.
pub type Inside<'a> = dyn Fn(&[(&str, &[u8])]) -> bool + 'a;

/// Takes partitions as they are found.
pub trait Sink {
    /// Whether to go on.
    fn found(&mut self, partition: Partition, inside: &Inside<'_>) -> bool;
}

/// What a verification came to, beside its partitions.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// All inputs are in a partition that was reported.
    pub exhausted: bool,
    pub interrupted: bool,
    pub out_of_time: bool,
    pub asked: u64,
    pub solver: upshot_solver::Statistics,
    pub instructions: u64,
    pub time: Duration,
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("the solver could not be started: {0}")]
    Solver(#[from] upshot_solver::SolverError),
    #[error("{0}")]
    Start(String),
}

/// Compares two versions on all inputs that they have in common.
pub fn verify(old: &Side<'_>, new: &Side<'_>, config: &Config, sink: &mut dyn Sink) -> Result<Summary, VerifyError> {
    search::Search::new(old, new, config)?.run(sink)
}
