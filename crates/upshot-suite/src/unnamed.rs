//! Files that get their contents first and their name later: nobody ever sees a part of one, and a process that is killed leaves nothing behind.
//!
//! Giving a file its name takes the folder's lock once. A file that is made under one name and then renamed takes it three times, and with two threads, one that makes files and one that
//! names them, waiting for it costs more than all the rest of writing a test.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

/// Open files are few to a process (1024 by default); what is beyond a good part of that has to be written in another way.
const MOST: usize = 256;

/// The files of one folder that have no name yet, by number.
#[derive(Debug, Default)]
pub(crate) struct Unnamed(Mutex<HashMap<u64, File>>);

impl Unnamed {
    /// Writes a file; false where that cannot be done without a name: on file systems that do not know of it, or with many such files at hand.
    pub fn write(&self, folder: &File, number: u64, contents: &[u8]) -> bool {
        if self.files().len() >= MOST {
            return false;
        }
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let Ok(file) = openat(folder, ".", flags, Mode::from_raw_mode(0o666)) else { return false };
        let mut file = File::from(file);
        if file.write_all(contents).is_err() {
            return false;
        }
        self.files().insert(number, file);
        true
    }

    /// Drops a file; whether there was one of that number.
    pub fn discard(&self, number: u64) -> bool {
        self.files().remove(&number).is_some()
    }

    /// Gives a file its name, a path below the folder or an absolute one; `None` if there is none of that number. Who finds the name taken is told `AlreadyExists`, and has the file still.
    pub fn name(&self, folder: &File, number: u64, name: &Path) -> Option<io::Result<()>> {
        // Not held while the file gets its name: the thread that makes files would wait for it.
        let file = self.files().remove(&number)?;
        let mut result = linkat(&file, "", folder, name, AtFlags::EMPTY_PATH);
        if result.is_err_and(|error| error != rustix::io::Errno::EXIST) {
            // Before Linux 6.10 only the administrator may name a file by its descriptor alone.
            let link = format!("/proc/self/fd/{}", file.as_raw_fd());
            result = linkat(CWD, link.as_str(), folder, name, AtFlags::SYMLINK_FOLLOW);
        }
        if result.is_err() {
            self.files().insert(number, file);
        }
        Some(result.map_err(io::Error::from))
    }

    fn files(&self) -> MutexGuard<'_, HashMap<u64, File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_there_once_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let handle = File::open(folder.path()).unwrap();
        let unnamed = Unnamed::default();
        if !unnamed.write(&handle, 7, b"contents") {
            return; // a file system that knows of none
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(folder.path().join("taken"), "").unwrap();
        let refused = unnamed.name(&handle, 7, Path::new("taken")).unwrap();
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        unnamed.name(&handle, 7, Path::new("a")).unwrap().unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"contents");
        assert!(unnamed.name(&handle, 7, Path::new("b")).is_none());
        assert!(!unnamed.discard(7));
    }

    #[test]
    fn only_so_many_are_held() {
        let folder = tempfile::tempdir().unwrap();
        let handle = File::open(folder.path()).unwrap();
        let unnamed = Unnamed::default();
        let written = (0..2 * MOST as u64).filter(|&number| unnamed.write(&handle, number, b"")).count();
        assert!(written == MOST || written == 0, "{written}");
        assert!(written == 0 || unnamed.discard(0) && unnamed.write(&handle, 9999, b""));
    }
}
