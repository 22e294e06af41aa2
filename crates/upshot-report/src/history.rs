//! What it took to keep a suite up to date along a history: `upshot.history/1`, a table for people, and a plot.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::style::Style;
use crate::update::{UpdateReport, update_json};

/// All commits of a history that touch the program.
#[derive(Clone, Debug, Default)]
pub struct HistoryReport {
    /// As given.
    pub revisions: String,
    /// Oldest first.
    pub steps: Vec<HistoryStep>,
    /// Where the last suite is, and the commit that it is of.
    pub out: Option<String>,
    pub of: String,
}

/// One commit.
#[derive(Clone, Debug)]
pub struct HistoryStep {
    pub commit: String,
    pub subject: String,
    pub result: StepResult,
}

#[derive(Clone, Debug)]
pub enum StepResult {
    Updated(Box<UpdateReport>),
    /// It could not be compiled, or has nothing in common with the version before; it was passed over.
    Failed(String),
}

impl StepResult {
    /// The update of a step, if there was one.
    pub fn of(step: &HistoryStep) -> Option<&UpdateReport> {
        match &step.result {
            StepResult::Updated(report) => Some(report),
            StepResult::Failed(_) => None,
        }
    }
}

impl HistoryReport {
    /// The last commit got its suite, with every path.
    pub fn is_complete(&self) -> bool {
        self.steps.last().is_none_or(|step| StepResult::of(step).is_some_and(|report| report.complete))
    }

    fn sum(&self, of: impl Fn(&UpdateReport) -> f64) -> f64 {
        self.steps.iter().filter_map(StepResult::of).map(of).sum()
    }
}

pub fn history_json(report: &HistoryReport) -> Value {
    let steps: Vec<Value> = report
        .steps
        .iter()
        .map(|step| {
            let mut value = match &step.result {
                StepResult::Updated(report) => json!({"update": update_json(report)}),
                StepResult::Failed(why) => json!({"failed": why}),
            };
            value["commit"] = json!(step.commit);
            value["subject"] = json!(step.subject);
            value
        })
        .collect();
    json!({
        "schema": "upshot.history/1", "complete": report.is_complete(), "revisions": report.revisions,
        "commits": steps, "out": report.out, "of": report.of,
    })
}

pub fn history_text(report: &HistoryReport, style: Style) -> String {
    let mut text = String::new();
    let (count, passed) =
        (report.steps.len(), report.steps.iter().filter(|step| StepResult::of(step).is_none()).count());
    if count == 0 {
        return format!("{}: no commit of {} touches the program\n", style.good("up to date"), report.revisions);
    }
    let verdict = if report.is_complete() { style.good("up to date") } else { style.doubtful("not complete") };
    let _ =
        writeln!(text, "{verdict}: {count} commits of {} touch the program, {passed} passed over", report.revisions);
    let _ = writeln!(
        text,
        "\n{:<10} {:>6} {:>6} {:>6} {:>8} {:>9} {:>10} {:>9} {:>9}",
        "commit", "kept", "new", "gone", "executed", "questions", "from zero", "ms", "from zero"
    );
    for step in &report.steps {
        let _ = match &step.result {
            StepResult::Updated(update) => writeln!(
                text,
                "{:<10} {:>6} {:>6} {:>6} {:>8} {:>9} {:>10} {:>9.1} {:>9.1}  {}",
                step.commit,
                update.kept,
                update.added,
                update.dropped.len(),
                update.executed,
                update.asked,
                update.expected_asked,
                update.spent_s() * 1e3,
                update.expected_s * 1e3,
                step.subject
            ),
            StepResult::Failed(why) => writeln!(text, "{:<10} passed over: {why}", step.commit),
        };
    }
    let _ = writeln!(
        text,
        "\nin all {} questions instead of {}, {:.2} s instead of {:.2} s (starting over is estimated, by what the suite took when it was made)",
        report.sum(|update| update.asked as f64),
        report.sum(|update| update.expected_asked as f64),
        report.sum(UpdateReport::spent_s),
        report.sum(|update| update.expected_s)
    );
    if let Some(out) = &report.out {
        let _ = writeln!(text, "the suite of {} is in {out}", report.of);
    }
    text
}

/// The questions of each commit, beside those of starting over.
pub fn history_svg(report: &HistoryReport) -> String {
    const HEIGHT: f64 = 240.0;
    const STEP: f64 = 36.0;
    let updates: Vec<(&str, &UpdateReport)> =
        report.steps.iter().filter_map(|step| Some((&*step.commit, StepResult::of(step)?))).collect();
    let most = updates.iter().map(|(_, update)| update.asked.max(update.expected_asked)).max().unwrap_or(0).max(1);
    let width = 80.0 + STEP * updates.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"14\">questions asked per commit: <tspan fill=\"#888\">starting over (estimated)</tspan>, <tspan fill=\"#06c\">update</tspan>; most: {most}</text>\n",
        HEIGHT + 110.0
    );
    for (index, (commit, update)) in updates.iter().enumerate() {
        let left = 50.0 + STEP * index as f64;
        for (value, colour, x) in [(update.expected_asked, "#bbb", left), (update.asked, "#06c", left + 13.0)] {
            let height = value as f64 / most as f64 * HEIGHT;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{:.1}\" width=\"12\" height=\"{height:.1}\" fill=\"{colour}\"><title>{commit}: {value}</title></rect>",
                24.0 + HEIGHT - height
            );
        }
        let (x, y) = (left + 8.0, HEIGHT + 34.0);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(60 {x} {y})\">{commit}</text>");
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_commit_has_its_line_and_its_bars() {
        let update = UpdateReport { complete: true, kept: 3, asked: 5, expected_asked: 50, ..UpdateReport::default() };
        let step =
            |commit: &str, result| HistoryStep { commit: commit.to_string(), subject: "A <b>".to_string(), result };
        let mut report = HistoryReport { revisions: "a..b".to_string(), ..HistoryReport::default() };
        report.steps.push(step("1234", StepResult::Updated(Box::new(update))));
        assert!(report.is_complete());
        report.steps.push(step("5678", StepResult::Failed("no".to_string())));
        assert!(!report.is_complete());
        let text = history_text(&report, Style::Plain);
        assert!(text.contains("1234") && text.contains("5678       passed over: no"), "{text}");
        let svg = history_svg(&report);
        assert_eq!((svg.matches("<rect x").count(), svg.contains("height=\"24.0\"")), (2, true), "{svg}");
    }
}
