//! From `OLD NEW` to two lowered programs, for every command that compares.
//!
//! A version is a C file, bitcode, or a directory whose C files are linked. What would make two versions differ only because they lie in different places (the
//! path in `__FILE__`) is taken out when they are compiled.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use upshot_diff::{Changes, Sources, Version};
use upshot_ir::{FuncId, Program};
use upshot_report::{DiffReport, DiffSide};

use crate::arguments::VersionArguments;
use crate::failure::Failure;
use crate::git::{self, Repository};
use crate::loaded;
use crate::words::words;

/// One version, ready to be compared.
pub struct LoadedVersion {
    /// As the user named it.
    pub name: String,
    pub program: Program,
    pub sources: Sources,
    /// By file: its name within the version.
    pub places: Vec<String>,
    /// The user's files, linked, without the C runtime.
    pub bitcode: Vec<u8>,
    /// What it was compiled from, and how.
    pub files: Vec<PathBuf>,
    pub flags: Vec<String>,
    /// Both as they are recorded: a git revision that lies somewhere for now is a state of files in the working tree.
    pub recorded: Recorded,
    /// Functions that check `--assume`, in order.
    pub assumptions: Vec<FuncId>,
}

/// Files and flags of a version, to build it again.
pub struct Recorded {
    pub inputs: Vec<String>,
    pub flags: Vec<String>,
}

/// What a command needs of both versions beyond their code.
#[derive(Debug, Default)]
pub struct Wanted {
    /// A function to start in.
    pub entry: Option<String>,
    pub assumptions: Vec<String>,
}

/// Both, and how long each step took.
pub struct Versions {
    pub old: LoadedVersion,
    pub new: LoadedVersion,
    pub phases: Vec<(&'static str, Duration)>,
}

impl LoadedVersion {
    pub fn version(&self) -> Version<'_> {
        Version { program: &self.program, sources: &self.sources }
    }

    fn side(&self) -> DiffSide<'_> {
        DiffSide { name: &self.name, version: self.version(), places: &self.places }
    }
}

impl Versions {
    /// What is different; refused where the two have nothing to do with each other.
    pub fn compare(&self) -> Result<Changes, Failure> {
        upshot_diff::check_comparable(&self.old.program, &self.new.program).map_err(Failure::new)?;
        let changes = upshot_diff::diff(self.old.version(), self.new.version());
        changes.check_common(&self.old.program, &self.new.program).map_err(|error| {
            Failure::new(error)
                .hint(format!("are {} and {} two versions of one program?", self.old.name, self.new.name))
        })?;
        Ok(changes)
    }

    pub fn report<'a>(&'a self, changes: &'a Changes) -> DiffReport<'a> {
        DiffReport { old: self.old.side(), new: self.new.side(), changes, phases: &self.phases }
    }
}

/// Compiles, links and lowers both versions.
pub fn load(arguments: &VersionArguments) -> Result<Versions, Failure> {
    load_for(arguments, &Wanted::default(), &[])
}

/// The same for a command that runs them. `extra`: flags of our own.
pub fn load_for(arguments: &VersionArguments, wanted: &Wanted, extra: &[String]) -> Result<Versions, Failure> {
    let mut phases = Vec::new();
    let listed = |side: usize| arguments.files.as_ref().map(|files| files[side].clone());
    let old = Origin::look_at(&arguments.old, listed(0))?;
    let new = Origin::look_at(&arguments.new, listed(1))?;
    let both = &[&arguments.clang_flags[..], extra].concat();
    let (flags_of_old, flags_of_new) = (own_flags(&arguments.old_flags)?, own_flags(&arguments.new_flags)?);
    let loaded = old.load(&new, both, &flags_of_old, wanted, ["compile old", "load old"], &mut phases)?;
    let new = new.load(&new, both, &flags_of_new, wanted, ["compile new", "load new"], &mut phases)?;
    let old = loaded;
    for version in [&old, &new].into_iter().filter(|version| !version.program.has_debug_info) {
        eprintln!(
            "upshot: {}: no debug information; instructions are matched by their order alone (compile with -g to see lines)",
            version.name
        );
    }
    Ok(Versions { old, new, phases })
}

fn own_flags(given: &[String]) -> Result<Vec<String>, Failure> {
    let mut flags = Vec::new();
    for text in given {
        flags.extend(words(text).map_err(|why| Failure::new(format!("flags {text}: {why}")))?);
    }
    Ok(flags)
}

/// The folder of a git revision within one that is removed in the end.
const TREE: &str = "tree";

/// Where a version comes from.
struct Origin {
    /// As the user named it.
    name: String,
    path: PathBuf,
    files: Vec<PathBuf>,
    is_directory: bool,
    /// The root of a git revision, and the folder that it lies in while it is needed.
    tree: Option<PathBuf>,
    _checked_out: Option<tempfile::TempDir>,
}

impl Origin {
    fn look_at(path: &Path, listed: Option<Vec<PathBuf>>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if let Some(files) = listed {
            return Ok(Origin {
                name,
                path: path.to_path_buf(),
                files,
                is_directory: true,
                tree: Some(path.to_path_buf()),
                _checked_out: None,
            });
        }
        if path.exists() {
            return Origin::of(name, path.to_path_buf(), None);
        }
        let folder = tempfile::Builder::new().prefix("upshot-revision-").tempdir().map_err(Failure::new)?;
        match git::version(&name, &folder.path().join(TREE))? {
            Some(place) => Origin::of(name, place, Some(folder)),
            None => Origin::of(name, path.to_path_buf(), None),
        }
    }

    /// What lies at a place.
    fn of(name: String, path: PathBuf, _checked_out: Option<tempfile::TempDir>) -> Result<Self, Failure> {
        let tree = _checked_out.as_ref().map(|folder| folder.path().join(TREE));
        if !path.is_dir() {
            return Ok(Origin { name, files: vec![path.clone()], path, is_directory: false, tree, _checked_out });
        }
        let mut files = Vec::new();
        gather(&path, &mut files).map_err(|error| Failure::new(format!("{name}: {error}")))?;
        if files.is_empty() {
            let message = format!("{name}: the directory holds no C files");
            return Err(Failure::new(message).hint("name a directory with .c files in it, or a .c, .bc or .ll file"));
        }
        Ok(Origin { name, path, files, is_directory: true, tree, _checked_out })
    }

    /// The folder that the version's own files are in.
    fn root(&self) -> &Path {
        if self.is_directory { &self.path } else { self.path.parent().unwrap_or(Path::new("")) }
    }

    fn load(
        &self,
        new: &Origin,
        flags_of_both: &[String],
        own_flags: &[String],
        wanted: &Wanted,
        [compiling, lowering]: [&'static str; 2],
        phases: &mut Vec<(&'static str, Duration)>,
    ) -> Result<LoadedVersion, Failure> {
        let started = Instant::now();
        let mut flags = self.same_file_names(new);
        flags.extend(flags_of_both.iter().map(|flag| self.within(flag)));
        flags.extend(own_flags.iter().cloned());
        let request = upshot_frontend::Request {
            inputs: self.files.clone(),
            flags: flags.clone(),
            assumptions: wanted.assumptions.clone(),
            entry: wanted.entry.clone(),
        };
        let built = upshot_frontend::build(&request).map_err(|error| self.blame(error))?;
        eprint!("{}", built.diagnostics);
        phases.push((compiling, started.elapsed()));
        let started = Instant::now();
        let mut program = loaded::lower(&built, &self.files)?;
        let sources = Sources::read_as_of(&program, self.compiled());
        let places = program.files.iter().map(|file| self.place(file)).collect();
        // From here on, files are only names.
        for file in &mut program.files {
            *file = self.in_working_tree(file)?;
        }
        phases.push((lowering, started.elapsed()));
        let assumptions = built.assumption_functions.iter().filter_map(|name| program.function_named(name)).collect();
        Ok(LoadedVersion {
            name: self.name.clone(),
            program,
            sources,
            places,
            bitcode: built.user,
            files: self.files.clone(),
            recorded: self.recorded(&flags)?,
            flags,
            assumptions,
        })
    }

    /// What is under a checked-out tree is recorded as what it is in the working tree.
    fn recorded(&self, flags: &[String]) -> Result<Recorded, Failure> {
        let inputs = self.files.iter().map(|file| self.in_working_tree(&file.display().to_string()));
        let flags = flags.iter().map(|flag| self.in_working_tree(flag));
        Ok(Recorded { inputs: inputs.collect::<Result<_, _>>()?, flags: flags.collect::<Result<_, _>>()? })
    }

    fn in_working_tree(&self, text: &str) -> Result<String, Failure> {
        let Some(tree) = &self.tree else { return Ok(text.to_string()) };
        Ok(text.replace(&format!("{}/", tree.display()), &Repository::here()?.way_up()?))
    }

    /// Of two versions, the one that lacks the entry has to be named.
    fn blame(&self, error: upshot_frontend::FrontendError) -> Failure {
        let lacks_entry = matches!(error, upshot_frontend::FrontendError::NoSuchEntry { .. });
        let mut failure = Failure::from(error);
        if lacks_entry {
            failure.message = format!("{}: {}", self.name, failure.message);
        }
        failure
    }

    /// When it was compiled, if that was not just now.
    fn compiled(&self) -> Option<SystemTime> {
        let is_compiled = self.path.extension().is_some_and(|end| end == "bc" || end == "ll");
        std::fs::metadata(&self.path).ok().filter(|_| is_compiled).and_then(|metadata| metadata.modified().ok())
    }

    /// The name of a file within this version. The one file that is named on the command line has none: it is the same in both versions, whatever it is called.
    fn place(&self, file: &str) -> String {
        // Debug information has paths relative to the working folder where it can, whatever was typed.
        let here = std::env::current_dir().unwrap_or_default();
        let whole = |path: &Path| here.join(path).components().collect::<PathBuf>();
        let file = whole(Path::new(file));
        if !self.is_directory && file == whole(&self.path) {
            return String::new();
        }
        file.strip_prefix(whole(self.root())).unwrap_or(&file).display().to_string()
    }

    /// Flags that make `__FILE__` the same in both versions for what is the same file.
    fn same_file_names(&self, new: &Origin) -> Vec<String> {
        let mut flags = Vec::new();
        let root = self.root().display().to_string();
        if !root.is_empty() {
            flags.push(format!("-fmacro-prefix-map={}/=", root.trim_end_matches('/')));
        }
        if !self.is_directory && !new.is_directory {
            let name = new.path.file_name().unwrap_or_default().display().to_string();
            flags.push(format!("-fmacro-prefix-map={}={name}", self.path.display()));
        }
        flags
    }

    /// A flag for both versions, as it is for this one: a folder for headers that this version has is taken from it.
    fn within(&self, flag: &str) -> String {
        let (head, folder) = if let Some(folder) = flag.strip_prefix("-I") { ("-I", folder) } else { ("", flag) };
        let inside = self.root().join(folder);
        let is_folder = self.is_directory && !folder.is_empty() && Path::new(folder).is_relative();
        if is_folder && !folder.starts_with('-') && inside.is_dir() {
            format!("{head}{}", inside.display())
        } else {
            flag.to_string()
        }
    }
}

/// All C files below a folder, in order. What begins with a dot is not looked at.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
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
