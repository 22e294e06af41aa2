//! `upshot run`, as text: the verdict first, then the evidence.

use std::fmt::Write as _;

use upshot_suite::{ErrorRecord, Run, StackPart};

use crate::Notes;
use crate::style::{Detail, Style};

/// The whole report.
pub fn run_text(run: &Run, notes: &Notes, style: Style, detail: Detail) -> String {
    let mut text = verdict(run, notes, style);
    if detail == Detail::Verdict {
        return text;
    }
    let null_errors: Vec<usize> = notes.null_inputs.iter().flat_map(|(_, errors)| errors.clone()).collect();
    for (index, error) in run.errors.iter().enumerate() {
        if !null_errors.contains(&index) {
            text += &error_text(error, notes.inputs.get(index), style);
        }
    }
    for (name, errors) in &notes.null_inputs {
        text += &null_text(run, notes, name, errors, style);
    }
    for unsupported in &run.unsupported {
        let place = place(&unsupported.file, unsupported.line);
        let _ = writeln!(text, "\n{} {place}{}", style.doubtful("unsupported:"), unsupported.what);
    }
    text += &remarks_text(run, style);
    for limit in &notes.limits {
        let _ = writeln!(text, "\n{} {limit}; there may be more paths", style.doubtful("not complete:"));
    }
    if run.uncertain > 0 {
        let _ = writeln!(
            text,
            "\n{} {} on where objects lie in memory, on memory never written, or on klee_is_symbolic; natively this may go another way",
            style.doubtful("uncertain:"),
            match run.uncertain {
                1 => "1 path depends".to_string(),
                count => format!("{count} paths depend"),
            }
        );
    }
    if !notes.met_symbolic && run.paths.total() == 1 && run.complete {
        text += match &notes.entry {
            None => {
                "\nThe program never decides anything on symbolic data, so there is one path. \
                 (Use klee_make_symbolic in the program, or --entry FUNCTION.)\n"
            }
            Some(_) => "\nNothing is decided by the inputs, so there is one path.\n",
        };
    }
    if run.paths.total() == 0 && run.complete {
        text += "\nThe assumptions leave no input at all.\n";
    }
    if notes.disagreements > 0 {
        let _ = writeln!(
            text,
            "\n{} the solver's cross-check found {} wrong answers: please report this",
            style.bad("bug in Upshot:"),
            notes.disagreements
        );
    }
    text.push('\n');
    text += &figures(run, notes, style);
    if detail == Detail::Verbose {
        text += &layer_table(notes);
    }
    text
}

fn verdict(run: &Run, notes: &Notes, style: Style) -> String {
    let paths = counted(run.paths.total(), "path");
    let extent = match (run.complete, notes.interrupted) {
        (true, _) if notes.range.is_some() => {
            format!("all of the range {}", notes.range.as_deref().unwrap_or_default())
        }
        (true, _) => "all explored".to_string(),
        (false, true) => "interrupted".to_string(),
        (false, false) => "not complete".to_string(),
    };
    let found = match run.paths.error {
        0 if run.complete => style.good("no errors"),
        0 => style.doubtful("no errors so far"),
        _ => style.bad(&counted(run.errors.len() as u64, "error")),
    };
    let mut text = format!("{found} {} {}, {extent}", style.faint("in"), style.bold(&paths));
    let parts: Vec<String> = [
        (run.paths.finished, "finished"),
        (run.paths.error, "ended in an error"),
        (run.paths.bound, "cut off by a bound"),
        (run.paths.unsupported, "met something unsupported"),
        (run.paths.unknown, "left open by the solver"),
        (run.paths.silent, "ended silently"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    if parts.len() > 1 || (run.paths.finished == 0 && !parts.is_empty()) {
        let _ = write!(text, " ({})", parts.join(", "));
    }
    text.push('\n');
    text
}

fn error_text(error: &ErrorRecord, inputs: Option<&String>, style: Style) -> String {
    let mut text = format!(
        "\n{} {}{}\n",
        style.bad(&format!("{}:", error.kind)),
        style.bold(&place(&error.file, error.line)),
        error.message
    );
    for (index, frame) in error.stack.iter().enumerate() {
        match upshot_suite::stack_part(index, error.stack.len()) {
            StackPart::Shown => {
                let at = style.faint(&format!("at {}:{}", frame.file, frame.line));
                let _ = writeln!(text, "    in {} {at}", frame.function);
            }
            StackPart::LeftOut(count) => {
                let _ = writeln!(text, "    … {}", counted(count as u64, "more frame"));
            }
            StackPart::Within => {}
        }
    }
    if let Some(inputs) = inputs.filter(|inputs| !inputs.is_empty()) {
        let _ = writeln!(text, "    with {inputs}");
    }
    if let Some(test) = &error.test {
        let _ = writeln!(text, "    {}", style.faint(&format!("test {test}")));
    }
    text
}

/// What the program said of itself, each thing once, in the order of paths.
fn remarks_text(run: &Run, style: Style) -> String {
    const MOST: usize = 20;
    let mut seen = std::collections::HashSet::new();
    let remarks = run.records.iter().flat_map(|record| &record.remarks);
    let distinct: Vec<&String> = remarks.filter(|remark| seen.insert(*remark)).collect();
    let mut text = String::new();
    for (index, remark) in distinct.iter().take(MOST).enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}{} {remark}", style.faint("said:"));
    }
    if distinct.len() > MOST {
        let _ = writeln!(text, "{} and {} more, in run.json", style.faint("said:"), distinct.len() - MOST);
    }
    text
}

/// All errors that come from one input being null, in a line each, with the way to rule them out.
fn null_text(run: &Run, notes: &Notes, name: &str, errors: &[usize], style: Style) -> String {
    let places: Vec<String> = errors
        .iter()
        .filter_map(|&index| run.errors.get(index))
        .map(|error| match &error.test {
            Some(test) => format!("{}:{} ({test})", error.file, error.line),
            None => format!("{}:{}", error.file, error.line),
        })
        .collect();
    let whose = notes.entry.as_deref().map(|entry| format!(" of {entry}")).unwrap_or_default();
    format!(
        "\n{} {}{whose} may be null: dereferenced at {}\n    to leave this out: --assume '{name} != 0'\n",
        style.bad("ptr:"),
        style.bold(name),
        places.join(", ")
    )
}

fn figures(run: &Run, notes: &Notes, style: Style) -> String {
    let mut lines = Vec::new();
    let share = |covered: u64, total: u64| if total == 0 { 100.0 } else { 100.0 * covered as f64 / total as f64 };
    let (l, b) = (run.coverage.lines, run.coverage.branches);
    lines.push(format!(
        "covered {} of {} lines ({:.0} %), {} of {} branches ({:.0} %)",
        l.covered,
        l.total,
        share(l.covered, l.total),
        b.covered,
        b.total,
        share(b.covered, b.total)
    ));
    lines.push(format!(
        "{} instructions, {} questions ({} needed the solver), {:.2} s ({:.2} s in the solver)",
        grouped(run.instructions),
        grouped(run.queries.asked),
        grouped(run.queries.solved),
        run.time.total_s,
        run.time.solver_s
    ));
    if let Some(out) = &notes.out {
        lines.push(format!("{} in {out}/", counted(run.tests, "test")));
    }
    if notes.can_resume {
        lines.push("to go on from here: the same command with --resume".to_string());
    }
    lines.into_iter().map(|line| style.faint(&line) + "\n").collect()
}

fn layer_table(notes: &Notes) -> String {
    let mut text = format!("\n{:<16}{:>10}{:>10}{:>12}\n", "solver layer", "asked", "answered", "seconds");
    for layer in &notes.layers {
        let _ = writeln!(
            text,
            "{:<16}{:>10}{:>10}{:>12.4}",
            layer.name,
            layer.asked,
            layer.answered,
            layer.time.as_secs_f64()
        );
    }
    text
}

fn place(file: &str, line: u32) -> String {
    if file.is_empty() { String::new() } else { format!("{file}:{line}: ") }
}

pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn the_verdict_comes_first() {
        let mut run = Run { complete: true, ..Run::default() };
        run.paths.finished = 3;
        let text = run_text(&run, &Notes { met_symbolic: true, ..Notes::default() }, Style::Plain, Detail::Verdict);
        assert_eq!(text, "no errors in 3 paths, all explored\n");
    }
}
