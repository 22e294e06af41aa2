//! What a program or version is named by, and where that lies: a file, a directory of C files, or a revision of the git
//! repository at hand, which is written into a folder for as long as it is needed.

use std::path::{Path, PathBuf};

use upshot_frontend::Moved;

use crate::failure::Failure;
use crate::git::{self, Repository};

/// The folder of a git revision within one that is removed in the end.
const TREE: &str = "tree";

/// Where a version comes from.
pub struct Origin {
    /// As the user named it.
    pub name: String,
    pub path: PathBuf,
    pub is_directory: bool,
    /// What is built.
    pub inputs: Vec<PathBuf>,
    tree: Option<Tree>,
}

/// Files of a git revision.
struct Tree {
    /// Where they are, and where those of the working tree are.
    place: Moved,
    /// The beginning of a path from the current folder to the working tree's.
    way_up: String,
    /// If they are there because of us.
    checked_out: Option<tempfile::TempDir>,
}

impl Tree {
    fn new(path: PathBuf, checked_out: Option<tempfile::TempDir>) -> Result<Tree, Failure> {
        let repository = Repository::here()?;
        let way_up = repository.way_up()?;
        Ok(Tree { place: Moved { from: repository.root().to_path_buf(), to: path }, way_up, checked_out })
    }
}

impl Origin {
    /// What a name stands for.
    pub fn look_at(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if path.exists() {
            return Ok(Origin::of(name, path.to_path_buf(), None));
        }
        let folder = tempfile::Builder::new().prefix("upshot-revision-").tempdir().map_err(Failure::new)?;
        let tree = folder.path().join(TREE);
        match git::version(&name, &tree)? {
            Some(place) => Ok(Origin::of(name, place, Some(Tree::new(tree, Some(folder))?))),
            None => Ok(Origin::of(name, path.to_path_buf(), None)),
        }
    }

    /// These of the files of a revision that somebody has checked out.
    pub fn within_tree(tree: &Path, inputs: Vec<PathBuf>) -> Result<Self, Failure> {
        let name = tree.display().to_string();
        let path = tree.to_path_buf();
        Ok(Origin { name, inputs, is_directory: true, tree: Some(Tree::new(path.clone(), None)?), path })
    }

    fn of(name: String, path: PathBuf, tree: Option<Tree>) -> Self {
        Origin { name, inputs: vec![path.clone()], is_directory: path.is_dir(), path, tree }
    }

    /// The folder that the version's own files are in.
    pub fn root(&self) -> &Path {
        if self.is_directory { &self.path } else { self.path.parent().unwrap_or(Path::new("")) }
    }

    /// Where the files are that a compilation database of the working tree names.
    pub fn moved(&self) -> Option<Moved> {
        self.tree.as_ref().map(|tree| tree.place.clone())
    }

    /// A text, with what is under a checked-out tree as what it is in the working tree.
    pub fn in_working_tree(&self, text: &str) -> String {
        let Some(Tree { place, way_up, .. }) = &self.tree else { return text.to_string() };
        let root = place.to.display().to_string();
        match text.strip_suffix('/').unwrap_or(text) == root {
            true if way_up.is_empty() => ".".to_string(),
            true => way_up.clone(),
            false => text.replace(&format!("{root}/"), way_up),
        }
    }

    /// A message, with files of a checked-out revision as git names them.
    pub fn told(&self, message: &str) -> String {
        let Some(Tree { place, checked_out, .. }) = &self.tree else { return message.to_string() };
        let root = place.to.display().to_string();
        match (checked_out, self.name.split(':').next()) {
            (Some(_), Some(name)) => message.replace(&format!("{root}/"), &format!("{name}:")).replace(&root, name),
            // Which one it is, is said by whoever has checked it out.
            _ => message.replace(&format!("{root}/"), "").replace(&root, "."),
        }
    }

    /// A flag that makes the files of a revision, which lie elsewhere each time, those of the working tree.
    pub fn as_working_tree(&self) -> Option<String> {
        let Tree { place, way_up, .. } = self.tree.as_ref()?;
        Some(format!("-ffile-prefix-map={}/={way_up}", place.to.display()))
    }

    /// A flag for any version, as it is for this one: a folder for headers that this version has is taken from it.
    pub fn within(&self, flag: &str) -> String {
        let (head, folder) = if let Some(folder) = flag.strip_prefix("-I") { ("-I", folder) } else { ("", flag) };
        let inside = self.root().join(folder);
        let is_folder = self.is_directory && !folder.is_empty() && Path::new(folder).is_relative();
        if is_folder && !folder.starts_with('-') && inside.is_dir() {
            format!("{head}{}", inside.display())
        } else {
            flag.to_string()
        }
    }

    /// A flag that makes `__FILE__` the same wherever the version lies.
    pub fn same_file_names(&self) -> Option<String> {
        let root = self.root().display().to_string();
        (!root.is_empty()).then(|| format!("-fmacro-prefix-map={}/=", root.trim_end_matches('/')))
    }
}
