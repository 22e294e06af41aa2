//! Explores the paths of a program: which states to run, which sides of a decision exist, in parallel, the same for any
//! number of workers.
//!
//! [`explore`] is the whole interface: it runs workers over ranges of paths and hands each path to a [`Sink`], in path order.
//! This crate knows no file format and no terminal.

mod checkpoint;
mod collect;
mod company;
mod config;
mod directed;
mod ending;
mod follow;
mod frontier;
mod known;
mod outbox;
mod path;
mod queue;
mod random;
mod range;
mod record;
mod split;
mod worker;

use std::sync::mpsc;

pub use checkpoint::{Checkpoint, Spent, Work};
pub use collect::{Event, Keep, Sink};
pub use config::{Config, Progress, Search, Summary};
pub use directed::{Cut, Guide, Manner, Marked, Order, Paper, Prune, Row};
pub use follow::{Followed, Seed, SeedPointer, SeedTarget, by_sequence, follow};
pub use known::{Follower, Known, KnownPath, mark_changes, stopping_at_changes};
pub use path::{Decision, Path};
pub use range::{Edge, Ends, Range, Witness};
pub use record::{Affected, End, Frame, PathRecord, SeedUse, Target, Test, TestObject, TestPointer};
pub use record::{end_of, output_of, returned_of, test_of, unknown_symbols};
pub use split::split;

use collect::Collector;
use outbox::Outbox;
use queue::Queue;
use worker::{Totals, Worker};

/// Why nothing could be explored.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    #[error("the solver could not be started: {0}")]
    Solver(#[from] upshot_solver::SolverError),
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Batches of events that may wait to be handled.
const BACKLOG: usize = 8;

/// Explores all paths from the entry, or those in the given ranges.
pub fn explore(
    image: &upshot_exec::Image<'_>,
    config: &Config,
    ranges: Vec<Range>,
    keep: &dyn Keep,
    sink: &mut dyn Sink,
) -> Result<Summary, ExploreError> {
    let ranges = if ranges.is_empty() { vec![Range::default()] } else { ranges };
    go_on(image, config, Work::on(ranges), keep, sink)
}

/// Explores what is left to do, and hands on all paths, those that were known before too.
pub fn go_on(
    image: &upshot_exec::Image<'_>,
    config: &Config,
    mut work: Work,
    keep: &dyn Keep,
    sink: &mut dyn Sink,
) -> Result<Summary, ExploreError> {
    let started = std::time::Instant::now();
    // The first so many paths in path order are found by going in path order, one after the other.
    let mut config = config.clone();
    let before = work.done.len() as u64;
    if let Some(most) = config.max_paths {
        config.search = Search::DepthFirst;
        config.workers = 1;
        config.max_paths = Some(most.saturating_sub(before));
    }
    let config = &config;
    config.progress.paths.fetch_add(before, std::sync::atomic::Ordering::Relaxed);
    let ordered = config.search == Search::DepthFirst;
    let mut collector = Collector::new(ordered, &mut work);
    let queue = Queue::new(std::mem::take(&mut work.ranges));
    if !collector.start(keep, sink) || config.max_paths == Some(0) {
        queue.stop();
    }
    // Bounded, so that workers do not run ahead of what is on disk.
    let (events, incoming) = mpsc::sync_channel(BACKLOG);
    let totals: std::sync::Mutex<Vec<Result<Totals, upshot_solver::SolverError>>> = Default::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(config.workers.max(1)).stack_size(64 << 20).build()?;
    pool.in_place_scope(|scope| {
        for _ in 0..config.workers.max(1) {
            let (events, queue, totals) = (events.clone(), &queue, &totals);
            scope.spawn(move |_| {
                let result = Worker::new(image, config, queue, Outbox::new(events), keep).map(Worker::work);
                totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(result);
            });
        }
        drop(events);
        for batch in incoming {
            if !sink.noted(&batch) {
                queue.stop();
            }
            for event in batch {
                if !collector.handle(event, sink) {
                    queue.stop();
                }
            }
        }
        collector.finish(sink);
    });
    let mut summary = Summary {
        instructions: work.spent.instructions,
        asked: work.spent.asked,
        solved: work.spent.solved,
        solver_s: work.spent.solver_s,
        met_symbolic: work.spent.met_symbolic,
        coverage: std::mem::take(&mut work.coverage),
        ..Summary::default()
    };
    for result in totals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        let totals = result?;
        summary.instructions += totals.instructions;
        summary.asked += totals.asked;
        summary.solved += totals.solver.solved;
        summary.solver_s += totals.solver.time().as_secs_f64();
        summary.solver.add(&totals.solver);
        summary.coverage.merge(&totals.coverage);
        summary.met_symbolic |= totals.met_symbolic;
        summary.out_of_memory |= totals.out_of_memory;
        summary.out_of_paths |= totals.out_of_paths;
        summary.open.extend(totals.open);
        summary.cut.add(&totals.cut);
        summary.rows.extend(totals.rows);
    }
    summary.open.sort_by(|a, b| a.prefix.cmp(&b.prefix));
    summary.interrupted = config.interrupt.load(std::sync::atomic::Ordering::Relaxed);
    summary.out_of_time = config.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline);
    summary.exhausted = summary.open.is_empty();
    summary.time = started.elapsed();
    Ok(summary)
}
