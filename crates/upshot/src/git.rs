//! Versions out of a git repository. Only git itself is asked; nothing in the repository or the working tree changes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// What git says to a question that it is asked in a folder.
fn ask(folder: &Path, words: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("git");
    let output = command.current_dir(folder).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| Failure::new(format!("git cannot be run: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = said.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_string();
        return Err(Failure::new(format!("git {}: {line}", words[0])));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A repository, as seen from a folder of its working tree.
pub struct Repository {
    root: PathBuf,
}

/// A commit.
pub struct Commit {
    pub id: String,
    pub subject: String,
}

impl Commit {
    /// As people name it.
    pub fn short(&self) -> &str {
        &self.id[..self.id.len().min(10)]
    }
}

impl Repository {
    /// The one that the current folder is in.
    pub fn here() -> Result<Repository, Failure> {
        let root = ask(Path::new("."), &["rev-parse", "--show-toplevel"])?;
        Ok(Repository { root: PathBuf::from(root.trim_end()) })
    }

    /// The working tree's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The beginning of a path from the current folder to a file in the working tree.
    pub fn way_up(&self) -> Result<String, Failure> {
        let up = ask(Path::new("."), &["rev-parse", "--show-cdup"])?;
        Ok(up.trim_end().to_string())
    }

    /// The commit that a name stands for.
    pub fn commit(&self, name: &str) -> Result<Commit, Failure> {
        let known =
            ask(&self.root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")]);
        let id = known.map_err(|_| Failure::new(format!("no git revision {name} in {}", self.root.display())))?;
        let subject = ask(&self.root, &["log", "-1", "--format=%s", id.trim_end()])?;
        Ok(Commit { id: id.trim_end().to_string(), subject: subject.trim_end().to_string() })
    }

    /// The commits after `from` up to `to` that change one of these files, or a header; oldest first, along first parents.
    pub fn commits(&self, from: &Commit, to: &Commit, files: &[PathBuf]) -> Result<Vec<Commit>, Failure> {
        let between = format!("{}..{}", from.id, to.id);
        let mut words = vec!["log", "--reverse", "--first-parent", "--format=%H %s", &between, "--"];
        let literal = |file: &PathBuf| {
            if file.as_os_str().is_empty() { ".".to_string() } else { format!(":(literal){}", file.display()) }
        };
        let files: Vec<String> = files.iter().map(literal).collect();
        words.extend(files.iter().map(String::as_str));
        words.extend([":(glob)**/*.h", ":(glob)**/*.inc", ":(glob)**/*.def"]);
        let list = ask(&self.root, &words)?;
        let commit = |line: &str| {
            let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
            Commit { id: id.to_string(), subject: subject.to_string() }
        };
        Ok(list.lines().map(commit).collect())
    }

    /// A file of the working tree, as the repository names it.
    pub fn inside(&self, file: &Path) -> Result<PathBuf, Failure> {
        let here = std::env::current_dir().and_then(std::fs::canonicalize).map_err(Failure::new)?;
        let mut whole = PathBuf::new();
        for part in here.join(file).components() {
            match part {
                std::path::Component::ParentDir => drop(whole.pop()),
                std::path::Component::CurDir => {}
                part => whole.push(part),
            }
        }
        let root = std::fs::canonicalize(&self.root).map_err(Failure::new)?;
        let inside = whole.strip_prefix(&root).map(Path::to_path_buf);
        inside.map_err(|_| Failure::new(format!("{} is not in the repository {}", file.display(), root.display())))
    }

    /// Writes all files of a commit into a folder.
    pub fn check_out(&self, commit: &Commit, folder: &Path) -> Result<(), Failure> {
        let problem = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(problem)?;
        let archive = folder.with_extension("tar");
        ask(&self.root, &["archive", "--format=tar", "-o", &archive.display().to_string(), &commit.id])?;
        let unpacked = Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(folder).stdin(Stdio::null()).output();
        let unpacked = unpacked.map_err(|error| Failure::new(format!("tar cannot be run: {error}")))?;
        std::fs::remove_file(&archive).map_err(problem)?;
        match unpacked.status.success() {
            true => Ok(()),
            false => Err(Failure::new(format!("tar: {}", String::from_utf8_lossy(&unpacked.stderr).trim_end()))),
        }
    }
}

/// A version that is named `REV` or `REV:path`, written into a folder; `None` if it is no name of that kind.
pub fn version(name: &str, folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let (revision, path) = name.split_once(':').unwrap_or((name, ""));
    if revision.is_empty() || revision.starts_with('-') {
        return Ok(None);
    }
    let Ok(repository) = Repository::here() else { return Ok(None) };
    let Ok(commit) = repository.commit(revision) else {
        return match path {
            "" => Ok(None),
            _ => Err(Failure::new(format!("{name}: no git revision {revision}"))),
        };
    };
    repository.check_out(&commit, folder)?;
    // Joined with nothing, a path ends in a slash.
    let place = if path.is_empty() { folder.to_path_buf() } else { folder.join(path) };
    match place.exists() {
        true => Ok(Some(place)),
        false => Err(Failure::new(format!("{name}: no {path} in {}", commit.short()))
            .hint("the path is that from the root of the repository")),
    }
}
