//! A comparison as people read a diff: the verdict, then each function with the lines that differ.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use upshot_diff::{Fidelity, FunctionMatch, GlobalMatch, Status};
use upshot_ir::{FileId, Location};

use super::{DiffReport, DiffSide, global};
use crate::run::counted;
use crate::style::{Detail, Style};

/// The whole report.
pub fn diff_text(report: &DiffReport<'_>, style: Style, detail: Detail) -> String {
    let mut text = verdict(report, style);
    if detail == Detail::Verdict {
        return text;
    }
    if report.changes.fidelity == Fidelity::Position {
        let _ = writeln!(
            text,
            "{} a version has no debug information, so instructions were matched by their order alone and lines cannot be named",
            style.doubtful("by position only:")
        );
    }
    for function in report.functions() {
        text += &function_text(report, function, style);
    }
    for global in report.globals() {
        text += &global_text(report, global, style);
    }
    for ty in &report.changes.types {
        let _ = writeln!(
            text,
            "\n{} {}",
            marked(ty.status, style),
            style.bold(&format!("{} {}", ty.kind.keyword(), ty.name))
        );
        ty.details.iter().for_each(|detail| text += &format!("    {detail}\n"));
    }
    text += &same_but_for_text(report, style, detail);
    if detail == Detail::Verbose {
        text.push('\n');
        for (phase, time) in report.phases {
            let _ = writeln!(text, "{}", style.faint(&format!("{phase:<24}{:>8.3} s", time.as_secs_f64())));
        }
    }
    text
}

fn verdict(report: &DiffReport<'_>, style: Style) -> String {
    let tally = |items: Vec<Status>, what: &str| {
        [Status::Changed, Status::Added, Status::Removed]
            .into_iter()
            .map(|status| (status, items.iter().filter(|item| **item == status).count() as u64))
            .filter(|(_, count)| *count > 0)
            .map(|(status, count)| format!("{} {}", counted(count, what), status.name()))
            .collect::<Vec<_>>()
    };
    let mut parts = tally(report.functions().map(|function| function.status).collect(), "function");
    parts.extend(tally(report.globals().map(|global| global.status).collect(), "global"));
    let unchanged = report.functions().filter(|function| function.status == Status::Unchanged).count() as u64;
    parts.push(format!("{} unchanged", counted(unchanged, "function")));
    let head = if report.differs() { style.bad("different:") } else { style.good("no difference:") };
    format!("{head} {}\n", parts.join(", "))
}

fn function_text(report: &DiffReport<'_>, found: &FunctionMatch, style: Style) -> String {
    let (f, g) = report.function(found);
    let (old, new) = (f.map(|f| f.location), g.map(|g| g.location));
    let moved = report.moved(old, new);
    if found.status == Status::Unchanged && !moved && !found.renamed {
        return String::new();
    }
    let names = (f.map(|f| f.source_name.as_str()), g.map(|g| g.source_name.as_str()));
    let mut text = heading(report, found.status, found.renamed, moved, names, (old, new), style);
    // Where the declaration itself is among the changed lines, it speaks for itself.
    let is_shown = new.is_some_and(|new| found.changed_lines.new.contains(&(new.file_id(), new.line)));
    if let Some((before, after)) = report.signatures(found).filter(|_| !is_shown) {
        let _ = writeln!(text, "    {} {before}", style.bad("-"));
        let _ = writeln!(text, "    {} {after}", style.good("+"));
    }
    if found.status == Status::Changed {
        text += &lines(report, found, style);
    }
    text
}

/// `changed f  old.c:3 → new.c:4`
fn heading(
    report: &DiffReport<'_>,
    status: Status,
    renamed: bool,
    moved: bool,
    (old_name, new_name): (Option<&str>, Option<&str>),
    (old, new): (Option<Location>, Option<Location>),
    style: Style,
) -> String {
    let name = new_name.or(old_name).unwrap_or("");
    let name = match old_name {
        Some(before) if renamed => format!("{before} → {name}"),
        _ => name.to_string(),
    };
    let mut words = Vec::new();
    if status.differs() {
        words.push(marked(status, style));
    }
    if renamed {
        words.push(style.doubtful("renamed"));
    }
    if moved {
        words.push(style.doubtful("moved"));
    }
    let place = |side: &DiffSide<'_>, location: Option<Location>| {
        location.filter(|location| location.is_known()).map(|at| format!("{}:{}", side.file(at), at.line))
    };
    let places: Vec<String> = [place(&report.old, old), place(&report.new, new)].into_iter().flatten().collect();
    format!("\n{} {}  {}\n", words.join(", "), style.bold(&name), style.faint(&places.join(" → ")))
}

/// The lines that hold something different, in the order of a diff.
fn lines(report: &DiffReport<'_>, found: &FunctionMatch, style: Style) -> String {
    let (f, g) = report.function(found);
    let own = |location: Option<Location>| location.unwrap_or_default().file_id();
    let (file_of_old, file_of_new) = (own(f.map(|f| f.location)), own(g.map(|g| g.location)));
    let mut old: BTreeSet<(FileId, u32)> = found.changed_lines.old.iter().copied().collect();
    let mut new: BTreeSet<(FileId, u32)> = found.changed_lines.new.iter().copied().collect();
    let mut text = String::new();
    for (a, b) in found.merged_lines(report.old.version, report.new.version) {
        let is_old = a.is_some_and(|line| old.remove(&(file_of_old, line)));
        let is_new = b.is_some_and(|line| new.remove(&(file_of_new, line)));
        let (old_line, new_line) = (
            a.and_then(|line| report.old.line(file_of_old, line)),
            b.and_then(|line| report.new.line(file_of_new, line)),
        );
        match (a, b) {
            (Some(a), Some(b)) if is_old || is_new => {
                let numbers = format!("{a:>6}{b:>6}");
                text +=
                    &row(style.doubtful("~"), &numbers, new_line.unwrap_or_default(), "  same text, other code", style);
            }
            (Some(a), None) if is_old => {
                text += &row(style.bad("-"), &format!("{a:>6}{:>6}", ""), old_line.unwrap_or_default(), "", style);
            }
            (None, Some(b)) if is_new => {
                text += &row(style.good("+"), &format!("{:>6}{b:>6}", ""), new_line.unwrap_or_default(), "", style);
            }
            _ => {}
        }
    }
    // What is in other files, or cannot be read.
    for (side, left, mark) in [(&report.old, old, style.bad("-")), (&report.new, new, style.good("+"))] {
        for (file, line) in left {
            let name = side.program().files.get(file.index()).map_or("", String::as_str);
            let _ = writeln!(text, "  {mark} {name}:{line}  {}", side.line(file, line).unwrap_or("").trim());
        }
    }
    if text.is_empty() && found.changed_lines == upshot_diff::ChangedLines::default() {
        let unmatched = |side: &[Option<upshot_ir::InstId>]| side.iter().filter(|inst| inst.is_none()).count() as u64;
        let _ = writeln!(
            text,
            "    {} gone, {} new",
            counted(unmatched(&found.to_new), "instruction"),
            counted(unmatched(&found.to_old), "instruction")
        );
    }
    text
}

fn row(mark: String, numbers: &str, line: &str, note: &str, style: Style) -> String {
    let line = line.replace('\t', "    ");
    format!("  {mark}{} {}{}\n", style.faint(numbers), line.trim_end(), style.faint(note))
}

fn global_text(report: &DiffReport<'_>, found: &GlobalMatch, style: Style) -> String {
    let (a, b) = report.global(found);
    let (old, new) = (a.map(|a| a.location), b.map(|b| b.location));
    let moved = report.moved(old, new);
    if found.status == Status::Unchanged && !found.renamed && !moved {
        return String::new();
    }
    let names = (a.map(|a| a.source_name.as_str()), b.map(|b| b.source_name.as_str()));
    let mut text = heading(report, found.status, found.renamed, moved, names, (old, new), style);
    if let (Some(a), Some(b), Status::Changed) = (a, b, found.status) {
        for detail in global::differences(report.old.program(), a, report.new.program(), b) {
            let _ = writeln!(text, "    {detail}");
        }
    }
    text
}

/// Functions that read differently and do the same.
fn same_but_for_text(report: &DiffReport<'_>, style: Style, detail: Detail) -> String {
    const MOST: usize = 8;
    let names: Vec<&str> = report
        .functions()
        .filter(|found| found.status == Status::Unchanged)
        .filter(|found| found.text_differs(report.old.version, report.new.version))
        .filter_map(|found| report.function(found).1.map(|function| function.source_name.as_str()))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let most = if detail == Detail::Verbose { names.len() } else { MOST };
    let more = if names.len() > most { format!(" and {} more", names.len() - most) } else { String::new() };
    let list = names.iter().take(most).copied().collect::<Vec<_>>().join(", ");
    format!("\n{} {list}{more}\n", style.faint("unchanged but for the text (comments, layout, names):"))
}

fn marked(status: Status, style: Style) -> String {
    match status {
        Status::Added => style.good("added"),
        Status::Removed => style.bad("removed"),
        Status::Changed => style.doubtful("changed"),
        Status::Unchanged => "unchanged".to_string(),
    }
}
