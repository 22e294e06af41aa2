//! The ranges that wait for a worker, and who is idle.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::range::Range;

pub(crate) struct Queue {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Workers waiting for a range; read without the lock on every fork, so that nobody has to take it.
    hungry: AtomicUsize,
    stopped: AtomicBool,
}

struct Inner {
    /// Last one first.
    ranges: Vec<(u64, Range)>,
    numbers: u64,
    busy: usize,
}

impl Queue {
    pub fn new(ranges: Vec<Range>) -> Self {
        let numbers = ranges.len() as u64;
        let ranges = ranges.into_iter().enumerate().map(|(number, range)| (number as u64, range)).rev().collect();
        Queue {
            inner: Mutex::new(Inner { ranges, numbers, busy: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next range; waits while others may still hand one out. `None` when all is done.
    pub fn take(&self) -> Option<(u64, Range)> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(range) = inner.ranges.pop() {
                inner.busy += 1;
                return Some(range);
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

    /// The range taken last is done.
    pub fn done(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.busy -= 1;
        self.changed.notify_all();
    }

    /// Whether somebody waits for a range and none is there.
    pub fn wants_work(&self) -> bool {
        let hungry = self.hungry.load(Relaxed);
        hungry > 0 && self.inner.lock().unwrap_or_else(PoisonError::into_inner).ranges.len() < hungry
    }

    /// Adds a range; `announce` learns its number before anybody can take it.
    pub fn put(&self, range: Range, announce: impl FnOnce(u64)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let number = inner.numbers;
        inner.numbers += 1;
        announce(number);
        inner.ranges.push((number, range));
        self.changed.notify_one();
    }

    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }
}
