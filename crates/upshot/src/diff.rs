//! `upshot diff`.

use std::time::Instant;

use crate::arguments::{Diff, Format};
use crate::failure::Failure;
use crate::versions;

/// Runs the command; the exit code.
pub fn diff(arguments: &Diff) -> Result<u8, Failure> {
    let mut versions = versions::load(&arguments.versions)?;
    let started = Instant::now();
    let changes = versions.compare()?;
    versions.phases.push(("compare", started.elapsed()));
    let report = versions.report(&changes);
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::diff_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.output.color);
            print!("{}", upshot_report::diff_text(&report, style, arguments.output.detail()));
        }
    }
    Ok(u8::from(report.differs()))
}
