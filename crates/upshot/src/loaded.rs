//! From the program arguments to a lowered program.

use std::path::PathBuf;

use upshot_ir::{FuncId, Program};

use crate::arguments::ProgramArguments;
use crate::failure::Failure;

/// A program that can be run.
pub struct Loaded {
    pub program: Program,
    pub entry: FuncId,
    /// Functions that check `--assume`, in order.
    pub assumptions: Vec<FuncId>,
    pub built: upshot_frontend::Built,
}

pub fn load(arguments: &ProgramArguments, extra_flags: &[String]) -> Result<Loaded, Failure> {
    let mut flags = arguments.clang_flags.clone();
    flags.extend(extra_flags.iter().cloned());
    let request = upshot_frontend::Request {
        inputs: arguments.program.clone(),
        flags,
        assumptions: arguments.assume.clone(),
        entry: arguments.entry.clone(),
    };
    let built = upshot_frontend::build(&request)?;
    eprint!("{}", built.diagnostics);
    let program = lower(&built, &arguments.program)?;
    let name = arguments.entry.as_deref().unwrap_or("main");
    let Some(entry) = program.function_named(name) else {
        let mut failure = Failure::new("the program has no main");
        let functions: Vec<String> = built.functions.iter().take(8).map(|name| format!("`{name}`")).collect();
        if !functions.is_empty() {
            failure =
                failure.hint(format!("name a function to start in with --entry; there are {}", functions.join(", ")));
        }
        return Err(failure);
    };
    let assumptions = built.assumption_functions.iter().filter_map(|name| program.function_named(name)).collect();
    Ok(Loaded { program, entry, assumptions, built })
}

/// The program that was built of these files.
pub fn lower(built: &upshot_frontend::Built, files: &[PathBuf]) -> Result<Program, Failure> {
    upshot_ir::load(&built.linked).map_err(|error| {
        let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        Failure::new(format!("{}: {error}", names.join(", ")))
    })
}
