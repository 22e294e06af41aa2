//! A file to which lines are added while something goes on, so that whoever is killed in the middle can go on from there.
//!
//! Each line begins with a checksum of the rest. A line that is not whole ends the file for its reader, and the next one to add something writes over it: whatever a process did
//! not get to write is as if it had not happened.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::atomic::WriteError;
use crate::manifest::checksum;

/// The journal of a run, in its folder.
pub const JOURNAL_FILE: &str = "journal";

/// A journal that is added to.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Lines that are not written yet.
    lines: Vec<u8>,
}

/// What a journal says.
#[derive(Debug, Default)]
pub struct Lines {
    text: Vec<u8>,
    /// Up to here it is whole.
    pub length: u64,
    /// The file goes on behind that.
    pub is_cut: bool,
}

impl Lines {
    /// Reads a journal as far as it is whole. A file that is not there has no lines.
    pub fn read(path: &Path) -> io::Result<Lines> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut lines = Lines { text, ..Lines::default() };
        lines.length = lines.iter().map(|line| line.len() as u64 + 18).sum();
        lines.is_cut = lines.length < lines.text.len() as u64;
        Ok(lines)
    }

    /// The lines, without their checksums.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.text[..];
        std::iter::from_fn(move || {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let (line, tail) = (&rest[..end], &rest[end + 1..]);
            let (sum, line) = (line.get(..16)?, line.get(17..)?);
            (checksum(line).as_bytes() == sum).then(|| rest = tail)?;
            Some(line)
        })
    }
}

impl Journal {
    /// Goes on behind the first `length` bytes of the file; what is behind them is dropped.
    pub fn go_on(path: &Path, length: u64) -> Result<Journal, WriteError> {
        let open = || {
            let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
            Ok(file)
        };
        let file = open().map_err(|source| WriteError { path: path.to_owned(), source })?;
        Ok(Journal { path: path.to_owned(), file, lines: Vec::new() })
    }

    /// Adds a line, which must be one.
    pub fn add(&mut self, line: &[u8]) {
        debug_assert!(!line.contains(&b'\n'));
        self.lines.extend(checksum(line).as_bytes());
        self.lines.push(b' ');
        self.lines.extend(line);
        self.lines.push(b'\n');
    }

    /// Writes what was added.
    pub fn write(&mut self) -> Result<(), WriteError> {
        let written = self.file.write_all(&self.lines);
        self.lines.clear();
        written.map_err(|source| WriteError { path: self.path.clone(), source })
    }

    /// Removes the file: nobody has to go on from here.
    pub fn remove(self) -> Result<(), WriteError> {
        fs::remove_file(&self.path).map_err(|source| WriteError { path: self.path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &Lines) -> Vec<String> {
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    #[test]
    fn every_beginning_of_a_journal_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert!(texts(&Lines::read(&path).unwrap()).is_empty());
        let mut journal = Journal::go_on(&path, 0).unwrap();
        for line in ["one", "", "three"] {
            journal.add(line.as_bytes());
        }
        journal.write().unwrap();
        let whole = fs::read(&path).unwrap();
        for end in 0..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let lines = Lines::read(&path).unwrap();
            let expected: &[&str] = match end {
                0..21 => &[],
                21..39 => &["one"],
                39..62 => &["one", ""],
                _ => &["one", "", "three"],
            };
            assert_eq!(texts(&lines), expected, "{end}");
            assert_eq!(lines.is_cut, lines.length != end as u64);
            let mut journal = Journal::go_on(&path, lines.length).unwrap();
            journal.add(b"more");
            journal.write().unwrap();
            let again = Lines::read(&path).unwrap();
            assert_eq!(texts(&again), [expected, &["more"]].concat());
            assert!(!again.is_cut);
        }
    }

    #[test]
    fn a_line_that_was_edited_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::go_on(&path, 0).unwrap();
        journal.add(b"one");
        journal.add(b"two");
        journal.write().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("two", "too")).unwrap();
        assert_eq!(texts(&Lines::read(&path).unwrap()), ["one"]);
    }
}
