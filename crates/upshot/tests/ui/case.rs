//! Runs one C file and compares all that the tool reports with what the file says, then runs every test natively.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::expectation::{Expectation, Finding, blessed};
use crate::tool::{self, Ended};

/// Checks a file, a path from the root of the repository. With `bless`, its counts are first set to what is found.
pub fn check(file: &Path, bless: bool) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("out");
    if bless {
        self::bless(file, &out)?;
    }
    let expectation = Expectation::read(&tool::root(), file)?;
    let ended = explore(&expectation, &[], &out);
    let run = ended.json()?;
    compare(&expectation, &run, ended.code)?;
    invariants(&ended, &run, &out)?;
    if expectation.replay {
        replay(&expectation.files, &out)?;
    }
    for flags in &expectation.also {
        let ended = explore(&expectation, flags, &folder.path().join("also"));
        compare(&expectation, &ended.json()?, ended.code).map_err(|why| format!("with {}: {why}", flags.join(" ")))?;
    }
    Ok(())
}

fn bless(file: &Path, out: &Path) -> Result<(), String> {
    let path = tool::root().join(file);
    let ended = explore(&Expectation::read(&tool::root(), file)?, &[], out);
    let run = ended.json()?;
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let text = blessed(&text, &counts(&run), ended.code.unwrap_or(-1), run["complete"] == true);
    std::fs::write(&path, text).map_err(|error| error.to_string())
}

/// `upshot run` with the file's flags and these.
pub fn explore(expectation: &Expectation, flags: &[String], out: &Path) -> Ended {
    let mut command = tool::upshot();
    command.arg("run").args(&expectation.files).args(&expectation.flags).args(flags);
    command.args(["--format", "json", "--out"]).arg(out);
    tool::end(&mut command)
}

fn counts(run: &Value) -> String {
    let Some(paths) = run["paths"].as_object() else { return String::new() };
    let some = paths.iter().filter(|(_, count)| count.as_u64() != Some(0));
    let mut counts: Vec<String> = some.map(|(end, count)| format!("{end}={count}")).collect();
    counts.extend(run["uncertain"].as_u64().map(|count| format!("uncertain={count}")));
    counts.join(" ")
}

fn compare(expectation: &Expectation, run: &Value, exit: Option<i32>) -> Result<(), String> {
    let mut wrong = Vec::new();
    let mut found = reported(run)?;
    for expected in &expectation.findings {
        let same = |other: &Finding| other.is_at(expected) && other.text.contains(&expected.text);
        match found.iter().position(same) {
            Some(index) => {
                found.remove(index);
            }
            None => wrong.push(format!("expected, but not reported: {expected}")),
        }
    }
    wrong.extend(found.iter().map(|finding| format!("reported, but not expected: {finding}")));
    let counted = counts(run);
    if expectation.paths.as_ref() != Some(&counted) {
        wrong.push(format!("paths: {counted}, not {}", expectation.paths.as_deref().unwrap_or("said")));
    }
    if expectation.exit != exit || exit.is_none() {
        wrong.push(format!("exit: {exit:?}, not {:?}", expectation.exit));
    }
    if expectation.complete != run["complete"].as_bool() {
        wrong.push(format!("complete: {}, not {:?}", run["complete"], expectation.complete));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// All errors, and all that was unsupported.
fn reported(run: &Value) -> Result<Vec<Finding>, String> {
    let mut found = Vec::new();
    let list = |key: &str| run[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    for error in list("errors") {
        let innermost = &error["stack"][0];
        for key in ["file", "line", "function"] {
            if error[key] != innermost[key] {
                return Err(format!("the error's {key} is not that of its innermost frame: {error}"));
            }
        }
        let line = error["line"].as_u64().unwrap_or(0);
        found.push(Finding {
            file: text(&error["file"]),
            line,
            kind: text(&error["kind"]),
            text: text(&error["message"]),
        });
    }
    for unsupported in list("unsupported") {
        let line = unsupported["line"].as_u64().unwrap_or(0);
        let (file, text) = (text(&unsupported["file"]), text(&unsupported["what"]));
        found.push(Finding { file, line, kind: "unsupported".to_string(), text });
    }
    Ok(found)
}

/// What holds for every run.
pub fn invariants(ended: &Ended, run: &Value, out: &Path) -> Result<(), String> {
    if ended.stderr.contains("panicked") || ended.stderr.contains("internal error") {
        return Err(format!("stderr: {}", ended.stderr));
    }
    let Ok(folder) = std::fs::read_dir(out) else {
        return if run["tests"] == 0 { Ok(()) } else { Err("there is no output folder".to_string()) };
    };
    let mut names: BTreeSet<String> = folder.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    if run["complete"] == false {
        // Where a limit has left something to do, for --resume.
        names.remove("journal");
    }
    let count = run["tests"].as_u64().unwrap_or(0);
    let mut expected: BTreeSet<String> = (1..=count).map(|number| format!("test{number:06}.ktest")).collect();
    expected.extend([".upshot".to_string(), "run.json".to_string()]);
    for error in run["errors"].as_array().into_iter().flatten() {
        if let (Some(test), Some(kind)) = (error["test"].as_str(), error["kind"].as_str()) {
            expected.insert(format!("{test}.{kind}.err"));
        }
    }
    if names != expected {
        let odd: Vec<_> = names.symmetric_difference(&expected).collect();
        return Err(format!("the output folder does not fit the report: {odd:?}"));
    }
    let record = std::fs::read_to_string(out.join("run.json")).map_err(|error| error.to_string())?;
    let record: Value = serde_json::from_str(&record).map_err(|error| format!("run.json: {error}"))?;
    for key in ["schema", "complete", "paths", "tests", "errors", "unsupported", "instructions", "coverage"] {
        if record[key] != run[key] {
            return Err(format!("{key} in run.json is not what was printed"));
        }
    }
    Ok(())
}

/// The tests in a folder, in order.
pub fn tests_in(out: &Path) -> Vec<PathBuf> {
    let mut tests: Vec<PathBuf> = std::fs::read_dir(out)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
        .collect();
    tests.sort();
    tests
}

/// Runs all tests in a folder natively. Without files, the program is what the record says.
pub fn replay(files: &[PathBuf], out: &Path) -> Result<(), String> {
    let tests = tests_in(out);
    if tests.is_empty() {
        return Ok(());
    }
    let mut command = tool::upshot();
    let ended = tool::end(command.args(["replay", "--check"]).args(files).args(&tests));
    if ended.code == Some(0) {
        return Ok(());
    }
    Err(format!("replay exits with {:?}:\n{}{}", ended.code, ended.stdout, ended.stderr))
}
