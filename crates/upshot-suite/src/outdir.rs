//! The output folder of a run: `test000001.ktest`, …, `test000001.<kind>.err`, `run.json`.
//!
//! Tests are numbered in path order, but workers find them in any order. So a worker writes its test to a file without a name (or, where there are none such, under `pending/`, as a part
//! of a file); it gets its number for a name if everything before it is known, and else becomes a whole pending test, so that a run that is
//! killed in between loses none, and every `.ktest` is whole. A folder is Upshot's own if it carries a marker; anything else is refused, because clearing it would
//! destroy somebody's files, and of an own folder only the files that Upshot itself writes are cleared.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};

use crate::atomic::{TEMPORARY_PREFIX, WriteError, overwrite, write_atomic};
use crate::journal::JOURNAL_FILE;
use crate::ktest::Ktest;
use crate::nursery::Nursery;
use crate::record::Run;
use crate::unnamed::Unnamed;

const MARKER: &str = ".upshot";
const MARKER_TEXT: &str = "upshot.out/1\nThis folder is written by upshot and is cleared by its next run.\n";
const PENDING: &str = "pending";
/// How the names of tests end that may not be whole.
const PART: &str = "part";
/// What a comparison has settled so far, to go on from.
pub const COMPARISON_FILE: &str = "verify.jsonl";
/// The record of the run.
pub const RUN_FILE: &str = "run.json";

/// Why an output folder cannot be had or used.
#[derive(Debug, thiserror::Error)]
pub enum OutDirError {
    #[error("{} is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error(
        "{} holds something that upshot did not write ({example}); choose another --out, or use --force to write there anyway",
        path.display()
    )]
    Occupied { path: PathBuf, example: String },
    #[error("another run is writing to {}", path.display())]
    InUse { path: PathBuf },
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// An output folder, claimed for one run. Its methods may be called from several threads.
#[derive(Debug)]
pub struct OutDir {
    path: PathBuf,
    folder: File,
    /// Where tests are made.
    nursery: Nursery,
    /// The marker, locked while the run lasts.
    _lock: File,
    /// Kept tests that have no name yet.
    unnamed: Unnamed,
    /// Tests kept so far.
    kept: AtomicU64,
    /// Of a run that goes on from an earlier one: the names of the files that stay. The others are of that run.
    ours: Option<Mutex<HashSet<String>>>,
}

/// A test on disk whose number is not known yet.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a pending test is settled or discarded"]
pub struct Pending {
    sequence: u64,
    is_secure: bool,
}

impl Pending {
    /// The test that was [kept](OutDir::keep) under this number.
    pub fn kept(sequence: u64) -> Self {
        Pending { sequence, is_secure: false }
    }
}

impl OutDir {
    /// Creates the folder, or takes over one that an earlier run wrote and clears that run's files. With `force`, a
    /// folder of another origin is taken too; of its files, only those whose names Upshot uses are replaced.
    pub fn claim(path: &Path, force: bool) -> Result<OutDir, OutDirError> {
        let out = OutDir::claim_to_resume(path, force)?;
        let journal = path.join(COMPARISON_FILE);
        match fs::remove_file(&journal) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(OutDirError::Io { action: "remove", path: journal, source })
            }
            _ => Ok(out),
        }
    }

    /// The same, but for the journal, which stays.
    pub fn claim_to_resume(path: &Path, force: bool) -> Result<OutDir, OutDirError> {
        let io = |action| move |source| OutDirError::Io { action, path: path.to_owned(), source };
        let lock = Self::take(path, force)?;
        clear(path).map_err(io("clear"))?;
        Self::open(path, lock, 0, None)
    }

    /// Takes over the folder of a run that did not get to its end, to go on from there: what it found stays, until [`OutDir::sweep`].
    pub fn go_on(path: &Path) -> Result<OutDir, OutDirError> {
        let lock = Self::take(path, false)?;
        let kept =
            prepare(path).map_err(|source| OutDirError::Io { action: "write to", path: path.to_owned(), source })?;
        Self::open(path, lock, kept, Some(Mutex::default()))
    }

    fn open(path: &Path, lock: File, kept: u64, ours: Option<Mutex<HashSet<String>>>) -> Result<OutDir, OutDirError> {
        let open = || Ok((File::open(path)?, Nursery::make(&path.join(PENDING))?));
        let io = |source| OutDirError::Io { action: "write to", path: path.to_owned(), source };
        let (folder, nursery) = open().map_err(io)?;
        let (path, unnamed, kept) = (path.to_owned(), Unnamed::default(), AtomicU64::new(kept));
        Ok(OutDir { path, folder, nursery, _lock: lock, unnamed, kept, ours })
    }

    /// The folder, locked.
    fn take(path: &Path, force: bool) -> Result<File, OutDirError> {
        let io = |action| move |source| OutDirError::Io { action, path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(data) if !data.is_dir() => return Err(OutDirError::NotAFolder { path: path.to_owned() }),
            Ok(_) => {
                if let (false, Some(example)) = (force || is_ours(path), first_entry(path).map_err(io("read"))?) {
                    return Err(OutDirError::Occupied { path: path.to_owned(), example });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path).map_err(io("create"))?;
            }
            Err(error) => return Err(io("open")(error)),
        }
        let marker = path.join(MARKER);
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(&marker);
        let lock = lock.map_err(|source| OutDirError::Io { action: "write", path: marker.clone(), source })?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| OutDirError::InUse { path: path.to_owned() })?;
        io::Write::write_all(&mut &lock, MARKER_TEXT.as_bytes()).map_err(|source| OutDirError::Io {
            action: "write",
            path: marker,
            source,
        })?;
        Ok(lock)
    }

    /// The file is to stay.
    fn claim_file(&self, name: String) {
        if let Some(ours) = &self.ours {
            ours.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        }
    }

    /// Whether the file is there already, from the run that this one goes on from.
    fn has(&self, name: &str, contents: &[u8]) -> bool {
        self.ours.is_some() && fs::read(self.path.join(name)).is_ok_and(|bytes| bytes == contents)
    }

    /// Once all tests are written: removes what was needed on the way, and what an earlier run has left that this one went on from.
    pub fn sweep(&self) -> Result<(), OutDirError> {
        let sweep = || {
            if let Some(ours) = &self.ours {
                let ours = ours.lock().unwrap_or_else(PoisonError::into_inner);
                for entry in fs::read_dir(&self.path)? {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if is_test_output(&name) && !ours.contains(&name) && !entry.file_type()?.is_dir() {
                        fs::remove_file(entry.path())?;
                    }
                }
            }
            clear_pending(&self.path.join(PENDING))
        };
        sweep().map_err(|source| OutDirError::Io { action: "clear", path: self.path.clone(), source })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the test of that number.
    pub fn test_name(number: u64) -> String {
        format!("test{number:06}")
    }

    /// Keeps a test whose number is not known yet; returns what to call it until then.
    pub fn keep(&self, test: &Ktest) -> Result<u64, OutDirError> {
        self.keep_bytes(&test.to_bytes())
    }

    fn keep_bytes(&self, bytes: &[u8]) -> Result<u64, OutDirError> {
        let sequence = self.kept.fetch_add(1, Ordering::Relaxed);
        if !self.nursery.make_file(|folder| self.unnamed.write(folder, sequence, bytes)) {
            overwrite(&self.pending_file(sequence, false), bytes)?;
        }
        Ok(sequence)
    }

    /// Sees to it that a kept test is found even if this run is killed.
    pub fn secure(&self, pending: &mut Pending) -> Result<(), OutDirError> {
        self.name(pending, &self.pending_file(pending.sequence, true))?;
        pending.is_secure = true;
        Ok(())
    }

    /// Gives a kept test its number, and returns its name.
    pub fn settle(&self, pending: Pending, number: u64) -> Result<String, OutDirError> {
        let name = Self::test_name(number);
        let file = format!("{name}.ktest");
        self.name(&pending, &self.path.join(&file))?;
        self.claim_file(file);
        Ok(name)
    }

    /// Drops a kept test, as for paths that turn out to lie past `--max-paths`.
    pub fn discard(&self, pending: Pending) -> Result<(), OutDirError> {
        if self.unnamed.discard(pending.sequence) {
            return Ok(());
        }
        let path = self.pending_file(pending.sequence, pending.is_secure);
        fs::remove_file(&path).map_err(|source| OutDirError::Io { action: "remove", path, source })
    }

    /// Writes a test whose number is known, and returns its name.
    pub fn write_test(&self, number: u64, test: &Ktest) -> Result<String, OutDirError> {
        self.write_test_bytes(number, &test.to_bytes())
    }

    /// The same for a test in its written form.
    pub fn write_test_bytes(&self, number: u64, test: &[u8]) -> Result<String, OutDirError> {
        let name = Self::test_name(number);
        let file = format!("{name}.ktest");
        if self.has(&file, test) {
            self.claim_file(file);
            return Ok(name);
        }
        self.settle(Pending::kept(self.keep_bytes(test)?), number)
    }

    /// Writes a test as a C file of its own; its path.
    pub fn write_c_test(&self, number: u64, text: &str) -> Result<PathBuf, OutDirError> {
        let path = self.path.join(format!("{}.c", Self::test_name(number)));
        write_atomic(&path, text.as_bytes())?;
        Ok(path)
    }

    /// Removes the tests that this run has written, to be written again under other numbers.
    pub fn remove_tests(&self) -> Result<(), OutDirError> {
        let io = |source| OutDirError::Io { action: "clear", path: self.path.clone(), source };
        for entry in fs::read_dir(&self.path).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name();
            let is_test = |name: &str| is_output(name) && (name.ends_with(".ktest") || name.ends_with(".c"));
            if name.to_str().is_some_and(is_test) {
                fs::remove_file(entry.path()).map_err(io)?;
            }
        }
        Ok(())
    }

    /// Makes a test out of a file that has its bytes, and that nobody needs any more: many times cheaper than writing it. False if that cannot be done.
    pub fn adopt_test(&self, number: u64, from: &Path) -> bool {
        let file = format!("{}.ktest", Self::test_name(number));
        let to = self.path.join(&file);
        let is_new = match fs::hard_link(from, &to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&to).and_then(|()| fs::hard_link(from, &to)).is_ok()
            }
            linked => linked.is_ok(),
        };
        if is_new {
            self.claim_file(file);
        }
        is_new
    }

    /// Writes what is known about the error that test `number` runs into, beside the test.
    pub fn write_error(&self, number: u64, kind: &str, text: &str) -> Result<(), OutDirError> {
        let file = format!("{}.{kind}.err", Self::test_name(number));
        write_atomic(&self.path.join(&file), text.as_bytes())?;
        self.claim_file(file);
        Ok(())
    }

    /// Writes `run.json`.
    pub fn write_run(&self, run: &Run) -> Result<(), OutDirError> {
        Ok(write_atomic(&self.path.join(RUN_FILE), run.to_json().as_bytes())?)
    }

    /// Gives a kept test a name.
    fn name(&self, pending: &Pending, to: &Path) -> Result<(), OutDirError> {
        let failed = |source| OutDirError::Io { action: "write", path: to.to_owned(), source };
        let within = to.strip_prefix(&self.path).unwrap_or(to);
        match self.unnamed.name(&self.folder, pending.sequence, within) {
            None => rename(&self.pending_file(pending.sequence, pending.is_secure), to),
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(to).map_err(failed)?;
                self.name(pending, to)
            }
            Some(Err(error)) => Err(failed(error)),
        }
    }

    fn pending_file(&self, sequence: u64, is_secure: bool) -> PathBuf {
        let ending = if is_secure { "ktest" } else { PART };
        self.path.join(PENDING).join(format!("{sequence:016x}.{ending}"))
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), OutDirError> {
    fs::rename(from, to).map_err(|source| OutDirError::Io { action: "write", path: to.to_owned(), source })
}

impl Drop for OutDir {
    fn drop(&mut self) {
        // Succeeds only when nothing is pending.
        let _ = Nursery::remove(&self.path.join(PENDING));
    }
}

fn is_ours(path: &Path) -> bool {
    let begins = |name: &str, word: &str| {
        let mut head = [0; 256];
        let read = File::open(path.join(name)).and_then(|mut f| io::Read::read(&mut f, &mut head));
        read.is_ok_and(|n| String::from_utf8_lossy(&head[..n]).contains(word))
    };
    // An empty marker is one whose run was killed right after making it.
    path.join(MARKER).is_file() || begins(RUN_FILE, "\"upshot.run/")
}

fn first_entry(path: &Path) -> io::Result<Option<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names.into_iter().min())
}

/// Makes the folder of a run that ended early ready to go on; the number of the next test that is kept. The record goes, since it is not true for long.
fn prepare(path: &Path) -> io::Result<u64> {
    let pending = path.join(PENDING);
    fs::create_dir_all(&pending)?;
    for folder in [path, &pending] {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
                fs::remove_file(entry.path())?;
            }
        }
    }
    match fs::remove_file(path.join(RUN_FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut next = 0;
    for entry in fs::read_dir(&pending)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let number = name.split('.').next().and_then(|stem| u64::from_str_radix(stem, 16).ok());
        next = next.max(number.map_or(0, |number| number + 1));
    }
    Ok(next)
}

/// Removes what a run writes: tests, error notes, the record, pending tests, temporary files. Nothing else.
fn clear(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_folder = entry.file_type()?.is_dir();
        if !is_folder && (is_output(name) || name.starts_with(TEMPORARY_PREFIX)) {
            fs::remove_file(entry.path())?;
        } else if is_folder && name == PENDING {
            clear_pending(&entry.path())?;
        }
    }
    Ok(())
}

fn clear_pending(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (stem, ending) = name.split_once('.').unwrap_or_default();
        let is_pending =
            (ending == "ktest" || ending == PART) && stem.len() == 16 && stem.bytes().all(|b| b.is_ascii_hexdigit());
        if is_pending || name.starts_with(TEMPORARY_PREFIX) {
            fs::remove_file(entry.path())?;
        }
    }
    let _ = Nursery::remove(folder);
    Ok(())
}

/// `run.json`, `journal`, `test000001.ktest`, `test000001.<kind>.err`
fn is_output(name: &str) -> bool {
    name == RUN_FILE || name == JOURNAL_FILE || is_test_output(name)
}

fn is_test_output(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("test") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = rest.split_at(digits);
    let is_error =
        |s: &str| s.strip_prefix('.').and_then(|s| s.strip_suffix(".err")).is_some_and(|kind| !kind.contains('.'));
    number.len() >= 6 && (suffix == ".ktest" || suffix == ".c" || is_error(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ktest::Object;

    fn test(value: u8) -> Ktest {
        Ktest { objects: vec![Object { name: "x".into(), bytes: vec![value] }], ..Ktest::default() }
    }

    /// But for what is there only while a run lasts.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.filter(|name| name != PENDING).collect();
        names.sort();
        names
    }

    #[test]
    fn tests_found_out_of_order_end_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let out = OutDir::claim(&folder.path().join("new/out"), false).unwrap();
        let [mut late, early, unwanted] = [2, 1, 3].map(|value| Pending::kept(out.keep(&test(value)).unwrap()));
        out.secure(&mut late).unwrap();
        let mut pending = names(&out.path().join("pending"));
        pending.retain(|name| name.ends_with(".ktest"));
        assert_eq!(pending, ["0000000000000000.ktest"]);
        assert_eq!(out.settle(early, 1).unwrap(), "test000001");
        assert_eq!(out.settle(late, 2).unwrap(), "test000002");
        out.discard(unwanted).unwrap();
        assert_eq!(out.write_test(3, &test(4)).unwrap(), "test000003");
        out.write_error(3, "ptr", "text").unwrap();
        let path = out.path().to_owned();
        drop(out);
        assert_eq!(
            names(&path),
            [".upshot", "test000001.ktest", "test000002.ktest", "test000003.ktest", "test000003.ptr.err"]
        );
        assert_eq!(Ktest::read(&path.join("test000001.ktest")).unwrap(), test(1));
        assert_eq!(Ktest::read(&path.join("test000002.ktest")).unwrap(), test(2));
    }

    #[test]
    fn the_tests_of_an_earlier_run_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let first = OutDir::claim(&path, false).unwrap();
        for number in 1..=3 {
            first.write_test(number, &test(number as u8)).unwrap();
        }
        drop(first);
        fs::hard_link(path.join("test000003.ktest"), folder.path().join("kept")).unwrap();
        let second = OutDir::claim(&path, false).unwrap();
        assert_eq!(names(&path), [".upshot"]);
        let kept = second.keep(&test(9)).unwrap();
        second.settle(Pending::kept(kept), 1).unwrap();
        drop(second);
        assert!(!path.join(PENDING).exists());
        assert_eq!(names(&path), [".upshot", "test000001.ktest"]);
        assert_eq!(Ktest::read(&path.join("test000001.ktest")).unwrap(), test(9));
        // A file that has another name as well is not touched.
        assert_eq!(Ktest::read(&folder.path().join("kept")).unwrap(), test(3));
    }

    #[test]
    fn only_own_files_are_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let out = OutDir::claim(folder.path(), false).unwrap();
        out.write_test(1, &test(1)).unwrap();
        out.write_test(1_000_000, &test(1)).unwrap();
        out.write_error(1, "div", "text").unwrap();
        out.keep(&test(2)).unwrap();
        out.secure(&mut Pending::kept(out.keep(&test(2)).unwrap())).unwrap();
        drop(out);
        for foreign in ["notes.txt", "test1.ktest", "test000001.ktest.bak", "testing.err", "test000001.a.b.err"] {
            fs::write(folder.path().join(foreign), "mine").unwrap();
        }
        fs::write(folder.path().join(".upshot-tmp-1-1"), "half").unwrap();
        let out = OutDir::claim(folder.path(), false).unwrap();
        assert_eq!(
            names(out.path()),
            [".upshot", "notes.txt", "test000001.a.b.err", "test000001.ktest.bak", "test1.ktest", "testing.err"]
        );
    }

    #[test]
    fn a_foreign_folder_needs_force() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "years").unwrap();
        fs::write(folder.path().join("test000001.ktest"), "klee's").unwrap();
        let error = OutDir::claim(folder.path(), false).unwrap_err();
        assert!(error.to_string().contains("test000001.ktest") && error.to_string().contains("--force"), "{error}");
        assert_eq!(names(folder.path()), ["test000001.ktest", "thesis.tex"]);
        let _out = OutDir::claim(folder.path(), true).unwrap();
        assert_eq!(names(folder.path()), [".upshot", "thesis.tex"]);
    }

    #[test]
    fn a_record_marks_a_folder_too() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), "{\n  \"schema\": \"upshot.run/1\"\n}").unwrap();
        fs::write(folder.path().join("other"), "").unwrap();
        let out = OutDir::claim(folder.path(), false).unwrap();
        assert_eq!(names(out.path()), [".upshot", "other"]);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("run.json"), "{\"schema\": \"somebody.else/1\"}").unwrap();
        assert!(matches!(OutDir::claim(elsewhere.path(), false), Err(OutDirError::Occupied { .. })));
    }

    #[test]
    fn files_and_running_runs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(OutDir::claim(&file, true), Err(OutDirError::NotAFolder { .. })));
        assert!(matches!(OutDir::claim(&file.join("below"), false), Err(OutDirError::Io { .. })));
        let path = folder.path().join("out");
        let first = OutDir::claim(&path, false).unwrap();
        assert!(matches!(OutDir::claim(&path, false), Err(OutDirError::InUse { .. })));
        drop(first);
        OutDir::claim(&path, false).unwrap();
    }
}
