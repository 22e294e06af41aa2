//! What `upshot signature` prints: all the ways in which a program computes its output.

mod html;
mod table;
mod text;

use serde_json::{Value, json};

pub use html::signature_html;
pub use table::signature_table;
pub use text::signature_text;

/// One way in which the output is computed.
#[derive(Clone, Debug, Default)]
pub struct CaseReport {
    /// All of these hold; in C.
    pub condition: Vec<String>,
    /// Name and expression.
    pub outputs: Vec<(String, String)>,
    /// Where it is an error: its kind, and what and where it is, in words.
    pub error: Option<(String, String)>,
    /// Why the case could not be followed to its end.
    pub unsupported: Option<String>,
    /// The name of the test, and its values on one line.
    pub test: Option<String>,
    pub input: String,
    /// The lines in the relevant slice.
    pub lines: Vec<(String, u32)>,
    /// Decisions on the path of the test; the condition has the ones that matter.
    pub decisions: usize,
}

/// What has become of a case from one version to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FateReport {
    Changed,
    New,
    Gone,
    Same,
}

impl FateReport {
    pub fn name(self) -> &'static str {
        match self {
            FateReport::Changed => "changed",
            FateReport::New => "new",
            FateReport::Gone => "gone",
            FateReport::Same => "same",
        }
    }
}

/// A case of either version, or one that both have.
#[derive(Clone, Debug)]
pub struct ComparedCase {
    pub fate: FateReport,
    /// By number, from 0.
    pub old: Option<usize>,
    pub new: Option<usize>,
    /// An input for which the outputs differ.
    pub differs_for: Option<String>,
}

/// The older version.
#[derive(Clone, Debug)]
pub struct OldSignature {
    pub name: String,
    pub cases: Vec<CaseReport>,
    pub compared: Vec<ComparedCase>,
    pub complete: bool,
}

/// The signature of a program.
#[derive(Clone, Debug, Default)]
pub struct SignatureReport {
    pub program: String,
    pub entry: Option<String>,
    /// What is observed, as the user names it.
    pub outputs: Vec<String>,
    pub complete: bool,
    pub interrupted: bool,
    pub cases: Vec<CaseReport>,
    /// Inputs that were run, and how many paths there are in all, where that was asked for.
    pub paths: u64,
    pub paths_full: Option<u64>,
    /// Paths that hit a bound, and other things a reader has to know.
    pub notes: Vec<String>,
    pub asked: u64,
    /// Conditions in the questions, added up.
    pub conditions: u64,
    pub solved: u64,
    pub seconds: f64,
    pub solver_seconds: f64,
    pub out: Option<String>,
    pub old: Option<OldSignature>,
}

impl SignatureReport {
    /// 1 where a comparison has found something, 3 where it is not complete.
    pub fn exit_code(&self) -> u8 {
        let differs = |old: &OldSignature| old.compared.iter().any(|case| case.differs_for.is_some());
        let is_whole = self.complete && self.old.as_ref().is_none_or(|old| old.complete);
        match &self.old {
            _ if self.interrupted => 130,
            Some(old) if differs(old) => 1,
            _ if !is_whole => 3,
            _ => 0,
        }
    }

    /// What the whole comes to, in a line.
    pub(crate) fn verdict(&self) -> String {
        let what = match &self.entry {
            Some(entry) => format!("{entry} in {}", self.program),
            None => self.program.clone(),
        };
        let cases = plural(self.cases.len() as u64, "case");
        let mut text = format!("{what}: {cases}");
        if let Some(full) = self.paths_full {
            text.push_str(&format!(" where there are {}", plural(full, "path")));
        }
        if !self.complete {
            text.push_str(", not complete");
        }
        text
    }
}

pub(crate) fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Lines as ranges, with the file where there is more than one: `5-7, 10`.
pub(crate) fn ranges(lines: &[(String, u32)]) -> String {
    let mut text = String::new();
    let many = lines.iter().any(|(file, _)| *file != lines[0].0);
    let mut at = 0;
    while at < lines.len() {
        let mut end = at;
        while lines.get(end + 1).is_some_and(|next| next.0 == lines[end].0 && next.1 == lines[end].1 + 1) {
            end += 1;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        if many && (at == 0 || lines[at - 1].0 != lines[at].0) {
            let name = lines[at].0.rsplit('/').next().unwrap_or_default();
            text.push_str(&format!("{name}:"));
        }
        text.push_str(&lines[at].1.to_string());
        if end > at {
            text.push_str(&format!("-{}", lines[end].1));
        }
        at = end + 1;
    }
    text
}

fn case_json(case: &CaseReport) -> Value {
    let outputs: serde_json::Map<String, Value> =
        case.outputs.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "condition": case.condition,
        "outputs": outputs,
        "error": case.error.as_ref().map(|(kind, what)| json!({"kind": kind, "message": what})),
        "unsupported": case.unsupported,
        "test": case.test,
        "input": case.input,
        "lines": case.lines.iter().map(|(file, line)| json!({"file": file, "line": line})).collect::<Vec<_>>(),
        "decisions": case.decisions,
    })
}

/// The object that `--format json` prints, schema `upshot.signature/1`.
pub fn signature_json(report: &SignatureReport) -> Value {
    let mut object = json!({
        "schema": "upshot.signature/1",
        "complete": report.complete,
        "interrupted": report.interrupted,
        "program": report.program,
        "entry": report.entry,
        "outputs": report.outputs,
        "cases": report.cases.iter().map(case_json).collect::<Vec<_>>(),
        "paths_explored": report.paths,
        "paths_full": report.paths_full,
        "queries": {"asked": report.asked, "solved": report.solved, "conditions": report.conditions},
        "time": {"total_s": report.seconds, "solver_s": report.solver_seconds},
        "notes": report.notes,
    });
    if let Some(old) = &report.old {
        let compared = |case: &ComparedCase| json!({"fate": case.fate.name(), "old": case.old, "new": case.new, "differs_for": case.differs_for});
        object["old"] = json!({
            "program": old.name,
            "complete": old.complete,
            "cases": old.cases.iter().map(case_json).collect::<Vec<_>>(),
        });
        object["compared"] = old.compared.iter().map(compared).collect();
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_as_ranges() {
        let lines =
            |list: &[(&str, u32)]| list.iter().map(|(file, line)| (file.to_string(), *line)).collect::<Vec<_>>();
        assert_eq!(ranges(&lines(&[("a.c", 4), ("a.c", 5), ("a.c", 6), ("a.c", 9)])), "4-6, 9");
        assert_eq!(ranges(&lines(&[("d/a.c", 4), ("d/b.c", 5)])), "a.c:4, b.c:5");
        assert_eq!(ranges(&[]), "");
    }
}
