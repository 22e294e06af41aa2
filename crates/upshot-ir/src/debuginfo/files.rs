//! Source files, numbered by the name under which a person can open them.

use crate::capi::Metadata;
use rustc_hash::FxHashMap;
use std::path::Path;

#[derive(Default)]
pub(crate) struct Files<'m> {
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
    by_node: FxHashMap<Metadata<'m>, u32>,
}

impl<'m> Files<'m> {
    /// The number of a `DIFile`.
    pub(crate) fn id(&mut self, file: Metadata<'m>) -> u32 {
        if let Some(&id) = self.by_node.get(&file) {
            return id;
        }
        let (name, directory) = file.file_name().unwrap_or_default();
        let name = readable(&name, &directory);
        let next = self.names.len() as u32;
        let id = *self.by_name.entry(name.clone()).or_insert(next);
        if id == next {
            self.names.push(name);
        }
        self.by_node.insert(file, id);
        id
    }

    pub(crate) fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// Clang's name of the file, which is relative if it was so on the command line. Then it is kept if clang ran in this
/// very directory, and joined with clang's directory otherwise.
fn readable(name: &str, directory: &str) -> String {
    let here = || std::env::current_dir().is_ok_and(|here| here == Path::new(directory));
    if directory.is_empty() || Path::new(name).is_absolute() || here() {
        return name.to_string();
    }
    Path::new(directory).join(name).to_string_lossy().into_owned()
}

/// Whether the file is part of the C runtime that comes with Upshot.
pub(crate) fn is_runtime_file(file: Metadata<'_>) -> bool {
    let (name, directory) = file.file_name().unwrap_or_default();
    format!("{directory}/{name}").contains("upshot-runtime/")
}
