//! What `upshot minimize` prints: which tests stay, and which of them stands for each of the others.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{Detail, Style};

/// A test that stays.
#[derive(Clone, Debug, Default)]
pub struct KeptTest {
    pub test: String,
    /// The inputs it stands for; in C.
    pub condition: Vec<String>,
    /// Why it stays whatever it does, where that is so.
    pub why: Option<String>,
}

/// A test that another one stands for.
#[derive(Clone, Debug, Default)]
pub struct RemovedTest {
    pub test: String,
    pub represented_by: String,
}

/// A suite with one test for each way in which the output is computed.
#[derive(Clone, Debug, Default)]
pub struct MinimizeReport {
    pub suite: String,
    pub kept: Vec<KeptTest>,
    pub removed: Vec<RemovedTest>,
    pub complete: bool,
    pub interrupted: bool,
    pub out: Option<String>,
    pub seconds: f64,
}

/// The result as text.
pub fn minimize_text(report: &MinimizeReport, style: Style, detail: Detail) -> String {
    let mut text = String::new();
    let all = report.kept.len() + report.removed.len();
    let verdict = format!("{} of {all} tests compute the output in different ways", report.kept.len());
    let _ = writeln!(text, "{}", style.bold(&verdict));
    if detail == Detail::Verdict {
        return text;
    }
    for kept in &report.kept {
        let condition = if kept.condition.is_empty() { "always".to_string() } else { kept.condition.join(" and ") };
        let _ = writeln!(text, "\n{}: {condition}", style.bold(&kept.test));
        if let Some(why) = &kept.why {
            let _ = writeln!(text, "   {}", style.doubtful(&format!("kept since {why}")));
        }
        let removed = report.removed.iter().filter(|removed| removed.represented_by == kept.test);
        let names: Vec<&str> = removed.map(|removed| removed.test.as_str()).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "   stands for {}", names.join(", "));
        }
    }
    if let Some(out) = &report.out {
        let _ = writeln!(text, "\nthe tests that are kept are in {out}; {} is as it was", report.suite);
    }
    text
}

/// The object that `--format json` prints, schema `upshot.minimize/1`.
pub fn minimize_json(report: &MinimizeReport) -> Value {
    let kept = |kept: &KeptTest| json!({"test": kept.test, "condition": kept.condition, "why": kept.why});
    let removed = |removed: &RemovedTest| json!({"test": removed.test, "represented_by": removed.represented_by});
    json!({
        "schema": "upshot.minimize/1",
        "complete": report.complete,
        "interrupted": report.interrupted,
        "suite": report.suite,
        "kept": report.kept.iter().map(kept).collect::<Vec<_>>(),
        "removed": report.removed.iter().map(removed).collect::<Vec<_>>(),
        "out": report.out,
        "time": {"total_s": report.seconds},
    })
}
