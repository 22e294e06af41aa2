//! The examples do what their READMEs say.
//!
//! A line `scripts/upshot run … # comment` in `c-examples/*/README.md` is a test. The comment begins with `no errors`, or with the kinds of all
//! errors that are found, with commas between, and a colon. What follows is for people. Examples that `example.json` calls slow are left out here;
//! `versions` runs them once.

use std::path::Path;

use crate::case;
use crate::cross_check;
use crate::determinism;
use crate::tool;
use crate::versions;
use upshot_frontend::words;

/// One command of a README.
#[derive(Clone)]
pub struct Example {
    pub name: String,
    arguments: Vec<String>,
    /// Sorted.
    kinds: Vec<String>,
}

/// All examples, in order.
pub fn examples() -> Result<Vec<Example>, String> {
    let folder = tool::root().join("c-examples");
    let mut examples = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten() {
        let readme = entry.path().join("README.md");
        if !entry.path().is_dir() || versions::is_slow(&entry.path())? {
            continue;
        }
        let text = std::fs::read_to_string(&readme).map_err(|error| format!("{}: {error}", readme.display()))?;
        for line in text.lines() {
            if let Some(command) = line.trim().strip_prefix("scripts/upshot run ") {
                examples.push(example(command).map_err(|why| format!("{}: {why}: {line}", readme.display()))?);
            }
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(examples)
}

fn example(line: &str) -> Result<Example, String> {
    let (command, comment) = line.split_once(" # ").ok_or("no comment says what to expect")?;
    let mut kinds: Vec<String> = match comment.split_once(':') {
        _ if comment.starts_with("no errors") => Vec::new(),
        Some((kinds, _)) => kinds.split(", ").map(|kind| kind.trim().to_string()).collect(),
        None => return Err("the comment names neither errors nor their absence".to_string()),
    };
    kinds.sort();
    Ok(Example { name: command.trim().to_string(), arguments: words(command)?, kinds })
}

impl Example {
    fn run(&self, flags: &[String], out: &Path) -> tool::Ended {
        let mut command = tool::upshot();
        command.arg("run").args(&self.arguments).args(flags).args(["--format", "json", "--out"]).arg(out);
        tool::end(&mut command)
    }

    pub fn check(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let out = folder.path().join("out");
        let ended = self.run(&[], &out);
        let run = ended.json()?;
        case::invariants(&ended, &run, &out)?;
        let errors = run["errors"].as_array().cloned().unwrap_or_default();
        let mut kinds: Vec<&str> = errors.iter().filter_map(|error| error["kind"].as_str()).collect();
        kinds.sort_unstable();
        let exit = Some(i32::from(!self.kinds.is_empty()));
        if kinds != self.kinds || run["complete"] != true || ended.code != exit {
            return Err(format!("the README says {:?}, but: {run}", self.kinds));
        }
        case::replay(&[], &out)
    }

    pub fn cross_check(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        cross_check::agrees(&self.run(&["--check-solver".to_string()], &folder.path().join("out")).json()?)
    }

    pub fn check_determinism(&self) -> Result<(), String> {
        determinism::compare_runs(|flags, out| self.run(flags, out))
    }
}
