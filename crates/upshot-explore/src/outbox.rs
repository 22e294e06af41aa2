//! What a worker has to tell, sent in batches: waking the one who listens costs more than most paths do.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::collect::Event;

const MOST_EVENTS: usize = 64;
const MOST_DELAY: Duration = Duration::from_millis(20);

pub(crate) struct Outbox {
    events: Vec<Event>,
    /// When the first of them was put in.
    since: Instant,
    sender: SyncSender<Vec<Event>>,
}

impl Outbox {
    pub fn new(sender: SyncSender<Vec<Event>>) -> Self {
        Outbox { events: Vec::new(), since: Instant::now(), sender }
    }

    pub fn put(&mut self, event: Event) {
        if self.events.is_empty() {
            self.since = Instant::now();
        }
        self.events.push(event);
    }

    /// Whether there is much to send, or something has waited for long.
    pub fn is_due(&self) -> bool {
        self.events.len() >= MOST_EVENTS || !self.events.is_empty() && self.since.elapsed() >= MOST_DELAY
    }

    pub fn send(&mut self) {
        if !self.events.is_empty() {
            // Nobody listens any more only when the whole search is over.
            let _ = self.sender.send(std::mem::take(&mut self.events));
        }
    }
}
