//! What to explore, and within which bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use upshot_exec::Start;
use upshot_ir::FuncId;

use crate::directed::{Cut, Guide, Row};
use crate::known::Known;

/// In which order states are run. The result is the same for all of them; what is found first is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// In path order.
    #[default]
    DepthFirst,
    BreadthFirst,
    Random,
    /// States at code that no path has executed yet first.
    Coverage,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub entry: FuncId,
    pub start: Start,
    pub exec: upshot_exec::Options,
    pub solver: upshot_solver::Options,
    pub search: Search,
    pub seed: u64,
    pub max_depth: Option<usize>,
    /// The first so many, in path order.
    pub max_paths: Option<u64>,
    pub deadline: Option<Instant>,
    /// Resident memory of the whole process, in bytes.
    pub max_memory: Option<u64>,
    /// A test for every error path, not one for each kind and place.
    pub all_errors: bool,
    /// Whether tests are wanted at all.
    pub tests: bool,
    pub workers: usize,
    /// What directs the search, if it is not to go everywhere.
    pub guide: Option<Arc<Guide>>,
    /// What is known of the paths from another version.
    pub known: Option<Arc<Known>>,
    /// Set from outside to stop early and keep what was found.
    pub interrupt: Arc<AtomicBool>,
    pub progress: Arc<Progress>,
}

impl Config {
    /// Depth first from this function, with tests and without bounds, by one worker.
    pub fn new(entry: FuncId) -> Self {
        Config {
            entry,
            start: Start::default(),
            exec: upshot_exec::Options::default(),
            solver: upshot_solver::Options::default(),
            search: Search::DepthFirst,
            seed: 0,
            max_depth: None,
            max_paths: None,
            deadline: None,
            max_memory: None,
            all_errors: false,
            tests: true,
            workers: 1,
            guide: None,
            known: None,
            interrupt: Arc::default(),
            progress: Arc::default(),
        }
    }
}

/// Running figures, for whoever watches.
#[derive(Debug, Default)]
pub struct Progress {
    pub paths: AtomicU64,
    pub errors: AtomicU64,
    pub ranges: AtomicU64,
    pub questions: AtomicU64,
    pub pending: AtomicU64,
}

/// What the exploration as a whole came to. Paths are reported one by one, to a [`Sink`](crate::Sink).
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Every path was followed to its end, and every question answered.
    pub exhausted: bool,
    /// Stopped from outside.
    pub interrupted: bool,
    /// Which limits of the whole search were hit.
    pub out_of_time: bool,
    pub out_of_memory: bool,
    pub out_of_paths: bool,
    pub instructions: u64,
    /// Questions that arose at decisions, answered in any way.
    pub asked: u64,
    /// Those that reached a solver, and the seconds spent on them; of all that was known before too.
    pub solved: u64,
    pub solver_s: f64,
    /// How they were answered, in this exploration.
    pub solver: upshot_solver::Statistics,
    pub coverage: upshot_exec::Coverage,
    /// Whether symbolic data was ever decided on.
    pub met_symbolic: bool,
    pub time: Duration,
    /// What a directed search has left out.
    pub cut: Cut,
    /// The steps of the papers' algorithm.
    pub rows: Vec<Row>,
    /// Work that was not done.
    pub open: Vec<crate::Range>,
}
