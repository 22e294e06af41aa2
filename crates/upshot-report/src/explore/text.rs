//! Affected paths as people read them: the verdict, new errors first, then each path with its condition and its test.

use std::fmt::Write as _;

use super::json::status;
use super::{AffectedPath, EntryReport, ExploreReport, FoundError, PathStatus};
use crate::run::counted;
use crate::style::{Detail, Style};

/// Paths that are shown without `-v`.
const MOST_PATHS: usize = 20;
/// Conditions of a path that are shown without `-v`.
const MOST_CONDITIONS: usize = 8;

/// The whole report.
pub fn explore_text(report: &ExploreReport, style: Style, detail: Detail) -> String {
    let mut text = verdict(report, style);
    if detail == Detail::Verdict {
        return text;
    }
    for note in &report.notes {
        let _ = writeln!(text, "{} {note}", style.doubtful("note:"));
    }
    for entry in &report.entries {
        if let (Some(name), true) = (&entry.entry, report.entries.len() > 1) {
            let _ = writeln!(text, "\n{} {}", style.bold(name), counted(entry.paths.len() as u64, "affected path"));
        }
        text += &entry_text(entry, style, detail);
    }
    text += &figures(report, style);
    text
}

fn verdict(report: &ExploreReport, style: Style) -> String {
    if !report.differs {
        return format!("{} nothing to explore\n", style.good("the change affects nothing:"));
    }
    let known = report.sum(|entry| entry.known_paths.unwrap_or(0));
    let what = if report.all_paths { "path" } else { "affected path" };
    let mut text = style.bold(&counted(report.affected_paths(), what));
    if known > 0 {
        let _ = write!(text, " (the suite has {})", counted(known, "test"));
    }
    let errors = report.errors();
    let new = errors.iter().filter(|error| error.is_new != Some(false)).count() as u64;
    let old = errors.len() as u64 - new;
    if new > 0 {
        let _ = write!(text, ", {}", style.bad(&counted(new, "new error")));
    }
    if old > 0 {
        let _ =
            write!(text, ", {}", style.doubtful(&format!("{} that the old version has too", counted(old, "error"))));
    }
    if errors.is_empty() {
        let _ = write!(text, ", {}", style.good("no errors"));
    }
    let selected =
        report.sum(|entry| entry.paths.iter().filter(|path| path.status == PathStatus::Selected).count() as u64);
    if known > 0 {
        let added = report.affected_paths() - selected;
        let _ = write!(text, "; {} selected, {} added", counted(selected, "test"), counted(added, "test"));
    }
    let extent = match (report.complete, report.interrupted) {
        (true, _) => "all explored".to_string(),
        (false, true) => style.doubtful("interrupted"),
        (false, false) => style.doubtful("not complete"),
    };
    format!("{text}, {extent}\n")
}

fn entry_text(entry: &EntryReport, style: Style, detail: Detail) -> String {
    let mut text = String::new();
    let mut errors: Vec<&FoundError> = entry.errors.iter().collect();
    errors.sort_by_key(|found| found.is_new == Some(false));
    for found in errors {
        let error = &found.error;
        let word = format!("{} error {}:", status(found), error.kind);
        let word = if found.is_new == Some(false) { style.doubtful(&word) } else { style.bad(&word) };
        let _ = writeln!(text, "\n{word} {}:{} in {}: {}", error.file, error.line, error.function, error.message);
        if let Some(test) = &error.test {
            let _ = writeln!(text, "    {}", style.faint(&format!("{}/{test}.ktest", entry.out)));
        }
    }
    let most = if detail == Detail::Verbose { usize::MAX } else { MOST_PATHS };
    for (number, path) in entry.paths.iter().take(most).enumerate() {
        text += &path_text(number + 1, path, style, detail);
    }
    if entry.paths.len() > most {
        let _ = writeln!(text, "\n{}", style.faint(&format!("and {} more; -v shows all", entry.paths.len() - most)));
    }
    if !entry.unaffected.is_empty() {
        let list = entry.unaffected.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
        let more = if entry.unaffected.len() > most { ", …" } else { "" };
        let _ = writeln!(text, "\n{} {list}{more}", style.faint("tests that the change does not touch:"));
    }
    for what in &entry.unsupported {
        let _ = writeln!(text, "\n{} {}:{} {}", style.doubtful("unsupported:"), what.file, what.line, what.what);
    }
    for limit in &entry.limits {
        let _ = writeln!(text, "\n{} {limit}; there may be more paths", style.doubtful("not complete:"));
    }
    if detail == Detail::Verbose {
        text += &rows(entry, style);
    }
    text
}

fn path_text(number: usize, path: &AffectedPath, style: Style, detail: Detail) -> String {
    let test = path.test.as_deref().unwrap_or("no test");
    let lines: Vec<String> = path.impacted_lines.iter().map(ToString::to_string).collect();
    let end = match (&path.end.error, &path.end.message) {
        (Some(error), _) => format!(", ends in {error}"),
        (None, Some(message)) => format!(", {message}"),
        _ => String::new(),
    };
    let head = format!("{number}. {} {test}", path.status.name());
    let mut text =
        format!("\n{}{end}  {}\n", style.bold(&head), style.faint(&format!("impacted lines {}", lines.join(", "))));
    let most = if detail == Detail::Verbose { usize::MAX } else { MOST_CONDITIONS };
    if path.condition.is_empty() {
        text += "    any input\n";
    }
    for condition in path.condition.iter().take(most) {
        let _ = writeln!(text, "    {condition}");
    }
    if path.condition.len() > most {
        let _ = writeln!(text, "    {}", style.faint(&format!("… and {} more", path.condition.len() - most)));
    }
    text
}

/// The papers' Table I, by lines.
fn rows(entry: &EntryReport, style: Style) -> String {
    if entry.rows.is_empty() {
        return String::new();
    }
    let list = |lines: &[u32]| lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("\n{}\n", style.bold("   path (lines) | explored | unexplored"));
    for (number, row) in (1..).zip(&entry.rows) {
        let end = if row.given_up { " (no path)" } else { "" };
        let _ = writeln!(
            text,
            "{number:>3} {}{end} | {} | {}",
            list(&row.path),
            list(&row.explored),
            list(&row.unexplored)
        );
    }
    text
}

fn figures(report: &ExploreReport, style: Style) -> String {
    let explore: std::time::Duration = report.entries.iter().map(|entry| entry.explore_time).sum();
    let explore = explore.as_secs_f64();
    let line = format!(
        "\n{} made, {} cut off, {} infeasible; {} asked, {} solved; {:.3} s static, {explore:.3} s exploring",
        counted(report.sum(|entry| entry.states), "state"),
        report.sum(|entry| entry.pruned),
        report.sum(|entry| entry.infeasible),
        counted(report.sum(|entry| entry.asked), "question"),
        report.sum(|entry| entry.solved),
        report.static_time.as_secs_f64(),
    );
    let mut text = style.faint(&line) + "\n";
    for entry in &report.entries {
        text += &(style.faint(&format!("tests in {}/", entry.out)) + "\n");
    }
    text
}
