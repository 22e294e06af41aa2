//! Workers that share out the partitions: each has terms and a solver of its own, so what goes between them is a place and an input that leads there.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use upshot_explore::Seed;

use crate::place::Place;
use crate::{Inside, Partition, Sink};

/// All paths that begin in one way, and an input that takes one of them, where it is known: name, size and bytes of each input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Range {
    pub place: Place,
    pub witness: Option<Vec<(String, u32, Vec<u8>)>>,
    /// Tests that may take one of them.
    pub tests: Vec<Arc<Seed>>,
}

/// What all workers share.
pub(crate) struct Shared<'s> {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Workers that wait for a range.
    hungry: AtomicUsize,
    /// Nothing more is wanted.
    pub stopped: AtomicBool,
    pub reported: AtomicUsize,
    sink: Mutex<&'s mut dyn Sink>,
}

struct Inner {
    ranges: Vec<Range>,
    busy: usize,
}

impl<'s> Shared<'s> {
    pub fn new(mut ranges: Vec<Range>, sink: &'s mut dyn Sink) -> Self {
        ranges.reverse();
        Shared {
            inner: Mutex::new(Inner { ranges, busy: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            reported: AtomicUsize::new(0),
            sink: Mutex::new(sink),
        }
    }

    /// The next range, which is being done until the guard goes; waits while others may still hand one out. `None` when all is done.
    pub fn take(&self) -> Option<(Range, Busy<'_, 's>)> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(range) = inner.ranges.pop() {
                inner.busy += 1;
                return Some((range, Busy(self)));
            }
            if inner.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Relaxed);
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
            self.hungry.fetch_sub(1, Relaxed);
        }
    }

    pub fn wants_work(&self) -> bool {
        let hungry = self.hungry.load(Relaxed);
        hungry > 0 && self.inner.lock().unwrap_or_else(PoisonError::into_inner).ranges.len() < hungry
    }

    pub fn put(&self, range: Range) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.ranges.push(range);
        self.changed.notify_one();
    }

    /// Hands over what a pair of paths came to, whole.
    pub fn report<'i>(&self, place: &Place, found: Vec<(Partition, Box<Inside<'i>>)>) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        self.reported.fetch_add(found.len(), Relaxed);
        let mut goes_on = true;
        for (partition, inside) in found {
            goes_on &= sink.found(partition, &inside);
        }
        if !sink.done(place) || !goes_on {
            self.stopped.store(true, Relaxed);
        }
    }
}

/// A range is being done. Given up even where a worker panics, for which nobody should wait for ever.
pub(crate) struct Busy<'a, 's>(&'a Shared<'s>);

impl Drop for Busy<'_, '_> {
    fn drop(&mut self) {
        let mut inner = self.0.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.busy -= 1;
        self.0.changed.notify_all();
    }
}
