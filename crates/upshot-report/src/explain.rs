//! What `upshot explain` prints: the lines that may be behind a difference.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{Detail, Style};

/// A line that may be the cause.
#[derive(Clone, Debug, Default)]
pub struct LocationReport {
    pub is_old: bool,
    pub file: String,
    pub line: u32,
    /// The line's text, where the source is there.
    pub source: Option<String>,
    /// The decision that parts the versions, as the test takes it; in C.
    pub condition: Option<String>,
    /// The input near the test, on one line; and the name of its test.
    pub neighbour: Option<String>,
    pub neighbour_test: Option<String>,
    /// Both versions do the same for it.
    pub agrees: bool,
    pub changed_lines: Vec<(bool, String, u32)>,
}

/// Why a test does something else in the new version.
#[derive(Clone, Debug, Default)]
pub struct ExplainReport {
    pub old: String,
    pub new: String,
    pub entry: Option<String>,
    /// The test, on one line; and its name.
    pub input: String,
    pub test: Option<String>,
    /// In words: what the old and the new version do.
    pub outcomes: [String; 2],
    pub differences: Vec<String>,
    pub locations: Vec<LocationReport>,
    pub complete: bool,
    pub interrupted: bool,
    /// No test was given, and none was found.
    pub nothing_found: bool,
    pub path_conditions: bool,
    pub conditions: usize,
    pub asked: u64,
    pub seconds: f64,
    /// Of that, running and slicing the test and composing the conditions.
    pub explain_seconds: f64,
    pub notes: Vec<String>,
}

impl ExplainReport {
    /// 1 where the test differs, 0 where it does not, 3 where that is not known.
    pub fn exit_code(&self) -> u8 {
        match () {
            _ if self.interrupted => 130,
            _ if !self.differences.is_empty() => 1,
            _ if self.complete => 0,
            _ => 3,
        }
    }
}

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn place(is_old: bool, file: &str, line: u32) -> String {
    let version = if is_old { " (old version)" } else { "" };
    format!("{}:{line}{version}", name(file))
}

/// The explanation as text.
pub fn explain_text(report: &ExplainReport, style: Style, detail: Detail) -> String {
    let mut text = String::new();
    if report.nothing_found {
        let verdict =
            if report.complete { "the versions do the same for all inputs" } else { "no difference was found" };
        let _ = writeln!(text, "{}", style.bold(verdict));
        notes(report, style, &mut text);
        return text;
    }
    if report.differences.is_empty() {
        let _ =
            writeln!(text, "{}", style.bold("the test does the same in both versions: there is nothing to explain"));
        let _ = writeln!(text, "   {}: {}", report.input, report.outcomes[0]);
        notes(report, style, &mut text);
        return text;
    }
    let count = report.locations.len();
    let verdict = match count {
        0 => "the versions differ for the test, but no line was found that parts them".to_string(),
        1 => "1 line may be the cause".to_string(),
        _ => format!("{count} lines may be the cause"),
    };
    let _ = writeln!(text, "{}", style.bold(&verdict));
    let _ = writeln!(text, "   test: {}", report.input);
    let _ = writeln!(text, "   old: {}\n   new: {}", report.outcomes[0], style.bad(&report.outcomes[1]));
    let _ = writeln!(text, "   what differs: {}", report.differences.join(", "));
    if detail != Detail::Verdict {
        for (number, location) in report.locations.iter().enumerate() {
            location_text(number + 1, location, style, &mut text);
        }
    }
    text.push('\n');
    notes(report, style, &mut text);
    let kind = if report.path_conditions { "path conditions" } else { "relevant-slice conditions" };
    let cost =
        format!("{} conditions in both {kind}, {} questions, {:.2} s", report.conditions, report.asked, report.seconds);
    let _ = writeln!(text, "{}", style.faint(&cost));
    text
}

fn notes(report: &ExplainReport, style: Style, text: &mut String) {
    for note in &report.notes {
        let _ = writeln!(text, "{} {note}", style.doubtful("note:"));
    }
}

fn location_text(number: usize, location: &LocationReport, style: Style, text: &mut String) {
    let place_text = place(location.is_old, &location.file, location.line);
    let _ = writeln!(text, "\n{}", style.bold(&format!("{number}. {place_text}")));
    if let Some(source) = &location.source {
        let _ = writeln!(text, "   {}", source.trim());
    }
    match &location.condition {
        Some(condition) => {
            let which = if location.is_old { "the old" } else { "the new" };
            let _ = writeln!(text, "   {which} version goes on here because {condition}");
        }
        None => {
            let _ = writeln!(text, "   changed, and the output is computed from it");
        }
    }
    if let Some(neighbour) = &location.neighbour {
        let how = if location.agrees {
            "both versions do the same"
        } else {
            "it is otherwise, and the versions still differ,"
        };
        let name = location.neighbour_test.as_ref().map_or(String::new(), |test| format!(" ({test})"));
        let _ = writeln!(text, "   {how} for {neighbour}{name}");
    }
    let others: Vec<String> = location
        .changed_lines
        .iter()
        .filter(|(is_old, file, line)| (*is_old, file, *line) != (location.is_old, &location.file, location.line))
        .map(|(is_old, file, line)| place(*is_old, file, *line))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(text, "   behind it: {}", others.join(", "));
    }
}

/// The object that `--format json` prints, schema `upshot.explain/1`.
pub fn explain_json(report: &ExplainReport) -> Value {
    let changed = |(is_old, file, line): &(bool, String, u32)| json!({"version": if *is_old { "old" } else { "new" }, "file": file, "line": line});
    let location = |location: &LocationReport| {
        json!({
            "version": if location.is_old { "old" } else { "new" },
            "file": location.file,
            "line": location.line,
            "source": location.source,
            "condition": location.condition,
            "neighbour": location.neighbour,
            "neighbour_test": location.neighbour_test,
            "agrees": location.agrees,
            "changed_lines": location.changed_lines.iter().map(changed).collect::<Vec<_>>(),
        })
    };
    json!({
        "schema": "upshot.explain/1",
        "complete": report.complete,
        "interrupted": report.interrupted,
        "old": report.old,
        "new": report.new,
        "entry": report.entry,
        "differs": !report.differences.is_empty(),
        "test": report.test,
        "input": report.input,
        "outcomes": {"old": report.outcomes[0], "new": report.outcomes[1]},
        "differences": report.differences,
        "locations": report.locations.iter().map(location).collect::<Vec<_>>(),
        "by": if report.path_conditions { "path-conditions" } else { "relevant-slice-conditions" },
        "conditions": report.conditions,
        "queries": {"asked": report.asked},
        "time": {"total_s": report.seconds, "explain_s": report.explain_seconds},
        "notes": report.notes,
    })
}
