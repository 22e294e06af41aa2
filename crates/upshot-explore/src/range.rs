//! A range of paths is the unit of all work (DESIGN, idea 2): the paths that begin with given decisions, from one test's path on and up to another's. Either end may be open.
//! This is the range of ASE'14, Sec. 3: two tests, and whatever lies between them in path order.
//!
//! A worker gets to the start of a range by running inputs that are known to lead there, which asks the solver nothing. So a
//! range can go to any worker, process or machine, and no state ever has to. What lies outside of its ends is not asked about either.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::follow::Seed;
use crate::path::Path;
use crate::record::Test;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub prefix: Path,
    /// An input that takes the prefix.
    pub witness: Witness,
    /// Of the instructions of its first path, so many are counted with those of earlier ones.
    #[serde(default)]
    pub shared: u64,
    /// It is not known whether any input takes the last decision; the witness takes another side of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unasked: bool,
    pub ends: Ends,
}

impl Range {
    /// No path of it comes before this one.
    pub(crate) fn beginning(&self) -> Path {
        match &self.ends.from {
            Some(from) if from.path > self.prefix => from.path.clone(),
            _ => self.prefix.clone(),
        }
    }
}

/// Values of the inputs by name. Bytes that are not mentioned are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Name, size of the whole input, and its bytes.
    pub inputs: Vec<(String, u32, Vec<u8>)>,
}

/// Where a range begins and ends, other than by its prefix.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// The first path that may be in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Edge>,
    /// That path itself is not in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    /// The first path that is not in it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Edge>,
}

/// A path or the beginning of one, as an end of a range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub path: Path,
    /// An input that takes it. Without one the way there has to be solved again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// Up to its decision of this number, an earlier path takes it too, and what it executes until then is counted there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<usize>,
}

/// Which ends of a range the decisions of a state have followed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    pub from: bool,
    pub to: bool,
}

/// The sides of a decision that lie in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    first: u32,
    /// The first that does not.
    end: u32,
    /// Whether there is one side only; `None`: nobody knows yet.
    pub forced: Option<bool>,
}

impl Inside {
    pub fn has(&self, side: u32) -> bool {
        (self.first..self.end).contains(&side)
    }
}

impl Ends {
    /// Those at the beginning of a path.
    pub(crate) fn start(&self) -> At {
        At { from: self.from.is_some(), to: self.to.is_some() }
    }

    /// Nothing can be in it: it ends before the first path there is.
    pub(crate) fn are_closed(&self) -> bool {
        self.to.as_ref().is_some_and(|to| to.path.0.is_empty())
    }

    /// What lies inside at decision number `depth` of a state.
    pub(crate) fn inside(&self, at: At, depth: usize) -> Inside {
        let mut inside = Inside { first: 0, end: u32::MAX, forced: None };
        let from = self.from.as_ref().filter(|_| at.from).and_then(|from| from.path.0.get(depth));
        if let Some(decision) = from {
            inside.first = decision.side;
            inside.forced = Some(decision.forced);
            if decision.forced {
                inside.end = decision.side + 1;
            }
        }
        let to = self.to.as_ref().filter(|_| at.to).map(|to| &to.path);
        if let Some((decision, path)) = to.and_then(|path| Some((path.0.get(depth)?, path))) {
            let last = depth + 1 == path.0.len();
            inside.end = inside.end.min(decision.side + u32::from(!last));
            inside.forced = Some(decision.forced);
            if decision.forced {
                inside.first = inside.first.max(decision.side);
            }
        }
        inside
    }

    /// After that decision takes a side.
    pub(crate) fn go(&self, at: At, depth: usize, side: u32) -> At {
        let follows = |edge: &Option<Edge>| {
            edge.as_ref().and_then(|edge| edge.path.0.get(depth)).is_some_and(|decision| decision.side == side)
        };
        At { from: at.from && follows(&self.from), to: at.to && follows(&self.to) }
    }

    /// Those that concern what is below a state.
    pub(crate) fn of(&self, at: At) -> Ends {
        Ends {
            from: self.from.clone().filter(|_| at.from),
            after: self.after && at.from,
            to: self.to.clone().filter(|_| at.to),
        }
    }

    /// Whether a path that ends here lies before the range, or is the one that it begins after.
    pub(crate) fn excludes(&self, at: At, path: &Path) -> bool {
        let is_before = |from: &Edge| path.0.len() < from.path.0.len() + usize::from(self.after);
        at.from && self.from.as_ref().is_some_and(is_before)
    }

    /// How many decisions lead to where the first path parts from earlier ones.
    pub(crate) fn shared(&self) -> Option<usize> {
        self.from.as_ref().filter(|_| !self.after)?.shared
    }

    /// The inputs that lead to the ends.
    pub(crate) fn tests(&self) -> Vec<Arc<Seed>> {
        let edges = [&self.from, &self.to].into_iter().flatten();
        edges.filter_map(|edge| edge.test.as_ref()).map(|test| Arc::new(Seed::from(test))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Decision;

    fn path(sides: &[u32]) -> Path {
        Path(sides.iter().map(|&side| Decision { side, forced: false }).collect())
    }

    /// All paths of two decisions with three sides each, by the rules that a worker follows.
    fn listed(ends: &Ends) -> Vec<Vec<u32>> {
        let mut paths = Vec::new();
        for first in (0..3).filter(|&side| ends.inside(ends.start(), 0).has(side)) {
            let at = ends.go(ends.start(), 0, first);
            for second in (0..3).filter(|&side| ends.inside(at, 1).has(side)) {
                if !ends.excludes(ends.go(at, 1, second), &path(&[first, second])) {
                    paths.push(vec![first, second]);
                }
            }
        }
        paths
    }

    #[test]
    fn ends_cut_off_what_lies_outside_and_nothing_else() {
        let all: Vec<Vec<u32>> = (0..9).map(|number| vec![number / 3, number % 3]).collect();
        let ends: Vec<Option<Path>> =
            [None].into_iter().chain(all.iter().map(|sides| Some(path(sides)))).chain([Some(path(&[1]))]).collect();
        let edge = |path: &Option<Path>| path.clone().map(|path| Edge { path, ..Edge::default() });
        for from in &ends {
            for to in &ends {
                for after in [false, true] {
                    let ends = Ends { from: edge(from), after, to: edge(to) };
                    let is_in = |sides: &Vec<u32>| {
                        let this = path(sides);
                        from.as_ref().is_none_or(|from| if after { this > *from } else { this >= *from })
                            && to.as_ref().is_none_or(|to| this < *to)
                    };
                    let expected: Vec<Vec<u32>> = all.iter().filter(|sides| is_in(sides)).cloned().collect();
                    assert_eq!(listed(&ends), expected, "{ends:?}");
                }
            }
        }
    }
}
