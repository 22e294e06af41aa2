//! Tests on disk, and tests run natively.
//!
//! A test is a `.ktest` file as KLEE's tools know it ([`Ktest`]); a run writes its tests into a folder of its own
//! ([`OutDir`]) with a record of how every path ended ([`Run`]); and a [`Replayer`] runs a test natively, along the same
//! branches, to see that the record is true. This crate knows nothing of how paths are found.
//!
//! ```
//! use upshot_suite::{Ktest, Object, OutDir, Pending, render, show};
//! # let folder = tempfile::tempdir()?;
//! let out = OutDir::claim(&folder.path().join("upshot-out"), false)?;
//! let test = Ktest {
//!     args: vec!["program".into()],
//!     objects: vec![Object { name: "x".into(), bytes: 12i32.to_le_bytes().to_vec() }],
//!     ..Ktest::default()
//! };
//! // Found before its place in path order is known:
//! let pending = Pending::kept(out.keep(&test)?);
//! let name = out.settle(pending, 1)?;
//! assert_eq!(name, "test000001");
//! let read = Ktest::read(&out.path().join("test000001.ktest"))?;
//! assert_eq!(render(&name, &show(&read, None, None)), "test000001\n  x = 12 (0xc)\n    bytes 0c 00 00 00\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod journal;
mod ktest;
mod manifest;
mod nursery;
mod outdir;
mod record;
mod replay;
mod show;
mod stack;
mod text;
mod trace;
mod unnamed;

pub use atomic::{WriteError, exchange, write_atomic};
pub use journal::{JOURNAL_FILE, Journal, Lines};
pub use ktest::{KTEST_VERSION, Ktest, KtestError, Object, ReadError};
pub use manifest::{
    Bounds, Manifest, PathText, RangeRecord, SUITE_VERSION, WitnessRecord, checksum, decode_numbers, encode_numbers,
};
pub use outdir::{COMPARISON_FILE, OutDir, OutDirError, Pending, RUN_FILE};
pub use record::{
    Coverage, Covered, Effort, EndKind, ErrorRecord, HexBytes, PathCounts, PathEnd, PathRecord, ProgramRecord, Queries,
    RUN_SCHEMA, RecordError, Run, StackFrame, Text, Times, UnsupportedRecord,
};
pub use replay::{
    BuildKind, Fault, Limits, Mismatch, NativeEnd, NativeRun, ReplayError, Replayer, RunOptions, TraceEvent, check,
};
pub use show::{Shown, ShownValue, inline, render, show};
pub use stack::{StackPart, stack_part};
pub use text::{decode_decisions, encode_decisions, escape_bytes, from_hex, to_hex, unescape_bytes};
pub use trace::{TRACE_START, Trace, function_name_hash, trace_event, trace_step};
