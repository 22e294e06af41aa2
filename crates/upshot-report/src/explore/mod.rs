//! `upshot explore`: the paths that a change affects, for people and for programs.

mod json;
mod text;

use std::time::Duration;

use upshot_explore::Row;
use upshot_suite::{ErrorRecord, PathEnd, UnsupportedRecord};

pub use json::explore_json;
pub use text::explore_text;

/// Where the test of an affected path comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// A test that was there takes it.
    Selected,
    /// A new one was made.
    Added,
}

impl PathStatus {
    pub fn name(self) -> &'static str {
        match self {
            PathStatus::Selected => "selected",
            PathStatus::Added => "added",
        }
    }
}

/// A path that the change affects.
#[derive(Clone, Debug)]
pub struct AffectedPath {
    /// Its place in path order.
    pub order: usize,
    /// Stands for the sequence of impacted instructions; their number.
    pub sequence: u128,
    pub impacted: u64,
    pub impacted_lines: Vec<u32>,
    pub condition: Vec<String>,
    pub status: PathStatus,
    pub end: PathEnd,
    pub test: Option<String>,
}

/// An error on an affected path.
#[derive(Clone, Debug)]
pub struct FoundError {
    pub error: ErrorRecord,
    /// Whether the old version does not end so on the same input; `None` where that cannot be told.
    pub is_new: Option<bool>,
}

/// What was found from one entry.
#[derive(Clone, Debug, Default)]
pub struct EntryReport {
    /// `None`: from `main`.
    pub entry: Option<String>,
    pub paths: Vec<AffectedPath>,
    pub errors: Vec<FoundError>,
    /// Tests of the suite that the change does not touch.
    pub unaffected: Vec<String>,
    /// Paths of the old version that are known from its suite.
    pub known_paths: Option<u64>,
    pub states: u64,
    pub pruned: u64,
    pub infeasible: u64,
    pub asked: u64,
    /// Of these, the questions that the input at hand did not answer.
    pub put: u64,
    pub solved: u64,
    pub explore_time: Duration,
    pub solver_time: Duration,
    pub complete: bool,
    pub interrupted: bool,
    pub limits: Vec<String>,
    pub unsupported: Vec<UnsupportedRecord>,
    /// The steps of the papers' algorithm.
    pub rows: Vec<Row>,
    /// Where the tests are.
    pub out: String,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct ExploreReport {
    pub old: String,
    pub new: String,
    /// Whether anything is impacted at all.
    pub differs: bool,
    /// Nothing was left out, so every path is listed.
    pub all_paths: bool,
    pub entries: Vec<EntryReport>,
    pub complete: bool,
    pub interrupted: bool,
    pub static_time: Duration,
    pub instructions_impacted: u64,
    pub notes: Vec<String>,
}

impl ExploreReport {
    pub fn add(&mut self, entry: EntryReport) {
        self.complete &= entry.complete;
        self.interrupted |= entry.interrupted;
        self.entries.push(entry);
    }

    pub fn errors(&self) -> Vec<&FoundError> {
        self.entries.iter().flat_map(|entry| &entry.errors).collect()
    }

    fn sum(&self, of: impl Fn(&EntryReport) -> u64) -> u64 {
        self.entries.iter().map(of).sum()
    }

    fn affected_paths(&self) -> u64 {
        self.sum(|entry| entry.paths.len() as u64)
    }
}
