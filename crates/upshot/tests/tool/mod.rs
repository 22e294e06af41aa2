//! Runs the built tool as its users do: as a process, from the root of the repository, with everything it says caught.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The root of the repository. The tool runs here, so file names in its output are short and the same everywhere.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// The tool, about to be run with what the caller adds.
pub fn upshot() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upshot"));
    command.current_dir(root()).env_remove("UPSHOT_LOG").env_remove("CPATH").env_remove("C_INCLUDE_PATH");
    command
}

/// A process that has ended, with what it said as text.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ended {
    /// The one JSON object on stdout.
    pub fn json(&self) -> Result<Value, String> {
        serde_json::from_str(&self.stdout).map_err(|error| {
            format!("stdout is not one JSON object ({error}):\n{}\nstderr:\n{}", self.stdout, self.stderr)
        })
    }
}

/// Runs a command to its end.
pub fn end(command: &mut Command) -> Ended {
    match command.output() {
        Ok(output) => output.into(),
        Err(error) => Ended { code: None, stdout: String::new(), stderr: format!("cannot run the tool: {error}") },
    }
}
