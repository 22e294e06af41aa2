//! `upshot replay`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::json;
use upshot_suite::{BuildKind, Ktest, Limits, NativeRun, RUN_FILE, Replayer, Run, RunOptions, escape_bytes};

use crate::arguments::{Format, ProgramArguments, Replay};
use crate::failure::Failure;
use crate::loaded;

pub fn replay(arguments: &Replay, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let (tests, program): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.files.iter().cloned().partition(|file| file.extension().is_some_and(|end| end == "ktest"));
    if tests.is_empty() {
        return Err(Failure::new("no test given; name .ktest files after the program"));
    }
    let run = record_beside(&tests[0])?;
    if arguments.check && run.is_none() {
        let folder = folder(&tests[0]);
        return Err(Failure::new(format!(
            "--check needs the record of the run, but there is no {RUN_FILE} in {}",
            folder.display()
        )));
    }
    let recorded = run.as_ref().and_then(|run| run.program.as_ref());
    let program = ProgramArguments {
        program: match recorded {
            Some(record) if program.is_empty() => record.inputs.iter().map(PathBuf::from).collect(),
            _ => program,
        },
        entry: arguments.entry.clone().or_else(|| recorded.and_then(|record| record.entry.clone())),
        clang_flags: match recorded {
            Some(record) if arguments.clang_flags.is_empty() => record.flags.clone(),
            _ => arguments.clang_flags.clone(),
        },
        assume: Vec::new(),
    };
    let loaded = loaded::load(&program, &[])?;
    let replayer =
        Replayer::new(&loaded.built.user, &loaded.program, program.entry.as_deref()).map_err(Failure::new)?;
    let mut outcomes = Vec::new();
    let mut mismatches = 0;
    for path in &tests {
        if interrupt.load(Relaxed) {
            return Ok(130);
        }
        let outcome = one(arguments, &replayer, run.as_ref(), path)?;
        mismatches += u64::from(outcome.mismatch.is_some());
        if arguments.output.format == Format::Text {
            print_outcome(arguments, &outcome);
        }
        outcomes.push(outcome);
    }
    match arguments.output.format {
        Format::Json => {
            let list: Vec<_> = outcomes.iter().map(to_json).collect();
            println!(
                "{}",
                json!({"schema": "upshot.replay/1", "complete": true, "checked": arguments.check, "mismatches": mismatches, "tests": list})
            );
        }
        Format::Text if arguments.check => {
            let count = outcomes.len();
            match mismatches {
                0 => println!("{}", agreement(count, outcomes.iter().filter(|outcome| outcome.uncertain).count())),
                _ => println!("{mismatches} of {count} tests did not do natively what was recorded"),
            }
        }
        Format::Text => {}
    }
    Ok(u8::from(mismatches > 0))
}

/// What to say when no test did anything else than recorded.
fn agreement(tests: usize, uncertain: usize) -> String {
    let of = |count: usize| format!("{count} test{}", if count == 1 { "" } else { "s" });
    let agreed = format!("{} took the recorded path to the recorded end", of(tests - uncertain));
    match uncertain {
        0 => agreed,
        _ => format!(
            "{agreed}; {} could not be compared: the path depends on where objects lie in memory, on memory never written, or on klee_is_symbolic",
            of(uncertain)
        ),
    }
}

struct Outcome {
    /// Natively, the recorded path is one of several.
    uncertain: bool,
    name: String,
    run: Option<NativeRun>,
    mismatch: Option<String>,
}

fn one(arguments: &Replay, replayer: &Replayer, run: Option<&Run>, path: &Path) -> Result<Outcome, Failure> {
    let test = Ktest::read(path).map_err(Failure::new)?;
    let name = path.display().to_string();
    let limits = Limits { time: arguments.timeout, ..Limits::default() };
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let record = run.and_then(|run| run.record_of(&stem));
    match record {
        Some(record) if arguments.check => {
            let (run, mismatch) = match replayer.verify(&test, record, limits).map_err(Failure::new)? {
                Ok(run) => (Some(run), None),
                Err(mismatch) => (None, Some(mismatch.to_string())),
            };
            Ok(Outcome { name, run, mismatch, uncertain: record.uncertain })
        }
        None if arguments.check => Err(Failure::new(format!("{name}: {RUN_FILE} has no record of this test"))),
        _ => {
            let kind = record.map_or(BuildKind::Plain, |record| BuildKind::for_end(&record.end));
            let options = RunOptions { limits, ..RunOptions::default() };
            let run = replayer.run(&test, kind, &options).map_err(Failure::new)?;
            Ok(Outcome { name, run: Some(run), mismatch: None, uncertain: false })
        }
    }
}

fn print_outcome(arguments: &Replay, outcome: &Outcome) {
    if let Some(mismatch) = &outcome.mismatch {
        println!("{}: {mismatch}", outcome.name);
        return;
    }
    let Some(run) = &outcome.run else { return };
    if arguments.check && arguments.output.verbose == 0 {
        return;
    }
    println!("{}: {}", outcome.name, run.end);
    if let Some(returned) = &run.returned {
        println!("  returned {}", integer(returned));
    }
    if !run.stdout.is_empty() {
        println!("  stdout: {}", escape_bytes(&run.stdout).trim_end());
    }
    if !run.stderr.is_empty() && arguments.output.verbose > 0 {
        println!("  stderr: {}", escape_bytes(&run.stderr).trim_end());
    }
}

/// Up to 16 bytes as a number, more as bytes.
fn integer(bytes: &[u8]) -> String {
    match bytes.len() {
        4 => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).to_string(),
        1 | 2 | 8 | 16 => {
            let mut wide = [0; 16];
            wide[..bytes.len()].copy_from_slice(bytes);
            let shift = 128 - 8 * bytes.len() as u32;
            ((u128::from_le_bytes(wide) << shift) as i128 >> shift).to_string()
        }
        _ => upshot_suite::to_hex(bytes),
    }
}

fn to_json(outcome: &Outcome) -> serde_json::Value {
    json!({
        "test": outcome.name,
        "end": outcome.run.as_ref().map(|run| run.end.to_string()),
        "stdout": outcome.run.as_ref().map(|run| escape_bytes(&run.stdout)),
        "returned": outcome.run.as_ref().and_then(|run| run.returned.as_deref().map(upshot_suite::to_hex)),
        "mismatch": outcome.mismatch,
        "uncertain": outcome.uncertain,
    })
}

fn folder(test: &Path) -> &Path {
    match test.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn record_beside(test: &Path) -> Result<Option<Run>, Failure> {
    let path = folder(test).join(RUN_FILE);
    if path.exists() { Run::read(&path).map(Some).map_err(Failure::new) } else { Ok(None) }
}
