//! Puts paths into path order while they come in from the workers.
//!
//! A path is *settled* once no path before it can still come: every open range has got at least as far. In a
//! depth-first run each range yields its paths in ascending order, so with one worker every path is settled at once.

use std::collections::BTreeMap;

use crate::path::Path;
use crate::record::{PathRecord, Test};

pub(crate) enum Event {
    /// A range with this number and beginning is now open.
    Opened(u64, Path),
    /// A path of the range with this number.
    Path(u64, Box<PathRecord>),
    Closed(u64),
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
    pub fn new(ordered: bool, ranges: impl IntoIterator<Item = (u64, Path)>) -> Self {
        Collector { open: ranges.into_iter().collect(), waiting: BTreeMap::new(), ordered, count: 0 }
    }

    /// Takes an event in; false if the sink wants no more.
    pub fn handle(&mut self, event: Event, sink: &mut dyn Sink) -> bool {
        match event {
            Event::Opened(number, prefix) => {
                self.open.insert(number, prefix);
                true
            }
            Event::Closed(number) => {
                self.open.remove(&number);
                self.settle(sink)
            }
            Event::Path(number, record) => {
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
