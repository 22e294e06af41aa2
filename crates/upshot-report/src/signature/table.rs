//! A signature as a table: a row for each case, a column for each output.

use std::fmt::Write;

use super::{CaseReport, SignatureReport};

/// The signature as a table of plain text.
pub fn signature_table(report: &SignatureReport) -> String {
    let mut text = format!("{}\n", report.verdict());
    let (head, rows) = rows(&report.cases);
    let width = |column: usize| {
        let of = |row: &Vec<String>| row[column].chars().count();
        rows.iter().map(of).max().unwrap_or(0).max(head[column].chars().count())
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| {
            let pad = width - cell.chars().count();
            format!("{cell}{}", " ".repeat(pad))
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let _ = writeln!(text, "\n{}", line(&head));
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let _ = writeln!(text, "{}", rule.join("  "));
    for row in &rows {
        let _ = writeln!(text, "{}", line(row));
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// The columns' names, and the cells.
pub(super) fn rows(cases: &[CaseReport]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in cases.iter().flat_map(|case| &case.outputs) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let has_errors = cases.iter().any(|case| case.error.is_some() || case.unsupported.is_some());
    let mut head = vec!["#".to_string(), "condition".to_string()];
    head.extend(names.iter().map(|name| name.to_string()));
    if has_errors {
        head.push("ends in".to_string());
    }
    head.push("example".to_string());
    let row = |(number, case): (usize, &CaseReport)| {
        let condition = if case.condition.is_empty() { "always".to_string() } else { case.condition.join(" && ") };
        let mut row = vec![(number + 1).to_string(), condition];
        for name in &names {
            let value = case.outputs.iter().find(|(other, _)| other == *name);
            row.push(value.map_or("-".to_string(), |(_, value)| value.clone()));
        }
        if has_errors {
            let error = case.error.as_ref().map(|(kind, _)| format!("{kind} error"));
            row.push(error.or(case.unsupported.clone()).unwrap_or_default());
        }
        row.push(case.input.clone());
        row
    };
    (head, cases.iter().enumerate().map(row).collect())
}
