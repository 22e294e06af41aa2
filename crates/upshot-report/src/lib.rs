//! Results for people and for programs: text and JSON.
//!
//! A report is a function from results to a string; nothing here knows how a result was computed or where the string goes.

mod diff;
mod explain;
mod explore;
mod history;
mod impact;
mod json;
mod minimize;
mod run;
mod signature;
mod style;
mod update;
mod verify;

use std::time::Duration;

pub use diff::{DiffReport, DiffSide, diff_json, diff_text};
pub use explain::{ExplainReport, LocationReport, explain_json, explain_text};
pub use explore::{AffectedPath, EntryReport, ExploreReport, FoundError, PathStatus, explore_json, explore_text};
pub use history::{HistoryReport, HistoryStep, StepResult, history_json, history_svg, history_text};
pub use impact::{ImpactReport, impact_json, impact_text};
pub use json::run_json;
pub use minimize::{KeptTest, MinimizeReport, RemovedTest, minimize_json, minimize_text};
pub use run::run_text;
pub use signature::{
    CaseReport, ComparedCase, FateReport, OldSignature, SignatureReport, signature_html, signature_json,
    signature_table, signature_text,
};
pub use style::{Detail, Style};
pub use update::{DroppedTest, RangeReport, UpdateReport, update_json, update_text};
pub use verify::{
    Behaviour, PROOFS, Page, PartitionKind, PartitionReport, VerifyReport, check_json, check_text, partition_json,
    rank, verify_json, verify_text, worst,
};

/// What a report of a run says beyond its record.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Input pointers whose being null is behind errors: the C expression, and which errors of the run.
    pub null_inputs: Vec<(String, Vec<usize>)>,
    pub entry: Option<String>,
    /// For each error of the run, the inputs that lead to it, on one line.
    pub inputs: Vec<String>,
    /// Where the tests are.
    pub out: Option<String>,
    /// The file of the range that this was about, where it was not about all paths.
    pub range: Option<String>,
    /// What is left to do can be gone on with.
    pub can_resume: bool,
    /// Whether anything symbolic was ever decided on.
    pub met_symbolic: bool,
    pub interrupted: bool,
    /// Limits that were reached, in words.
    pub limits: Vec<String>,
    pub layers: Vec<Layer>,
    /// Answers that were compared with a fresh Z3, in a run that does that.
    pub cross_checked: Option<u64>,
    /// Wrong answers that a cross-check found.
    pub disagreements: u64,
}

/// What one layer of the solver did.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: &'static str,
    pub asked: u64,
    pub answered: u64,
    pub time: Duration,
}
