//! From C files and bitcode to one linked LLVM module, with the C runtime it needs. Clang does the compiling and LLVM
//! the linking; this crate decides how they are called, and turns every way they can object into a typed error with one
//! clear line. It knows nothing about how the module is executed.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("square.c");
//! std::fs::write(&file, "#include <string.h>\nint main(int argc, char **argv) { return (int)strlen(argv[0]); }\n")?;
//! let request = upshot_frontend::Request { inputs: vec![file], ..Default::default() };
//! let built = upshot_frontend::build(&request)?;
//! assert_eq!(built.functions, ["main"]);
//! assert!(built.linked.len() > built.user.len()); // strlen came with it
//! # Ok(()) }
//! ```

mod annotate;
mod assume;
mod bitcode;
mod bitstream;
mod clang;
mod database;
mod entry;
mod error;
mod input;
mod link;
mod llvm;
mod runtime;
mod words;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use inkwell::module::Module;

use clang::{Bitcode, Compiler, Source};
use input::{Content, Found, Input};
use link::Unit;
use llvm::Session;

pub use annotate::annotate;
pub use clang::{KLEE_HEADER, clang};
pub use error::FrontendError;
pub use runtime::RUNTIME_PATH;
pub use words::words;

/// What to build.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files ending in `.c` (or `.i`), `.bc` or `.ll`; or folders, for the C files that their `compile_commands.json`
    /// lists (or that of their `build/`), each with its own flags, else for all C files in them.
    pub inputs: Vec<PathBuf>,
    /// Flags for clang (`-D`, `-I`, `-std`, `-O2` …), after our own and those of single files, so that they win.
    pub flags: Vec<String>,
    /// `--assume` expressions, in C, over the parameters of the entry (of `main`, when there is none) and globals.
    pub assumptions: Vec<String>,
    /// The function to start in, which must exist. Without one nothing is looked for, not even `main`.
    pub entry: Option<String>,
    /// Where folders among the inputs lie within a copy of what a compilation database speaks of.
    pub moved: Vec<Moved>,
}

/// A copy of a tree of files.
#[derive(Debug, Clone)]
pub struct Moved {
    /// Where the tree is. Paths in a compilation database lead there.
    pub from: PathBuf,
    /// Where the copy is.
    pub to: PathBuf,
}

/// A file that was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub path: PathBuf,
    /// Its own, before those of all files.
    pub flags: Vec<String>,
}

/// What was built.
#[derive(Debug, Clone)]
pub struct Built {
    /// Bitcode of the user's files only, linked.
    pub user: Vec<u8>,
    /// The same with what it needs of the C runtime: what the executor runs.
    pub linked: Vec<u8>,
    /// What clang said, as it said it; empty when it said nothing.
    pub diagnostics: String,
    /// One function per assumption, in order: it takes the entry's parameters and returns whether they satisfy it.
    pub assumption_functions: Vec<String>,
    /// The functions that the user's files define (in the order of the module), assumptions not counted.
    pub functions: Vec<String>,
    /// The files, in the order in which they were linked.
    pub files: Vec<SourceFile>,
    /// What to name as inputs to build the same again.
    pub inputs: Vec<PathBuf>,
    /// What has to be known about how the files were found, each in a line.
    pub notes: Vec<String>,
}

/// Compiles, reads and links what is asked for.
pub fn build(request: &Request) -> Result<Built, FrontendError> {
    let Found { inputs, named, notes } = input::look_at(&request.inputs, &request.moved)?;
    let files =
        inputs.iter().map(|input| SourceFile { path: input.path.clone(), flags: input.flags.clone() }).collect();
    let compiler = Compiler::new(&request.flags)?;
    let session = Session::new();
    let (mut modules, mut diagnostics) = read_all(&session, &compiler, &inputs)?;
    let entry = match (&request.entry, request.assumptions.is_empty()) {
        (Some(entry), _) => Some(entry.as_str()),
        (None, false) => Some("main"),
        (None, true) => None,
    };
    let mut first = 0;
    if let Some(entry) = entry {
        let home = entry::find(entry, &session, &compiler, &inputs, &modules)?;
        let unit = home.unit;
        // Linking drops local functions without a caller, except from the module that the others are linked into.
        first = if home.local { unit } else { 0 };
        if let Some(bitcode) = compile_home(&compiler, &inputs[unit], entry, home, &request.assumptions)? {
            modules[unit] = read(&session, &compiler, &inputs[unit], Some(&bitcode))?;
            diagnostics[unit] = bitcode.diagnostics;
            entry::remove_keeper(&modules[unit]);
            entry::check(entry, &modules[unit])?;
        }
    }

    let assumption_functions: Vec<String> = (0..request.assumptions.len()).map(assume::function_name).collect();
    let mut units: Vec<Unit<'_>> =
        inputs.into_iter().zip(modules).map(|(input, module)| Unit { path: input.path, module }).collect();
    units[..=first].rotate_right(1);
    let program = link::link(&session, units)?;
    // Where the first file lies is no part of the program.
    program.set_source_file_name("program");
    let mut functions = entry::defined(&program);
    functions.retain(|name| !assumption_functions.contains(name));
    let user = bytes(&program);
    runtime::add(&session, &program)?;
    Ok(Built {
        user,
        linked: bytes(&program),
        diagnostics: diagnostics.concat(),
        assumption_functions,
        functions,
        files,
        inputs: named,
        notes,
    })
}

/// For each of several entries, whether each assumption of the request can be compiled there: over its parameters, and the globals of its file.
pub fn assumptions_that_fit(
    request: &Request,
    entries: &[String],
) -> Result<Vec<Vec<Result<(), FrontendError>>>, FrontendError> {
    let Found { inputs, .. } = input::look_at(&request.inputs, &request.moved)?;
    let compiler = Compiler::new(&request.flags)?;
    let session = Session::new();
    let (modules, _) = read_all(&session, &compiler, &inputs)?;
    let fits = |entry: &str, assumption: &String| {
        let home = entry::find(entry, &session, &compiler, &inputs, &modules)?;
        let unit = home.unit;
        compile_home(&compiler, &inputs[unit], entry, home, std::slice::from_ref(assumption)).map(|_| ())
    };
    Ok(entries
        .iter()
        .map(|entry| request.assumptions.iter().map(|assumption| fits(entry, assumption)).collect())
        .collect())
}

/// A module for each input, and what clang said about it.
fn read_all<'ctx>(
    session: &'ctx Session,
    compiler: &Compiler<'_>,
    inputs: &[Input],
) -> Result<(Vec<Module<'ctx>>, Vec<String>), FrontendError> {
    let compiled = compile_all(compiler, inputs)?;
    let mut diagnostics = Vec::with_capacity(inputs.len());
    let mut modules = Vec::with_capacity(inputs.len());
    for (input, bitcode) in inputs.iter().zip(compiled) {
        modules.push(read(session, compiler, input, bitcode.as_ref())?);
        diagnostics.push(bitcode.map(|bitcode| bitcode.diagnostics).unwrap_or_default());
    }
    Ok((modules, diagnostics))
}

/// Compiles the C files among the inputs, as many at once as there are processors. Of several that fail the first in
/// the order given is reported, whichever finished first.
fn compile_all(compiler: &Compiler<'_>, inputs: &[Input]) -> Result<Vec<Option<Bitcode>>, FrontendError> {
    let compile = |slot: usize| {
        let input = &inputs[slot];
        input.is_source().then(|| compiler.compile(&input.source(), slot, &[])).transpose()
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(inputs.len());
    if workers < 2 {
        return (0..inputs.len()).map(compile).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|slot| *slot < inputs.len());
    let work = || std::iter::from_fn(take).map(|slot| (slot, compile(slot))).collect::<Vec<_>>();
    let mut results: Vec<(usize, Result<Option<Bitcode>, FrontendError>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    results.sort_by_key(|(slot, _)| *slot);
    if results.len() != inputs.len() {
        return Err(FrontendError::Internal("a compiling thread died".into()));
    }
    results.into_iter().map(|(_, result)| result).collect()
}

/// Compiles the file of the entry again, where it needs a text appended: to keep the entry, or for the assumptions.
fn compile_home(
    compiler: &Compiler<'_>,
    input: &Input,
    entry: &str,
    home: entry::Home,
    assumptions: &[String],
) -> Result<Option<Bitcode>, FrontendError> {
    let mut appended = home.keeper;
    if !assumptions.is_empty() {
        if !input.is_source() {
            return Err(FrontendError::AssumeWithoutSource { entry: entry.into(), path: input.path.clone() });
        }
        appended += &assume::functions(compiler, &input.source(), entry, assumptions)?;
    }
    if appended.is_empty() {
        return Ok(None);
    }
    // A file may end without a newline.
    let appended = format!("\n{appended}");
    let source = Source { appended: Some(&appended), ..input.source() };
    let compiled = compiler.compile(&source, home.unit, &[]);
    compiled.map(Some).map_err(|error| assume::blame(error, entry, assumptions))
}

fn read<'ctx>(
    session: &'ctx Session,
    compiler: &Compiler<'_>,
    input: &Input,
    compiled: Option<&Bitcode>,
) -> Result<Module<'ctx>, FrontendError> {
    match (&input.content, compiled) {
        (Content::Bitcode(bytes), _) => bitcode::read_bitcode(session, compiler, &input.path, bytes),
        (Content::Text(bytes), _) => bitcode::read_text(session, compiler, &input.path, bytes),
        (Content::Source, Some(compiled)) => {
            let module = session.read_bitcode(&compiled.bytes, &input.path.to_string_lossy());
            let module = module.map_err(|message| {
                FrontendError::Internal(format!(
                    "clang's bitcode of {} is not readable: {message}",
                    input.path.display()
                ))
            })?;
            bitcode::check_target(&module, &input.path)?;
            Ok(module)
        }
        (Content::Source, None) => Err(FrontendError::Internal(format!("{} was not compiled", input.path.display()))),
    }
}

fn bytes(module: &Module<'_>) -> Vec<u8> {
    module.write_bitcode_to_memory().as_slice().to_vec()
}
