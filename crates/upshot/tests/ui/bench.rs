//! Path counts on the benchmark programs that lie beside the repository, against the table in their README.
//!
//! The counts are facts about the programs, found by another executor, so they are read from the table, never blessed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cross_check;
use crate::tool;

/// A line of the table.
#[derive(Clone)]
pub struct Row {
    file: PathBuf,
    /// `-DN=6`
    flags: Vec<String>,
    pub name: String,
    paths: u64,
}

/// Too large for a test suite: left out unless `UPSHOT_FULL` is set.
const LARGE: [&str; 2] = ["expr -DN=7", "sieve"];
/// Sizes at which comparing every answer with Z3 does not take too long for a test suite.
const SMALL: [&str; 6] = ["mid", "bits -DN=7", "atoi -DN=4", "expr -DN=4", "crc -DN=2", "bubble -DN=4"];

/// The rows of the table, or none, with a note, where the programs are not there.
pub fn rows() -> Vec<Row> {
    let folder = tool::root().join("../shared/bench");
    let Ok(table) = std::fs::read_to_string(folder.join("README.md")) else {
        eprintln!(
            "note: {} is not there; path counts are compared on the programs of tests/run/bench only",
            folder.display()
        );
        return Vec::new();
    };
    table.lines().filter_map(|line| row(&folder, line)).collect()
}

fn row(folder: &Path, line: &str) -> Option<Row> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let name = cells.next()?.to_string();
    let paths = cells.next()?.replace(',', "").parse().ok()?;
    let mut words = name.split_whitespace();
    let file = folder.join(format!("{}.c", words.next()?));
    let flags = words.map(ToString::to_string).collect();
    (!LARGE.contains(&name.as_str()) || full()).then_some(Row { file, flags, name, paths })
}

fn full() -> bool {
    std::env::var_os("UPSHOT_FULL").is_some()
}

impl Row {
    /// This program at a size at which every answer can be compared with Z3; `None` where a suite cannot afford that at any.
    pub fn at_checked_size(&self) -> Option<Row> {
        if full() {
            return Some(self.clone());
        }
        let program = self.name.split(' ').next();
        let small = SMALL.iter().find(|line| line.split(' ').next() == program)?;
        let flags = small.split(' ').skip(1).map(ToString::to_string).collect();
        Some(Row { name: small.to_string(), flags, ..self.clone() })
    }

    /// How many paths there are, and what is reported.
    fn run(&self, flags: &[&str]) -> Result<(u64, Value), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = tool::upshot();
        command.arg("run").arg(&self.file).args(&self.flags).args(flags);
        command.args(["--format", "json", "--out"]).arg(folder.path().join("out"));
        let run = tool::end(&mut command).json()?;
        let paths = &run["paths"];
        let total: u64 = paths.as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
        if paths["finished"] == total && run["tests"] == total && run["complete"] == true {
            return Ok((total, run));
        }
        Err(format!("expected finished paths alone, a test for each, complete; got {run}"))
    }

    pub fn check(&self) -> Result<(), String> {
        let (paths, _) = self.run(&[])?;
        if paths == self.paths { Ok(()) } else { Err(format!("{paths} paths instead of {}", self.paths)) }
    }

    pub fn cross_check(&self) -> Result<(), String> {
        let (paths, _) = self.run(&[])?;
        let (checked, run) = self.run(&["--check-solver"])?;
        if paths != checked {
            return Err(format!("{paths} paths, but {checked} where every answer is checked"));
        }
        cross_check::agrees(&run)
    }
}
