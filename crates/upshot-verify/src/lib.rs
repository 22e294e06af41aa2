//! Partition-based regression verification (ICSE'13): the inputs that two versions of a program have in common, partition by partition, each proved equal or shown
//! different.
//!
//! [`verify`] runs the old version along a path, then the new one under that path's condition, so that each pair of paths is a *differential partition*: a set of inputs
//! for which both outputs are known as terms. The solver splits it into the part where the outputs agree and the part where they do not. The partitions are disjoint, and
//! together with those left open they cover all inputs.
//!
//! This crate knows no file format, no terminal, and nothing of how versions are compiled.

mod ahead;
mod describe;
mod endless;
mod induction;
mod observe;
mod output;
mod pair;
mod partition;
mod place;
mod prepare;
mod search;
mod share;
mod tests;
mod workers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use upshot_exec::{Image, Start};
use upshot_ir::{FuncId, GlobalId};

pub use ahead::Ahead;
pub use induction::Induction;
pub use observe::Observe;
pub use partition::{Change, Kind, Partition, Proof, Shown};
pub use place::{BadPlace, Place, pending};
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
    pub workers: usize,
    /// Equal partitions come with their proof obligation. Terms are not simplified then, so that no rule of ours has to be believed.
    pub certify: bool,
    /// What is to be looked at: all paths that begin so. Empty: all there are.
    pub ranges: Vec<Place>,
    /// Inputs of a suite, on whose paths the versions are compared first.
    pub tests: Vec<Arc<upshot_explore::Seed>>,
    /// Where nothing that has changed can be met any more, if that is to be heeded.
    pub ahead: Option<Arc<Ahead>>,
    /// What a proof by induction needs to know, if one is to be tried before any path is looked at.
    pub induction: Option<Arc<Induction>>,
    /// The globals that both versions have.
    pub globals: Vec<(GlobalId, GlobalId)>,
}

/// Whether an input, given as named objects, belongs to a partition.
pub type Inside<'a> = dyn Fn(&[(&str, &[u8])]) -> bool + 'a;

/// Takes partitions as they are found, in any order.
pub trait Sink: Send {
    /// Whether to go on.
    fn found(&mut self, partition: Partition, inside: &Inside<'_>) -> bool;

    /// All partitions of this place were handed over, none perhaps. Whether to go on.
    fn done(&mut self, _place: &Place) -> bool {
        true
    }
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
    #[error("the worker threads could not be started: {0}")]
    Threads(std::io::Error),
    #[error("{0}")]
    Start(String),
}

/// Stack of a worker: terms are deep.
const STACK: usize = 64 << 20;

/// Compares two versions on all inputs that they have in common. The partitions are the same for any number of workers, where no bound of the whole search ends it.
pub fn verify(old: &Side<'_>, new: &Side<'_>, config: &Config, sink: &mut dyn Sink) -> Result<Summary, VerifyError> {
    let started = Instant::now();
    if let Some(summary) = by_induction(old, new, config, sink)? {
        return Ok(summary);
    }
    let places = if config.ranges.is_empty() { vec![Place::default()] } else { config.ranges.clone() };
    let ranges =
        places.into_iter().map(|place| workers::Range { place, witness: None, tests: config.tests.clone() }).collect();
    let shared = workers::Shared::new(ranges, sink);
    // The first so many partitions are found one after the other.
    let workers = if config.max_partitions.is_some() { 1 } else { config.workers.max(1) };
    let results = std::thread::scope(|scope| {
        let spawn = |_| {
            let work = || search::Search::new(old, new, config, &shared)?.work();
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).map_err(VerifyError::Threads)
        };
        let threads: Vec<_> = (0..workers).map(spawn).collect();
        let join = |thread: Result<std::thread::ScopedJoinHandle<'_, _>, VerifyError>| match thread?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect::<Result<Vec<search::Totals>, VerifyError>>()
    })?;
    let mut summary = Summary {
        exhausted: results.iter().all(|totals| !totals.is_cut) && !shared.stopped.load(Relaxed),
        interrupted: config.interrupt.load(Relaxed),
        out_of_time: config.deadline.is_some_and(|deadline| Instant::now() >= deadline),
        ..Summary::default()
    };
    for totals in results {
        summary.asked += totals.asked;
        summary.instructions += totals.instructions;
        summary.solver.add(&totals.solver);
    }
    summary.time = started.elapsed();
    Ok(summary)
}

/// How long a proof by induction may take, and which share of the time there is.
const MOST_FOR_INDUCTION: Duration = Duration::from_secs(10);
const SHARE_FOR_INDUCTION: u32 = 4;

/// Where both versions do the same by induction, that is one partition.
fn by_induction(
    old: &Side<'_>,
    new: &Side<'_>,
    config: &Config,
    sink: &mut dyn Sink,
) -> Result<Option<Summary>, VerifyError> {
    let has_begun = config.ranges.iter().any(|place| *place != Place::default());
    let Some(induction) = config.induction.as_ref().filter(|_| !has_begun) else { return Ok(None) };
    if config.exec.check_overflow || config.exec.check_uninit {
        return Ok(None);
    }
    let started = Instant::now();
    let left = config.deadline.map(|deadline| deadline.saturating_duration_since(started) / SHARE_FOR_INDUCTION);
    let deadline = started + left.unwrap_or(MOST_FOR_INDUCTION).min(MOST_FOR_INDUCTION);
    let mut solver =
        upshot_solver::Solver::new(upshot_solver::Options { deadline: Some(deadline), ..config.solver.clone() })?;
    let programs = [old.image.program, new.image.program];
    if let Err(why) = induction.prove(programs, &mut solver, deadline) {
        tracing::debug!("no proof by induction: {why}");
        return Ok(None);
    }
    let shared = workers::Shared::new(Vec::new(), sink);
    search::Search::new(old, new, config, &shared)?.report_all(Proof::Induction)?;
    Ok(Some(Summary {
        exhausted: true,
        asked: solver.statistics().asked,
        solver: solver.statistics().clone(),
        time: started.elapsed(),
        ..Summary::default()
    }))
}
