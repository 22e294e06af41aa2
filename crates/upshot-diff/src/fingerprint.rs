//! Which version of a program something was made from: a number for each of the user's functions, and one for what they share.
//!
//! Layout, comments and lines do not count. Neither does the name of a file where the program mentions it (`__FILE__`), since two versions are compiled under one name.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::hash::Hasher;

use rustc_hash::FxHasher;
use upshot_ir::Program;

/// The entry for the globals.
const GLOBALS: &str = "(globals)";

/// By linkage name. `names`: the names of the program's files.
pub fn fingerprints(program: &Program, names: &[String]) -> BTreeMap<String, String> {
    let mut prints = BTreeMap::new();
    for function in program.functions.iter().filter(|function| !function.is_declaration && !function.is_runtime) {
        let parameters: Vec<&str> = function.parameters.iter().map(|parameter| &*parameter.name).collect();
        let print = hash(format_args!("{:?}{:?}{parameters:?}", function.ops, function.constants));
        prints.insert(function.name.clone(), print);
    }
    let mut all = String::new();
    for global in program.globals.iter().filter(|global| !global.is_runtime) {
        all.push_str(&global.name);
        if let Some(contents) = &global.initializer {
            let text = String::from_utf8_lossy(&contents.bytes).into_owned();
            let _ = write!(all, "{}{:?}", without(text, names), contents.relocations);
        }
    }
    prints.insert(GLOBALS.to_string(), hash(format_args!("{all}")));
    prints
}

/// The text without the names, each with the folders before it.
fn without(mut text: String, names: &[String]) -> String {
    for name in names.iter().filter(|name| !name.is_empty()) {
        while let Some(at) = text.find(name.as_str()) {
            let folders = text[..at]
                .rfind(|c: char| c.is_whitespace() || c.is_control() || c == '"')
                .map_or(0, |before| before + text[before..].chars().next().map_or(0, char::len_utf8));
            text.replace_range(folders..at + name.len(), "");
        }
    }
    text
}

struct Hashing(FxHasher);

impl Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn hash(text: fmt::Arguments<'_>) -> String {
    let mut hashing = Hashing(FxHasher::default());
    let _ = hashing.write_fmt(text);
    format!("{:016x}", hashing.0.finish())
}
