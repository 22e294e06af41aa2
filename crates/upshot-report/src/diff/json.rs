//! One JSON object, schema `upshot.diff/1` (docs/schemas/diff.md).

use serde_json::{Map, Value, json};
use upshot_diff::{FunctionMatch, GlobalMatch};
use upshot_ir::{FileId, Location};

use super::{DiffReport, DiffSide, global};

/// The object that `--format json` prints.
pub fn diff_json(report: &DiffReport<'_>) -> Value {
    let types: Vec<Value> = report
        .changes
        .types
        .iter()
        .map(
            |ty| json!({"kind": ty.kind.keyword(), "name": ty.name, "status": ty.status.name(), "details": ty.details}),
        )
        .collect();
    json!({
        "schema": "upshot.diff/1",
        "old": report.old.name,
        "new": report.new.name,
        "differs": report.differs(),
        "matched_by": report.matched_by(),
        "functions": report.functions().map(|found| function(report, found)).collect::<Vec<_>>(),
        "globals": report.globals().map(|found| global(report, found)).collect::<Vec<_>>(),
        "types": types,
        "complete": true,
    })
}

fn function(report: &DiffReport<'_>, found: &FunctionMatch) -> Value {
    let (f, g) = report.function(found);
    let (f, g) = (f.filter(|f| !f.is_declaration), g.filter(|g| !g.is_declaration));
    let name = g.or(f).map_or("", |function| function.source_name.as_str());
    let mut entry = Map::new();
    entry.insert("name".into(), json!(name));
    let (at_old, at_new) = (f.map(|f| f.location), g.map(|g| g.location));
    places(report, &mut entry, at_old, at_new);
    entry.insert("status".into(), json!(found.status.name()));
    entry.insert("moved".into(), json!(report.moved(at_old, at_new)));
    entry.insert("renamed_from".into(), json!(f.filter(|_| found.renamed).map(|f| &f.source_name)));
    let text_differs = found.text_differs(report.old.version, report.new.version);
    entry.insert("text_differs".into(), json!(text_differs));
    if let Some((before, after)) = report.signatures(found) {
        entry.insert("signature".into(), json!({"old": before, "new": after}));
    }
    let lines = |side: &DiffSide<'_>, lines: &[(FileId, u32)], location: Option<Location>| {
        let own = location.unwrap_or_default().file_id();
        let (here, elsewhere): (Vec<_>, Vec<_>) = lines.iter().partition(|(file, _)| *file == own);
        let here: Vec<u32> = here.into_iter().map(|(_, line)| line).collect();
        let name = |file: FileId| side.program().files.get(file.index()).cloned().unwrap_or_default();
        let elsewhere: Vec<Value> =
            elsewhere.into_iter().map(|(file, line)| json!({"file": name(file), "line": line})).collect();
        (here, elsewhere)
    };
    let (old, old_elsewhere) = lines(&report.old, &found.changed_lines.old, at_old);
    let (new, new_elsewhere) = lines(&report.new, &found.changed_lines.new, at_new);
    entry.insert("changed_lines".into(), json!({"old": old, "new": new}));
    if !old_elsewhere.is_empty() || !new_elsewhere.is_empty() {
        entry.insert("changed_elsewhere".into(), json!({"old": old_elsewhere, "new": new_elsewhere}));
    }
    let unmatched = |side: &[Option<upshot_ir::InstId>]| side.iter().filter(|inst| inst.is_none()).count();
    entry.insert(
        "instructions".into(),
        json!({
            "unchanged": found.to_new.len() - unmatched(&found.to_new),
            "removed": unmatched(&found.to_new),
            "added": unmatched(&found.to_old),
        }),
    );
    Value::Object(entry)
}

fn global(report: &DiffReport<'_>, found: &GlobalMatch) -> Value {
    let (a, b) = report.global(found);
    let name = b.or(a).map_or("", |global| global.source_name.as_str());
    let mut entry = Map::new();
    entry.insert("name".into(), json!(name));
    let (at_old, at_new) = (a.map(|a| a.location), b.map(|b| b.location));
    places(report, &mut entry, at_old, at_new);
    entry.insert("status".into(), json!(found.status.name()));
    entry.insert("moved".into(), json!(report.moved(at_old, at_new)));
    entry.insert("renamed_from".into(), json!(a.filter(|_| found.renamed).map(|a| &a.source_name)));
    if let (Some(a), Some(b), true) = (a, b, found.status.differs()) {
        let details = global::differences(report.old.program(), a, report.new.program(), b);
        entry.insert("details".into(), json!(details));
    }
    Value::Object(entry)
}

/// `file` and `line` are of the new version, or of the old one for what is gone; `old_file` and `old_line` of the old one.
fn places(report: &DiffReport<'_>, entry: &mut Map<String, Value>, old: Option<Location>, new: Option<Location>) {
    let known = |location: Option<Location>| location.filter(|location| location.is_known());
    let (old, new) = (known(old), known(new));
    let file = new.map(|new| report.new.file(new)).or(old.map(|old| report.old.file(old)));
    entry.insert("file".into(), json!(file));
    entry.insert("line".into(), json!(new.or(old).map(|location| location.line)));
    if let Some(old) = old {
        entry.insert("old_file".into(), json!(report.old.file(old)));
        entry.insert("old_line".into(), json!(old.line));
    }
}
