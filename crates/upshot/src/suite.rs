//! `upshot suite create|show|check`, and suites as `update` reads them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::json;
use upshot_suite::{Ktest, Limits, RUN_FILE, Replayer, Run, SUITE_VERSION};

use crate::arguments::{self, Format, ProgramArguments, Search, SuiteCheck, SuiteCommand, SuiteCreate, SuiteShow};
use crate::failure::Failure;
use crate::{loaded, merge, run, seeds};

/// Runs the command; the exit code.
pub fn suite(command: &SuiteCommand, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    match command {
        SuiteCommand::Create(arguments) => create(arguments, interrupt),
        SuiteCommand::Show(arguments) => show(arguments),
        SuiteCommand::Check(arguments) => check(arguments, interrupt),
        SuiteCommand::Merge(arguments) => merge::merge(arguments, interrupt),
    }
}

/// The folder of a run is a suite, so this is a run of everything, in path order.
fn create(arguments: &SuiteCreate, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let whole = arguments::Run {
        program: arguments.program.clone(),
        bounds: arguments.bounds.clone(),
        checks: arguments.checks.clone(),
        solver: arguments.solver.clone(),
        output: arguments.output.clone(),
        out: arguments.suite.clone(),
        force: arguments.force,
        resume: arguments.resume,
        range: None,
        search: Search::Dfs,
        seed: 0,
        all_errors: arguments.all_errors,
        no_tests: false,
        seeds: arguments.seeds.clone(),
        jobs: arguments.jobs,
    };
    run::run(&whole, interrupt)
}

/// A suite in a folder: the record of its paths, where there is one, and its tests.
pub struct Suite {
    pub folder: PathBuf,
    pub run: Option<Run>,
    /// By path of the record, in path order.
    pub paths: Vec<SuitePath>,
    /// Tests that no record speaks of, with their names.
    pub others: Vec<(String, Ktest)>,
    /// What is wrong with it, in lines for people.
    pub remarks: Vec<String>,
    /// Of all of it.
    pub sum: String,
}

pub struct SuitePath {
    pub sides: Vec<u32>,
    /// Its test, unless that was edited or cannot be read.
    pub test: Option<Ktest>,
}

/// More decisions than any path has.
const MOST_DECISIONS: usize = 1 << 26;

impl Suite {
    pub fn read(folder: &Path) -> Result<Suite, Failure> {
        let mut suite = Suite {
            folder: folder.to_owned(),
            run: None,
            paths: Vec::new(),
            others: Vec::new(),
            remarks: Vec::new(),
            sum: String::new(),
        };
        let file = folder.join(RUN_FILE);
        if file.exists() {
            let run = Run::read(&file).map_err(Failure::new)?;
            if let Some(manifest) = run.suite.as_ref().filter(|manifest| manifest.version > SUITE_VERSION) {
                return Err(Failure::new(format!(
                    "{}: made by a newer Upshot (version {} of the manifest; this one reads up to {SUITE_VERSION})",
                    file.display(),
                    manifest.version
                )));
            }
            suite.paths = suite.recorded(&run)?;
            suite.run = Some(run);
        }
        suite.read_others()?;
        let record = std::fs::read(&file).unwrap_or_default();
        let rest = format!("{:?}{:?}", suite.others, suite.remarks);
        suite.sum = upshot_suite::checksum(&[&record[..], rest.as_bytes()].concat());
        Ok(suite)
    }

    fn recorded(&mut self, run: &Run) -> Result<Vec<SuitePath>, Failure> {
        let mut paths = Vec::with_capacity(run.records.len());
        for record in &run.records {
            let Some(sides) = upshot_suite::decode_decisions(&record.path, MOST_DECISIONS) else {
                return Err(Failure::new(format!(
                    "{}: `{}` is no path",
                    self.folder.join(RUN_FILE).display(),
                    record.path
                )));
            };
            let test = record.test.as_ref().and_then(|name| self.test(name, record.sum.as_deref()));
            paths.push(SuitePath { sides, test });
        }
        Ok(paths)
    }

    /// The test of a record; `None`, with a remark, if it is not what was written.
    fn test(&mut self, name: &str, sum: Option<&str>) -> Option<Ktest> {
        let file = format!("{name}.ktest");
        let read = std::fs::read(self.folder.join(&file));
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                self.remarks.push(format!("{file}: {error}; its path is kept and gets a new test where it needs one"));
                return None;
            }
        };
        if sum.is_some_and(|sum| sum != upshot_suite::checksum(&bytes)) {
            self.remarks.push(format!("{file} was edited since it was written; it is not relied on"));
            return None;
        }
        match Ktest::from_bytes(&bytes) {
            Ok(test) => Some(test),
            Err(error) => {
                self.remarks.push(format!("{file}: {error}; it is not relied on"));
                None
            }
        }
    }

    fn read_others(&mut self) -> Result<(), Failure> {
        let recorded: std::collections::HashSet<&str> =
            self.run.iter().flat_map(|run| &run.records).filter_map(|record| record.test.as_deref()).collect();
        let problem = |error: std::io::Error| Failure::new(format!("{}: {error}", self.folder.display()));
        let entries = std::fs::read_dir(&self.folder).map_err(problem)?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "ktest"));
        files.retain(|file| file.file_stem().is_some_and(|stem| !recorded.contains(&*stem.to_string_lossy())));
        files.sort();
        if files.is_empty() && self.run.is_none() {
            let hint = "make one with `upshot suite create PROGRAM --suite DIR`";
            let message =
                format!("{}: the folder holds no suite: neither {RUN_FILE} nor tests (.ktest)", self.folder.display());
            return Err(Failure::new(message).hint(hint));
        }
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match Ktest::read(&file) {
                Ok(test) => self.others.push((name, test)),
                Err(error) => self.remarks.push(format!("{name}: {error}; it is not used")),
            }
        }
        Ok(())
    }

    /// The names of the tests of the record.
    pub fn test_names(&self) -> impl Iterator<Item = (usize, &str)> {
        let records = self.run.iter().flat_map(|run| &run.records).enumerate();
        records.filter_map(|(number, record)| Some((number, record.test.as_deref()?)))
    }
}

fn show(arguments: &SuiteShow) -> Result<u8, Failure> {
    let suite = Suite::read(&arguments.suite)?;
    let empty = Run::default();
    let run = suite.run.as_ref().unwrap_or(&empty);
    let program = run.program.clone().unwrap_or_default();
    let manifest = run.suite.clone().unwrap_or_default();
    match arguments.output.format {
        Format::Json => {
            let tests: Vec<_> = run
                .records
                .iter()
                .map(|record| {
                    let covers = record.covers.and_then(|number| manifest.covers.get(number as usize));
                    json!({"test": record.test, "path": record.path, "end": record.end, "covers": covers, "exit": record.exit, "return": record.returned, "stdout": record.stdout})
                })
                .collect();
            println!(
                "{}",
                json!({"schema": "upshot.suite/1", "complete": run.complete, "program": program, "bounds": manifest.bounds, "tests": run.tests, "paths": run.paths, "open": manifest.open, "list": tests, "others": suite.others.iter().map(|(name, _)| name).collect::<Vec<_>>(), "remarks": suite.remarks})
            );
        }
        Format::Text => {
            let entry = program.entry.as_deref().unwrap_or("main");
            println!("{}: suite of {} from {entry}", arguments.suite.display(), program.inputs.join(", "));
            let state = if run.complete { "every path" } else { "not complete" };
            println!("  {} tests for {} paths ({state}), by Upshot {}", run.tests, run.paths.total(), program.version);
            if !manifest.open.is_empty() {
                println!("  {} ranges of paths are still open", manifest.open.len());
            }
            if !suite.others.is_empty() {
                println!("  {} tests without a record", suite.others.len());
            }
            for record in run.records.iter().filter(|_| !arguments.output.quiet) {
                let Some(test) = &record.test else { continue };
                let how = match (&record.end.error, &record.end.line) {
                    (Some(error), Some(line)) => format!("{error} error at line {line}"),
                    (Some(error), None) => format!("{error} error"),
                    _ => format!("{:?}", record.end.kind).to_lowercase(),
                };
                println!("  {test}  {how}  path {}", record.path);
            }
            suite.remarks.iter().for_each(|remark| println!("  {remark}"));
        }
    }
    Ok(u8::from(!suite.remarks.is_empty()))
}

fn check(arguments: &SuiteCheck, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let suite = Suite::read(&arguments.suite)?;
    let Some(run) = &suite.run else {
        return Err(Failure::new(format!(
            "{}: the tests have no record ({RUN_FILE}) to compare with",
            suite.folder.display()
        )));
    };
    let recorded = run.program.clone().unwrap_or_default();
    let program = ProgramArguments {
        program: recorded.inputs.iter().map(PathBuf::from).collect(),
        entry: recorded.entry.clone(),
        clang_flags: recorded.flags.clone(),
        assume: Vec::new(),
    };
    let loaded = loaded::load(&program, &[])?;
    let replayer =
        Replayer::new(&loaded.built.user, &loaded.program, program.entry.as_deref()).map_err(Failure::new)?;
    let limits = Limits { time: arguments.timeout, ..Limits::default() };
    let mut wrong: Vec<(String, String)> = Vec::new();
    let mut checked = 0;
    for (path, record) in suite.paths.iter().zip(&run.records) {
        if interrupt.load(Relaxed) {
            return Ok(130);
        }
        let (Some(test), Some(name)) = (&path.test, &record.test) else { continue };
        checked += 1;
        if let Err(mismatch) = replayer.verify(test, record, limits).map_err(Failure::new)? {
            wrong.push((name.clone(), mismatch.to_string()));
        }
    }
    let agrees = wrong.is_empty() && suite.remarks.is_empty();
    match arguments.output.format {
        Format::Json => println!(
            "{}",
            json!({"schema": "upshot.suite-check/1", "complete": true, "tests": run.tests, "checked": checked, "mismatches": wrong.iter().map(|(test, why)| json!({"test": test, "why": why})).collect::<Vec<_>>(), "remarks": suite.remarks})
        ),
        Format::Text => {
            suite.remarks.iter().for_each(|remark| println!("{remark}"));
            wrong.iter().for_each(|(test, why)| println!("{test}: {why}"));
            match agrees {
                true => println!("{checked} tests did natively what was recorded"),
                false => {
                    println!("{} of {} tests differ from the record", wrong.len() + suite.remarks.len(), run.tests)
                }
            }
        }
    }
    Ok(u8::from(!agrees))
}

/// Tests as seeds.
pub fn seed_of(test: &Ktest) -> Arc<upshot_explore::Seed> {
    Arc::new(seeds::seed(test))
}

/// By name of a function: whether the suite was made from the same code. `None` if there is nothing in common.
pub fn differing(
    of_suite: &upshot_suite::Manifest,
    of_old: &std::collections::BTreeMap<String, String>,
) -> Option<Vec<String>> {
    let theirs: HashMap<&String, &String> = of_suite.functions.iter().collect();
    let names: std::collections::BTreeSet<&String> = theirs.keys().copied().chain(of_old.keys()).collect();
    let differs = |name: &&&String| theirs.get(**name).copied() != of_old.get(**name);
    let different: Vec<String> = names.iter().filter(differs).map(|name| name.to_string()).collect();
    let shared = |name: &&&String| !name.starts_with('(') && theirs.contains_key(**name) && of_old.contains_key(**name);
    (names.iter().filter(shared).count() > 0).then_some(different)
}
