//! Cuts all paths into ranges of about the same size, for processes that work apart from each other.
//!
//! A few levels of the tree are explored, breadth first. What has ended or is still to be run then is a list of places in path order, each with an input that leads there; every
//! so many of them a range ends. Nothing is known of how much lies below each, so there are several for each range.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

use upshot_exec::{Image, Pause};

use crate::ExploreError;
use crate::collect::Event;
use crate::config::Config;
use crate::outbox::Outbox;
use crate::queue::Queue;
use crate::range::{Edge, Ends, Range};
use crate::record;
use crate::worker::{Node, Worker};

/// Places for each range.
const PLACES: usize = 16;

/// So many ranges, in path order: together they are all paths, and no path is in two of them. Where there are fewer paths than that, some have none.
pub fn split(image: &Image<'_>, config: &Config, count: usize) -> Result<Vec<Range>, ExploreError> {
    let queue = Queue::new(Vec::new());
    // What one state has to tell fits in by far, and is taken out before the next one runs.
    let (events, incoming) = mpsc::sync_channel(1 << 12);
    let mut worker = Worker::new(image, config, &queue, Outbox::new(events), &())?;
    let mut places: Vec<Edge> = Vec::new();
    let mut pending: VecDeque<Node> = worker.restore(Range::default()).into_iter().collect();
    while places.len() + pending.len() < count * PLACES && !config.interrupt.load(Relaxed) {
        let Some(node) = pending.pop_front() else { break };
        pending.extend(worker.grow(node));
        worker.outbox.send();
        let ended = incoming.try_iter().flatten().filter_map(|event| match event {
            Event::Path(_, record, _) => Some(Edge { path: record.path, test: record.test, shared: None }),
            _ => None,
        });
        places.extend(ended);
    }
    places.extend(pending.into_iter().map(|node| worker.edge_of(node)));
    places.sort_by(|a, b| a.path.cmp(&b.path));
    let bounds: Vec<Edge> = (1..count).filter_map(|number| place(&places, number * places.len() / count)).collect();
    let from = std::iter::once(None).chain(bounds.iter().cloned().map(Some));
    let to = bounds.iter().cloned().map(Some).chain([None]);
    let ranges = from.zip(to).map(|(from, to)| Range { ends: Ends { from, after: false, to }, ..Range::default() });
    Ok(ranges.collect())
}

/// A place as the end of a range. It parts from the paths before it where it parts from the last of them.
fn place(places: &[Edge], number: usize) -> Option<Edge> {
    let mut place = places.get(number)?.clone();
    if let Some(before) = number.checked_sub(1).and_then(|number| places.get(number)) {
        let same = place.path.0.iter().zip(&before.path.0).take_while(|(a, b)| a.side == b.side);
        place.shared = Some(same.count());
    }
    Some(place)
}

impl Worker<'_> {
    /// Runs a state to its next decision; what comes of it.
    fn grow(&mut self, mut node: Node) -> Vec<Node> {
        loop {
            match self.step(&mut node) {
                Pause::Yield if self.stopping() => return vec![node],
                Pause::Yield | Pause::Mark(_) => {}
                Pause::Fork(fork) => return self.sides(node, &fork),
                Pause::Ended(end) => {
                    self.finish(node, end);
                    return Vec::new();
                }
                Pause::Assume(condition) => {
                    if let Err(end) = self.assume(&mut node, condition) {
                        self.finish(node, end);
                        return Vec::new();
                    }
                }
            }
        }
    }

    /// Where a state is, and an input that leads there.
    fn edge_of(&self, node: Node) -> Edge {
        let test = record::test_of(&self.machine, &node.state, node.input());
        Edge { path: node.path, test: Some(test), shared: None }
    }
}
