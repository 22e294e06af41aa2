//! What a C file says about itself, in its own comments.
//!
//! The leading comment holds a line for each thing about the run as a whole:
//!
//! ```text
//! // run: --entry f --array-len 2      flags of `upshot run`; may be repeated
//! // files: other.c                    more files of the program, from the same folder
//! // also: --search bfs                all of this holds with these flags added, too; may be repeated
//! // replay: no <why>                  do not run the tests natively
//! // determinism: no <why>             do not compare runs
//! // cross-check: no <why>             do not compare the solver's answers with Z3
//! // paths: finished=3 error=1         written by blessing; those not named are 0; `uncertain` ones
//!                                     are counted under how they ended, too
//! // exit: 1                           written by blessing
//! // complete: true                    written by blessing
//! ```
//!
//! Beside a line of code, `// expect: ptr` says that an error of that kind is reported at exactly this line, and `// expect: ptr "freed"` that its
//! message contains the word; several go with commas between. `// unsupported: word` does the same for what ends
//! paths as unsupported. All that is reported must be expected, and all that is expected must be reported.

use std::fmt;
use std::path::{Path, PathBuf};

use upshot_frontend::words;

/// Something that is reported at a line: an error's kind, or `unsupported`.
#[derive(Clone, Debug)]
pub struct Finding {
    pub file: String,
    pub line: u64,
    pub kind: String,
    /// In an expectation, a part of the message; in what was found, the message.
    pub text: String,
}

impl Finding {
    /// The same kind at the same place.
    pub fn is_at(&self, other: &Finding) -> bool {
        (&self.file, self.line, &self.kind) == (&other.file, other.line, &other.kind)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.kind)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, " \"{}\"", self.text) }
    }
}

#[derive(Debug, Default)]
pub struct Expectation {
    /// The files of the program, from the root of the repository.
    pub files: Vec<PathBuf>,
    pub flags: Vec<String>,
    pub also: Vec<Vec<String>>,
    pub replay: bool,
    pub determinism: bool,
    pub cross_check: bool,
    pub paths: Option<String>,
    pub exit: Option<i32>,
    pub complete: Option<bool>,
    pub findings: Vec<Finding>,
}

impl Expectation {
    /// Reads what `file`, a path from `root`, says.
    pub fn read(root: &Path, file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut expectation = Expectation {
            files: vec![file.to_path_buf()],
            replay: true,
            determinism: true,
            cross_check: true,
            ..Default::default()
        };
        for line in header(&text) {
            expectation.header_line(line, file).map_err(|why| format!("{}: {why}: {line}", file.display()))?;
        }
        for file in expectation.files.clone() {
            let text =
                std::fs::read_to_string(root.join(&file)).map_err(|error| format!("{}: {error}", file.display()))?;
            findings(&file, &text, &mut expectation.findings)?;
        }
        Ok(expectation)
    }

    fn header_line(&mut self, line: &str, file: &Path) -> Result<(), String> {
        let Some((key, value)) = line.trim_start_matches('/').trim().split_once(':') else { return Ok(()) };
        let value = value.trim();
        match key {
            "run" => self.flags.extend(words(value)?),
            "also" => self.also.push(words(value)?),
            "files" => {
                let folder = file.parent().unwrap_or(Path::new(""));
                self.files.extend(words(value)?.iter().map(|name| folder.join(name)));
            }
            "replay" => self.replay = yes_unless_explained(value)?,
            "determinism" => self.determinism = yes_unless_explained(value)?,
            "cross-check" => self.cross_check = yes_unless_explained(value)?,
            "paths" => self.paths = Some(value.to_string()),
            "exit" => self.exit = Some(value.parse().map_err(|_| "not a number".to_string())?),
            "complete" => self.complete = Some(value.parse().map_err(|_| "not true or false".to_string())?),
            _ => {} // prose
        }
        Ok(())
    }
}

/// The comment lines that a file begins with.
fn header(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| line.starts_with("//"))
}

fn yes_unless_explained(value: &str) -> Result<bool, String> {
    match value.strip_prefix("no") {
        Some(why) if why.trim().is_empty() => Err("say why not".to_string()),
        Some(_) => Ok(false),
        None => Err("the only thing to say is no, and why".to_string()),
    }
}

fn findings(file: &Path, text: &str, findings: &mut Vec<Finding>) -> Result<(), String> {
    for (index, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else { continue };
        let at = |kind: &str, text: &str| Finding {
            file: file.display().to_string(),
            line: index as u64 + 1,
            kind: kind.to_string(),
            text: text.to_string(),
        };
        let comment = comment.trim();
        if let Some(list) = comment.strip_prefix("expect:") {
            for item in list.split(", ") {
                let (kind, text) = item.trim().split_once(' ').unwrap_or((item.trim(), ""));
                findings.push(at(kind, text.trim().trim_matches('"')));
            }
        } else if let Some(text) = comment.strip_prefix("unsupported") {
            findings.push(at("unsupported", text.trim_start_matches(':').trim()));
        } else if comment.starts_with("expect") {
            return Err(format!("{}:{}: not an expectation: {comment}", file.display(), index + 1));
        }
    }
    Ok(())
}

/// The text with the lines that blessing writes set to these.
pub fn blessed(text: &str, paths: &str, exit: i32, complete: bool) -> String {
    let is_blessed = |line: &str| ["// paths:", "// exit:", "// complete:"].iter().any(|key| line.starts_with(key));
    let head = header(text).count();
    let mut lines: Vec<String> =
        text.lines().take(head).filter(|line| !is_blessed(line)).map(ToString::to_string).collect();
    lines.push(format!("// paths: {paths}"));
    lines.push(format!("// exit: {exit}"));
    lines.push(format!("// complete: {complete}"));
    lines.extend(text.lines().skip(head).map(ToString::to_string));
    lines.join("\n") + "\n"
}
