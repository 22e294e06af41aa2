//! From the program arguments to a lowered program.

use upshot_ir::{FuncId, Program};

use crate::arguments::ProgramArguments;
use crate::failure::Failure;
use crate::origin::Origin;

/// A program that can be run.
pub struct Loaded {
    pub program: Program,
    pub entry: FuncId,
    /// Functions that check `--assume`, in order.
    pub assumptions: Vec<FuncId>,
    pub built: upshot_frontend::Built,
    /// Files and flags, to build it again.
    pub recorded: Recorded,
}

/// Files and flags of a program, to build it again.
pub struct Recorded {
    pub inputs: Vec<String>,
    pub flags: Vec<String>,
}

pub fn load(arguments: &ProgramArguments, extra_flags: &[String]) -> Result<Loaded, Failure> {
    let origins = arguments.program.iter().map(|path| Origin::look_at(path)).collect::<Result<Vec<_>, _>>()?;
    let own = arguments.clang_flags.iter().map(|flag| match &origins[..] {
        [only] => only.within(flag),
        _ => flag.clone(),
    });
    let flags: Vec<String> = own.chain(extra_flags.iter().cloned()).collect();
    let request = upshot_frontend::Request {
        inputs: origins.iter().map(|origin| origin.path.clone()).collect(),
        flags: origins.iter().filter_map(Origin::as_working_tree).chain(flags.iter().cloned()).collect(),
        assumptions: arguments.assume.clone(),
        entry: arguments.entry.clone(),
        moved: origins.iter().filter_map(Origin::moved).collect(),
    };
    let built = upshot_frontend::build(&request).map_err(|error| {
        let told = |text: &str| origins.iter().fold(text.to_string(), |text, origin| origin.told(&text));
        Failure::from(error).map(told)
    })?;
    tell(&built, &origins);
    let in_working_tree =
        |text: &str| origins.iter().fold(text.to_string(), |text, origin| origin.in_working_tree(&text));
    let mut program = lower(&built)?;
    for file in &mut program.files {
        *file = in_working_tree(file);
    }
    let recorded = Recorded {
        inputs: built.inputs.iter().map(|path| in_working_tree(&path.display().to_string())).collect(),
        flags: flags.iter().map(|flag| in_working_tree(flag)).collect(),
    };
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
    Ok(Loaded { program, entry, assumptions, built, recorded })
}

/// The program that was built.
pub fn lower(built: &upshot_frontend::Built) -> Result<Program, Failure> {
    upshot_ir::load(&built.linked).map_err(|error| {
        let names: Vec<String> = built.files.iter().map(|file| file.path.display().to_string()).collect();
        Failure::new(format!("{}: {error}", names.join(", ")))
    })
}

/// Tells what clang and whoever looked for the files had to say.
pub fn tell(built: &upshot_frontend::Built, origins: &[Origin]) {
    let told = |text: &str| origins.iter().fold(text.to_string(), |text, origin| origin.told(&text));
    eprint!("{}", told(&built.diagnostics));
    built.notes.iter().for_each(|note| eprintln!("upshot: {}", told(note)));
}
