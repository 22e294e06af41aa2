//! Each version of each example is what `example.json` beside it says: explored completely, with the one kind of error that it is said to add.
//!
//! `v1.c` is the base and has no errors. Every other `v*.c` in the folder is listed. Of an example that is marked `slow`, only the base and the
//! versions with an error are run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tool;

const KINDS: [&str; 6] = ["condition", "assignment", "added", "removed", "combined", "rename"];
const PLACES: [&str; 8] = ["top", "middle", "bottom", "nested", "loop", "callee", "global", "memory"];
const BASE: &str = "v1.c";
/// Tests of affected paths that are run natively, per version.
const MOST_REPLAYED: usize = 6;

/// One version, about to be run.
#[derive(Clone)]
pub struct Version {
    pub name: String,
    /// Of an example that is marked so.
    pub is_slow: bool,
    arguments: Vec<String>,
    error: Option<String>,
}

/// All versions of all examples, in order.
pub fn versions() -> Result<Vec<Version>, String> {
    let mut versions = Vec::new();
    for folder in folders()? {
        let described = describe(&folder)?;
        versions
            .extend(listed(&folder, &described).map_err(|why| format!("{}/example.json: {why}", folder.display()))?);
    }
    Ok(versions)
}

/// The folders of the examples, from the root of the repository, by name.
fn folders() -> Result<Vec<PathBuf>, String> {
    let parent = Path::new("c-examples");
    let entries =
        std::fs::read_dir(tool::root().join(parent)).map_err(|error| format!("{}: {error}", parent.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().filter(|entry| entry.path().is_dir()).map(|entry| parent.join(entry.file_name())).collect();
    folders.sort();
    Ok(folders)
}

fn describe(folder: &Path) -> Result<Value, String> {
    let file = folder.join("example.json");
    let text =
        std::fs::read_to_string(tool::root().join(&file)).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// Whether the example in this folder has too many paths to be run again and again.
pub fn is_slow(folder: &Path) -> Result<bool, String> {
    Ok(describe(folder)?["slow"] == true)
}

fn listed(folder: &Path, described: &Value) -> Result<Vec<Version>, String> {
    let flags = shared_flags(described)?;
    let version = |file: &str, error: Option<String>| {
        let name = folder.join(file).display().to_string();
        Version {
            arguments: [std::slice::from_ref(&name), &flags[..]].concat(),
            name,
            is_slow: described["slow"] == true,
            error,
        }
    };
    let mut versions = vec![version(BASE, None)];
    let mut files = BTreeSet::from([BASE.to_string()]);
    for entry in described["versions"].as_array().ok_or("no list of versions")? {
        let file = entry["file"].as_str().ok_or("a version without a file")?;
        check_entry(entry).map_err(|why| format!("{file}: {why}"))?;
        if !files.insert(file.to_string()) {
            return Err(format!("{file} is listed twice"));
        }
        let error = entry["new_error"].as_str().map(str::to_string);
        if described["slow"] != true || error.is_some() {
            versions.push(version(file, error));
        }
    }
    let present = programs_in(folder)?;
    if present != files {
        return Err(format!("lists {files:?}, but there are {present:?}"));
    }
    Ok(versions)
}

/// The entry and the flags that all versions are run with.
fn shared_flags(described: &Value) -> Result<Vec<String>, String> {
    let mut flags = match &described["entry"] {
        Value::Null => Vec::new(),
        Value::String(entry) => vec!["--entry".to_string(), entry.clone()],
        other => return Err(format!("the entry is {other}")),
    };
    for flag in described["flags"].as_array().ok_or("no list of flags")? {
        flags.push(flag.as_str().ok_or("a flag that is no text")?.to_string());
    }
    Ok(flags)
}

fn check_entry(entry: &Value) -> Result<(), String> {
    let one_of = |key: &str, words: &[&str]| match entry[key].as_str() {
        Some(word) if words.contains(&word) => Ok(()),
        _ => Err(format!("{key} is {}, not one of {words:?}", entry[key])),
    };
    one_of("kind", &KINDS)?;
    one_of("place", &PLACES)?;
    if entry["change"].as_str().is_none_or(str::is_empty) {
        return Err("it does not say what was changed".to_string());
    }
    match (&entry["equivalent"], &entry["new_error"]) {
        (Value::Bool(_), Value::Null) | (Value::Bool(false), Value::String(_)) => Ok(()),
        (equivalent, error) => Err(format!("equivalent is {equivalent} and new_error is {error}")),
    }
}

fn programs_in(folder: &Path) -> Result<BTreeSet<String>, String> {
    let entries = std::fs::read_dir(tool::root().join(folder)).map_err(|error| error.to_string())?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| name.ends_with(".c")).collect())
}

impl Version {
    /// Whether it is the version that the others are compared with.
    pub fn is_base(&self) -> bool {
        self.name.ends_with(BASE)
    }

    /// The paths that the change from the base affects are found by a directed search as by a full one; each test runs natively along its path; the error that it
    /// is said to add is told as new.
    pub fn check_affected(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let out = folder.path().join("out");
        let base = Path::new(&self.name).with_file_name(BASE);
        let explore = |prune: &str| {
            let mut command = tool::upshot();
            command
                .arg("explore")
                .arg(&base)
                .args(&self.arguments)
                .args(["--prune", prune, "--format", "json", "--out"]);
            tool::end(command.arg(&out)).json()
        };
        let sequences = |report: &Value| -> BTreeSet<String> {
            let paths = report["paths"].as_array().into_iter().flatten();
            let affected = paths.filter(|path| path["impacted"].as_u64() > Some(0));
            affected.filter_map(|path| path["sequence"].as_str()).map(str::to_string).collect()
        };
        let full = explore("off")?;
        let directed = explore("sound")?;
        if full["complete"] != true || directed["complete"] != true || sequences(&full) != sequences(&directed) {
            return Err(format!("{} sequences, but a directed search finds: {directed}", sequences(&full).len()));
        }
        let errors = directed["errors"].as_array().cloned().unwrap_or_default();
        let new: BTreeSet<&str> =
            errors.iter().filter(|error| error["status"] == "new").filter_map(|error| error["kind"].as_str()).collect();
        let expected: BTreeSet<&str> = self.error.as_deref().into_iter().collect();
        if new != expected {
            return Err(format!("example.json says that {expected:?} is new, but: {errors:?}"));
        }
        let mut tests: Vec<PathBuf> = std::fs::read_dir(&out)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
            .collect();
        if tests.is_empty() {
            return Ok(());
        }
        // Starting a process takes longer than most of what runs in it, so of many tests some are taken, all over the paths.
        tests.sort();
        let step = tests.len().div_ceil(MOST_REPLAYED);
        let tests: Vec<PathBuf> = tests.into_iter().step_by(step).collect();
        let replayed = tool::end(tool::upshot().args(["replay", "--check"]).args(&tests));
        if replayed.code == Some(0) { Ok(()) } else { Err(format!("{}{}", replayed.stdout, replayed.stderr)) }
    }

    pub fn check(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = tool::upshot();
        command.arg("run").args(&self.arguments).args(["--no-tests", "--format", "json", "--out"]);
        let run = tool::end(command.arg(folder.path().join("out"))).json()?;
        let errors = run["errors"].as_array().cloned().unwrap_or_default();
        let found: BTreeSet<&str> = errors.iter().filter_map(|error| error["kind"].as_str()).collect();
        let expected: BTreeSet<&str> = self.error.as_deref().into_iter().collect();
        if run["complete"] != true || found != expected {
            return Err(format!("example.json says {expected:?}, but: {run}"));
        }
        Ok(())
    }
}
