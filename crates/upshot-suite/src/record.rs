//! `run.json`: what a run found, and for every path how it ended, so that each can be checked again natively.
//!
//! The same types are what `upshot run --format json` prints, then without `program` and `records`. The schema's
//! name is `upshot.run/1`; fields may be added under it, none changes its meaning. `docs/schemas/run.md` describes it for
//! people.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;
use crate::text::{escape_bytes, from_hex, to_hex, unescape_bytes};
use crate::trace::Trace;

/// The schema's name and version.
pub const RUN_SCHEMA: &str = "upshot.run/1";

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub schema: String,
    /// Every path was followed to its end and every solver question answered.
    pub complete: bool,
    pub paths: PathCounts,
    pub tests: u64,
    /// Paths that depend on where objects lie in memory or on memory that was never written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncertain: u64,
    pub errors: Vec<ErrorRecord>,
    pub unsupported: Vec<UnsupportedRecord>,
    pub instructions: u64,
    pub queries: Queries,
    pub time: Times,
    pub coverage: Coverage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What makes the folder a suite that can follow its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Manifest>,
    /// One per path, in path order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<PathRecord>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Default for Run {
    fn default() -> Self {
        Run {
            schema: RUN_SCHEMA.to_string(),
            complete: false,
            paths: PathCounts::default(),
            tests: 0,
            uncertain: 0,
            errors: Vec::new(),
            unsupported: Vec::new(),
            instructions: 0,
            queries: Queries::default(),
            time: Times::default(),
            coverage: Coverage::default(),
            program: None,
            effort: None,
            suite: None,
            records: Vec::new(),
        }
    }
}

/// How many paths ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathCounts {
    pub finished: u64,
    pub error: u64,
    pub bound: u64,
    pub unsupported: u64,
    pub unknown: u64,
    pub silent: u64,
}

impl PathCounts {
    /// Counts one more path.
    pub fn add(&mut self, kind: EndKind) {
        *match kind {
            EndKind::Finished => &mut self.finished,
            EndKind::Error => &mut self.error,
            EndKind::Bound => &mut self.bound,
            EndKind::Unsupported => &mut self.unsupported,
            EndKind::Unknown => &mut self.unknown,
            EndKind::Silent => &mut self.silent,
        } += 1;
    }

    pub fn total(&self) -> u64 {
        self.finished + self.error + self.bound + self.unsupported + self.unknown + self.silent
    }
}

/// An error of the user's program, once per kind and place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRecord {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub message: String,
    /// The test that shows it; `None` under `--no-tests`.
    pub test: Option<String>,
    /// Innermost first.
    pub stack: Vec<StackFrame>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// A construct that ended paths because Upshot does not do it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedRecord {
    pub what: String,
    pub file: String,
    pub line: u32,
}

/// Questions the executor put, and those that reached a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queries {
    pub asked: u64,
    pub solved: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    pub total_s: f64,
    pub solver_s: f64,
}

/// What it took, or would have taken, to explore everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    pub asked: u64,
    pub solved: u64,
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub lines: Covered,
    pub branches: Covered,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    pub covered: u64,
    pub total: u64,
}

/// What was run: enough to build it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRecord {
    /// The files given.
    pub inputs: Vec<String>,
    /// For clang.
    pub flags: Vec<String>,
    /// `None`: from `main`, with a harness of its own.
    pub entry: Option<String>,
    /// `--assume`, as given.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Of Upshot.
    pub version: String,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndKind {
    #[default]
    Finished,
    /// [`PathEnd::error`] says which.
    Error,
    /// A search bound.
    Bound,
    Unsupported,
    /// The solver gave up.
    Unknown,
    /// `klee_silent_exit`, or an assumption that no input meets.
    Silent,
}

/// How and where a path ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEnd {
    pub kind: EndKind,
    /// The error's kind: `ptr`, `div`, `assert`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Of an error: the function it is in, and the input whose being null is behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_input: Option<String>,
}

/// One path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRecord {
    /// The name of its test, without `.ktest`; `None` where none was written.
    pub test: Option<String>,
    pub end: PathEnd,
    /// The decisions, by [`crate::encode_decisions`].
    pub path: String,
    /// What `main` returned or `exit` was given; `None` where it is not known, or it is not that kind of run or end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What the `--entry` function returned: the bytes of its scalars one after the other, lowest first, or of the struct.
    #[serde(rename = "return", default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<HexBytes>,
    /// What was written to stdout. `None` where it is not known.
    #[serde(default)]
    pub stdout: Option<Text>,
    #[serde(default)]
    pub trace: Option<Trace>,
    /// What `klee_print_expr`, `klee_warning` and the like said, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// It depends on where objects lie in memory, on memory never written, or on `klee_is_symbolic`: natively it may go another way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// It would be uncertain if it had no test: for some of its inputs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncontrolled: bool,
    /// What it covers: a position in [`Manifest::covers`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<u32>,
    /// A checksum of the test's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
}

/// Bytes that are mostly text; see [`escape_bytes`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

impl Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&escape_bytes(&self.0))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        unescape_bytes(&text).map(Text).ok_or_else(|| serde::de::Error::custom("a bad escape in recorded output"))
    }
}

/// Bytes that are data, written in hexadecimal; those that are not known as `??`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HexBytes(pub Vec<Option<u8>>);

impl From<&[u8]> for HexBytes {
    fn from(bytes: &[u8]) -> Self {
        HexBytes(bytes.iter().copied().map(Some).collect())
    }
}

impl Serialize for HexBytes {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|byte| byte.map_or("??".to_string(), |byte| to_hex(&[byte]))).collect();
        to.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |pair: &[u8]| match pair {
            b"??" => Some(None),
            _ => from_hex(std::str::from_utf8(pair).ok()?)?.first().copied().map(Some),
        };
        let bytes: Option<Vec<Option<u8>>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.map(HexBytes).ok_or_else(|| serde::de::Error::custom("expected hexadecimal bytes"))
    }
}

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} is not a record of a run: {source}", path.display())]
    Format { path: PathBuf, source: serde_json::Error },
    #[error("{} has schema {found:?}; {RUN_SCHEMA:?} expected", path.display())]
    Schema { path: PathBuf, found: String },
}

impl Run {
    /// Reads `run.json`.
    pub fn read(path: &Path) -> Result<Run, RecordError> {
        let text = fs::read(path).map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
        let format = |source| RecordError::Format { path: path.to_owned(), source };
        // The schema first: another version's fields would fail with a less helpful message.
        #[derive(Deserialize)]
        struct Schema {
            schema: String,
        }
        let schema: Schema = serde_json::from_slice(&text).map_err(format)?;
        if schema.schema != RUN_SCHEMA {
            return Err(RecordError::Schema { path: path.to_owned(), found: schema.schema });
        }
        serde_json::from_slice(&text).map_err(format)
    }

    /// The file's text: indented, but each path's record on one line, since there may be many.
    pub fn to_json(&self) -> String {
        let head = self.clone_head();
        let mut text = serde_json::to_string_pretty(&head).expect("a record has no map with keys that are not strings");
        if !self.records.is_empty() {
            text.truncate(text.len() - "\n}".len());
            text.push_str(",\n  \"records\": [\n");
            for (i, record) in self.records.iter().enumerate() {
                text.push_str("    ");
                text.push_str(&serde_json::to_string(record).expect("as above"));
                text.push_str(if i + 1 < self.records.len() { ",\n" } else { "\n" });
            }
            text.push_str("  ]\n}");
        }
        text.push('\n');
        text
    }

    /// The record of a test, by the test's name.
    pub fn record_of(&self, test: &str) -> Option<&PathRecord> {
        self.records.iter().find(|r| r.test.as_deref() == Some(test))
    }

    /// Everything but the records, of which there may be many.
    fn clone_head(&self) -> Run {
        Run {
            schema: self.schema.clone(),
            complete: self.complete,
            paths: self.paths,
            tests: self.tests,
            uncertain: self.uncertain,
            errors: self.errors.clone(),
            unsupported: self.unsupported.clone(),
            instructions: self.instructions,
            queries: self.queries,
            time: self.time,
            coverage: self.coverage,
            program: self.program.clone(),
            effort: self.effort,
            suite: self.suite.clone(),
            records: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Run {
        Run {
            complete: true,
            paths: PathCounts { finished: 1, error: 1, ..PathCounts::default() },
            tests: 2,
            errors: vec![ErrorRecord {
                kind: "div".into(),
                file: "a.c".into(),
                line: 3,
                function: "f".into(),
                message: "division by zero".into(),
                test: Some("test000002".into()),
                stack: vec![StackFrame { function: "f".into(), file: "a.c".into(), line: 3 }],
            }],
            program: Some(ProgramRecord {
                inputs: vec!["a.c".into()],
                version: "0.1.0".into(),
                ..ProgramRecord::default()
            }),
            records: vec![
                PathRecord {
                    test: Some("test000001".into()),
                    path: "01".into(),
                    exit: Some(-1),
                    stdout: Some(Text(b"a\0\\\n".to_vec())),
                    trace: Some(Trace { branches: 2, hash: u64::MAX }),
                    ..PathRecord::default()
                },
                PathRecord {
                    end: PathEnd {
                        kind: EndKind::Error,
                        error: Some("div".into()),
                        line: Some(3),
                        ..PathEnd::default()
                    },
                    returned: Some(HexBytes(vec![Some(1), None, Some(0xff)])),
                    ..PathRecord::default()
                },
            ],
            ..Run::default()
        }
    }

    #[test]
    fn comes_back_from_json() {
        let run = sample();
        let text = run.to_json();
        assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run, "{text}");
        let without = Run { records: vec![], ..run };
        assert_eq!(serde_json::from_str::<Run>(&without.to_json()).unwrap(), without);
    }

    #[test]
    fn fields_are_those_of_the_interface() {
        let value: serde_json::Value = serde_json::from_str(&sample().to_json()).unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "schema",
                "complete",
                "paths",
                "tests",
                "errors",
                "unsupported",
                "instructions",
                "queries",
                "time",
                "coverage",
                "program",
                "records"
            ]
        );
        assert_eq!(value["records"][0]["stdout"], "a\\x00\\\\\n");
        assert_eq!(value["records"][1]["end"]["kind"], "error");
        assert_eq!(value["records"][1]["test"], serde_json::Value::Null);
        assert_eq!(value["records"][1]["return"], "01??ff");
        // One line per path.
        assert!(sample().to_json().lines().any(|l| l.contains("test000001\"") && l.contains("branches")));
    }

    #[test]
    fn another_schema_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, r#"{"schema":"upshot.run/2"}"#).unwrap();
        assert!(Run::read(&path).unwrap_err().to_string().contains("upshot.run/2"));
        fs::write(&path, "{").unwrap();
        assert!(matches!(Run::read(&path), Err(RecordError::Format { .. })));
    }
}
