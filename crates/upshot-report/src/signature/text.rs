//! A signature for people: the verdict, then one case after the other.

use std::fmt::Write;

use super::{CaseReport, ComparedCase, FateReport, OldSignature, SignatureReport, plural, ranges};
use crate::{Detail, Style};

/// The signature as text.
pub fn signature_text(report: &SignatureReport, style: Style, detail: Detail) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.bold(&report.verdict()));
    if let Some(old) = &report.old {
        let _ = writeln!(text, "{}", tally(old, style));
    }
    if detail == Detail::Verdict {
        return text;
    }
    match &report.old {
        None => {
            for (number, case) in report.cases.iter().enumerate() {
                let _ = writeln!(text, "\n{}", style.bold(&format!("{}. {}", number + 1, condition(case))));
                body(case, "   ", style, &mut text);
            }
        }
        Some(old) => compared(report, old, style, detail, &mut text),
    }
    text.push('\n');
    for note in &report.notes {
        let _ = writeln!(text, "{} {note}", style.doubtful("note:"));
    }
    if let Some(out) = &report.out {
        let _ = writeln!(text, "one test for each case is in {out}");
    }
    let _ = writeln!(
        text,
        "{}",
        style.faint(&format!(
            "{} run, {}, {} of them solved, {:.2} s",
            plural(report.paths, "input"),
            plural(report.asked, "question"),
            report.solved,
            report.seconds
        ))
    );
    text
}

fn tally(old: &OldSignature, style: Style) -> String {
    let count = |fate: FateReport| old.compared.iter().filter(|case| case.fate == fate).count();
    let differs = old.compared.iter().any(|case| case.differs_for.is_some());
    let counts: Vec<String> = [FateReport::Same, FateReport::Changed, FateReport::New, FateReport::Gone]
        .into_iter()
        .map(|fate| format!("{} {}", count(fate), fate.name()))
        .collect();
    let text = format!("against {}: {}", old.name, counts.join(", "));
    if differs { style.bad(&text) } else { style.good(&text) }
}

fn compared(report: &SignatureReport, old: &OldSignature, style: Style, detail: Detail, text: &mut String) {
    let mut order: Vec<&ComparedCase> = old.compared.iter().collect();
    order.sort_by_key(|case| case.fate);
    for compared in order {
        let Some(case) = compared.new.map(|at| &report.cases[at]).or(compared.old.map(|at| &old.cases[at])) else {
            continue;
        };
        if compared.fate == FateReport::Same && detail != Detail::Verbose {
            let _ = writeln!(text, "\n{}", style.faint(&format!("same: {}", condition(case))));
            continue;
        }
        let _ = writeln!(text, "\n{}", style.bold(&format!("{}: {}", compared.fate.name(), condition(case))));
        if let (FateReport::Changed, Some(before)) = (compared.fate, compared.old.map(|at| &old.cases[at])) {
            let _ = writeln!(text, "   old:");
            outputs(before, "     ", style, text);
            let _ = writeln!(text, "   new:");
            outputs(case, "     ", style, text);
        } else {
            outputs(case, "   ", style, text);
        }
        match &compared.differs_for {
            Some(input) => {
                let _ = writeln!(text, "   the versions differ for {input}");
            }
            None if compared.fate != FateReport::Same => {
                let _ = writeln!(text, "   the other version does the same for all of these inputs");
            }
            None => {}
        }
    }
}

pub(super) fn condition(case: &CaseReport) -> String {
    match case.condition.len() {
        0 => "always".to_string(),
        _ => format!("if {}", case.condition.join(" and ")),
    }
}

/// The outputs that say something: a stream to which nothing is written does not.
fn shown(case: &CaseReport) -> impl Iterator<Item = &(String, String)> {
    let is_empty_stream =
        |(name, value): &&(String, String)| matches!(name.as_str(), "stdout" | "stderr") && value == "\"\"";
    case.outputs.iter().filter(move |output| !is_empty_stream(output))
}

fn outputs(case: &CaseReport, indent: &str, style: Style, text: &mut String) {
    for (name, value) in shown(case) {
        let _ = writeln!(text, "{indent}{name} = {value}");
    }
    if let Some((kind, what)) = &case.error {
        let _ = writeln!(text, "{indent}{}", style.bad(&format!("{kind} error: {what}")));
    }
    if let Some(why) = &case.unsupported {
        let _ = writeln!(text, "{indent}{}", style.doubtful(&format!("not supported: {why}")));
    }
    if shown(case).next().is_none() && case.error.is_none() && case.unsupported.is_none() {
        let _ = writeln!(text, "{indent}nothing is changed");
    }
}

fn body(case: &CaseReport, indent: &str, style: Style, text: &mut String) {
    outputs(case, indent, style, text);
    if !case.input.is_empty() {
        let name = case.test.as_deref().map_or("for example".to_string(), |test| test.to_string());
        let _ = writeln!(text, "{indent}{}", style.faint(&format!("{name}: {}", case.input)));
    }
    if !case.lines.is_empty() {
        let _ = writeln!(text, "{indent}{}", style.faint(&format!("computed in lines {}", ranges(&case.lines))));
    }
}
