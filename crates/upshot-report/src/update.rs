//! What became of a suite: `upshot.update/1`, and the same for people.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::style::{Detail, Style};

/// What an update came to.
#[derive(Clone, Debug, Default)]
pub struct UpdateReport {
    pub old: String,
    pub new: String,
    pub out: String,
    pub complete: bool,
    pub interrupted: bool,
    /// Nothing is left to be explored.
    pub whole: bool,
    /// Tests with the bytes they had.
    pub kept: u64,
    pub added: u64,
    pub dropped: Vec<DroppedTest>,
    pub ranges: Vec<RangeReport>,
    pub paths: u64,
    /// Paths that were executed; the others are known to be as they were.
    pub executed: u64,
    pub errors: u64,
    pub asked: u64,
    pub solved: u64,
    /// What exploring everything is expected to ask.
    pub expected_asked: u64,
    pub expected_solved: u64,
    pub expected_s: f64,
    pub static_s: f64,
    pub explore_s: f64,
    pub write_s: f64,
    pub solver_s: f64,
    pub total_s: f64,
    /// The suite showed which sides of decisions do not exist.
    pub exact: bool,
    pub notes: Vec<String>,
    pub limits: Vec<String>,
}

/// A test of the old suite that stands for no path of its own any more.
#[derive(Clone, Debug, Default)]
pub struct DroppedTest {
    pub test: String,
    /// Changed lines that its path met, as `file:line`.
    pub lines: Vec<String>,
}

/// New paths between two tests that were kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeReport {
    /// The kept test before and behind; `None`: from the first path, up to the last.
    pub from: Option<String>,
    pub to: Option<String>,
    pub paths: u64,
    pub queries: u64,
}

impl UpdateReport {
    /// Seconds for comparing and exploring, as starting over is estimated.
    pub(crate) fn spent_s(&self) -> f64 {
        self.static_s + self.explore_s
    }

    /// The share of the expected questions that were not asked.
    fn saved(&self) -> Option<f64> {
        (self.expected_asked > 0).then(|| 100.0 * (1.0 - self.asked as f64 / self.expected_asked as f64).max(0.0))
    }
}

pub fn update_json(report: &UpdateReport) -> Value {
    let ranges: Vec<Value> = report
        .ranges
        .iter()
        .map(|range| json!({"from": range.from, "to": range.to, "paths": range.paths, "queries": range.queries}))
        .collect();
    let dropped: Vec<Value> =
        report.dropped.iter().map(|test| json!({"test": test.test, "changed_lines": test.lines})).collect();
    json!({
        "schema": "upshot.update/1",
        "complete": report.complete,
        "kept": report.kept,
        "new": report.added,
        "dropped": report.dropped.len(),
        "dropped_list": dropped,
        "ranges": report.ranges.len(),
        "range_list": ranges,
        "paths": report.paths,
        "executed": report.executed,
        "exact": report.exact,
        "queries": {"asked": report.asked, "solved": report.solved},
        "from_scratch": {"asked": report.expected_asked, "solved": report.expected_solved, "time_s": report.expected_s},
        "time": {
            "total_s": report.total_s, "static_s": report.static_s, "explore_s": report.explore_s,
            "write_s": report.write_s, "solver_s": report.solver_s,
        },
        "errors": report.errors,
        "notes": report.notes,
        "limits": report.limits,
        "out": report.out,
    })
}

pub fn update_text(report: &UpdateReport, style: Style, detail: Detail) -> String {
    let mut text = String::new();
    let tests = report.kept + report.added;
    let verdict = if report.complete { style.good("up to date") } else { style.doubtful("not complete") };
    let _ = writeln!(
        text,
        "{verdict}: {} tests for {}: {} kept, {} new, {} dropped",
        style.bold(&tests.to_string()),
        report.new,
        report.kept,
        report.added,
        report.dropped.len()
    );
    if detail == Detail::Verdict {
        return text;
    }
    let most = if detail == Detail::Verbose { usize::MAX } else { 10 };
    for test in report.dropped.iter().take(most) {
        let met = if test.lines.is_empty() { String::new() } else { format!("  met {}", test.lines.join(", ")) };
        let _ = writeln!(text, "  dropped {}{met}", test.test);
    }
    if report.dropped.len() > most {
        let _ = writeln!(text, "  … {} more dropped (-v lists them)", report.dropped.len() - most);
    }
    if !report.ranges.is_empty() {
        let _ = writeln!(text, "{} ranges explored", report.ranges.len());
    }
    for range in report.ranges.iter().take(most) {
        let from = range.from.as_deref().unwrap_or("the first path");
        let to = range.to.as_deref().unwrap_or("the last path");
        let _ = writeln!(text, "  {from} to {to}: {} new paths, {} questions", range.paths, range.queries);
    }
    if report.ranges.len() > most {
        let _ = writeln!(text, "  … {} more ranges (-v lists them)", report.ranges.len() - most);
    }
    let _ = write!(text, "{} of {} paths executed, {} questions", report.executed, report.paths, report.asked);
    if let Some(saved) = report.saved() {
        let _ = write!(text, " ({saved:.0} % fewer than the {} of starting over)", report.expected_asked);
    }
    text.push('\n');
    let _ = writeln!(
        text,
        "{} against {} for starting over (estimated)",
        seconds(report.spent_s()),
        seconds(report.expected_s)
    );
    for note in report.notes.iter().chain(&report.limits) {
        let _ = writeln!(text, "{}", style.faint(note));
    }
    let _ = writeln!(text, "tests in {}", report.out);
    text
}

fn seconds(value: f64) -> String {
    if value < 0.1 { format!("{:.1} ms", value * 1e3) } else { format!("{value:.2} s") }
}
