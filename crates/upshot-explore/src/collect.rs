//! Puts paths into path order while they come in from the workers.
//!
//! A path is *settled* once no path before it can still come: every open range has got at least as far. In a
//! depth-first run each range yields its paths in ascending order, so with one worker every path is settled at once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Spent, Work};
use crate::path::Path;
use crate::range::Range;
use crate::record::{PathRecord, Test};

/// What workers tell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A range with this number is now open, and no longer part of the range that it was split off from.
    Opened { number: u64, part_of: u64, range: Box<Range> },
    /// A path of the range with this number, and what has been spent in the range since the last event of it that says so.
    Path(u64, Box<PathRecord>, Spent),
    /// No more comes of the range: nothing is left to do in it, or, if it is not `done`, the search has been stopped.
    Closed { number: u64, done: bool, spent: Spent },
    /// What a worker's paths so far have executed; told before they are.
    Covered(Box<upshot_exec::Coverage>),
}

/// Where workers put the tests they find, before anybody knows their place in the order. What is slow about a test is writing it, so that is
/// done by the worker that found it.
pub trait Keep: Sync {
    /// Keeps a test, and says under which number; `None` if it could not.
    fn keep(&self, test: &Test) -> Option<u64>;
}

/// Keeps nothing.
impl Keep for () {
    fn keep(&self, _: &Test) -> Option<u64> {
        None
    }
}

/// Who receives the paths.
pub trait Sink {
    /// All that happens, as it happens. Called with some events before they are acted upon. `false` to stop the exploration.
    fn noted(&mut self, _: &[Event]) -> bool {
        true
    }
    /// A path was found whose place in the order is not known yet.
    fn found(&mut self, record: &PathRecord);
    /// The next path in path order. `false` to stop the exploration.
    fn settled(&mut self, record: PathRecord) -> bool;
}

pub(crate) struct Collector {
    /// How far each open range has got.
    open: BTreeMap<u64, Path>,
    waiting: BTreeMap<(Path, u64), PathRecord>,
    /// Whether ranges yield their paths in order.
    ordered: bool,
    count: u64,
}

impl Collector {
    pub fn new(ordered: bool, work: &mut Work) -> Self {
        let open = (0..).zip(work.ranges.iter().map(Range::beginning));
        let done = std::mem::take(&mut work.done).into_iter().map(|record| ((record.path.clone(), 0), record));
        Collector { open: open.collect(), waiting: done.collect(), ordered, count: 0 }
    }

    /// Hands on what was known before. What cannot be settled yet is seen to first, so that it is safe meanwhile.
    pub fn start(&mut self, keep: &dyn Keep, sink: &mut dyn Sink) -> bool {
        let open = &self.open;
        for (_, record) in self.waiting.iter_mut().filter(|((path, _), _)| open.values().any(|reached| path > reached))
        {
            record.kept = record.test.as_ref().and_then(|test| keep.keep(test));
            sink.found(record);
        }
        self.settle(sink)
    }

    /// Takes an event in; false if the sink wants no more.
    pub fn handle(&mut self, event: Event, sink: &mut dyn Sink) -> bool {
        match event {
            Event::Opened { number, range, .. } => {
                self.open.insert(number, range.beginning());
                true
            }
            Event::Covered(_) => true,
            Event::Closed { number, .. } => {
                self.open.remove(&number);
                self.settle(sink)
            }
            Event::Path(number, record, _) => {
                if self.ordered
                    && let Some(reached) = self.open.get_mut(&number)
                {
                    *reached = record.path.clone();
                }
                self.count += 1;
                if !self.is_settled(&record.path) {
                    sink.found(&record);
                }
                self.waiting.insert((record.path.clone(), self.count), *record);
                self.settle(sink)
            }
        }
    }

    fn is_settled(&self, path: &Path) -> bool {
        self.open.values().all(|reached| path <= reached)
    }

    fn settle(&mut self, sink: &mut dyn Sink) -> bool {
        while let Some(entry) = self.waiting.first_entry() {
            let (path, _) = entry.key();
            if !self.open.values().all(|reached| path <= reached) {
                break;
            }
            if !sink.settled(entry.remove()) {
                return false;
            }
        }
        true
    }

    /// All that is left, in order, once nothing more can come.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.open.clear();
        self.settle(sink);
    }
}
