//! One JSON object, schema `upshot.impact/1` (docs/schemas/impact.md).

use serde_json::{Value, json};
use upshot_diff::FunctionMatch;
use upshot_impact::{Rule, Scope, Version};
use upshot_ir::{FileId, Location};

use super::lines::{self, Lines};
use super::{ImpactReport, why};
use crate::diff::DiffSide;

/// The object that `--format json` prints.
pub fn impact_json(report: &ImpactReport<'_>) -> Value {
    json!({
        "schema": "upshot.impact/1",
        "old": report.diff.old.name,
        "new": report.diff.new.name,
        "scope": match report.scope { Scope::Intra => "intra", Scope::Inter => "inter" },
        "impacted": !report.impact.is_empty(),
        "matched_by": report.diff.matched_by(),
        "functions": report.functions().map(|found| function(report, found)).collect::<Vec<_>>(),
        "globals": report.diff.globals().map(|found| {
            let (a, b) = report.diff.global(found);
            json!({"name": b.or(a).map_or("", |global| &global.source_name), "status": found.status.name()})
        }).collect::<Vec<_>>(),
        "calls": report.impact.calls.iter().map(|call| {
            let program = report.diff.new.program();
            let caller = program.function(call.caller);
            json!({
                "caller": caller.source_name,
                "line": caller.insts[call.inst.index()].location.line,
                "callee": program.function(call.callee).source_name,
            })
        }).collect::<Vec<_>>(),
        "time": report.phases.iter().map(|(name, time)| ((*name).to_string(), json!(time.as_secs_f64()))).collect::<serde_json::Map<_, _>>(),
        "complete": true,
    })
}

fn function(report: &ImpactReport<'_>, found: &FunctionMatch) -> Value {
    let (f, g) = report.diff.function(found);
    let (f, g) = (f.filter(|f| !f.is_declaration), g.filter(|g| !g.is_declaration));
    let (at_old, at_new) = (f.map(|f| f.location), g.map(|g| g.location));
    let file =
        |side: &DiffSide<'_>, location: Option<Location>| location.map(|location| side.file(location).to_string());
    let (new, old) = (lines::impacted(report, found, Version::New), lines::impacted(report, found, Version::Old));
    let (here, elsewhere) = split(&report.diff.new, &new, at_new);
    let (old_here, _) = split(&report.diff.old, &old, at_old);
    let changed = |lines: &[(FileId, u32)], location: Option<Location>| -> Vec<u32> {
        let own = location.unwrap_or_default().file_id();
        lines.iter().filter(|(file, _)| *file == own).map(|(_, line)| *line).collect()
    };
    let (impacted, all) = report.instructions(found);
    json!({
        "name": g.or(f).map_or("", |function| &function.source_name),
        "file": file(&report.diff.new, at_new).or(file(&report.diff.old, at_old)),
        "status": report.touched(found).name(),
        "changed_lines": {
            "old": changed(&found.changed_lines.old, at_old),
            "new": changed(&found.changed_lines.new, at_new),
        },
        "impacted_lines": here,
        "impacted_elsewhere": elsewhere,
        "impacted_lines_old": old_here,
        "impacted_instructions": impacted,
        "instructions": all,
        "reasons": reasons(report, &new),
    })
}

/// The lines of the function's own file, and those of others.
fn split(side: &DiffSide<'_>, lines: &Lines, location: Option<Location>) -> (Vec<u32>, Vec<Value>) {
    let own = location.unwrap_or_default().file_id();
    let here = lines.keys().filter(|(file, _)| *file == own).map(|(_, line)| *line).collect();
    let name = |file: FileId| side.program().files.get(file.index()).cloned().unwrap_or_default();
    let elsewhere = lines.keys().filter(|(file, _)| *file != own);
    (here, elsewhere.map(|(file, line)| json!({"file": name(*file), "line": line})).collect())
}

fn reasons(report: &ImpactReport<'_>, lines: &Lines) -> Vec<Value> {
    let describe = |(&(_, line), &site): (&(FileId, u32), &upshot_impact::Site)| {
        let steps = why::steps(report, site);
        let rule = steps.first().map_or(Rule::Changed, |step| step.reason.rule);
        json!({"line": line, "rule": rule.number(), "why": why::sentence(report, &steps, true)})
    };
    lines.iter().map(describe).collect()
}
