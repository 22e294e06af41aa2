//! A signature as a page of its own, with nothing to be fetched.

use std::fmt::Write;

use super::table::rows;
use super::{FateReport, OldSignature, SignatureReport, plural, ranges};

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.sum { margin: 0 0 1.2rem; opacity: .75; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border-bottom: 1px solid var(--line); }
th { white-space: nowrap; border-bottom-width: 2px; }
tbody tr:nth-child(even) { background: var(--soft); }
code { font: 13px/1.5 ui-monospace, monospace; }
ul.all { list-style: none; margin: 0; padding: 0; }
td.error { color: #c33; font-weight: 600; }
tr.changed td:first-child, tr.new td:first-child, tr.gone td:first-child { font-weight: 600; color: #c60; }
tr.same { opacity: .65; }
p.note { border-left: 3px solid #c90; padding-left: .7rem; }
";

fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            other => result.push(other),
        }
    }
    result
}

/// The signature as an HTML page.
pub fn signature_html(report: &SignatureReport) -> String {
    let title = escaped(&report.verdict());
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let sum = format!(
        "{} run, {}, {:.2} s. Outputs: {}.",
        plural(report.paths, "input"),
        plural(report.asked, "question"),
        report.seconds,
        report.outputs.join(", ")
    );
    let _ = writeln!(page, "<p class=\"sum\">{}</p>", escaped(&sum));
    for note in &report.notes {
        let _ = writeln!(page, "<p class=\"note\">{}</p>", escaped(note));
    }
    if let Some(old) = &report.old {
        compared(report, old, &mut page);
        let _ = writeln!(page, "<h2>All cases of {}</h2>", escaped(&report.program));
    }
    cases(report, &mut page);
    page.push_str("</body>\n</html>\n");
    page
}

fn cases(report: &SignatureReport, page: &mut String) {
    let (mut head, rows) = rows(&report.cases);
    head.push("lines".to_string());
    page.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for name in &head {
        let _ = write!(page, "<th>{}</th>", escaped(name));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let error_column = head.iter().position(|name| name == "ends in");
    for (row, case) in rows.iter().zip(&report.cases) {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            match column {
                0 => {
                    let _ = write!(page, "<td>{}</td>", escaped(cell));
                }
                1 if !case.condition.is_empty() => {
                    let items: String =
                        case.condition.iter().map(|it| format!("<li><code>{}</code></li>", escaped(it))).collect();
                    let _ = write!(page, "<td><ul class=\"all\">{items}</ul></td>");
                }
                _ if Some(column) == error_column && !cell.is_empty() => {
                    let what = case.error.as_ref().map_or(cell, |(_, what)| what);
                    let _ = write!(page, "<td class=\"error\" title=\"{}\">{}</td>", escaped(what), escaped(cell));
                }
                _ => {
                    let _ = write!(page, "<td><code>{}</code></td>", escaped(cell));
                }
            }
        }
        let _ = writeln!(page, "<td>{}</td></tr>", escaped(&ranges(&case.lines)));
    }
    page.push_str("</tbody>\n</table></div>\n");
}

fn compared(report: &SignatureReport, old: &OldSignature, page: &mut String) {
    let _ = writeln!(page, "<h2>Against {}</h2>", escaped(&old.name));
    page.push_str(
        "<div class=\"wide\"><table>\n<thead><tr><th></th><th>condition</th><th>old</th><th>new</th><th>differs for</th></tr></thead>\n<tbody>\n",
    );
    let mut order: Vec<_> = old.compared.iter().collect();
    order.sort_by_key(|case| case.fate);
    for case in order {
        let (before, after) = (case.old.map(|at| &old.cases[at]), case.new.map(|at| &report.cases[at]));
        let Some(shown) = after.or(before) else { continue };
        let cell = |case: Option<&super::CaseReport>| {
            let Some(case) = case else { return String::new() };
            let mut items: Vec<String> = case.outputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            items.extend(case.error.iter().map(|(kind, what)| format!("{kind} error: {what}")));
            let items: String = items.iter().map(|it| format!("<li><code>{}</code></li>", escaped(it))).collect();
            format!("<ul class=\"all\">{items}</ul>")
        };
        let is_shown = case.fate != FateReport::Same;
        let _ = writeln!(
            page,
            "<tr class=\"{fate}\"><td>{fate}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
            escaped(
                if shown.condition.is_empty() { "always".to_string() } else { shown.condition.join(" && ") }.as_str()
            ),
            if is_shown { cell(before) } else { String::new() },
            cell(after),
            escaped(case.differs_for.as_deref().unwrap_or_default()),
            fate = case.fate.name(),
        );
    }
    page.push_str("</tbody>\n</table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_says_is_no_markup() {
        let case = super::super::CaseReport {
            condition: vec!["x < 3 && y > \"2\"".to_string()],
            outputs: vec![("return".to_string(), "x & 7".to_string())],
            ..Default::default()
        };
        let report = SignatureReport { program: "<a>.c".to_string(), cases: vec![case], ..Default::default() };
        let page = signature_html(&report);
        assert!(page.contains("x &lt; 3 &amp;&amp; y &gt; &quot;2&quot;") && page.contains("x &amp; 7"));
        assert!(page.contains("&lt;a&gt;.c") && !page.contains("<a>"));
        for tag in ["table", "tr", "td", "th", "ul", "li", "code", "body", "html"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
