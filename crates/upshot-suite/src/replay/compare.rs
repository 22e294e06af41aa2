//! Does a native run do what the record says?

use std::fmt;

use super::{Fault, NativeEnd, NativeRun};
use crate::record::{EndKind, PathEnd, PathRecord};
use crate::text::{escape_bytes, to_hex};
use crate::trace::Trace;

const ABORT: i32 = 6;
const ILLEGAL: i32 = 4;
const TRAP: i32 = 5;
const BUS: i32 = 7;
const FLOAT: i32 = 8;
const SEGMENT: i32 = 11;

/// The first difference between a record and a native run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("the record says {recorded}, but natively {native}")]
    End { recorded: String, native: String },
    #[error("the record has {} branches, the native run only {native}", recorded.branches)]
    FewerBranches { recorded: Trace, native: u64 },
    #[error("the record ends after {} branches, the native run after {native}", recorded.branches)]
    MoreBranches { recorded: Trace, native: u64 },
    #[error("the native run takes another path within the first {} branches", recorded.branches)]
    Path { recorded: Trace, native: u64 },
    #[error("recorded exit code {recorded}, native {native}")]
    Exit { recorded: i32, native: i64 },
    #[error("recorded result {}, native {}", to_hex(recorded), to_hex(native))]
    Returned { recorded: Vec<u8>, native: Vec<u8> },
    #[error("output differs from byte {at} on: recorded {recorded:?}, native {native:?}")]
    Stdout { at: usize, recorded: String, native: String },
}

/// Compares how it ended, the path taken, the exit code or result, and the output, in this order, as far as each is
/// recorded.
///
/// A path that ended in an error, or was cut off, must agree up to there: its branches are the first ones of the native run,
/// which must have been told their number ([`super::RunOptions::prefix`]). Of an uncertain path nothing is known natively, but that the test
/// is one for the program.
pub fn check(record: &PathRecord, run: &NativeRun) -> Result<(), Mismatch> {
    if record.uncertain && !matches!(run.end, NativeEnd::BadTest { .. }) {
        return Ok(());
    }
    if !end_agrees(&record.end, &run.end) {
        return Err(Mismatch::End { recorded: describe_end(&record.end), native: run.end.to_string() });
    }
    if let Some(trace) = record.trace {
        check_trace(&record.end, trace, run)?;
    }
    if record.end.kind == EndKind::Finished {
        check_value(record, run)?;
    }
    check_stdout(record, run)
}

fn end_agrees(end: &PathEnd, native: &NativeEnd) -> bool {
    use NativeEnd as N;
    match end.kind {
        EndKind::Finished => matches!(native, N::Returned { .. } | N::Exited { .. }),
        EndKind::Silent => matches!(native, N::Silent | N::AssumeFailed),
        EndKind::Error => shows(end.error.as_deref().unwrap_or(""), native),
        // Nothing is known of what comes after the cut; but the test must be one for this program.
        EndKind::Bound | EndKind::Unsupported | EndKind::Unknown => !matches!(native, N::BadTest { .. }),
    }
}

/// Whether a native end is one in which this kind of error shows.
fn shows(error: &str, native: &NativeEnd) -> bool {
    use NativeEnd as N;
    let signal = |wanted: &[i32]| matches!(native, N::Signal { signal, .. } if wanted.contains(signal));
    let fault = |wanted: Fault| matches!(native, N::Signal { fault: Some(fault), .. } if *fault == wanted);
    let check = |wanted: &[&str]| matches!(native, N::Check { kind } if wanted.contains(&kind.as_str()));
    let is_free = |kind: &str| kind.contains("free") && !kind.contains("use-after-free");
    match error {
        "ptr" => match native {
            N::Sanitizer { kind } => !is_free(kind),
            _ => (signal(&[SEGMENT, BUS]) && !fault(Fault::Stack)) || check(&["pointer"]),
        },
        // A pointer to nowhere makes the sanitizer itself fault when it looks for what is to be freed.
        "free" => matches!(native, N::Sanitizer { kind } if is_free(kind)) || fault(Fault::Other),
        "readonly" => fault(Fault::ReadOnly),
        "div" => signal(&[FLOAT]) || check(&["div-zero", "div-overflow"]),
        "overshift" => check(&["overshift"]),
        "overflow" => check(&["overflow"]),
        "assert" => matches!(native, N::Assert { .. }),
        "abort" => signal(&[ABORT, ILLEGAL, TRAP]),
        "unreachable" => check(&["unreachable"]) || signal(&[ILLEGAL]),
        "stack" => fault(Fault::Stack) || matches!(native, N::Sanitizer { kind } if kind == "stack-overflow"),
        // An assumption that no input meets is the harness's error.
        "user" => matches!(native, N::ReportError { .. } | N::AssumeFailed),
        // Of these nothing need show natively: a read of memory never written gives some value, and the executor's own
        // trouble is its own.
        "uninit" | "model" => !matches!(native, N::BadTest { .. }),
        _ => !matches!(native, N::Returned { .. } | N::Exited { .. } | N::BadTest { .. } | N::TimedOut),
    }
}

fn check_trace(end: &PathEnd, recorded: Trace, run: &NativeRun) -> Result<(), Mismatch> {
    let native = run.trace.branches;
    if native < recorded.branches {
        // How deep a recursion gets before the stack is used up depends on the size of its frames.
        let is_stack = end.error.as_deref() == Some("stack");
        return if is_stack { Ok(()) } else { Err(Mismatch::FewerBranches { recorded, native }) };
    }
    let whole = matches!(end.kind, EndKind::Finished | EndKind::Silent);
    if whole && native > recorded.branches {
        return Err(Mismatch::MoreBranches { recorded, native });
    }
    let hash = if native == recorded.branches { Some(run.trace.hash) } else { run.prefix_hash };
    match hash {
        Some(hash) if hash == recorded.hash => Ok(()),
        _ => Err(Mismatch::Path { recorded, native }),
    }
}

fn check_value(record: &PathRecord, run: &NativeRun) -> Result<(), Mismatch> {
    if let Some(recorded) = record.exit {
        match run.end {
            NativeEnd::Returned { value } if value != i64::from(recorded) => {
                return Err(Mismatch::Exit { recorded, native: value });
            }
            // Of what `exit` is given, the system passes on one byte.
            NativeEnd::Exited { code } if code != recorded & 0xff => {
                return Err(Mismatch::Exit { recorded, native: i64::from(code) });
            }
            _ => {}
        }
    }
    if let (Some(recorded), Some(native)) = (&record.returned, &run.returned) {
        let (recorded, native) = run.shape.comparable(&recorded.0, native);
        if recorded != native {
            return Err(Mismatch::Returned { recorded, native });
        }
    }
    Ok(())
}

fn check_stdout(record: &PathRecord, run: &NativeRun) -> Result<(), Mismatch> {
    let Some(recorded) = &record.stdout else { return Ok(()) };
    let (recorded, native) = (&recorded.0, &run.stdout);
    let same = recorded.iter().zip(native).take_while(|(a, b)| a == b).count();
    let agrees = match record.end.kind {
        EndKind::Finished | EndKind::Error | EndKind::Silent => recorded == native,
        // Where exactly a path was cut off between two branches, the native run does not know.
        EndKind::Bound | EndKind::Unsupported | EndKind::Unknown => same == recorded.len() || same == native.len(),
    };
    if agrees {
        return Ok(());
    }
    let from = |bytes: &[u8]| escape_bytes(&bytes[same..bytes.len().min(same + 40)]);
    Err(Mismatch::Stdout { at: same, recorded: from(recorded), native: from(native) })
}

fn describe_end(end: &PathEnd) -> String {
    let kind = match (end.kind, &end.error) {
        (EndKind::Finished, _) => "the path finishes".to_string(),
        (EndKind::Silent, _) => "the path ends silently".to_string(),
        (EndKind::Error, Some(error)) => format!("the path ends in an error of kind `{error}`"),
        (EndKind::Error, None) => "the path ends in an error".to_string(),
        (EndKind::Bound, _) => "the path was cut off by a bound".to_string(),
        (EndKind::Unsupported, _) => "the path was cut off by something unsupported".to_string(),
        (EndKind::Unknown, _) => "the path was cut off by the solver".to_string(),
    };
    match (&end.file, end.line) {
        (Some(file), Some(line)) => format!("{kind} at {file}:{line}"),
        _ => kind,
    }
}

impl fmt::Display for NativeEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeEnd::Returned { value } => write!(f, "it returns {value}"),
            NativeEnd::Exited { code } => write!(f, "it exits with code {code}"),
            NativeEnd::Signal { signal, fault } => {
                write!(f, "it dies by {}", signal_name(*signal))?;
                match fault {
                    Some(Fault::ReadOnly) => write!(f, " (a write to read-only memory)"),
                    Some(Fault::Stack) => write!(f, " (the stack is used up)"),
                    Some(Fault::Other) | None => Ok(()),
                }
            }
            NativeEnd::Sanitizer { kind } => write!(f, "AddressSanitizer reports {kind}"),
            NativeEnd::Check { kind } => write!(f, "a check fails: {kind}"),
            NativeEnd::Assert { message } => write!(f, "an assertion fails: {message}"),
            NativeEnd::ReportError { message } => write!(f, "it reports the error {message:?}"),
            NativeEnd::Silent => write!(f, "it ends silently"),
            NativeEnd::AssumeFailed => write!(f, "an assumption does not hold"),
            NativeEnd::TimedOut => write!(f, "it is still running when its time is up"),
            NativeEnd::Stopped => write!(f, "it was stopped where the record ends"),
            NativeEnd::BadTest { message } => write!(f, "the test does not fit the program: {message}"),
            NativeEnd::Undefined { function } => write!(f, "it calls `{function}`, which is not defined"),
        }
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        ILLEGAL => "SIGILL".to_string(),
        TRAP => "SIGTRAP".to_string(),
        ABORT => "SIGABRT".to_string(),
        BUS => "SIGBUS".to_string(),
        FLOAT => "SIGFPE".to_string(),
        9 => "SIGKILL".to_string(),
        SEGMENT => "SIGSEGV".to_string(),
        13 => "SIGPIPE".to_string(),
        15 => "SIGTERM".to_string(),
        25 => "SIGXFSZ (it writes too much)".to_string(),
        other => format!("signal {other}"),
    }
}
