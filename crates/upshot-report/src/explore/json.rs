//! One JSON object, schema `upshot.explore/1` (docs/schemas/explore.md).

use std::time::Duration;

use serde_json::{Value, json};

use super::{AffectedPath, EntryReport, ExploreReport, FoundError};

/// The object that `--format json` prints.
pub fn explore_json(report: &ExploreReport) -> Value {
    let seconds = |of: fn(&EntryReport) -> Duration| report.entries.iter().map(of).sum::<Duration>().as_secs_f64();
    let listed = |of: fn(&EntryReport) -> Vec<Value>| report.entries.iter().flat_map(of).collect::<Vec<_>>();
    json!({
        "schema": "upshot.explore/1",
        "old": report.old,
        "new": report.new,
        "complete": report.complete,
        "impacted": report.differs,
        "affected_paths": report.affected_paths(),
        "states": report.sum(|entry| entry.states),
        "pruned": report.sum(|entry| entry.pruned),
        "infeasible": report.sum(|entry| entry.infeasible),
        "queries": {
            "asked": report.sum(|entry| entry.asked),
            "put": report.sum(|entry| entry.put),
            "solved": report.sum(|entry| entry.solved),
        },
        "paths": listed(|entry| entry.paths.iter().map(|path| path_json(entry, path)).collect()),
        "errors": listed(|entry| entry.errors.iter().map(error_json).collect()),
        "unaffected_tests": listed(|entry| entry.unaffected.iter().map(|name| json!(name)).collect()),
        "unsupported": listed(|entry| entry.unsupported.iter().map(|what| json!(what)).collect()),
        "limits": listed(|entry| entry.limits.iter().map(|limit| json!(limit)).collect()),
        "notes": report.notes,
        "instructions_impacted": report.instructions_impacted,
        "time": {
            "static_s": report.static_time.as_secs_f64(),
            "explore_s": seconds(|entry| entry.explore_time),
            "solver_s": seconds(|entry| entry.solver_time),
        },
    })
}

fn path_json(entry: &EntryReport, path: &AffectedPath) -> Value {
    json!({
        "entry": entry.entry,
        "condition": path.condition,
        "impacted_lines": path.impacted_lines,
        "impacted": path.impacted,
        "sequence": format!("{:032x}", path.sequence),
        "test": path.test,
        "status": path.status.name(),
        "end": path.end,
    })
}

fn error_json(found: &FoundError) -> Value {
    let mut value = json!(found.error);
    value["status"] = json!(status(found));
    value
}

/// Whose doing an error is.
pub(super) fn status(found: &FoundError) -> &'static str {
    match found.is_new {
        Some(true) => "new",
        Some(false) => "pre-existing",
        None => "unknown",
    }
}
