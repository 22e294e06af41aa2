//! `upshot minimize`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use upshot_exec::{Externals, Image};
use upshot_impact::{Checks, Effects};
use upshot_report::{KeptTest, MinimizeReport, RemovedTest};
use upshot_slice::{Code, Config, Key, Slicer};
use upshot_suite::{Ktest, OutDir, RUN_FILE, Run};

use crate::arguments::{Format, Minimize, ProgramArguments, SolverArguments};
use crate::failure::Failure;
use crate::loaded;
use crate::outputs;
use crate::seeds;
use crate::settings::{Beginning, Settings, extra_flags};

/// Runs the command; the exit code.
pub fn minimize(arguments: &Minimize, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let files = seeds::tests_in(&arguments.suite)?;
    let record = record_of(&arguments.suite)?;
    let program = program(arguments, record.as_ref())?;
    if let (Some(out), Ok(suite)) = (&arguments.out, arguments.suite.canonicalize())
        && out.canonicalize().is_ok_and(|out| out == suite)
    {
        return Err(Failure::new("--out is the suite itself").hint("name another folder: the suite is left as it is"));
    }
    let mut tests = Vec::new();
    for file in &files {
        let test = Ktest::read(file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        tests.push((name_of(file), test));
    }
    let out = match &arguments.out {
        Some(out) => Some(OutDir::claim(out, arguments.force)?),
        None => None,
    };
    let mut report = sort_out(arguments, &program, &tests, interrupt, started)?;
    if let (Some(out), false) = (&out, report.interrupted) {
        write(out, &tests, &report, record)?;
        report.out = Some(out.path().display().to_string());
    }
    report.seconds = started.elapsed().as_secs_f64();
    match arguments.shown.format {
        Format::Json => println!("{}", upshot_report::minimize_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.shown.color);
            print!("{}", upshot_report::minimize_text(&report, style, arguments.shown.detail()));
        }
    }
    Ok(match () {
        _ if report.interrupted => 130,
        _ if report.complete => 0,
        _ => 3,
    })
}

fn name_of(file: &Path) -> String {
    file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The record beside the tests, if there is one.
fn record_of(suite: &Path) -> Result<Option<Run>, Failure> {
    let file = suite.join(RUN_FILE);
    if !file.exists() {
        return Ok(None);
    }
    Run::read(&file).map(Some).map_err(Failure::new)
}

/// What the tests are for: as the command line says, else as the record does.
fn program(arguments: &Minimize, record: Option<&Run>) -> Result<ProgramArguments, Failure> {
    let recorded = record.and_then(|run| run.program.as_ref());
    let program: Vec<PathBuf> = match recorded {
        Some(record) if arguments.program.is_empty() => record.inputs.iter().map(PathBuf::from).collect(),
        _ => arguments.program.clone(),
    };
    if program.is_empty() {
        return Err(Failure::new("no program given, and no record beside the tests that names one")
            .hint("name the C files that the tests are for"));
    }
    let clang_flags = match recorded {
        Some(record) if arguments.clang_flags.is_empty() => record.flags.clone(),
        _ => arguments.clang_flags.clone(),
    };
    let entry = arguments.entry.clone().or_else(|| recorded.and_then(|record| record.entry.clone()));
    Ok(ProgramArguments { program, entry, clang_flags, assume: Vec::new() })
}

/// Slices the path of every test; the first of each kind stays.
fn sort_out(
    arguments: &Minimize,
    program: &ProgramArguments,
    tests: &[(String, Ktest)],
    interrupt: &Arc<AtomicBool>,
    started: Instant,
) -> Result<MinimizeReport, Failure> {
    let loaded = loaded::load(program, &extra_flags(&arguments.checks))?;
    let is_main = program.entry.is_none();
    let outputs = outputs::resolve(&loaded.program, loaded.entry, is_main, &arguments.outputs)?;
    let solver = SolverArguments::default();
    let settings = Settings {
        bounds: &arguments.bounds,
        checks: &arguments.checks,
        solver: &solver,
        jobs: None,
        interrupt,
        started,
    };
    let beginning = Beginning { program: &outputs.program, entry: loaded.entry, symbolic: !is_main, assumptions: &[] };
    let explore = settings.config(&beginning);
    let config = Config {
        start: explore.start,
        exec: upshot_exec::Options { externals: Externals::Uninterpreted, ..explore.exec },
        solver: explore.solver,
        outputs: outputs.wanted.clone(),
        max_depth: explore.max_depth,
        deadline: explore.deadline,
        interrupt: interrupt.clone(),
        ..Config::new(loaded.entry)
    };
    let checks = Checks { overflow: arguments.checks.check_overflow, uninit: arguments.checks.check_uninit };
    let effects = Effects::new(&outputs.program, loaded.entry, checks);
    let code = Code::new(&outputs.program, &effects);
    let image = Image::watched(&outputs.program, outputs.watch.clone());
    let mut slicer = Slicer::new(&image, &config, &outputs.variables, &code).map_err(Failure::new)?;
    let mut report =
        MinimizeReport { suite: arguments.suite.display().to_string(), complete: true, ..MinimizeReport::default() };
    let mut first: BTreeMap<Key, String> = BTreeMap::new();
    for (name, test) in tests {
        let sliced = slicer.slice(seeds::seed(test)).map_err(Failure::new)?;
        if interrupt.load(Relaxed) {
            report.interrupted = true;
            report.complete = false;
            break;
        }
        let why = if !sliced.misfits.is_empty() {
            Some(format!("it has no fitting value for {}", sliced.misfits.join(", ")))
        } else if !sliced.is_known {
            Some(format!("its path could not be followed to an end ({})", sliced.case.end.word()))
        } else {
            None
        };
        report.complete &= why.is_none();
        match first.get(&sliced.key) {
            Some(other) if why.is_none() => {
                report.removed.push(RemovedTest { test: name.clone(), represented_by: other.clone() });
                continue;
            }
            _ => {}
        }
        if why.is_none() {
            first.insert(sliced.key, name.clone());
        }
        report.kept.push(KeptTest { test: name.clone(), condition: sliced.case.condition, why });
    }
    Ok(report)
}

/// Writes the tests that stay, under the names they have, and a record of them.
fn write(out: &OutDir, tests: &[(String, Ktest)], report: &MinimizeReport, record: Option<Run>) -> Result<(), Failure> {
    let is_kept = |name: &str| {
        let stem = |name: &str| name.strip_suffix(".ktest").unwrap_or(name).to_string();
        report.kept.iter().any(|kept| stem(&kept.test) == stem(name))
    };
    for (name, test) in tests.iter().filter(|(name, _)| is_kept(name)) {
        upshot_suite::write_atomic(&out.path().join(name), &test.to_bytes()).map_err(Failure::new)?;
    }
    let Some(mut run) = record else { return Ok(()) };
    // Not every path is there any more, so nothing may be concluded from what is not.
    run.suite = None;
    run.complete = false;
    run.tests = report.kept.len() as u64;
    run.records.retain(|record| record.test.as_deref().is_some_and(is_kept));
    run.errors.retain(|error| error.test.as_deref().is_some_and(is_kept));
    Ok(out.write_run(&run)?)
}
