//! What is left to do of an exploration that did not get to its end, from the events that were noted.
//!
//! A range that has yielded a path in path order has nothing left before that path, and what was split off begins where the range now ends. So what is left of a range is
//! one between two tests, and its start is found again by following the last test, without the solver. Under other orders each path that was found splits its range in two.
//! Every beginning of the list of events says something true; so a list that was cut off anywhere is a checkpoint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upshot_exec::Coverage;

use crate::collect::Event;
use crate::range::{Edge, Ends, Range};
use crate::record::PathRecord;

/// What an exploration, or a part of one, took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub instructions: u64,
    pub asked: u64,
    pub solved: u64,
    pub solver_s: f64,
    /// Something symbolic was decided on.
    pub met_symbolic: bool,
}

impl Spent {
    pub fn add(&mut self, other: &Spent) {
        self.instructions += other.instructions;
        self.asked += other.asked;
        self.solved += other.solved;
        self.solver_s += other.solver_s;
        self.met_symbolic |= other.met_symbolic;
    }

    /// What has come to it since `before`.
    pub(crate) fn since(&self, before: &Spent) -> Spent {
        Spent {
            instructions: self.instructions - before.instructions,
            asked: self.asked - before.asked,
            solved: self.solved - before.solved,
            solver_s: self.solver_s - before.solver_s,
            met_symbolic: self.met_symbolic,
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Ranges that do not overlap, in path order.
    pub ranges: Vec<Range>,
    /// Paths elsewhere that are known already: they are handed on in their place.
    pub done: Vec<PathRecord>,
    /// What it took to find them, and what they cover.
    pub spent: Spent,
    pub coverage: Coverage,
}

impl Work {
    /// All paths of some ranges.
    pub fn on(ranges: Vec<Range>) -> Self {
        Work { ranges, ..Work::default() }
    }
}

/// Takes events in, and knows at any time what is left.
#[derive(Default)]
pub struct Checkpoint {
    open: BTreeMap<u64, Rest>,
    ordered: bool,
    work: Work,
}

/// What is left of a range.
struct Rest {
    range: Range,
    /// Where paths were found in path order: the last of them. Else all of them.
    found: Vec<Edge>,
    /// What was split off.
    parts: Vec<Range>,
}

impl Rest {
    fn of(range: Range) -> Self {
        Rest { range, found: Vec::new(), parts: Vec::new() }
    }

    /// The ranges that are left.
    fn ranges(mut self, ordered: bool) -> Vec<Range> {
        let Range { prefix, witness, shared, unasked, ends } = self.range;
        let whole = |from: Option<Edge>, after: bool, to: Option<Edge>| Range {
            prefix: prefix.clone(),
            witness: witness.clone(),
            shared,
            unasked,
            ends: Ends { from, after, to },
        };
        if ordered {
            // Whatever was split off lies behind all that is left.
            let part = self.parts.into_iter().min_by(|a, b| a.beginning().cmp(&b.beginning()));
            let to = part.map(|part| Edge { path: part.beginning(), ..Edge::default() }).or(ends.to);
            return vec![match self.found.pop() {
                Some(last) => whole(Some(last), true, to),
                None => whole(ends.from, ends.after, to),
            }];
        }
        // What is not left, as an end before it and one after it.
        let mut gaps: Vec<(Edge, Ends)> = Vec::new();
        for edge in self.found {
            gaps.push((edge.clone(), Ends { from: Some(edge), after: true, to: None }));
        }
        for part in self.parts {
            gaps.push((Edge { path: part.prefix.clone(), ..Edge::default() }, beyond(&part)));
        }
        gaps.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (mut ranges, mut next) = (Vec::new(), Some((ends.from, ends.after)));
        for (before, behind) in gaps {
            let Some((from, after)) = next else { break };
            ranges.push(whole(from, after, Some(before)));
            next = behind.from.map(|from| (Some(from), behind.after));
        }
        if let Some((from, after)) = next {
            ranges.push(whole(from, after, ends.to));
        }
        ranges
    }
}

/// Where paths begin that come after all those below the prefix of a range; no `from` if there is none.
fn beyond(part: &Range) -> Ends {
    let mut path = part.prefix.clone();
    // The last decision that has sides further on.
    while let Some(last) = path.0.pop() {
        if !last.forced {
            let shared = Some(path.0.len());
            path.push(last.side + 1, false);
            return Ends { from: Some(Edge { path, test: None, shared }), after: false, to: None };
        }
    }
    Ends::default()
}

impl Checkpoint {
    /// From here on events are those of an exploration of these ranges, numbered in this order, which are what is left of all before. `ordered`: each yields its paths in
    /// path order.
    pub fn begin(&mut self, ordered: bool, ranges: Vec<Range>) {
        self.ordered = ordered;
        self.open = (0..).zip(ranges.into_iter().map(Rest::of)).collect();
    }

    pub fn note(&mut self, event: Event) {
        match event {
            Event::Opened { number, part_of, range } => {
                if let Some(rest) = self.open.get_mut(&part_of) {
                    rest.parts.push((*range).clone());
                }
                self.open.insert(number, Rest::of(*range));
            }
            Event::Path(number, record, spent) => {
                self.work.spent.add(&spent);
                if let Some(rest) = self.open.get_mut(&number) {
                    if self.ordered {
                        rest.found.clear();
                    }
                    rest.found.push(Edge { path: record.path.clone(), test: record.test.clone(), shared: None });
                }
                self.work.done.push(*record);
            }
            Event::Closed { number, done, spent } => {
                if done {
                    self.work.spent.add(&spent);
                    self.open.remove(&number);
                }
            }
            Event::Covered(coverage) => self.work.coverage.merge(&coverage),
        }
    }

    /// How many paths are known.
    pub fn found(&self) -> usize {
        self.work.done.len()
    }

    /// What is left.
    pub fn work(self) -> Work {
        let mut work = self.work;
        work.ranges = self.open.into_values().flat_map(|rest| rest.ranges(self.ordered)).collect();
        work.ranges.sort_by_key(Range::beginning);
        work
    }
}
