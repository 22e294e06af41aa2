//! `upshot check`: every function that changed, verified, on one page.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use upshot_diff::Changes;
use upshot_ir::FuncId;
use upshot_report::Page;

use crate::arguments::{Bounds, Check, Comparing, Explain, Format, Until};
use crate::assumed;
use crate::explain;
use crate::failure::Failure;
use crate::seeds::{self, Tests};
use crate::settings::extra_flags;
use crate::verify::{self, Job};
use crate::versions::{self, LoadedVersion, Versions, Wanted};

/// Runs the command; the exit code.
pub fn check(arguments: &Check, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let comparing = &arguments.comparing;
    let versions = versions::load_for(&arguments.versions, &Wanted::default(), &extra_flags(&comparing.checks))?;
    let changes = versions.compare()?;
    let functions: Vec<[FuncId; 2]> = changes
        .functions
        .iter()
        .filter(|function| function.status.differs())
        .filter_map(|function| Some([function.old?, function.new?]))
        .filter(|&[old, new]| {
            let (old, new) = (versions.old.program.function(old), versions.new.program.function(new));
            !old.is_declaration && !new.is_declaration && !old.is_runtime && !new.is_runtime
        })
        .collect();
    let name = |version: &LoadedVersion, id| version.program.function(id).source_name.clone();
    let names: Vec<[String; 2]> =
        functions.iter().map(|&[old, new]| [name(&versions.old, old), name(&versions.new, new)]).collect();
    let assumed = assumed::sort_out(arguments, &names)?;
    let tests: Vec<Tests> = names.iter().map(|[_, new]| tests_for(comparing, new)).collect::<Result<_, Failure>>()?;
    let impact =
        upshot_impact::analyse(&versions.old.program, &versions.new.program, &changes, upshot_impact::Scope::Inter);
    verify::spare_suite(comparing)?;
    let out = verify::claim(&comparing.out, comparing)?;
    let mut reports = Vec::new();
    for (index, &entries) in functions.iter().enumerate() {
        let name = names[index][1].clone();
        let under = assumed[index].load(arguments, &name)?;
        let deadline = comparing.bounds.timeout.map(|timeout| {
            let left = (started + timeout).saturating_duration_since(Instant::now());
            Instant::now() + fair_share(left, functions.len() - index)
        });
        let job = |comparing, versions, changes| Job {
            comparing,
            versions,
            changes,
            interrupt,
            started,
            deadline,
            of_several: true,
        };
        let (under_entries, job) = match &under {
            None => (entries, job(comparing, &versions, &changes)),
            Some(under) => (under.entries, job(&under.comparing, &under.versions, &under.changes)),
        };
        let symbolic = name != "main";
        let folder = verify::claim(&out.path().join(&name), comparing)?;
        let mut report = job.run(under_entries, symbolic, Until::All, &tests[index], &folder)?;
        report.notes.extend(assumed[index].notes.iter().cloned());
        // The smallest input first.
        report.partitions.sort_by_key(|partition| (partition.kind, partition.input.len()));
        let behind = match deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            true => Vec::new(),
            false => behind(arguments, &job, under_entries, symbolic.then_some(&*name), &report, folder.path()),
        };
        report.page = Some(page(&versions, &changes, &impact, entries, behind));
        report.entry.get_or_insert(name);
        reports.push(report);
        if interrupt.load(Relaxed) {
            break;
        }
    }
    reports.sort_by_key(upshot_report::rank);
    let complete = reports.len() == functions.len() && reports.iter().all(|report| report.complete);
    match comparing.output.format {
        Format::Json => {
            println!("{}", upshot_report::check_json(&versions.old.name, &versions.new.name, &reports, complete));
        }
        Format::Text => {
            let style = crate::style(comparing.output.color);
            print!("{}", upshot_report::check_text(&reports, style, comparing.output.detail()));
        }
    }
    let codes: Vec<u8> = reports.iter().map(|report| report.exit_code()).collect();
    Ok([130, 1, 3].into_iter().find(|code| codes.contains(code)).unwrap_or(0))
}

/// The tests for one of the functions: those of its own folder in the suite, or all if they are for it.
fn tests_for(comparing: &Comparing, name: &str) -> Result<Tests, Failure> {
    let Some(suite) = &comparing.suite else { return Ok(Tests::default()) };
    let own = suite.join(name);
    let is_of_several = !seeds::is_suite(suite) && seeds::has_folders(suite);
    let found = match is_of_several && !own.is_dir() {
        true => Err(String::new()),
        false => seeds::of_suite(if is_of_several { &own } else { suite }, (name != "main").then_some(name))?,
    };
    let nothing = |_| Tests { seeds: Vec::new(), notes: vec!["the suite has no tests for this function".to_string()] };
    Ok(found.unwrap_or_else(nothing))
}

/// What is left, shared equally between the functions still to come.
fn fair_share(left: Duration, functions: usize) -> Duration {
    left / u32::try_from(functions.max(1)).unwrap_or(u32::MAX)
}

/// How long the line behind a difference is looked for.
const FOR_EXPLAINING: Duration = Duration::from_secs(3);

/// The lines behind the first difference, where they are found soon.
fn behind(
    arguments: &Check,
    job: &Job<'_>,
    entries: [FuncId; 2],
    entry: Option<&str>,
    report: &upshot_report::VerifyReport,
    folder: &Path,
) -> Vec<(bool, String, u32, Option<String>)> {
    let first = report.sorted().into_iter().find(|partition| partition.kind.is_difference() && partition.confirmed);
    let Some(test) = first.and_then(|partition| partition.test.as_ref()) else { return Vec::new() };
    let comparing = &arguments.comparing;
    let explain = Explain {
        versions: arguments.versions.clone(),
        test: None,
        entry: entry.map(str::to_string),
        assume: Vec::new(),
        outputs: Vec::new(),
        path_conditions: false,
        bounds: Bounds { timeout: Some(FOR_EXPLAINING), ..comparing.bounds.clone() },
        checks: comparing.checks.clone(),
        solver: comparing.solver.clone(),
        shown: comparing.output.clone(),
        out: None,
        force: false,
    };
    match explain::lines_behind(&explain, job.versions, job.changes, entries, &folder.join(test), job.interrupt) {
        Ok(found) => found.into_iter().map(|it| (it.is_old, it.file, it.line, it.source)).collect(),
        Err(failure) => {
            tracing::debug!("no explanation: {}", failure.message);
            Vec::new()
        }
    }
}

/// What has changed in a function, and what that may influence there.
fn page(
    versions: &Versions,
    changes: &Changes,
    impact: &upshot_impact::Impact,
    entries: [FuncId; 2],
    behind: Vec<(bool, String, u32, Option<String>)>,
) -> Page {
    let place = |version: &LoadedVersion, file: usize| version.places.get(file).cloned().unwrap_or_default();
    let function = changes.functions.iter().find(|function| function.old == Some(entries[0]));
    let mut changed = Vec::new();
    if let Some(lines) = function.map(|function| &function.changed_lines) {
        changed.extend(lines.old.iter().map(|(file, line)| (true, place(&versions.old, file.index()), *line)));
        changed.extend(lines.new.iter().map(|(file, line)| (false, place(&versions.new, file.index()), *line)));
    }
    let body = versions.new.program.function(entries[1]);
    let marked = body.insts.iter().zip(&impact.new[entries[1].index()]).filter(|(_, reason)| reason.is_some());
    let lines: BTreeSet<(String, u32)> = marked
        .filter(|(inst, _)| inst.location.is_known())
        .map(|(inst, _)| (place(&versions.new, inst.location.file as usize), inst.location.line))
        .collect();
    Page { changed, impacted: lines.into_iter().collect(), behind }
}
