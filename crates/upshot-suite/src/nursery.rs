//! Where on the disk files are made.
//!
//! ext4 without a journal passes by every file that was lately removed from a part of the disk before it makes a new one there, which takes twenty times as long after thousands were removed, by
//! whomever. Which part it is follows from the folder that a file is made in; and what lies in a folder with the flag `TOPDIR` is unrelated, as far as the file system is concerned, so that it chooses
//! a part for each folder in there by the hash of its name. So files are made in a folder with a random name in such a folder, and in another one as soon as that
//! goes slowly. Other file systems ignore the flag.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

/// How the names of the folders begin.
const PREFIX: &str = "new-";
/// Making a file takes a tenth of this where nothing is in the way.
const SLOW: Duration = Duration::from_micros(200);
/// After so many slow files another folder is tried.
const MOST_SLOW: u32 = 16;

#[derive(Debug)]
pub(crate) struct Nursery {
    parent: PathBuf,
    folder: RwLock<File>,
    slow: AtomicU32,
}

impl Nursery {
    /// Below `parent`, which is made if it is not there.
    pub fn make(parent: &Path) -> io::Result<Nursery> {
        fs::create_dir_all(parent)?;
        let handle = File::open(parent)?;
        if let Ok(flags) = ioctl_getflags(&handle) {
            let _ = ioctl_setflags(&handle, flags | IFlags::TOPDIR);
        }
        Ok(Nursery { parent: parent.to_owned(), folder: RwLock::new(make_folder(parent)?), slow: AtomicU32::new(0) })
    }

    /// Makes a file, by a function that gets the folder to make it in.
    pub fn make_file<R>(&self, make: impl FnOnce(&File) -> R) -> R {
        let started = Instant::now();
        let made = make(&self.folder.read().unwrap_or_else(PoisonError::into_inner));
        if started.elapsed() > SLOW && self.slow.fetch_add(1, Ordering::Relaxed) == MOST_SLOW {
            if let Ok(folder) = make_folder(&self.parent) {
                *self.folder.write().unwrap_or_else(PoisonError::into_inner) = folder;
            }
            self.slow.store(0, Ordering::Relaxed);
        }
        made
    }

    /// Removes the folders of a nursery, and the one around them if nothing else is in it.
    pub fn remove(parent: &Path) -> io::Result<()> {
        for entry in fs::read_dir(parent)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                // Not with what is in it: nothing of ours is.
                fs::remove_dir(entry.path())?;
            }
        }
        fs::remove_dir(parent)
    }
}

fn make_folder(parent: &Path) -> io::Result<File> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = parent.join(format!("{PREFIX}{:x}-{:x}-{unique}", std::process::id(), now.as_nanos()));
    fs::create_dir(&folder)?;
    File::open(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_files_lead_to_another_folder() {
        let around = tempfile::tempdir().unwrap();
        let parent = around.path().join("pending");
        let nursery = Nursery::make(&parent).unwrap();
        for _ in 0..=MOST_SLOW {
            nursery.make_file(|_| std::thread::sleep(SLOW * 2));
        }
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 2);
        Nursery::remove(&parent).unwrap();
        assert!(!parent.exists());
    }
}
