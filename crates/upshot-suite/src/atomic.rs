//! Files that are whole or not there.
//!
//! Contents go to a temporary file in the same folder, which is then renamed: a reader, or a run that was killed, sees the
//! old file or the new one and nothing between. (A temporary file elsewhere could be on another file system, where a rename is a copy.)
//! Nothing is flushed to the disk's platters: what is promised is safety from killed processes and full disks, not from power cuts,
//! and a flush per test would cost more than finding the test.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What temporary files are called, so that those of a killed run are known for what they are.
pub(crate) const TEMPORARY_PREFIX: &str = ".upshot-tmp-";

/// A file could not be written; nothing is left of it.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Writes `contents` to `path`, replacing what was there at once.
pub fn write_atomic(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    write_atomic_with(path, |file| file.write_all(contents))
}

/// The same for contents that are made while they are written.
pub(crate) fn write_atomic_with(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), WriteError> {
    // A device or a pipe is written to; a rename would put a file in its place.
    if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        let attempt = || write(&mut OpenOptions::new().write(true).open(path)?);
        return attempt().map_err(|source| WriteError { path: path.to_owned(), source });
    }
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!("{TEMPORARY_PREFIX}{}-{unique}", std::process::id()));
    let attempt = || {
        // A left-over of a killed run with our process id: ours to replace.
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?;
        write(&mut file)?;
        drop(file);
        fs::rename(&temporary, path)
    };
    attempt().map_err(|source| {
        let _ = fs::remove_file(&temporary);
        WriteError { path: path.to_owned(), source }
    })
}

/// Puts one folder in the place of another, at once, and removes the other.
pub fn exchange(new: &Path, old: &Path) -> Result<(), WriteError> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let attempt = || {
        renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE)?;
        fs::remove_dir_all(new)
    };
    attempt().map_err(|source| WriteError { path: old.to_owned(), source })
}

/// Writes to a file that nobody looks at yet: a new one, or one whose contents are not needed any more.
pub(crate) fn overwrite(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    let attempt = || {
        // Not truncated first: writing over the blocks that are there is cheaper than new ones.
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.write_all(contents)?;
        if file.metadata()?.len() != contents.len() as u64 {
            file.set_len(contents.len() as u64)?;
        }
        Ok(())
    };
    attempt().map_err(|source| WriteError { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_device_is_written_to_and_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        // By a link, so that a mistake replaces the link and not the machine's device.
        let link = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &link).unwrap();
        assert!(write_atomic(&link, b"contents").is_err());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["full"]);
    }

    #[test]
    fn replaces_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomic(&path, b"long contents").unwrap();
        write_atomic(&path, b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomic(&path, b"old").unwrap();
        let error = write_atomic_with(&path, |file| {
            file.write_all(b"half of it")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("cannot write"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomic(&folder.path().join("no/such/file"), b"").is_err());
        assert!(names(folder.path()).is_empty());
    }
}
