//! The text of the source files of a program.

use std::time::SystemTime;

use upshot_ir::{FileId, Program};

/// Lines of text by file. A file that cannot be read is `None`: its instructions are then compared without it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Option<Vec<String>>>,
}

impl Sources {
    /// Reads every file that the program's debug information names.
    pub fn read(program: &Program) -> Self {
        Self::read_as_of(program, None)
    }

    /// The same for a program that was compiled before: what was written since is not the text it was compiled from.
    pub fn read_as_of(program: &Program, compiled: Option<SystemTime>) -> Self {
        let is_newer = |name: &str| {
            let written = std::fs::metadata(name).and_then(|metadata| metadata.modified());
            compiled.is_some_and(|compiled| written.is_ok_and(|written| written > compiled))
        };
        let read = |name: &String| std::fs::read(name).ok().filter(|_| !is_newer(name)).map(|bytes| lines(&bytes));
        Sources { files: program.files.iter().map(read).collect() }
    }

    /// Texts that are at hand already, by [`FileId`].
    pub fn from_texts(texts: impl IntoIterator<Item = Option<String>>) -> Self {
        Sources { files: texts.into_iter().map(|text| text.map(|text| lines(text.as_bytes()))).collect() }
    }

    /// A line, counted from 1.
    pub fn line(&self, file: FileId, line: u32) -> Option<&str> {
        let lines = self.files.get(file.index())?.as_ref()?;
        lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_string).collect()
}
