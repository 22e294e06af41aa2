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

    /// The next range, which is being done until the guard goes; waits while others may still hand one out. `None` when all is done.
    pub fn take(&self) -> Option<(u64, Range, Busy<'_>)> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((number, range)) = inner.ranges.pop() {
                inner.busy += 1;
                return Some((number, range, Busy(self)));
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

/// A range is being done. Where its worker panics, nobody waits for it, nor goes on.
pub(crate) struct Busy<'a>(&'a Queue);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
        let mut inner = self.0.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.busy -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_worker_that_panics() {
        let queue = Queue::new(vec![Range::default()]);
        std::thread::scope(|scope| {
            let taken = queue.take();
            let waiting = scope.spawn(|| queue.take().is_none());
            let worker = scope.spawn(move || {
                let _busy = taken;
                std::panic::resume_unwind(Box::new("a worker's bug"));
            });
            assert!(worker.join().is_err());
            assert!(waiting.join().unwrap());
        });
        assert!(queue.is_stopped());
    }
}
