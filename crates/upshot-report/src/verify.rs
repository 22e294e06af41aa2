//! What `upshot verify` and `upshot check` print.

use serde_json::{Value, json};

/// What is known of a set of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionKind {
    Regression,
    Different,
    Fix,
    Open,
    Equal,
}

impl PartitionKind {
    pub fn name(self) -> &'static str {
        match self {
            PartitionKind::Regression => "regression",
            PartitionKind::Different => "different",
            PartitionKind::Fix => "fix",
            PartitionKind::Open => "open",
            PartitionKind::Equal => "equivalent",
        }
    }

    pub fn from_name(name: &str) -> Option<PartitionKind> {
        use PartitionKind::{Different, Equal, Fix, Open, Regression};
        [Regression, Different, Fix, Open, Equal].into_iter().find(|kind| kind.name() == name)
    }

    pub fn is_difference(self) -> bool {
        matches!(self, PartitionKind::Regression | PartitionKind::Different | PartitionKind::Fix)
    }
}

/// How an equality can have been found.
pub const PROOFS: [&str; 4] = ["identity", "solver", "impact", "induction"];

/// What one version does.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// On the example input, in words: `returns 3`, `ptr error at f.c:12`.
    pub outcome: String,
    /// The returned value over the inputs, in C.
    pub expression: Option<String>,
    pub stdout: String,
    pub stderr: String,
    /// Other things that differ: name, expression, value on the example.
    pub effects: Vec<(String, String, String)>,
}

/// One partition.
#[derive(Clone, Debug)]
pub struct PartitionReport {
    pub kind: PartitionKind,
    pub condition: Vec<String>,
    /// Name of the test, and its values on one line.
    pub test: Option<String>,
    pub input: String,
    /// A C file that shows the difference by itself.
    pub native_test: Option<String>,
    pub old: Option<Behaviour>,
    pub new: Option<Behaviour>,
    /// What is different; or why it is open.
    pub what: Vec<String>,
    pub why: Option<String>,
    /// How equality was found: one of [`PROOFS`].
    pub by: Option<&'static str>,
    pub confirmed: bool,
    pub note: Option<String>,
    pub changed_lines: Vec<(String, u32)>,
    pub share: f64,
}

/// What a page on one function says beside its comparison.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Changed lines: whether of the old version, file, line.
    pub changed: Vec<(bool, String, u32)>,
    /// Lines of the new version's function that the change may influence.
    pub impacted: Vec<(String, u32)>,
    /// The lines behind the first difference, as `upshot explain` finds them: whether of the old version, file, line, text.
    pub behind: Vec<(bool, String, u32, Option<String>)>,
}

/// The comparison of one function or program.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    pub old: String,
    pub new: String,
    pub entry: Option<String>,
    pub complete: bool,
    pub interrupted: bool,
    pub bounds: Vec<(&'static str, String)>,
    pub partitions: Vec<PartitionReport>,
    /// The share of inputs that is proved, and its error.
    pub share: (f64, f64),
    pub asked: u64,
    pub solved: u64,
    pub times: Vec<(&'static str, f64)>,
    pub notes: Vec<String>,
    pub out: Option<String>,
    /// Where it is one of several functions.
    pub page: Option<Page>,
}

impl VerifyReport {
    pub fn count(&self, wanted: impl Fn(PartitionKind) -> bool) -> usize {
        self.partitions.iter().filter(|partition| wanted(partition.kind)).count()
    }

    pub fn verdict(&self) -> &'static str {
        if self.count(PartitionKind::is_difference) > 0 {
            "different"
        } else if self.complete && self.count(|kind| kind == PartitionKind::Open) == 0 {
            "equivalent"
        } else {
            "partial"
        }
    }

    /// 0, 1 or 3, or 130 where it was interrupted.
    pub fn exit_code(&self) -> u8 {
        match self.verdict() {
            _ if self.interrupted => 130,
            "equivalent" => 0,
            "different" => 1,
            _ => 3,
        }
    }

    /// The worst first.
    pub fn sorted(&self) -> Vec<&PartitionReport> {
        let mut sorted: Vec<&PartitionReport> = self.partitions.iter().collect();
        sorted.sort_by_key(|partition| partition.kind);
        sorted
    }
}

/// The object that `--format json` prints, schema `upshot.verify/1`.
pub fn verify_json(report: &VerifyReport) -> Value {
    let bounds: serde_json::Map<String, Value> =
        report.bounds.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    let time: serde_json::Map<String, Value> =
        report.times.iter().map(|(name, value)| (format!("{name}_s"), json!(value))).collect();
    json!({
        "schema": "upshot.verify/1",
        "old": report.old,
        "new": report.new,
        "entry": report.entry,
        "verdict": report.verdict(),
        "complete": report.complete,
        "bounds": bounds,
        "partitions": {
            "equivalent": report.count(|kind| kind == PartitionKind::Equal),
            "different": report.count(PartitionKind::is_difference),
            "open": report.count(|kind| kind == PartitionKind::Open),
        },
        "list": report.sorted().into_iter().map(partition_json).collect::<Vec<_>>(),
        "verified_share": {"value": report.share.0, "error": report.share.1},
        "queries": {"asked": report.asked, "solved": report.solved},
        "time": time,
        "notes": report.notes,
        "out": report.out,
    })
}

/// One of the objects under `list`.
pub fn partition_json(partition: &PartitionReport) -> Value {
    let lines: Vec<Value> =
        partition.changed_lines.iter().map(|(file, line)| json!({"file": file, "line": line})).collect();
    json!({
        "kind": partition.kind.name(),
        "condition": partition.condition,
        "test": partition.test,
        "input": partition.input,
        "native_test": partition.native_test,
        "old": partition.old.as_ref().map(behaviour_json),
        "new": partition.new.as_ref().map(behaviour_json),
        "what": partition.what,
        "why": partition.why,
        "by": partition.by,
        "confirmed": partition.confirmed,
        "note": partition.note,
        "changed_lines": lines,
        "share": partition.share,
    })
}

fn behaviour_json(behaviour: &Behaviour) -> Value {
    let effects: Vec<Value> = behaviour
        .effects
        .iter()
        .map(|(name, expression, value)| json!({"name": name, "expression": expression, "value": value}))
        .collect();
    json!({
        "outcome": behaviour.outcome,
        "expression": behaviour.expression,
        "stdout": behaviour.stdout,
        "stderr": behaviour.stderr,
        "effects": effects,
    })
}

/// The verdict, then the evidence.
pub fn verify_text(report: &VerifyReport, style: crate::Style, detail: crate::Detail) -> String {
    let mut text = format!("{}\n", style.bold(&verdict_line(report)));
    if matches!(detail, crate::Detail::Verdict) {
        return text;
    }
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    let verbose = matches!(detail, crate::Detail::Verbose);
    for (number, partition) in report.sorted().into_iter().enumerate() {
        if number >= 20 && !verbose {
            text.push_str(&format!("… and {} more partitions (-v shows all)\n", report.partitions.len() - number));
            break;
        }
        text.push('\n');
        text.push_str(&partition_text(partition));
    }
    text
}

/// One line: the verdict and how sure it is.
pub fn verdict_line(report: &VerifyReport) -> String {
    let entry = report.entry.as_deref().map_or(String::new(), |entry| format!("{entry}: "));
    let bounds: Vec<String> = report.bounds.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let counts = format!(
        "{} equal, {} different, {} open",
        report.count(|kind| kind == PartitionKind::Equal),
        report.count(PartitionKind::is_difference),
        report.count(|kind| kind == PartitionKind::Open)
    );
    match report.verdict() {
        "equivalent" if bounds.is_empty() => format!("{entry}equivalent for all inputs ({counts})"),
        "equivalent" => format!("{entry}equivalent for all inputs within {} ({counts})", bounds.join(", ")),
        verdict => format!("{entry}{verdict} ({counts}; {:.1} % of the inputs are settled)", 100.0 * report.share.0),
    }
}

fn partition_text(partition: &PartitionReport) -> String {
    let condition =
        if partition.condition.is_empty() { "all inputs".to_string() } else { partition.condition.join(" && ") };
    let mark = match (partition.kind.is_difference(), partition.confirmed) {
        (true, true) => " (confirmed natively)",
        (true, false) => " (not confirmed natively)",
        _ => "",
    };
    let mut text = format!("{}{mark}: {condition}\n", partition.kind.name());
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {label}: {value}\n"));
        }
    };
    line("why", partition.why.as_deref().unwrap_or_default());
    if partition.kind != PartitionKind::Equal {
        line("differs", &partition.what.join("; "));
        line("input", &partition.input);
        line("test", partition.test.as_deref().unwrap_or_default());
        line("native test", partition.native_test.as_deref().unwrap_or_default());
    }
    for (label, behaviour) in [("old", &partition.old), ("new", &partition.new)] {
        let Some(behaviour) = behaviour else { continue };
        line(label, &behaviour_text(behaviour, partition.kind == PartitionKind::Equal));
    }
    line("note", partition.note.as_deref().unwrap_or_default());
    if partition.kind.is_difference() {
        let lines: Vec<String> = partition.changed_lines.iter().map(|(file, line)| format!("{file}:{line}")).collect();
        line("changed lines", &lines.join(", "));
    }
    text
}

fn behaviour_text(behaviour: &Behaviour, is_equal: bool) -> String {
    let mut parts = Vec::new();
    if !is_equal {
        parts.push(behaviour.outcome.clone());
    }
    if let Some(expression) = &behaviour.expression {
        parts.push(format!("result = {expression}"));
    }
    if !is_equal {
        parts.extend(behaviour.effects.iter().map(|(name, _, value)| format!("{name} = {value}")));
        if !behaviour.stdout.is_empty() {
            parts.push(format!("stdout {:?}", behaviour.stdout));
        }
    }
    parts.join(", ")
}

/// What `upshot check` says of all functions, worst first.
pub fn check_json(old: &str, new: &str, reports: &[VerifyReport], complete: bool) -> Value {
    let entries: Vec<Value> = reports
        .iter()
        .map(|report| {
            let mut value = verify_json(report);
            if let Some(object) = value.as_object_mut() {
                object.remove("schema");
                object.insert("worst".to_string(), json!(worst(report)));
                if let Some(page) = &report.page {
                    object.insert("diff".to_string(), changed_json(page));
                    let lines: Vec<Value> =
                        page.impacted.iter().map(|(file, line)| json!({"file": file, "line": line})).collect();
                    object.insert("impact".to_string(), json!({"lines": lines}));
                    object.insert(
                        "new_errors".to_string(),
                        json!(report.count(|kind| kind == PartitionKind::Regression)),
                    );
                    object.insert("explained".to_string(), Value::Array(page.behind.iter().map(behind_json).collect()));
                }
            }
            value
        })
        .collect();
    json!({
        "schema": "upshot.check/1",
        "old": old,
        "new": new,
        "complete": complete,
        "summary": summary(reports),
        "functions": entries,
    })
}

fn changed_json(page: &Page) -> Value {
    let of = |wanted: bool| -> Vec<Value> {
        let lines = page.changed.iter().filter(|(is_old, ..)| *is_old == wanted);
        lines.map(|(_, file, line)| json!({"file": file, "line": line})).collect()
    };
    json!({"old": of(true), "new": of(false)})
}

fn behind_json((is_old, file, line, text): &(bool, String, u32, Option<String>)) -> Value {
    json!({"version": if *is_old { "old" } else { "new" }, "file": file, "line": line, "source": text})
}

/// Line numbers, runs of them as ranges: `f.c:3-5, 9`.
fn line_ranges<'a>(lines: impl Iterator<Item = (&'a str, u32)>) -> String {
    let mut text = String::new();
    let mut last: Option<(&str, u32, u32)> = None;
    let mut file_before = "";
    let mut write = |(file, from, to): (&'a str, u32, u32)| {
        let gap = if text.is_empty() { "" } else { ", " };
        let name = if file == file_before { String::new() } else { format!("{file}:") };
        file_before = file;
        let end = if from == to { String::new() } else { format!("-{to}") };
        text.push_str(&format!("{gap}{name}{from}{end}"));
    };
    for (file, line) in lines {
        last = match last {
            Some((known, from, to)) if known == file && line <= to + 1 => Some((known, from, line.max(to))),
            Some(done) => {
                write(done);
                Some((file, line, line))
            }
            None => Some((file, line, line)),
        };
    }
    last.into_iter().for_each(&mut write);
    text
}

fn page_text(page: &Page) -> String {
    let changed = |wanted: bool| {
        line_ranges(page.changed.iter().filter(|it| it.0 == wanted).map(|(_, file, line)| (file.as_str(), *line)))
    };
    let mut text = String::new();
    for (label, lines) in [
        ("changed (old)", changed(true)),
        ("changed (new)", changed(false)),
        ("impacted", line_ranges(page.impacted.iter().map(|(file, line)| (file.as_str(), *line)))),
    ] {
        if !lines.is_empty() {
            text.push_str(&format!("  {label}: {lines}\n"));
        }
    }
    for (is_old, file, line, source) in &page.behind {
        let version = if *is_old { " (old)" } else { "" };
        let source = source.as_ref().map_or(String::new(), |source| format!(": {source}"));
        text.push_str(&format!("  the line behind the difference: {file}:{line}{version}{source}\n"));
    }
    text
}

/// The word that a function is listed under.
pub fn worst(report: &VerifyReport) -> &'static str {
    match report.sorted().first().map(|partition| partition.kind) {
        Some(kind) if kind.is_difference() => kind.name(),
        _ => report.verdict(),
    }
}

/// Order of functions on the page.
pub fn rank(report: &VerifyReport) -> usize {
    let order = ["regression", "different", "fix", "partial", "equivalent"];
    order.iter().position(|word| *word == worst(report)).unwrap_or(order.len())
}

fn summary(reports: &[VerifyReport]) -> Value {
    let count = |word: &str| reports.iter().filter(|report| worst(report) == word).count();
    json!({
        "functions": reports.len(),
        "regression": count("regression"),
        "different": count("different"),
        "fix": count("fix"),
        "partial": count("partial"),
        "equivalent": count("equivalent"),
    })
}

pub fn check_text(reports: &[VerifyReport], style: crate::Style, detail: crate::Detail) -> String {
    let mut text = String::new();
    for report in reports {
        text.push_str(&format!("{}\n", style.bold(&verdict_line(report))));
        if matches!(detail, crate::Detail::Verdict) {
            continue;
        }
        for note in &report.notes {
            text.push_str(&format!("  note: {note}\n"));
        }
        text.push_str(&report.page.as_ref().map_or(String::new(), page_text));
        let shown = report.sorted().into_iter().filter(|partition| partition.kind != PartitionKind::Equal);
        for partition in shown.take(if matches!(detail, crate::Detail::Verbose) { usize::MAX } else { 3 }) {
            for line in partition_text(partition).lines() {
                text.push_str(&format!("  {line}\n"));
            }
        }
        text.push('\n');
    }
    let value = summary(reports);
    let words: Vec<String> = ["regression", "different", "fix", "partial", "equivalent"]
        .iter()
        .filter(|word| value[**word] != json!(0))
        .map(|word| format!("{} {word}", value[*word]))
        .collect();
    let listed = if words.is_empty() { "nothing has changed".to_string() } else { words.join(", ") };
    text.push_str(&format!(
        "{} changed function{}: {listed}\n",
        reports.len(),
        if reports.len() == 1 { "" } else { "s" }
    ));
    text
}
