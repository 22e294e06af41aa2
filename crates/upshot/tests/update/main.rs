//! The suite that an update leaves is the one that starting over makes: the same paths, each with the same end and trace, none twice.
//!
//! The oracle is a full exploration of the new version. `UPSHOT_PAIRS=FROM-TO` takes other random pairs, `UPSHOT_ALL=1` all versions of `c-examples/`.

mod history;
mod paper;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn upshot(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_upshot")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{:?}: {error}", output.status))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder to work in, and what all commands there have in common.
struct Bench {
    folder: tempfile::TempDir,
    flags: Vec<String>,
}

impl Bench {
    fn new(flags: &[&str]) -> Self {
        Bench { folder: tempfile::tempdir().unwrap(), flags: flags.iter().map(ToString::to_string).collect() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: &str) -> PathBuf {
        std::fs::write(self.path(name), contents).unwrap();
        self.path(name)
    }

    fn create(&self, program: &Path, suite: &str) -> Output {
        let suite = self.path(suite);
        let mut arguments = vec!["suite", "create", text(program), "--suite", text(&suite), "--format", "json", "-j1"];
        arguments.extend(self.flags.iter().map(String::as_str));
        let output = upshot(&arguments);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn update(&self, old: &Path, new: &Path, suite: &str, more: &[&str]) -> Value {
        let (suite, out) = (self.path(suite), self.path("updated"));
        let mut arguments = vec!["update", text(old), text(new), "--suite", text(&suite), "--format", "json"];
        if !more.contains(&"--in-place") {
            arguments.extend(["--out", text(&out)]);
        }
        arguments.extend(more);
        json(&upshot(&arguments))
    }

    /// By path: how it ends, whether it has a test, its trace.
    fn paths(&self, suite: &str) -> BTreeMap<String, (Value, bool, Value)> {
        let record: Value = serde_json::from_slice(&std::fs::read(self.path(suite).join("run.json")).unwrap()).unwrap();
        let mut paths = BTreeMap::new();
        for path in record["records"].as_array().unwrap() {
            let mut end = path["end"].clone();
            end.as_object_mut().unwrap().remove("file");
            let known = (end, path["test"].is_string(), path["trace"].clone());
            assert!(paths.insert(path["path"].as_str().unwrap().to_string(), known).is_none(), "a path twice");
        }
        paths
    }

    /// What is wrong with an update, in a line.
    fn compare(&self, updated: &str, new: &Path, report: &Value) -> Result<(), String> {
        self.create(new, "fresh");
        let (ours, theirs) = (self.paths(updated), self.paths("fresh"));
        let tests = ours.values().filter(|(_, has_test, _)| *has_test).count() as u64;
        if report["kept"].as_u64().unwrap() + report["new"].as_u64().unwrap() != tests {
            return Err(format!("{} kept, {} new, but {tests} tests", report["kept"], report["new"]));
        }
        for path in ours.keys().chain(theirs.keys()) {
            if ours.get(path) != theirs.get(path) {
                return Err(format!("path {path}: {:?} instead of {:?}", ours.get(path), theirs.get(path)));
            }
        }
        Ok(())
    }

    fn check_natively(&self, suite: &str) {
        let output = upshot(&["suite", "check", text(&self.path(suite))]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn versions_of_the_examples() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../c-examples");
    let all = std::env::var_os("UPSHOT_ALL").is_some();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(examples).unwrap().flatten() {
        let Ok(description) = std::fs::read(entry.path().join("example.json")) else { continue };
        let description: Value = serde_json::from_slice(&description).unwrap();
        if description["slow"].as_bool().unwrap_or(false) || entry.file_name() == "flight-rules" && !all {
            continue;
        }
        let mut flags: Vec<&str> = description["flags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        flags.extend(description["entry"].as_str().iter().flat_map(|entry| ["--entry", entry]));
        let bench = Bench::new(&flags);
        let old = entry.path().join("v1.c");
        bench.create(&old, "suite");
        let clang: Vec<&str> =
            flags.iter().copied().filter(|flag| flag.starts_with("-D") || flag.starts_with("-I")).collect();
        let versions = description["versions"].as_array().unwrap();
        let step = if all { 1 } else { versions.len().div_ceil(3).max(1) };
        for version in versions.iter().step_by(step) {
            let new = entry.path().join(version["file"].as_str().unwrap());
            let report = bench.update(&old, &new, "suite", &clang);
            if let Err(why) = bench.compare("updated", &new, &report) {
                wrong.push(format!("{}: {why}", new.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn random_pairs_and_back_again() {
    let range = std::env::var("UPSHOT_PAIRS").unwrap_or_else(|_| "0-40".to_string());
    let (from, to) = range.split_once('-').unwrap();
    let mut wrong = Vec::new();
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let options = upshot_generate::Options { traps: seed % 2 == 0, ..upshot_generate::Options::default() };
        let pair = upshot_generate::pair(seed, &options);
        let bench = Bench::new(&["--entry", &pair.entry, "-w", "--max-instructions", "100000"]);
        let (old, new) = (bench.write("old.c", &pair.old), bench.write("new.c", &pair.new));
        bench.create(&old, "suite");
        let report = bench.update(&old, &new, "suite", &["-w", "-j2"]);
        if let Err(why) = bench.compare("updated", &new, &report) {
            wrong.push(format!("seed {seed}: {why}"));
            continue;
        }
        if seed % 8 == 0 {
            bench.check_natively("updated");
        }
        // The result is a suite like any other, and leads back.
        let report = bench.update(&new, &old, "updated", &["-w", "--in-place"]);
        if let Err(why) = bench.compare("updated", &old, &report) {
            wrong.push(format!("seed {seed}, back: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PROGRAM: &str = "#include <assert.h>
int klee_int(const char *);
int limit(int x) {
  if (x > 100)
    return 100;
  if (x < -100)
    return -100;
  return x;
}
int main(void) {
  int a = klee_int(\"a\"), b = klee_int(\"b\");
  if (a > 10) {
    assert(b != 7);
    return limit(a);
  }
  return b > 3 ? limit(b) : 1;
}
";

#[test]
fn comments_cost_nothing() {
    let bench = Bench::new(&[]);
    let old = bench.write("old.c", PROGRAM);
    let new = bench
        .write("new.c", &format!("/* a\\nlonger\\nhead */\n\n{}", PROGRAM.replace("  if (a", "  // soon\n  if (a")));
    bench.create(&old, "suite");
    let report = bench.update(&old, &new, "suite", &[]);
    bench.compare("updated", &new, &report).unwrap();
    for figure in [
        &report["queries"]["asked"],
        &report["queries"]["solved"],
        &report["executed"],
        &report["new"],
        &report["dropped"],
    ] {
        assert_eq!(figure, 0, "{report}");
    }
    bench.check_natively("updated");
}

#[test]
fn a_change_costs_what_it_touches() {
    let bench = Bench::new(&[]);
    let (old, new) = (bench.write("old.c", PROGRAM), bench.write("new.c", &PROGRAM.replace("b > 3", "b > 300")));
    bench.create(&old, "suite");
    let report = bench.update(&old, &new, "suite", &["-j2"]);
    bench.compare("updated", &new, &report).unwrap();
    assert_eq!((&report["executed"], &report["exact"]), (&Value::from(2), &Value::from(true)), "{report}");
    let lines = &report["dropped_list"][0]["changed_lines"];
    assert!(lines[0].as_str().unwrap().ends_with("old.c:16"), "{report}");
    bench.check_natively("updated");
    // Whoever counts workers finds no difference.
    let first = std::fs::read(bench.path("updated").join("test000002.ktest")).unwrap();
    bench.update(&old, &new, "suite", &["-j1"]);
    assert_eq!(std::fs::read(bench.path("updated").join("test000002.ktest")).unwrap(), first);
}

#[test]
fn what_is_not_sure_proves_nothing() {
    let bench = Bench::new(&[]);
    let (old, new) = (bench.write("old.c", PROGRAM), bench.write("new.c", &PROGRAM.replace("b > 3", "b > 300")));
    let note = |report: &Value, words: &str| {
        assert!(report["notes"].to_string().contains(words), "{report}");
        assert_eq!(report["exact"], false);
    };
    // Cut short.
    upshot(&["suite", "create", text(&old), "--suite", text(&bench.path("suite")), "--max-paths", "3"]);
    let report = bench.update(&old, &new, "suite", &[]);
    note(&report, "not complete");
    bench.compare("updated", &new, &report).unwrap();
    // Of an older state of the program; without a record; bytes.
    bench.create(&new, "suite");
    let report = bench.update(&old, &new, "suite", &[]);
    note(&report, "main");
    bench.compare("updated", &new, &report).unwrap();
    std::fs::remove_file(bench.path("suite").join("run.json")).unwrap();
    let bytes = bench.write("bytes", "\u{1}\0\0\0\u{2}\0");
    let report = bench.update(&old, &new, "suite", &["--seed-bytes", text(&bytes)]);
    note(&report, "no record");
    bench.compare("updated", &new, &report).unwrap();
}

#[test]
fn inputs_that_are_not_what_they_were_are_adapted_and_told() {
    let bench = Bench::new(&["--entry", "f"]);
    let old = bench.write("old.c", "int f(short a, int b) { return a > 3 ? b == 7 : 2; }");
    let new = bench.write("new.c", "int f(int a, int other) { return a > 3 ? other == 8 : 2; }");
    bench.create(&old, "suite");
    let report = bench.update(&old, &new, "suite", &[]);
    bench.compare("updated", &new, &report).unwrap();
    bench.check_natively("updated");
    let notes = report["notes"].to_string();
    assert!(notes.contains("input a is not in 2 of the old tests") && notes.contains("input other"), "{notes}");
    assert_eq!(report["exact"], false, "{report}");
}

#[test]
fn bad_suites_are_refused_or_mended() {
    let bench = Bench::new(&[]);
    let (old, new) = (bench.write("old.c", PROGRAM), bench.write("new.c", &PROGRAM.replace("b > 3", "b > 300")));
    let suite = bench.path("suite");
    bench.create(&old, "suite");
    // An edited and a cut test are not relied on.
    let edited = suite.join("test000001.ktest");
    let mut bytes = std::fs::read(&edited).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&edited, &bytes).unwrap();
    std::fs::write(suite.join("test000002.ktest"), &bytes[..20]).unwrap();
    let check = upshot(&["suite", "check", text(&suite)]);
    assert_eq!(check.status.code(), Some(1));
    let report = bench.update(&old, &new, "suite", &[]);
    bench.compare("updated", &new, &report).unwrap();
    bench.check_natively("updated");
    let before = std::fs::read(suite.join("run.json")).unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let output = upshot(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words), "{error}");
    };
    let (old_text, new_text, suite_text) = (text(&old), text(&new), text(&suite));
    refused(&["update", old_text, new_text, "--suite", suite_text, "--out", suite_text], "--in-place");
    refused(&["update", old_text, new_text, "--suite", suite_text, "--entry", "limit"], "starts in `main`");
    let other = bench.write("other.c", "int something(int x) { return x; } int other(void) { return something(3); }");
    refused(&["update", text(&other), text(&other), "--suite", suite_text], "main");
    refused(&["suite", "show", text(&bench.path("none"))], "none");
    let newer = String::from_utf8(before.clone()).unwrap().replace("\"version\": 1", "\"version\": 99");
    std::fs::write(suite.join("run.json"), newer).unwrap();
    refused(&["update", old_text, new_text, "--suite", suite_text], "newer Upshot");
    std::fs::write(suite.join("run.json"), "{").unwrap();
    refused(&["suite", "show", suite_text], "run.json");
    assert_eq!(before.len(), std::fs::write(suite.join("run.json"), &before).map(|()| before.len()).unwrap());
}
