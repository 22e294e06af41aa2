//! What to slice, and within which bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use upshot_exec::Start;
use upshot_ir::FuncId;

use crate::observe::Output;

/// Where to begin, what to look at, and when to stop.
#[derive(Clone, Debug)]
pub struct Config {
    pub entry: FuncId,
    pub start: Start,
    pub exec: upshot_exec::Options,
    pub solver: upshot_solver::Options,
    /// The outputs whose computation is told; how a path ends always is.
    pub outputs: Vec<Output>,
    /// All branches of a path count, as in plain path exploration.
    pub whole_paths: bool,
    pub max_depth: Option<usize>,
    pub max_paths: Option<u64>,
    pub max_terms: Option<usize>,
    pub deadline: Option<Instant>,
    pub interrupt: Arc<AtomicBool>,
}

impl Config {
    pub fn new(entry: FuncId) -> Self {
        Config {
            entry,
            start: Start::default(),
            exec: upshot_exec::Options::default(),
            solver: upshot_solver::Options::default(),
            outputs: Vec::new(),
            whole_paths: false,
            max_depth: None,
            max_paths: None,
            max_terms: None,
            deadline: None,
            interrupt: Arc::default(),
        }
    }

    pub(crate) fn stops(&self) -> bool {
        self.interrupt.load(Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Checks of the executor that make more operations fail.
    pub(crate) fn checks(&self) -> upshot_impact::Checks {
        upshot_impact::Checks { overflow: self.exec.check_overflow, uninit: self.exec.check_uninit }
    }
}
