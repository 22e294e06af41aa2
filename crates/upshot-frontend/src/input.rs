//! The user's files, looked at before any tool runs, so that a wrong path or an empty file is told in our words and
//! not in clang's. C files are left to clang; bitcode and IR are read here.

use std::path::{Path, PathBuf};

use crate::error::FrontendError;

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
    pub(crate) content: Content,
}

impl Input {
    pub(crate) fn is_source(&self) -> bool {
        matches!(self.content, Content::Source)
    }
}

pub(crate) fn look_at(paths: &[PathBuf]) -> Result<Vec<Input>, FrontendError> {
    if paths.is_empty() {
        return Err(FrontendError::NoInputs);
    }
    let alone = paths.len() == 1;
    paths.iter().map(|path| look_at_one(path, alone)).collect()
}

fn look_at_one(path: &Path, alone: bool) -> Result<Input, FrontendError> {
    let metadata = std::fs::metadata(path).map_err(|error| FrontendError::read(path, error))?;
    if metadata.is_dir() {
        return Err(FrontendError::Directory { path: path.to_path_buf() });
    }
    let owned = path.to_path_buf();
    let read = || {
        let bytes = std::fs::read(path).map_err(|error| FrontendError::read(path, error))?;
        if bytes.is_empty() { Err(FrontendError::Empty { path: path.to_path_buf() }) } else { Ok(bytes) }
    };
    let content = match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => {
            std::fs::File::open(path).map_err(|error| FrontendError::read(path, error))?;
            // Beside other files an empty one is odd but harmless; alone it is surely a mistake.
            if alone && metadata.is_file() && metadata.len() == 0 {
                return Err(FrontendError::Empty { path: owned });
            }
            Content::Source
        }
        Some("bc") => Content::Bitcode(read()?),
        Some("ll") => Content::Text(read()?),
        _ => return Err(FrontendError::UnknownKind { path: owned }),
    };
    Ok(Input { path: owned, content })
}
