//! `upshot impact`.

use std::path::Path;
use std::time::Instant;

use upshot_impact::{Impact, Rule};

use crate::arguments::{self, Format, Scope};
use crate::failure::{Failure, suggestion};
use crate::versions::{self, LoadedVersion, Versions};

/// Runs the command; the exit code says whether anything is impacted.
pub fn impact(arguments: &arguments::Impact) -> Result<u8, Failure> {
    let mut versions = versions::load(&arguments.versions)?;
    if let Some(name) = &arguments.function {
        check_function(&versions, name)?;
    }
    let started = Instant::now();
    let changes = versions.compare()?;
    versions.phases.push(("compare", started.elapsed()));
    let scope = match arguments.scope {
        Scope::Intra => upshot_impact::Scope::Intra,
        Scope::Inter => upshot_impact::Scope::Inter,
    };
    let impact = upshot_impact::analyse(&versions.old.program, &versions.new.program, &changes, scope);
    let mut phases = versions.phases.clone();
    phases.extend(impact.phases.iter().map(|phase| (phase.name, phase.time)));
    if let Some(path) = &arguments.emit_bc {
        emit(path, &versions.new, &impact)?;
    }
    let report = upshot_report::ImpactReport {
        diff: versions.report(&changes),
        impact: &impact,
        scope,
        only: arguments.function.as_deref(),
        phases: &phases,
    };
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::impact_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.output.color);
            print!("{}", upshot_report::impact_text(&report, style, arguments.output.detail()));
        }
    }
    Ok(u8::from(!impact.is_empty()))
}

/// A function that neither version has is a mistake.
fn check_function(versions: &Versions, name: &str) -> Result<(), Failure> {
    let functions = |version: &'static str, loaded: &LoadedVersion| {
        let own = loaded.program.functions.iter().filter(|function| !function.is_declaration && !function.is_runtime);
        let names: Vec<(String, String)> = own.map(|f| (f.source_name.clone(), f.name.clone())).collect();
        (version, names)
    };
    let all = [functions("old", &versions.old), functions("new", &versions.new)];
    if all.iter().flat_map(|(_, names)| names).any(|(source, linkage)| source == name || linkage == name) {
        return Ok(());
    }
    let mut failure = Failure::new(format!("no function `{name}` in either version"));
    let names: Vec<String> = all.into_iter().flat_map(|(_, names)| names).map(|(source, _)| source).collect();
    failure.hint = suggestion(name, &names);
    Err(failure)
}

/// Writes the bitcode of a version with a note on each impacted instruction.
fn emit(path: &Path, version: &LoadedVersion, impact: &Impact) -> Result<(), Failure> {
    let by_name: std::collections::HashMap<&str, usize> =
        version.program.functions.iter().enumerate().map(|(id, function)| (function.name.as_str(), id)).collect();
    let bitcode = upshot_frontend::annotate(&version.bitcode, "upshot.impact", |function, inst| {
        let reason = impact.new[*by_name.get(function)?].get(inst)?.as_ref()?;
        Some(match reason.rule {
            Rule::Changed => "changed".to_string(),
            rule => format!("rule {}", rule.number()),
        })
    })?;
    upshot_suite::write_atomic(path, &bitcode).map_err(Failure::new)
}
