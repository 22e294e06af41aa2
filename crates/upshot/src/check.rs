//! `upshot check`: every function that changed, verified, on one page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use upshot_ir::FuncId;

use crate::arguments::{Check, Format, Until};
use crate::failure::Failure;
use crate::settings::extra_flags;
use crate::verify::{self, Job};
use crate::versions::{self, Wanted};

/// Runs the command; the exit code.
pub fn check(arguments: &Check, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let comparing = &arguments.comparing;
    let wanted = Wanted { entry: None, assumptions: Vec::new() };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&comparing.checks))?;
    if !comparing.assume.is_empty() {
        return Err(Failure::new("check compares several functions, and --assume is about the parameters of one")
            .hint("use upshot verify --entry F --assume EXPR"));
    }
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
    let out = verify::claim(&comparing.out, comparing)?;
    let mut reports = Vec::new();
    for (index, &entries) in functions.iter().enumerate() {
        let deadline = comparing.bounds.timeout.map(|timeout| {
            let left = (started + timeout).saturating_duration_since(Instant::now());
            Instant::now() + fair_share(left, functions.len() - index)
        });
        let job =
            Job { comparing, versions: &versions, changes: &changes, interrupt, started, deadline, of_several: true };
        let symbolic = versions.new.program.function(entries[1]).source_name != "main";
        let name = versions.new.program.function(entries[1]).source_name.clone();
        let folder = verify::claim(&out.path().join(&name), comparing)?;
        let mut report = job.run(entries, symbolic, Until::All, &folder)?;
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

/// What is left, shared equally between the functions still to come.
fn fair_share(left: Duration, functions: usize) -> Duration {
    left / u32::try_from(functions.max(1)).unwrap_or(u32::MAX)
}
