//! Impact as people read it: the verdict, then the source with a mark beside each line that the change may touch, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use upshot_diff::{Fidelity, FunctionMatch, Status};
use upshot_impact::{Rule, Version};
use upshot_ir::FileId;

use super::lines::{self, Lines};
use super::{ImpactReport, Touched, why};
use crate::run::counted;
use crate::style::{Detail, Style};

/// Lines shown around those that are touched.
const CONTEXT: usize = 2;
/// Impacted functions that are shown in full; the others are named.
const MOST_SHOWN: usize = 12;
/// Where the notes beside the source begin.
const NOTE_COLUMN: usize = 58;

/// The whole report.
pub fn impact_text(report: &ImpactReport<'_>, style: Style, detail: Detail) -> String {
    let mut text = verdict(report, style);
    if detail == Detail::Verdict {
        return text;
    }
    if report.diff.changes.fidelity == Fidelity::Position {
        let _ = writeln!(
            text,
            "{} a version has no debug information, so instructions were matched by their order alone and lines cannot be named",
            style.doubtful("by position only:")
        );
    }
    let touched: Vec<&FunctionMatch> =
        report.functions().filter(|function| report.touched(function) != Touched::Not).collect();
    let is_changed = |function: &&&FunctionMatch| report.touched(function) != Touched::Impacted;
    let most = if detail == Detail::Verbose { usize::MAX } else { MOST_SHOWN };
    let changed = touched.iter().filter(is_changed);
    let impacted = touched.iter().filter(|function| !is_changed(function));
    for function in changed.chain(impacted.clone().take(most)) {
        text += &function_text(report, function, style, detail);
    }
    text += &globals(report, style);
    let rest: Vec<String> = impacted.skip(most).map(|function| name(report, function)).collect();
    if !rest.is_empty() {
        let _ = writeln!(
            text,
            "\n{} {}\n{}",
            style.doubtful("impacted too:"),
            rest.join(", "),
            style.faint("-v shows them, --function F shows one")
        );
    }
    if detail == Detail::Verbose {
        text += &order(report, style);
        text += &times(report, style);
    }
    text
}

fn verdict(report: &ImpactReport<'_>, style: Style) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut impacted, mut all) = (0, 0);
    for function in report.functions() {
        *counts.entry(report.touched(function).name()).or_default() += 1;
        let (some, total) = report.instructions(function);
        impacted += some;
        all += total;
    }
    let changed_globals = report.diff.globals().filter(|global| global.status.differs()).count() as u64;
    let mut parts: Vec<String> = ["changed", "added", "removed", "impacted", "unchanged"]
        .iter()
        .filter_map(|word| counts.get(word).map(|count| format!("{} {word}", counted(*count, "function"))))
        .collect();
    if changed_globals > 0 {
        parts.push(format!("{} changed", counted(changed_globals, "global")));
    }
    let head = match (impacted > 0 || !report.impact.is_empty(), report.diff.differs()) {
        (true, _) => style.bad(&format!("impact: {impacted} of {all} instructions;")),
        (false, true) => style.good("no impact: what differs cannot be reached, or has no effect;"),
        (false, false) => style.good("no difference:"),
    };
    format!("{head} {}\n", parts.join(", "))
}

fn name(report: &ImpactReport<'_>, function: &FunctionMatch) -> String {
    let (f, g) = report.diff.function(function);
    g.or(f).map_or(String::new(), |function| function.source_name.clone())
}

fn function_text(report: &ImpactReport<'_>, found: &FunctionMatch, style: Style, detail: Detail) -> String {
    let touched = report.touched(found);
    let (f, g) = report.diff.function(found);
    let place = match (f, g) {
        (_, Some(g)) if g.location.is_known() => format!("{}:{}", report.diff.new.file(g.location), g.location.line),
        (Some(f), _) if f.location.is_known() => format!("{}:{}", report.diff.old.file(f.location), f.location.line),
        _ => String::new(),
    };
    let (impacted, all) = report.instructions(found);
    let word = match touched {
        Touched::Differs(Status::Added) => style.good("added"),
        Touched::Differs(Status::Removed) => style.bad("removed"),
        _ => style.doubtful(touched.name()),
    };
    let size = style.faint(&format!("{impacted} of {all} instructions"));
    let mut text = format!("\n{word} {}  {}  {size}\n", style.bold(&name(report, found)), style.faint(&place));
    let rows = rows(report, found, detail);
    text += &show(&rows, style);
    text += &elsewhere(report, found, style, detail);
    text
}

/// A line of source with its mark.
struct Row {
    mark: Mark,
    number: u32,
    line: String,
    note: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Removed,
    Changed,
    Impacted,
    Untouched,
}

/// The function's lines in both versions, as a diff shows them, each with its mark and its note.
fn rows(report: &ImpactReport<'_>, found: &FunctionMatch, detail: Detail) -> Vec<Row> {
    let (f, g) = report.diff.function(found);
    let file = |function: Option<&upshot_ir::Function>| function.map_or(FileId(0), |f| f.location.file_id());
    let (old_file, new_file) = (file(f), file(g));
    let new = lines::impacted(report, found, Version::New);
    let removed: BTreeSet<u32> =
        found.changed_lines.old.iter().filter(|(file, _)| *file == old_file).map(|(_, line)| *line).collect();
    let mut rows = Vec::new();
    for (a, b) in found.merged_lines(report.diff.old.version, report.diff.new.version) {
        match (a, b) {
            (Some(a), None) if removed.contains(&a) => {
                let line = report.diff.old.line(old_file, a).unwrap_or_default().to_string();
                rows.push(Row { mark: Mark::Removed, number: a, line, note: "removed".to_string() });
            }
            (_, Some(b)) => {
                let line = report.diff.new.line(new_file, b).unwrap_or_default().to_string();
                let (mark, note) = marked(report, &new, (new_file, b), detail);
                rows.push(Row { mark, number: b, line, note });
            }
            _ => {}
        }
    }
    rows
}

fn marked(report: &ImpactReport<'_>, lines: &Lines, line: (FileId, u32), detail: Detail) -> (Mark, String) {
    let Some(site) = lines.get(&line) else { return (Mark::Untouched, String::new()) };
    let steps = why::steps(report, *site);
    let is_changed = steps.first().is_some_and(|step| step.reason.rule == Rule::Changed);
    let mark = if is_changed { Mark::Changed } else { Mark::Impacted };
    (mark, why::sentence(report, &steps, detail == Detail::Verbose))
}

/// What is touched, with a little of what is around it.
fn show(rows: &[Row], style: Style) -> String {
    let is_near = |at: usize| {
        let around = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(rows.len());
        rows[around].iter().any(|row| row.mark != Mark::Untouched)
    };
    let mut text = String::new();
    let mut hidden = 0;
    for (at, row) in rows.iter().enumerate() {
        if !is_near(at) {
            hidden += 1;
            continue;
        }
        if hidden > 0 && !text.is_empty() {
            let _ = writeln!(text, "{}", style.faint(&format!("        … {hidden} untouched")));
        }
        hidden = 0;
        text += &shown(row, style);
    }
    text
}

fn shown(row: &Row, style: Style) -> String {
    let mark = match row.mark {
        Mark::Removed => style.bad("-"),
        Mark::Changed => style.bad("~"),
        Mark::Impacted => style.doubtful(">"),
        Mark::Untouched => " ".to_string(),
    };
    let number = style.faint(&format!("{:>6}", row.number));
    let line = row.line.replace('\t', "    ");
    let line = line.trim_end();
    if row.note.is_empty() {
        return format!("  {mark}{number} {line}\n");
    }
    let space = " ".repeat(NOTE_COLUMN.saturating_sub(line.chars().count()).max(2));
    format!("  {mark}{number} {line}{space}{}\n", style.faint(&row.note))
}

/// Impacted lines in other files than the function's own: headers with code in them.
fn elsewhere(report: &ImpactReport<'_>, found: &FunctionMatch, style: Style, detail: Detail) -> String {
    let (_, g) = report.diff.function(found);
    let Some(g) = g else { return String::new() };
    let lines = lines::impacted(report, found, Version::New);
    let mut text = String::new();
    for &(file, line) in lines.keys().filter(|(file, _)| *file != g.location.file_id()) {
        let (_, note) = marked(report, &lines, (file, line), detail);
        let name = report.diff.new.program().files.get(file.index()).map_or("", String::as_str);
        let source = report.diff.new.line(file, line).unwrap_or_default().trim();
        let _ = writeln!(text, "  {} {name}:{line}  {source}  {}", style.doubtful(">"), style.faint(&note));
    }
    text
}

fn globals(report: &ImpactReport<'_>, style: Style) -> String {
    let mut text = String::new();
    for global in report.diff.globals().filter(|global| global.status.differs()) {
        let (a, b) = report.diff.global(global);
        let name = b.or(a).map_or("", |global| global.source_name.as_str());
        let _ = writeln!(text, "\n{} global {}", style.doubtful(global.status.name()), style.bold(name));
    }
    text
}

/// The order in which the rules added lines, a row per step (TOSEM'14 Fig. 6).
fn order(report: &ImpactReport<'_>, style: Style) -> String {
    let program = report.diff.new.program();
    let mut seen = BTreeSet::new();
    let mut steps: Vec<(String, u32, Vec<u32>)> = Vec::new();
    for &(id, inst) in &report.impact.order {
        let function = program.function(id);
        let location = function.insts[inst.index()].location;
        let Some(reason) = &report.impact.new[id.index()][inst.index()] else { continue };
        if function.is_runtime || !location.is_known() || !seen.insert((id, location.file, location.line)) {
            continue;
        }
        let rule = reason.rule.number();
        match steps.last_mut() {
            Some((name, last, lines)) if *last == rule && *name == function.source_name => lines.push(location.line),
            _ => steps.push((function.source_name.clone(), rule, vec![location.line])),
        }
    }
    let mut text = String::from("\n");
    for (name, rule, lines) in steps {
        let what = if rule == 0 { "changed".to_string() } else { format!("rule {rule} adds") };
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{}", style.faint(&format!("{what:<12} {name}: lines {}", lines.join(", "))));
    }
    text
}

fn times(report: &ImpactReport<'_>, style: Style) -> String {
    let row = |(phase, time): &(&'static str, std::time::Duration)| {
        style.faint(&format!("{phase:<24}{:>8.3} s", time.as_secs_f64())) + "\n"
    };
    "\n".to_string() + &report.phases.iter().map(row).collect::<String>()
}
