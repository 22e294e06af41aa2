//! `upshot show`.

use serde_json::json;
use upshot_suite::{Ktest, RUN_FILE, Run};

use crate::arguments::{Format, ProgramArguments, Show};
use crate::failure::Failure;
use crate::loaded::{self, Loaded};

pub fn show(arguments: &Show) -> Result<u8, Failure> {
    let mut shown = Vec::new();
    // Types are known where the program that the test was made for can still be built.
    let program = arguments.tests.first().and_then(|test| program_of(test));
    for path in &arguments.tests {
        let test = Ktest::read(path).map_err(Failure::new)?;
        let (program, entry) = match &program {
            Some((loaded, entry)) => (Some(&loaded.program), entry.as_deref()),
            None => (None, None),
        };
        let objects = upshot_suite::show(&test, program, entry);
        let name = path.display().to_string();
        match arguments.output.format {
            Format::Json => shown.push(json!({"test": name, "objects": objects})),
            Format::Text => print!("{}", upshot_suite::render(&name, &objects)),
        }
    }
    if arguments.output.format == Format::Json {
        println!("{}", json!({"schema": "upshot.show/1", "complete": true, "tests": shown}));
    }
    Ok(0)
}

/// The program that run.json beside a test speaks of, and the entry.
fn program_of(test: &std::path::Path) -> Option<(Loaded, Option<String>)> {
    let record = Run::read(&test.parent()?.join(RUN_FILE)).ok()?.program?;
    let arguments = ProgramArguments {
        program: record.inputs.iter().map(Into::into).collect(),
        entry: record.entry.clone(),
        clang_flags: record.flags,
        assume: Vec::new(),
    };
    Some((loaded::load(&arguments, &[]).ok()?, record.entry))
}
