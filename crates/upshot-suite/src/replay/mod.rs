//! Native replay: the program compiled for this machine and run on a test, to see that it does what the executor said.
//!
//! The executable is made from the very bitcode that the executor ran, so block and branch numbers mean the same on
//! both sides. Every branch of the user's code reports itself to a small runtime, which also answers the `klee_*` calls
//! from the test and writes down how the run ends. For ends in a memory or arithmetic error there is a second
//! build with AddressSanitizer and checks of our own, because such an error need not show in a plain run.

mod build;
mod checks;
mod compare;
mod control;
mod functions;
mod guard;
mod instrument;
mod llvm;
mod missing;
mod plan;
mod process;
mod shape;
mod start;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use inkwell::builder::BuilderError;
use upshot_ir::Program;

use crate::ktest::Ktest;
use crate::record::{EndKind, PathEnd, PathRecord};
use crate::trace::Trace;
use build::{Build, Workshop};
use control::{Mark, Outcome};
use plan::Plan;
use process::{Finished, Job, Status};
use shape::ObjectShape;

pub use compare::{Mismatch, check};

/// Why a program could not be replayed. What the program itself did is never an error.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the program has no function `{name}` to start from")]
    NoEntry { name: String },
    #[error("the program has no `main`, and no entry was given")]
    NoMain,
    #[error("the program's bitcode is not readable: {message}")]
    Bitcode { message: String },
    #[error("not supported natively: {what}")]
    Unsupported { what: String },
    #[error("no compiler for native runs: {0}")]
    Clang(#[from] upshot_frontend::FrontendError),
    #[error("the program could not be built natively:\n{diagnostics}")]
    Compile { diagnostics: String },
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("this is a bug in upshot: {0}")]
    Internal(String),
}

impl ReplayError {
    fn io(action: &'static str, path: &Path, source: std::io::Error) -> ReplayError {
        ReplayError::Io { action, path: path.to_owned(), source }
    }
}

impl From<BuilderError> for ReplayError {
    fn from(error: BuilderError) -> Self {
        ReplayError::Internal(format!("instrumentation: {error}"))
    }
}

/// How a program is built for a native run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuildKind {
    /// As it is, with the branch trace.
    Plain,
    /// With AddressSanitizer, and checks for divisions, shifts and stray pointers.
    Checked,
    /// The same, and signed overflow is an error (where the bitcode says which additions are signed: not under `-fwrapv`).
    Overflow,
}

impl BuildKind {
    /// The build in which a path's end shows.
    pub fn for_end(end: &PathEnd) -> BuildKind {
        match (end.kind, end.error.as_deref()) {
            // Frames are larger in the checked build, and partly not on the stack.
            (EndKind::Error, Some("assert" | "abort" | "user" | "stack" | "model" | "uninit" | "endless")) => {
                BuildKind::Plain
            }
            (EndKind::Error, Some("overflow")) => BuildKind::Overflow,
            (EndKind::Error, _) => BuildKind::Checked,
            _ => BuildKind::Plain,
        }
    }
}

/// What a native run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of address space; not for builds with AddressSanitizer, which reserve more than there is.
    pub memory: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// Bytes written to any one file, stdout included.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(10), memory: 4 << 30, stack: 8 << 20, output: 256 << 20 }
    }
}

/// How to run a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    pub limits: Limits,
    /// Also fold the first so many branches by themselves.
    pub prefix: Option<u64>,
    /// End the run after those.
    pub stop_at_prefix: bool,
    /// List so many branches one by one.
    pub events: usize,
    /// Tell what the test's memory and globals hold when the entry comes back.
    pub memory: bool,
}

/// One branch of a native run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Linkage name.
    pub function: String,
    pub block: u32,
    pub successor: u32,
}

/// What a fault was about, as far as the machine tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Null or wild pointers, a division, …
    Other,
    /// A write to memory that may only be read.
    ReadOnly,
    /// The stack was used up.
    Stack,
}

/// How a native run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeEnd {
    /// `main` came back with this value, or the entry function came back (0).
    Returned {
        value: i64,
    },
    /// `exit` or its like.
    Exited {
        code: i32,
    },
    /// Death by signal. The fault is known if the program did not handle the signal itself.
    Signal {
        signal: i32,
        fault: Option<Fault>,
    },
    /// AddressSanitizer's name for it, such as `heap-use-after-free`.
    Sanitizer {
        kind: String,
    },
    /// One of our own checks: `div-zero`, `div-overflow`, `overshift`, `unreachable`, `pointer`, `overflow`.
    Check {
        kind: String,
    },
    Assert {
        message: String,
    },
    ReportError {
        message: String,
    },
    Silent,
    AssumeFailed,
    TimedOut,
    /// The branches asked for were reached.
    Stopped,
    /// The program asked for inputs that the test does not have.
    BadTest {
        message: String,
    },
    /// A function was called that nobody defines.
    Undefined {
        function: String,
    },
}

/// A native run.
#[derive(Clone, Debug)]
pub struct NativeRun {
    pub end: NativeEnd,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// What the `--entry` function returned, if it did: as [`PathRecord::returned`].
    pub returned: Option<Vec<u8>>,
    /// What the test's memory and globals held when the entry came back, without addresses, if that was asked for.
    pub memory: Option<Vec<u8>>,
    pub trace: Trace,
    /// The fold of the branches up to [`RunOptions::prefix`], if there were so many.
    pub prefix_hash: Option<u64>,
    pub events: Vec<TraceEvent>,
    shape: ObjectShape,
}

/// Builds a program natively, once per kind of build and when first needed, and runs tests on it. May be used from
/// several threads.
#[derive(Debug)]
pub struct Replayer {
    workshop: Workshop,
    runtime: OnceLock<PathBuf>,
    plain: OnceLock<Build>,
    checked: OnceLock<Build>,
    overflow: OnceLock<Build>,
    /// Held while building.
    building: Mutex<()>,
    /// Removed when the replayer goes.
    folder: tempfile::TempDir,
}

impl Replayer {
    /// A replayer for the user's bitcode (without the executor's C runtime). `program` is what was loaded from it, for the
    /// parameters of `entry` and the names of globals.
    pub fn new(user_bitcode: &[u8], program: &Program, entry: Option<&str>) -> Result<Replayer, ReplayError> {
        let plan = Plan::new(program, entry)?;
        let folder = tempfile::Builder::new().prefix("upshot-replay-").tempdir();
        let folder = folder.map_err(|e| ReplayError::io("create", &std::env::temp_dir(), e))?;
        let workshop = Workshop {
            clang: upshot_frontend::clang()?,
            folder: folder.path().to_owned(),
            bitcode: user_bitcode.to_vec(),
            plan,
        };
        workshop.check()?;
        Ok(Replayer {
            workshop,
            runtime: OnceLock::new(),
            plain: OnceLock::new(),
            checked: OnceLock::new(),
            overflow: OnceLock::new(),
            building: Mutex::new(()),
            folder,
        })
    }

    /// Runs a test.
    pub fn run(&self, test: &Ktest, kind: BuildKind, options: &RunOptions) -> Result<NativeRun, ReplayError> {
        let build = self.build(kind)?;
        let scratch = tempfile::Builder::new().prefix("run-").tempdir_in(self.folder.path());
        let scratch = scratch.map_err(|e| ReplayError::io("create", self.folder.path(), e))?;
        let (page, file) = (scratch.path().join("record"), scratch.path().join("test.ktest"));
        let memory = if kind == BuildKind::Plain { options.limits.memory } else { 0 };
        let contents = control::encode(options, memory, build.result.size());
        fs::write(&page, contents).map_err(|e| ReplayError::io("write", &page, e))?;
        let plan = &self.workshop.plan;
        let bytes = match &plan.entry {
            Some(entry) => functions::with_results(test, &plan.outline, &entry.function).to_bytes(),
            None => test.to_bytes(),
        };
        fs::write(&file, bytes).map_err(|e| ReplayError::io("write", &file, e))?;
        let memory_file = scratch.path().join("memory");
        let mut environment = vec![("UPSHOT_REPLAY_RECORD", &*page), ("UPSHOT_REPLAY_TEST", &*file)];
        if options.memory {
            environment.push(("UPSHOT_REPLAY_MEMORY", &memory_file));
        }
        let finished = process::run(&Job {
            program: &build.program,
            arguments: &test.args,
            environment: &environment,
            stdin: test.object("stdin").map(|o| &*o.bytes),
            folder: scratch.path(),
            time: options.limits.time,
        })?;
        let page = fs::read(&page).map_err(|e| ReplayError::io("read", &page, e))?;
        let outcome = control::decode(&page, &build.functions);
        let outcome = outcome.filter(|o| o.started || finished.status.is_none());
        let outcome = outcome.ok_or_else(|| ReplayError::Unsupported {
            what: format!("the program did not start or overwrote its record ({:?})", finished.status),
        })?;
        let memory = fs::read(&memory_file).ok().filter(|_| options.memory);
        Ok(NativeRun { memory, ..native_run(outcome, finished, build) })
    }

    /// Runs a test in the build in which the recorded end shows, and compares. The outer error says that it could not be
    /// run, the inner one that it ran differently.
    pub fn verify(
        &self,
        test: &Ktest,
        record: &PathRecord,
        limits: Limits,
    ) -> Result<Result<NativeRun, Mismatch>, ReplayError> {
        let cut_off = matches!(record.end.kind, EndKind::Bound | EndKind::Unsupported | EndKind::Unknown);
        let options = RunOptions {
            limits,
            prefix: record.trace.map(|t| t.branches),
            stop_at_prefix: cut_off && record.trace.is_some(),
            ..RunOptions::default()
        };
        let run = self.run(test, BuildKind::for_end(&record.end), &options)?;
        Ok(check(record, &run).map(|()| run))
    }

    /// The executable of a build, made if need be: for running it by hand, with the test's path in `UPSHOT_REPLAY_TEST`.
    pub fn executable(&self, kind: BuildKind) -> Result<&Path, ReplayError> {
        Ok(&self.build(kind)?.program)
    }

    fn build(&self, kind: BuildKind) -> Result<&Build, ReplayError> {
        let slot = match kind {
            BuildKind::Plain => &self.plain,
            BuildKind::Checked => &self.checked,
            BuildKind::Overflow => &self.overflow,
        };
        if let Some(build) = slot.get() {
            return Ok(build);
        }
        let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.get().is_none() {
            let runtime = match self.runtime.get() {
                Some(runtime) => runtime,
                None => {
                    let runtime = self.workshop.runtime()?;
                    self.runtime.get_or_init(|| runtime)
                }
            };
            let build = self.workshop.build(kind, runtime)?;
            let _ = slot.set(build);
        }
        slot.get().ok_or_else(|| ReplayError::Internal("a build is lost".to_string()))
    }
}

fn native_run(outcome: Outcome, finished: Finished, build: &Build) -> NativeRun {
    NativeRun {
        end: native_end(&outcome, finished.status),
        stdout: finished.stdout,
        stderr: finished.stderr,
        returned: outcome.result.filter(|_| build.result.size() > 0).map(|bytes| build.result.reduce(&bytes)),
        memory: None,
        trace: Trace { branches: outcome.count, hash: outcome.hash },
        prefix_hash: outcome.prefix_hash,
        events: outcome.events,
        shape: build.result.clone(),
    }
}

/// Puts together what the program wrote down and what the system says.
fn native_end(outcome: &Outcome, status: Option<Status>) -> NativeEnd {
    const ABORT: i32 = 6;
    let text = outcome.text.clone();
    let Some(status) = status else { return NativeEnd::TimedOut };
    match (outcome.mark, status) {
        // A failed assertion whose abort was survived is no end.
        (Mark::Assert, Status::Signal(ABORT)) => NativeEnd::Assert { message: text },
        (Mark::Assume, Status::Exited(_)) => NativeEnd::AssumeFailed,
        (Mark::Silent, Status::Exited(_)) => NativeEnd::Silent,
        (Mark::Report, Status::Exited(_)) => NativeEnd::ReportError { message: text },
        (Mark::BadTest, Status::Exited(_)) => NativeEnd::BadTest { message: text },
        (Mark::Undefined, Status::Exited(_)) => NativeEnd::Undefined { function: text },
        (Mark::Stopped, Status::Exited(_)) => NativeEnd::Stopped,
        (Mark::Check, Status::Exited(_)) => NativeEnd::Check { kind: text },
        (Mark::Sanitizer, _) => NativeEnd::Sanitizer { kind: text },
        (_, Status::Signal(signal)) => NativeEnd::Signal {
            signal,
            fault: match outcome.fault {
                0 => None,
                2 => Some(Fault::ReadOnly),
                3 => Some(Fault::Stack),
                _ => Some(Fault::Other),
            },
        },
        (_, Status::Exited(code)) => match outcome.returned {
            Some(value) if value & 0xff == i64::from(code) => NativeEnd::Returned { value },
            _ => NativeEnd::Exited { code },
        },
    }
}
