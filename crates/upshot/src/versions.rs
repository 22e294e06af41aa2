//! From `OLD NEW` to two lowered programs, for every command that compares.
//!
//! A version is a C file, bitcode, or a directory whose C files are linked ([`Origin`]). What would make two versions differ only because they lie in different places (the
//! path in `__FILE__`) is taken out when they are compiled.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use upshot_diff::{Changes, Sources, Version};
use upshot_frontend::SourceFile;
use upshot_ir::{FuncId, Program};
use upshot_report::{DiffReport, DiffSide};

use crate::arguments::VersionArguments;
use crate::failure::Failure;
use crate::loaded::{self, Recorded};
use crate::origin::Origin;

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
    pub files: Vec<SourceFile>,
    pub flags: Vec<String>,
    /// Both as they are recorded: a git revision that lies somewhere for now is a state of files in the working tree.
    pub recorded: Recorded,
    /// Functions that check `--assume`, in order.
    pub assumptions: Vec<FuncId>,
}

/// What a command needs of both versions beyond their code.
#[derive(Debug, Default)]
pub struct Wanted {
    /// A function to start in.
    pub entry: Option<String>,
    pub assumptions: Vec<String>,
    /// The versions were loaded before, and what clang says about them, if not about the assumptions, was shown.
    pub again: bool,
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
    let [old, new] = origins(arguments)?;
    let both = &[&arguments.clang_flags[..], extra].concat();
    let (flags_of_old, flags_of_new) = (own_flags(&arguments.old_flags)?, own_flags(&arguments.new_flags)?);
    let loaded = old.load(&new, both, &flags_of_old, wanted, ["compile old", "load old"], &mut phases)?;
    let new = new.load(&new, both, &flags_of_new, wanted, ["compile new", "load new"], &mut phases)?;
    let old = loaded;
    for version in [&old, &new].into_iter().filter(|version| !version.program.has_debug_info && !wanted.again) {
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
        flags.extend(upshot_frontend::words(text).map_err(|why| Failure::new(format!("flags {text}: {why}")))?);
    }
    Ok(flags)
}

/// For each assumption whether it can be compiled for a function, or why not.
pub type Fits = Vec<Result<(), Failure>>;

/// For each of some functions, whether each assumption is a C expression over its parameters and globals, in the old and in the new version.
pub fn assumptions_that_fit(
    arguments: &VersionArguments,
    assumptions: &[String],
    functions: &[String],
    extra: &[String],
) -> Result<[Vec<Fits>; 2], Failure> {
    let [old, new] = origins(arguments)?;
    let both = &[&arguments.clang_flags[..], extra].concat();
    let of = |origin: &Origin, own: &[String]| {
        let request = upshot_frontend::Request {
            inputs: origin.inputs.clone(),
            flags: origin.flags(&new, both, &own_flags(own)?),
            assumptions: assumptions.to_vec(),
            entry: None,
            moved: Vec::from_iter(origin.moved()),
        };
        let fits = upshot_frontend::assumptions_that_fit(&request, functions)?;
        let plain = |fits: Vec<Result<(), _>>| {
            fits.into_iter().map(|it| it.map_err(|error| origin.blame_version(error))).collect()
        };
        Ok::<_, Failure>(fits.into_iter().map(plain).collect())
    };
    Ok([of(&old, &arguments.old_flags)?, of(&new, &arguments.new_flags)?])
}

fn origins(arguments: &VersionArguments) -> Result<[Origin; 2], Failure> {
    let origin = |version: &Path, side: usize| match &arguments.files {
        Some(files) => Origin::within_tree(version, files[side].clone()),
        None => Origin::look_at(version),
    };
    Ok([origin(&arguments.old, 0)?, origin(&arguments.new, 1)?])
}

impl Origin {
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
        let flags = self.flags(new, flags_of_both, own_flags);
        let request = upshot_frontend::Request {
            inputs: self.inputs.clone(),
            flags: flags.clone(),
            assumptions: wanted.assumptions.clone(),
            entry: wanted.entry.clone(),
            moved: Vec::from_iter(self.moved()),
        };
        let built = upshot_frontend::build(&request).map_err(|error| self.blame_version(error))?;
        if !wanted.again || built.diagnostics.contains("--assume:") {
            loaded::tell(&built, std::slice::from_ref(self));
        }
        phases.push((compiling, started.elapsed()));
        let started = Instant::now();
        let mut program = loaded::lower(&built)?;
        let sources = Sources::read_as_of(&program, self.compiled());
        let places = program.files.iter().map(|file| self.place(file)).collect();
        // From here on, files are only names.
        for file in &mut program.files {
            *file = self.in_working_tree(file);
        }
        phases.push((lowering, started.elapsed()));
        let assumptions = built.assumption_functions.iter().filter_map(|name| program.function_named(name)).collect();
        Ok(LoadedVersion {
            name: self.name.clone(),
            program,
            sources,
            places,
            recorded: Recorded {
                inputs: built.inputs.iter().map(|path| self.in_working_tree(&path.display().to_string())).collect(),
                flags: flags.iter().map(|flag| self.in_working_tree(flag)).collect(),
            },
            bitcode: built.user,
            files: built.files,
            flags,
            assumptions,
        })
    }

    fn flags(&self, new: &Origin, of_both: &[String], own: &[String]) -> Vec<String> {
        let mut flags = self.comparable(new);
        flags.extend(of_both.iter().map(|flag| self.within(flag)));
        flags.extend(own.iter().cloned());
        flags
    }

    /// Of two versions, the one that lacks the entry has to be named.
    fn blame_version(&self, error: upshot_frontend::FrontendError) -> Failure {
        let lacks_entry = matches!(error, upshot_frontend::FrontendError::NoSuchEntry { .. });
        let mut failure = Failure::from(error).map(|text| self.told(text));
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
    fn comparable(&self, new: &Origin) -> Vec<String> {
        let mut flags = Vec::from_iter(self.same_file_names());
        if !self.is_directory && !new.is_directory {
            let name = new.path.file_name().unwrap_or_default().display().to_string();
            flags.push(format!("-fmacro-prefix-map={}={name}", self.path.display()));
        }
        flags
    }
}
