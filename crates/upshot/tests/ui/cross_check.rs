//! Every answer that a cache or a rule gave is compared with a fresh Z3, over all programs and examples.

use std::path::Path;

use serde_json::Value;

use crate::case::explore;
use crate::expectation::Expectation;
use crate::tool;

pub fn check(file: &Path) -> Result<(), String> {
    let expectation = Expectation::read(&tool::root(), file)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let run = explore(&expectation, &["--check-solver".to_string()], &folder.path().join("out")).json()?;
    agrees(&run)
}

/// Whether no answer was found to be wrong in a run with `--check-solver`.
pub fn agrees(run: &Value) -> Result<(), String> {
    let queries = &run["queries"];
    match (queries["cross_checked"].as_u64(), queries["asked"].as_u64(), queries.get("disagreements")) {
        (Some(checked), Some(asked), None) if checked > 0 || asked == 0 => Ok(()),
        _ => Err(format!("wrong answers, or none compared: {queries}")),
    }
}
