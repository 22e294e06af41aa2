//! The same answer for any number of workers, and from run to run: every byte of every file, but for times and for
//! how the questions were answered.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::case::explore;
use crate::expectation::Expectation;
use crate::tool::{self, Ended};

pub fn check(file: &Path) -> Result<(), String> {
    let expectation = Expectation::read(&tool::root(), file)?;
    compare_runs(|flags, out| explore(&expectation, flags, out))
}

/// Runs with one worker, with two, and with eight: three processes, so what differs from run to run shows as well. `run` gets the flags to add and where to write.
pub fn compare_runs(run: impl Fn(&[String], &Path) -> Ended) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut first = None;
    for workers in [1, 2, 8] {
        let out = folder.path().join(workers.to_string());
        let ended = run(&[format!("-j{workers}")], &out);
        let mut printed = ended.json()?;
        strip(&mut printed);
        let mut files = contents(&out)?;
        files.insert("what was printed".to_string(), printed.to_string().into_bytes());
        match &first {
            None => first = Some(files),
            Some(first) => same(first, &files).map_err(|why| format!("-j{workers}: {why}"))?,
        }
    }
    Ok(())
}

/// Leaves out what may differ.
fn strip(run: &mut Value) {
    if let Some(fields) = run.as_object_mut() {
        fields.remove("time");
        fields.remove("queries");
        fields.remove("effort");
    }
}

fn contents(out: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(out).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // In what order things were found may differ, and that is what it says.
        if name == "journal" {
            continue;
        }
        let mut bytes = std::fs::read(entry.path()).map_err(|error| format!("{name}: {error}"))?;
        if name == "run.json" {
            let mut run: Value = serde_json::from_slice(&bytes).map_err(|error| format!("{name}: {error}"))?;
            strip(&mut run);
            bytes = run.to_string().into_bytes();
        }
        files.insert(name, bytes);
    }
    Ok(files)
}

fn same(first: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
    if first == other {
        return Ok(());
    }
    for (name, bytes) in first {
        match other.get(name) {
            None => return Err(format!("{name} is missing")),
            Some(others) if others != bytes => {
                let at = bytes.iter().zip(others).position(|(a, b)| a != b).unwrap_or(bytes.len().min(others.len()));
                let around = |bytes: &[u8]| {
                    let part = &bytes[at.saturating_sub(60)..bytes.len().min(at + 60)];
                    String::from_utf8_lossy(part).into_owned()
                };
                return Err(format!("{name} differs: …{}… and …{}…", around(bytes), around(others)));
            }
            Some(_) => {}
        }
    }
    Err("there are more files than in the first run".to_string())
}
