//! Making one module out of several. Symbols that two files define are found here by name first, because LLVM's linker
//! says which symbol it was but not in which files. Modules are merged pairwise, since merging one after another
//! into an ever larger one takes time quadratic in their number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use inkwell::module::{Linkage, Module};

use crate::error::FrontendError;
use crate::llvm::Session;

/// A module and the file it came from.
pub(crate) struct Unit<'ctx> {
    pub(crate) path: PathBuf,
    pub(crate) module: Module<'ctx>,
}

pub(crate) fn link<'ctx>(session: &'ctx Session, mut units: Vec<Unit<'ctx>>) -> Result<Module<'ctx>, FrontendError> {
    check_duplicates(&units)?;
    while units.len() > 1 {
        let mut merged = Vec::with_capacity(units.len().div_ceil(2));
        let mut rest = units.into_iter();
        while let Some(first) = rest.next() {
            if let Some(second) = rest.next() {
                let path = second.path;
                session.link(&first.module, second.module).map_err(|message| FrontendError::Link { path, message })?;
            }
            merged.push(first);
        }
        units = merged;
    }
    units.pop().map(|unit| unit.module).ok_or(FrontendError::NoInputs)
}

fn check_duplicates(units: &[Unit<'_>]) -> Result<(), FrontendError> {
    let mut homes: HashMap<String, &Path> = HashMap::new();
    for unit in units {
        for symbol in strong_definitions(&unit.module) {
            if let Some(first) = homes.insert(symbol.clone(), &unit.path) {
                let (first, second) = (first.to_path_buf(), unit.path.clone());
                return Err(FrontendError::DuplicateSymbol { symbol, first, second });
            }
        }
    }
    Ok(())
}

/// Names that no other file may define as well.
fn strong_definitions(module: &Module<'_>) -> Vec<String> {
    let functions = module.get_functions().map(|function| function.as_global_value());
    functions
        .chain(module.get_globals())
        .filter(|global| !global.is_declaration() && global.get_linkage() == Linkage::External)
        .map(|global| global.get_name().to_string_lossy().into_owned())
        .collect()
}
