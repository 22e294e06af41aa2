//! The function that exploration starts in. Clang drops an unused `static` (or plain `inline`) function at -O0 without
//! a word, which would make `--entry` fail on exactly the small functions it is made for. So a missing entry is looked
//! for among everything the files declare, and the file that has it is compiled again with a reference to it.

use inkwell::module::{Linkage, Module};

use crate::clang::Compiler;
use crate::error::FrontendError;
use crate::input::Input;
use crate::llvm::{Session, delete_global};

/// Makes clang keep every function with a body. At -O0 it leaves out plain `inline` ones all the same; at any other
/// level the C library's headers would add inline functions of their own, were it not for the missing macro.
const KEEP_ALL: [&str; 6] = ["-w", "-O1", "-Xclang", "-disable-llvm-passes", "-U__OPTIMIZE__", "-femit-all-decls"];

/// The global whose only use is to refer to the entry. It is removed again once clang has seen it.
const KEEPER: &str = "__upshot_keep";

/// Where the entry is defined.
pub(crate) struct Home {
    /// Index of the file.
    pub(crate) unit: usize,
    /// C text to append so that clang keeps the function; empty when it does anyway.
    pub(crate) keeper: String,
    /// Whether the function is local to its file, so that linking would drop it for want of a caller.
    pub(crate) local: bool,
}

/// Finds the file that defines `entry`, by what clang kept, or else by what it could have kept.
pub(crate) fn find(
    entry: &str,
    session: &Session,
    compiler: &Compiler<'_>,
    inputs: &[Input],
    modules: &[Module<'_>],
) -> Result<Home, FrontendError> {
    let paths = |units: &[usize]| units.iter().map(|&unit| inputs[unit].path.clone()).collect();
    let kept: Vec<(usize, Linkage)> = modules
        .iter()
        .enumerate()
        .filter_map(|(unit, module)| definition(module, entry).map(|linkage| (unit, linkage)))
        .collect();
    let visible = kept.iter().find(|(_, linkage)| !matches!(linkage, Linkage::Internal | Linkage::Private));
    if let Some(&(unit, _)) = visible {
        return Ok(Home { unit, keeper: String::new(), local: false });
    }
    let units: Vec<usize> = kept.iter().map(|(unit, _)| *unit).collect();
    match units.as_slice() {
        [] => {}
        [unit] => return Ok(Home { unit: *unit, keeper: String::new(), local: true }),
        _ => return Err(FrontendError::AmbiguousEntry { entry: entry.into(), files: paths(&units) }),
    }

    let everything = everything_declared(session, compiler, inputs, modules)?;
    let units: Vec<usize> =
        (0..inputs.len()).filter(|&unit| everything[unit].iter().any(|name| name == entry)).collect();
    match units.as_slice() {
        [] => {
            let mut defined: Vec<String> = everything.into_iter().flatten().collect();
            defined.sort();
            defined.dedup();
            Err(FrontendError::NoSuchEntry { entry: entry.into(), defined })
        }
        [unit] => {
            // The first line makes an external definition out of an `inline` one; on a static function it says nothing
            // new.
            let keeper = format!(
                "extern __typeof__({entry}) {entry};\n__typeof__({entry}) *const {KEEPER} __attribute__((nodebug)) = &{entry};\n"
            );
            Ok(Home { unit: *unit, keeper, local: true })
        }
        _ => Err(FrontendError::AmbiguousEntry { entry: entry.into(), files: paths(&units) }),
    }
}

/// Takes the reference out again that made clang keep the entry.
pub(crate) fn remove_keeper(module: &Module<'_>) {
    if let Some(global) = module.get_global(KEEPER) {
        delete_global(global);
    }
}

/// That the file compiled again has the entry, in case clang did not keep it after all.
pub(crate) fn check(entry: &str, module: &Module<'_>) -> Result<(), FrontendError> {
    match definition(module, entry) {
        Some(_) => Ok(()),
        None => Err(FrontendError::NoSuchEntry { entry: entry.into(), defined: defined(module) }),
    }
}

/// Names of the functions with a body here, except copies of bodies that live elsewhere.
pub(crate) fn defined(module: &Module<'_>) -> Vec<String> {
    let functions = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0 && function.get_linkage() != Linkage::AvailableExternally);
    functions.map(|function| function.get_name().to_string_lossy().into_owned()).collect()
}

fn definition(module: &Module<'_>, name: &str) -> Option<Linkage> {
    let function = module.get_function(name)?;
    let linkage = function.get_linkage();
    (function.count_basic_blocks() > 0 && linkage != Linkage::AvailableExternally).then_some(linkage)
}

/// Per file, every function with a body, used or not.
fn everything_declared(
    session: &Session,
    compiler: &Compiler<'_>,
    inputs: &[Input],
    modules: &[Module<'_>],
) -> Result<Vec<Vec<String>>, FrontendError> {
    let mut everything = Vec::with_capacity(inputs.len());
    for (unit, (input, module)) in inputs.iter().zip(modules).enumerate() {
        if !input.is_source() {
            everything.push(defined(module));
            continue;
        }
        let bitcode = compiler.compile(&input.source(), unit, &KEEP_ALL)?;
        let all = session
            .read_bitcode(&bitcode.bytes, "everything")
            .map_err(|message| FrontendError::Internal(format!("clang's own bitcode is not readable: {message}")))?;
        let functions = all.get_functions().filter(|function| function.count_basic_blocks() > 0);
        everything.push(functions.map(|function| function.get_name().to_string_lossy().into_owned()).collect());
    }
    Ok(everything)
}
