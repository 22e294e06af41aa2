//! Runs one case and compares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::expectation::Expectation;
use crate::tool::{self, Ended};

/// A line of a file, by the names that the tool prints.
type Line = (String, u64);

pub fn check(name: &str, bless: bool) -> Result<(), String> {
    let folder = Path::new("tests/diff").join(name);
    let file = tool::root().join(&folder).join("expect");
    let expectation = Expectation::read(&file)?;
    let (old, new) = (side(&folder, "old"), side(&folder, "new"));
    let ended = run(&old, &new, &expectation.flags, &["--format", "json"]);
    if ended.code != Some(expectation.exit) {
        return Err(format!("exit code {:?}, expected {}\n{}", ended.code, expectation.exit, ended.stderr));
    }
    for words in &expectation.says {
        if !ended.stderr.contains(words.as_str()) {
            return Err(format!("stderr does not say {words:?} but:\n{}", ended.stderr));
        }
    }
    if expectation.exit == 2 {
        return Ok(());
    }
    let found = ended.json()?;
    compare(&expectation, &found)?;
    compare_lines(&old, &new, &found)?;
    same_as_itself(&old)?;
    same_as_itself(&new)?;
    backwards(&old, &new, &expectation, &found)?;
    let text = run(&old, &new, &expectation.flags, &[]).stdout;
    if bless {
        return std::fs::write(&file, expectation.blessed(&text)).map_err(|error| error.to_string());
    }
    if text == expectation.report { Ok(()) } else { Err(format!("the report is now:\n{text}")) }
}

/// `old.c`, `old.ll` or the folder `old`.
fn side(folder: &Path, name: &str) -> PathBuf {
    let kinds = ["c", "ll"].map(|kind| folder.join(format!("{name}.{kind}")));
    kinds.into_iter().find(|path| tool::root().join(path).exists()).unwrap_or_else(|| folder.join(name))
}

fn run(old: &Path, new: &Path, flags: &[String], more: &[&str]) -> Ended {
    tool::end(tool::upshot().arg("diff").arg(old).arg(new).args(flags).args(more))
}

fn compare(expectation: &Expectation, found: &Value) -> Result<(), String> {
    if found["schema"] != "upshot.diff/1" || found["complete"] != true {
        return Err(format!("not a whole result: {found}"));
    }
    if found["differs"] != (expectation.exit == 1) {
        return Err("`differs` is not what the exit code says".to_string());
    }
    for (what, expected) in [("functions", &expectation.functions), ("globals", &expectation.globals)] {
        same_set(what, expected, &entries(found, what).filter_map(described).collect())?;
    }
    let describe = |ty: &Value| {
        let word = |key: &str| ty[key].as_str().unwrap_or_default().to_string();
        format!("{} {} {}", word("kind"), word("name"), word("status"))
    };
    same_set("types", &expectation.types, &entries(found, "types").map(describe).collect())
}

fn entries<'a>(found: &'a Value, what: &str) -> impl Iterator<Item = &'a Value> {
    found[what].as_array().into_iter().flatten()
}

/// What there is to say of a function or global; nothing if it is just as it was.
fn described(entry: &Value) -> Option<String> {
    let mut text = format!("{} {}", entry["name"].as_str()?, entry["status"].as_str()?);
    if let Some(before) = entry["renamed_from"].as_str() {
        text += &format!(" renamed from {before}");
    }
    if entry["moved"] == true {
        text += " moved";
    }
    (!text.ends_with(" unchanged")).then_some(text)
}

fn same_set(what: &str, expected: &BTreeSet<String>, found: &BTreeSet<String>) -> Result<(), String> {
    let missing: Vec<_> = expected.difference(found).collect();
    let surplus: Vec<_> = found.difference(expected).collect();
    if missing.is_empty() && surplus.is_empty() {
        return Ok(());
    }
    Err(format!("{what}: missing {missing:?}, not expected {surplus:?}"))
}

/// The lines of changed functions are those that are marked.
fn compare_lines(old: &Path, new: &Path, found: &Value) -> Result<(), String> {
    for (side, path) in [("old", old), ("new", new)] {
        let mut marked = BTreeSet::new();
        marks(path, &mut marked);
        let told = changed_lines(found, side);
        let show = |lines: Vec<&Line>| {
            lines.iter().map(|(file, line)| format!("{file}:{line}")).collect::<Vec<_>>().join(", ")
        };
        let missing = show(marked.difference(&told).collect());
        let surplus = show(told.difference(&marked).collect());
        if !missing.is_empty() || !surplus.is_empty() {
            return Err(format!("changed lines: not told: {missing}; told without a mark: {surplus}"));
        }
    }
    Ok(())
}

/// The lines of functions that are in both versions.
fn changed_lines(found: &Value, side: &str) -> BTreeSet<Line> {
    let mut lines = BTreeSet::new();
    for function in entries(found, "functions").filter(|function| function["status"] == "changed") {
        let file = function[if side == "old" { "old_file" } else { "file" }].as_str().unwrap_or_default();
        let here = function["changed_lines"][side].as_array().into_iter().flatten().filter_map(Value::as_u64);
        lines.extend(here.map(|line| (file.to_string(), line)));
        for place in function["changed_elsewhere"][side].as_array().into_iter().flatten() {
            let file = place["file"].as_str().unwrap_or_default().to_string();
            lines.insert((file, place["line"].as_u64().unwrap_or(0)));
        }
    }
    lines
}

fn marks(path: &Path, lines: &mut BTreeSet<Line>) {
    let full = tool::root().join(path);
    if full.is_dir() {
        for entry in std::fs::read_dir(&full).into_iter().flatten().flatten() {
            marks(&path.join(entry.file_name()), lines);
        }
        return;
    }
    for (number, line) in (1..).zip(std::fs::read_to_string(&full).unwrap_or_default().lines()) {
        if line.trim_end().ends_with("// changed") {
            lines.insert((path.display().to_string(), number));
        }
    }
}

/// A version compared with itself is the same in everything.
fn same_as_itself(path: &Path) -> Result<(), String> {
    let ended = run(path, path, &[], &["--format", "json"]);
    let found = ended.json()?;
    let nothing = Expectation::default();
    if ended.code != Some(0) {
        return Err(format!("{} differs from itself: {found}", path.display()));
    }
    compare(&nothing, &found)
}

/// With the versions exchanged, the same things differ.
fn backwards(old: &Path, new: &Path, expectation: &Expectation, forwards: &Value) -> Result<(), String> {
    let exchanged: Vec<String> = expectation
        .flags
        .iter()
        .map(|flag| match flag.as_str() {
            "--old-flags" => "--new-flags".to_string(),
            "--new-flags" => "--old-flags".to_string(),
            _ => flag.clone(),
        })
        .collect();
    let found = run(new, old, &exchanged, &["--format", "json"]).json()?;
    let changed = |found: &Value| -> BTreeSet<String> {
        let names = |function: &Value| {
            let old = function["renamed_from"].as_str().or(function["name"].as_str());
            let mut names = [function["name"].as_str().unwrap_or_default(), old.unwrap_or_default()];
            names.sort_unstable();
            format!("{} {}", names.join(" "), function["status"] == "changed")
        };
        entries(found, "functions").map(names).collect()
    };
    same_set("functions, backwards", &changed(forwards), &changed(&found))
}
