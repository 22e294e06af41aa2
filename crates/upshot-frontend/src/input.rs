//! The user's files, looked at before any tool runs, so that a wrong path or an empty file is told in our words and
//! not in clang's. C files are left to clang; bitcode and IR are read here. A folder stands for the C files in it.

use std::path::{Path, PathBuf};

use crate::clang::Source;
use crate::database;
use crate::error::FrontendError;
use crate::{Moved, SourceFile};

#[derive(Debug)]
pub(crate) enum Content {
    /// C source: clang reads it by its path.
    Source,
    /// The bytes of a `.bc` file.
    Bitcode(Vec<u8>),
    /// The bytes of a `.ll` file.
    Text(Vec<u8>),
}

#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// Its own, before those of all files.
    pub(crate) flags: Vec<String>,
    pub(crate) content: Content,
}

impl Input {
    pub(crate) fn is_source(&self) -> bool {
        matches!(self.content, Content::Source)
    }

    /// The file as it is.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { path: &self.path, flags: &self.flags, appended: None }
    }
}

/// What was asked for, as files.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) inputs: Vec<Input>,
    /// What to name to get the same again: a folder with a compilation database as such, since its files have flags of
    /// their own; of any other the files.
    pub(crate) named: Vec<PathBuf>,
    pub(crate) notes: Vec<String>,
}

pub(crate) fn look_at(paths: &[PathBuf], moved: &[Moved]) -> Result<Found, FrontendError> {
    if paths.is_empty() {
        return Err(FrontendError::NoInputs);
    }
    let mut found = Found::default();
    let mut files = Vec::new();
    for path in paths {
        let metadata = std::fs::metadata(path).map_err(|error| FrontendError::read(path, error))?;
        if !metadata.is_dir() {
            files.push(SourceFile { path: path.clone(), flags: Vec::new() });
            found.named.push(path.clone());
        } else if let Some(listed) = database::read(path, moved)? {
            files.extend(listed.files);
            found.notes.extend(listed.notes);
            found.named.push(path.clone());
        } else {
            let mut all = Vec::new();
            gather(path, &mut all)?;
            if all.is_empty() {
                return Err(FrontendError::NoSources { path: path.clone() });
            }
            found.named.extend(all.iter().cloned());
            files.extend(all.into_iter().map(|path| SourceFile { path, flags: Vec::new() }));
        }
    }
    let alone = files.len() == 1;
    found.inputs = files.into_iter().map(|file| look_at_one(file, alone)).collect::<Result<_, _>>()?;
    Ok(found)
}

/// All C files below a folder, in order. What begins with a dot is not looked at.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), FrontendError> {
    let list =
        || std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut entries = list().map_err(|error| FrontendError::read(folder, error))?;
    entries.sort();
    for path in entries {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if is_hidden {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "c") && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn look_at_one(file: SourceFile, alone: bool) -> Result<Input, FrontendError> {
    let SourceFile { path, flags } = file;
    let read = || {
        let bytes = std::fs::read(&path).map_err(|error| FrontendError::read(&path, error))?;
        if bytes.is_empty() { Err(FrontendError::Empty { path: path.clone() }) } else { Ok(bytes) }
    };
    let content = match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => {
            let opened = std::fs::File::open(&path).and_then(|file| file.metadata());
            let metadata = opened.map_err(|error| FrontendError::read(&path, error))?;
            // Beside other files an empty one is odd but harmless; alone it is surely a mistake.
            if alone && metadata.is_file() && metadata.len() == 0 {
                return Err(FrontendError::Empty { path });
            }
            Content::Source
        }
        Some("bc") => Content::Bitcode(read()?),
        Some("ll") => Content::Text(read()?),
        _ => return Err(FrontendError::UnknownKind { path }),
    };
    Ok(Input { path, flags, content })
}
