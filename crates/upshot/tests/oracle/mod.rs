//! What both sides of a comparison did: the executor, in this process, and the real processor.
//!
//! A program without symbolic input has one path, and that path must print what the compiled program prints and
//! end with its exit code. Nothing is expected by hand; the machine is the oracle.

#![allow(dead_code)]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use upshot_exec::Image;
use upshot_explore::{Config, End, PathRecord, Sink};

/// How a run ended and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

/// Why the executor has no outcome to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The path was too long for the bounds of these tests.
    TooLong,
    /// Everything else is a failure.
    Failed(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::TooLong => write!(f, "more than {MOST_INSTRUCTIONS} instructions"),
            Trouble::Failed(why) => write!(f, "{why}"),
        }
    }
}

impl<T: Into<String>> From<T> for Trouble {
    fn from(why: T) -> Self {
        Trouble::Failed(why.into())
    }
}

/// Instructions that a path may take before it counts as not ending.
pub const MOST_INSTRUCTIONS: u64 = 50_000_000;

/// Runs the program in the executor.
pub fn executed(file: &Path, flags: &[&str]) -> Result<Outcome, Trouble> {
    let flags = flags.iter().map(ToString::to_string).collect();
    let request = upshot_frontend::Request { inputs: vec![file.to_path_buf()], flags, ..Default::default() };
    let built = upshot_frontend::build(&request)
        .map_err(|error| format!("{error}\n{}", error.diagnostics().unwrap_or_default()))?;
    let program = upshot_ir::load(&built.linked).map_err(|error| error.to_string())?;
    let entry = program.function_named("main").ok_or("there is no main")?;
    let image = Image::new(&program);
    let mut paths = Paths(Vec::new());
    upshot_explore::explore(&image, &config(entry), Vec::new(), &(), &mut paths).map_err(|error| error.to_string())?;
    let [path] = &paths.0[..] else { return Err(format!("{} paths, where there should be one", paths.0.len()).into()) };
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
    let (stdout, stderr) = (text(&path.stdout), text(&path.stderr));
    let code = match &path.end {
        End::Returned(Some(code)) | End::Exited(Some(code)) => *code as u8,
        End::Error { kind, message, location, .. } => {
            return Err(format!("error {}: {message} at {}", kind.name(), program.describe(*location)).into());
        }
        End::Unsupported { what, location } => {
            return Err(format!("unsupported: {what} at {}", program.describe(*location)).into());
        }
        End::Bound(_) => return Err(Trouble::TooLong),
        other => return Err(format!("the path ended otherwise: {other:?}").into()),
    };
    Ok(Outcome { stdout, stderr, code })
}

struct Paths(Vec<PathRecord>);

impl Sink for Paths {
    fn found(&mut self, _: &PathRecord) {}

    fn settled(&mut self, record: PathRecord) -> bool {
        self.0.push(record);
        self.0.len() < 2
    }
}

fn config(entry: upshot_ir::FuncId) -> Config {
    Config {
        exec: upshot_exec::Options { max_instructions: Some(MOST_INSTRUCTIONS), ..Default::default() },
        ..Config::new(entry)
    }
}

/// Compiles the program for this machine and runs it. `Ok(None)` if it is still running after the time given.
pub fn native(file: &Path, flags: &[&str], most: Duration) -> Result<Option<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = folder.path().join("program");
    let clang = upshot_frontend::clang().map_err(|error| error.to_string())?;
    let mut command = Command::new(clang);
    command.args(["-O0", "-fwrapv", "-w"]).args(flags).arg("-o").arg(&binary).arg(file).arg("-lm");
    let compiled = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(format!("clang: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    run(&binary, most)
}

fn run(binary: &Path, most: Duration) -> Result<Option<Outcome>, String> {
    let mut child = Command::new(binary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let started = Instant::now();
    let streams = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr, status) = std::thread::scope(|scope| {
        let out = scope.spawn(|| drain(streams.0));
        let err = scope.spawn(|| drain(streams.1));
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if started.elapsed() < most => std::thread::sleep(Duration::from_millis(1)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
            }
        };
        (out.join().unwrap_or_default(), err.join().unwrap_or_default(), status)
    });
    match status.map(|status| status.code()) {
        None => Ok(None),
        Some(None) => Err("the native program died of a signal".to_string()),
        Some(Some(code)) => Ok(Some(Outcome { stdout, stderr, code: code as u8 })),
    }
}

fn drain(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first line in which two outcomes differ.
pub fn difference(executed: &Outcome, native: &Outcome) -> Option<String> {
    for (stream, executed, native) in
        [("stdout", &executed.stdout, &native.stdout), ("stderr", &executed.stderr, &native.stderr)]
    {
        let (mut ours, mut theirs) = (executed.lines(), native.lines());
        let mut number = 0;
        loop {
            number += 1;
            match (ours.next(), theirs.next()) {
                (None, None) => break,
                (a, b) if a == b => {}
                (a, b) => {
                    let show = |line: Option<&str>| line.map_or("nothing".to_string(), |line| format!("{line:?}"));
                    return Some(format!(
                        "{stream} line {number}:\n    native   {}\n    executed {}",
                        show(b),
                        show(a)
                    ));
                }
            }
        }
        if executed != native {
            return Some(format!("{stream} differs in how its last line ends"));
        }
    }
    (executed.code != native.code).then(|| format!("exit code {}, natively {}", executed.code, native.code))
}

/// Compares one program at one set of flags.
pub fn compare(file: &Path, flags: &[&str]) -> Result<(), String> {
    let native = native(file, flags, Duration::from_secs(20))?.ok_or("the native program does not end")?;
    let executed = executed(file, flags).map_err(|trouble| trouble.to_string())?;
    difference(&executed, &native).map_or(Ok(()), Err)
}

/// Does all the jobs on two threads; what went wrong, by job, in the order of the jobs.
pub fn failures<J: Sync>(jobs: &[J], work: impl Fn(&J) -> Result<(), String> + Sync) -> Vec<(usize, String)> {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < jobs.len());
    let worker = || {
        std::iter::from_fn(take)
            .filter_map(|index| work(&jobs[index]).err().map(|error| (index, error)))
            .collect::<Vec<_>>()
    };
    let mut failures: Vec<(usize, String)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a comparing thread panicked")).collect()
    });
    failures.sort_by_key(|(index, _)| *index);
    failures
}
