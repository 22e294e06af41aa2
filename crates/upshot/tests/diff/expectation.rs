//! What a case says must be found.
//!
//! ```text
//! # Prose.
//! flags: --new-flags '-DN=2'         flags of `upshot diff`
//! exit: 1
//! function: f changed                status, then `renamed from g` and `moved`; one that is unchanged, and neither renamed nor moved, is not named
//! global: table changed
//! type: struct point changed
//! says: words that are on stderr
//! ----
//! the report, blessed
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use upshot_frontend::words;

#[derive(Debug, Default)]
pub struct Expectation {
    pub flags: Vec<String>,
    pub exit: i32,
    pub functions: BTreeSet<String>,
    pub globals: BTreeSet<String>,
    pub types: BTreeSet<String>,
    pub says: Vec<String>,
    /// What comes before the dashes, as it stands.
    pub head: String,
    pub report: String,
}

const DASHES: &str = "----\n";

impl Expectation {
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let (head, report) = text.split_once(DASHES).unwrap_or((&text, ""));
        let mut expectation =
            Expectation { head: head.to_string(), report: report.to_string(), ..Expectation::default() };
        for line in head.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            expectation.line(line).map_err(|why| format!("{}: {why}: {line}", file.display()))?;
        }
        Ok(expectation)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.split_once(": ").ok_or("not `key: value`")?;
        match key {
            "flags" => self.flags.extend(words(value)?),
            "exit" => self.exit = value.parse().map_err(|_| "not a number")?,
            "function" => _ = self.functions.insert(value.to_string()),
            "global" => _ = self.globals.insert(value.to_string()),
            "type" => _ = self.types.insert(value.to_string()),
            "says" => self.says.push(value.to_string()),
            _ => return Err("no such key".to_string()),
        }
        Ok(())
    }

    /// The whole file, with another report.
    pub fn blessed(&self, report: &str) -> String {
        format!("{}{DASHES}{report}", self.head)
    }
}
