//! A suite that follows its program along the commits of a repository.

use std::path::Path;
use std::process::{Command, Output};

use crate::{Bench, PROGRAM, json, text};

impl Bench {
    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
        let done =
            Command::new("git").current_dir(self.path("repository")).args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn commit(&self, file: &str, contents: &str) {
        std::fs::write(self.path("repository").join(file), contents).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", file]);
    }

    fn in_repository(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upshot"));
        command.current_dir(self.path("repository")).args(arguments).output().unwrap()
    }
}

#[test]
fn along_the_commits_that_touch_the_program() {
    let bench = Bench::new(&[]);
    std::fs::create_dir_all(bench.path("repository/src")).unwrap();
    bench.git(&["init", "-q", "."]);
    let program = PROGRAM.replace("int klee_int", "#include \"low.h\"\nint klee_int").replace("x < -100", "x < LOW");
    bench.commit("src/low.h", "#define LOW -100\n");
    bench.commit("src/p.c", &program);
    bench.git(&["tag", "begin"]);
    let create = bench.in_repository(&["suite", "create", "src/p.c", "--suite", "../suite"]);
    assert_eq!(create.status.code(), Some(1), "{}", String::from_utf8_lossy(&create.stderr));
    let second = program.replace("b > 3", "b > 300");
    bench.commit("src/p.c", &second);
    bench.commit("notes", "not of the program\n");
    bench.commit("src/p.c", "int main(void) {");
    bench.commit("src/low.h", "#define LOW -200\n");
    bench.commit("src/p.c", &second.replace("return 1", "return 2").replace("  return b", "  return !a ? 5 : b"));
    let before = bench.paths("suite");
    let plot = bench.path("plot.svg");
    let out = ["update", "--history", "begin..HEAD", "--suite", "../suite", "--format", "json"];
    let report = json(&bench.in_repository(&[&out[..], &["--out", "../followed", "--plot", text(&plot)]].concat()));
    let failed: Vec<bool> =
        report["commits"].as_array().unwrap().iter().map(|step| step["failed"].is_string()).collect();
    // The header changes while the program cannot be compiled.
    assert_eq!(failed, [false, true, true, false], "{report}");
    assert_eq!((&report["schema"], &report["complete"]), (&"upshot.history/1".into(), &true.into()));
    let last = &report["commits"][3]["update"];
    assert_eq!(last["exact"], true, "{report}");
    assert!(last["queries"]["asked"].as_u64() < last["from_scratch"]["asked"].as_u64(), "{report}");
    assert_eq!(std::fs::read_to_string(&plot).unwrap().matches("<rect x").count(), 4);
    // It is the suite of what is there now, and the one it came from is as it was.
    let program = bench.path("repository/src/p.c");
    bench.compare("followed", &program, last).unwrap();
    let check = bench.in_repository(&["suite", "check", "../followed"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
    assert_eq!(bench.paths("suite"), before);
    // The same in place, and by naming two revisions.
    let report = json(&bench.in_repository(&[
        "update",
        "begin:src/p.c",
        "HEAD:src/p.c",
        "--suite",
        "../suite",
        "--out",
        "../named",
        "--format",
        "json",
    ]));
    bench.compare("named", &program, &report).unwrap();
    let report = json(&bench.in_repository(&[&out[..], &["--in-place"]].concat()));
    bench.compare("suite", &program, &report["commits"][3]["update"]).unwrap();
    assert!(leftovers(&bench.path("")).is_empty(), "{:?}", leftovers(&bench.path("")));
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

#[test]
fn what_is_no_history_is_refused() {
    let bench = Bench::new(&[]);
    std::fs::create_dir_all(bench.path("repository")).unwrap();
    let old = bench.write("old.c", PROGRAM);
    bench.create(&old, "suite");
    let refused = |arguments: &[&str], words: &str| {
        let output = bench.in_repository(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && output.stdout.is_empty(), "{said}");
    };
    refused(&["update", "--history", "a..b", "--suite", "../suite"], "git");
    bench.git(&["init", "-q", "."]);
    bench.commit("p.c", PROGRAM);
    refused(&["update", "--history", "HEAD..none", "--suite", "../suite"], "no git revision none");
    refused(&["update", "--history", "HEAD", "--suite", "../suite"], "two revisions");
    refused(&["update", "--history", "HEAD..HEAD", "--suite", "../suite"], "not in the repository");
    refused(&["update", "--history", "HEAD..HEAD", "--suite", "../none"], "none");
    refused(&["update", "--suite", "../suite"], "two versions");
    refused(&["diff", "HEAD:p.c", "HEAD:q.c"], "no q.c");
    refused(&["diff", "none:p.c", "HEAD:p.c"], "no git revision none");
}
