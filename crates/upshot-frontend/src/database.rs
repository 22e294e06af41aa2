//! Clang's [JSON compilation database](https://clang.llvm.org/docs/JSONCompilationDatabase.html): which C files a
//! program has, and the flags of each that decide what it means. Where they point into the folder that was named, they
//! are rewritten to start there, so that two copies of a program differ only in what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::error::FrontendError;
use crate::words::words;
use crate::{Moved, SourceFile};

/// The name that build systems give it.
const NAME: &str = "compile_commands.json";

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Flags with a value, in the same word or the next one, that is a path.
const PATHS: [&str; 8] = ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot"];

/// The same, with a value that is none.
const VALUES: [&str; 3] = ["-D", "-U", "-target"];

/// Flags whose next word is a value, and both say nothing about what the program means.
const LEFT_OUT: &str = "\
    -o -MF -MT -MQ -MJ -L -l -T -u -z -e -x -arch -framework -Xlinker -Xassembler -Xpreprocessor \
    -Xclang -mllvm --param -aux-info -dumpbase";

/// Beginnings of flags that change what C code means, each a word: the language; the machine; the types; what is a
/// function of the library, and what a compiler may take for granted of numbers. What clang makes of code that other
/// compilers accept is changed by the warnings that are switched off.
const MEANING: &str = "\
    -std= --std= -ansi -undef -nostdinc -pthread -trigraphs -finput-charset= -fexec-charset= -fms- \
    -fplan9-extensions -fgnu89-inline -fno-gnu89-inline -fblocks -fasm -fno-asm \
    -fdollars-in-identifiers -fno-dollars-in-identifiers -flax-vector-conversions -fopenmp -Wno- \
    --target= -m16 -m32 -m64 -mx32 -march= -msse -mno-sse -mavx -mno-avx -mlong-double \
    -mms-bitfields -fsigned- -funsigned- -fno-signed- -fno-unsigned- -fshort- -fno-short- \
    -fpack-struct -fstrict-flex-arrays -fcommon -fno-common -fvisibility -ffreestanding -fhosted \
    -fbuiltin -fno-builtin -fwrapv -fno-wrapv -ftrapv -ffast-math -ffinite-math -funsafe-math \
    -fassociative-math -freciprocal-math -ffp- -frounding-math -fno-honor-";

/// The C files of a program, with their flags, and what has to be said about how they were found.
pub(crate) struct Listed {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) notes: Vec<String>,
}

/// What the database in a folder, or in its `build/`, lists; `None` without one.
pub(crate) fn read(folder: &Path, moved: &[Moved]) -> Result<Option<Listed>, FrontendError> {
    let moved = moved.iter().find(|moved| folder.starts_with(&moved.to));
    let at =
        |folder: &Path| [folder.join(NAME), folder.join("build").join(NAME)].into_iter().find(|path| path.is_file());
    if let Some(path) = at(folder) {
        return Reader::new(folder, path, moved, false).list().map(Some);
    }
    // Build folders are seldom in a repository: what it is compiled with now is what is known.
    let Some(moved) = moved else { return Ok(None) };
    let Ok(inside) = folder.strip_prefix(&moved.to) else { return Ok(None) };
    match at(&moved.from.join(inside)) {
        Some(path) => Reader::new(folder, path, Some(moved), true).list().map(Some),
        None => Ok(None),
    }
}

struct Reader<'a> {
    folder: &'a Path,
    /// The folder without `.`, `..` and, if there are any, links.
    whole: [PathBuf; 2],
    path: PathBuf,
    moved: Option<&'a Moved>,
    /// It is that of another state of the program.
    borrowed: bool,
}

impl<'a> Reader<'a> {
    fn new(folder: &'a Path, path: PathBuf, moved: Option<&'a Moved>, borrowed: bool) -> Self {
        let absolute = plain(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()));
        let canonical = folder.canonicalize().unwrap_or_else(|_| absolute.clone());
        Reader { folder, whole: [absolute, canonical], path, moved, borrowed }
    }

    fn problem(&self, problem: String) -> FrontendError {
        FrontendError::Database { path: self.path.clone(), problem }
    }

    fn list(&self) -> Result<Listed, FrontendError> {
        let bytes = std::fs::read(&self.path).map_err(|error| FrontendError::read(&self.path, error))?;
        let entries: Vec<Entry> = serde_json::from_slice(&bytes)
            .map_err(|error| self.problem(format!("not a JSON compilation database: {error}")))?;
        let mut files: Vec<SourceFile> = Vec::new();
        let mut known: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let (mut others, mut twice, mut lacking) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for entry in entries {
            let directory = self.path.parent().unwrap_or(Path::new("")).join(&entry.directory);
            let file = self.placed(&directory.join(&entry.file));
            let shown = file.display().to_string();
            let words = self.words(&entry)?;
            if !is_c(&file, &words) {
                others.insert(shown);
                continue;
            }
            if !file.is_file() {
                if self.borrowed {
                    lacking.insert(shown);
                    continue;
                }
                return Err(self.problem(format!("lists {shown}, which does not exist; make it again for these files")));
            }
            let flags = self.flags(&directory, &words)?;
            match known.get(&file) {
                Some(&first) if files[first].flags != flags => drop(twice.insert(shown)),
                Some(_) => {}
                None => {
                    known.insert(file.clone(), files.len());
                    files.push(SourceFile { path: file, flags });
                }
            }
        }
        if files.is_empty() {
            return Err(self.problem("lists no C file".to_string()));
        }
        let outside: BTreeSet<String> = files
            .iter()
            .filter(|file| file.path.is_absolute() && !file.path.starts_with(self.folder))
            .map(|file| file.path.display().to_string())
            .collect();
        let mut notes = Vec::new();
        let mut note = |files: &BTreeSet<String>, what: &str| {
            notes.extend((!files.is_empty()).then(|| format!("{}: {what}: {}", self.path.display(), several(files))));
        };
        note(&others, "not C, and left out");
        note(&twice, "listed again with other flags; the first ones count");
        note(&lacking, &format!("left out, since {} lacks them", self.folder.display()));
        note(&outside, &format!("listed, but not in {}", self.folder.display()));
        if self.borrowed {
            notes.push(format!("{}: compiled by {}", self.folder.display(), self.path.display()));
        }
        // In the order of their names, as the files of any folder are.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Listed { files, notes })
    }

    /// The command of an entry, without the compiler's name.
    fn words(&self, entry: &Entry) -> Result<Vec<String>, FrontendError> {
        let of = || format!("the entry of {}", entry.file.display());
        let all = match (&entry.arguments, &entry.command) {
            (Some(arguments), _) => arguments.clone(),
            (None, Some(command)) => words(command).map_err(|why| self.problem(format!("{}: {why}", of())))?,
            (None, None) => return Err(self.problem(format!("{} has neither arguments nor a command", of()))),
        };
        if let Some(file) = all.iter().skip(1).find(|word| word.starts_with('@')) {
            return Err(self.problem(format!("{} has flags in a response file ({file}); give them as they are", of())));
        }
        Ok(all)
    }

    /// The flags of a command that decide what its file means.
    fn flags(&self, directory: &Path, words: &[String]) -> Result<Vec<String>, FrontendError> {
        let mut flags: Vec<String> = Vec::new();
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            if word == "--" {
                break;
            }
            if LEFT_OUT.split_whitespace().any(|flag| flag == word) {
                rest.next();
            } else if let Some((flag, value)) = with_value(word, &PATHS) {
                let value = value.or_else(|| rest.next().map(String::as_str));
                let value = value.ok_or_else(|| self.problem(format!("{flag} has no value")))?;
                flags.extend(self.path_flag(flag, value, directory));
            } else if let Some((flag, value)) = with_value(word, &VALUES) {
                let value = value.or_else(|| rest.next().map(String::as_str));
                let value = value.ok_or_else(|| self.problem(format!("{flag} has no value")))?;
                flags.extend([flag.to_string(), value.to_string()]);
            } else if let Some(inner) = word.strip_prefix("-Wp,") {
                let kept = |word: &&str| word.starts_with("-D") || word.starts_with("-U");
                flags.extend(inner.split(',').filter(kept).map(str::to_string));
            } else if word == "-w" || MEANING.split_whitespace().any(|start| word.starts_with(start)) {
                flags.push(word.clone());
            }
        }
        if flags.iter().any(|flag| flag.starts_with("-Wno-")) {
            // What another compiler calls a warning may be no name to clang.
            flags.push("-Wno-unknown-warning-option".to_string());
        }
        Ok(flags)
    }

    fn path_flag(&self, flag: &str, value: &str, directory: &Path) -> Vec<String> {
        let found = self.placed(&directory.join(value));
        let is_header = flag == "-include" || flag == "-imacros";
        // A header that is not there is looked for as any other.
        let value = if is_header && !found.exists() { value.to_string() } else { found.display().to_string() };
        match flag {
            "--sysroot" => vec![format!("--sysroot={value}")],
            flag => vec![flag.to_string(), value],
        }
    }

    /// A path of the database, as it is to be used: of this state of the program, and from the folder that was named.
    fn placed(&self, path: &Path) -> PathBuf {
        let path = plain(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
        // It may lead there through links.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let below = |folder: &Path| [&path, &real].into_iter().find_map(|path| path.strip_prefix(folder).ok());
        let inside = self.whole.iter().find_map(|whole| below(whole));
        let moved = || {
            let moved = self.moved.filter(|moved| below(&moved.to).is_none())?;
            Some(moved.to.join(below(&moved.from)?))
        };
        match inside {
            // As the files of a revision are named, which is compared with the working tree.
            Some(inside) if self.folder == Path::new(".") && inside != Path::new("") => inside.to_path_buf(),
            Some(inside) => self.folder.join(inside),
            None => moved().unwrap_or(path),
        }
    }
}

/// A flag of these, and its value if that is in the same word.
fn with_value<'w>(word: &'w str, flags: &[&'static str]) -> Option<(&'static str, Option<&'w str>)> {
    let flag = flags.iter().filter(|flag| word.starts_with(**flag)).max_by_key(|flag| flag.len())?;
    let value = &word[flag.len()..];
    match (*flag, value) {
        (_, "") => Some((flag, None)),
        ("--sysroot", _) => value.strip_prefix('=').map(|value| (*flag, Some(value))),
        // Another flag.
        ("-include" | "-imacros" | "-target", _) => None,
        _ => Some((flag, Some(value))),
    }
}

/// Whether a command compiles a file as C.
fn is_c(file: &Path, words: &[String]) -> bool {
    let is_named_so = file.extension().is_some_and(|end| end == "c" || end == "i");
    let mut language = None;
    for (number, word) in words.iter().enumerate() {
        match word.strip_prefix("-x") {
            Some("") => language = words.get(number + 1).map(String::as_str),
            Some(name) => language = Some(name),
            None => {}
        }
    }
    let by_compiler = !words.first().is_some_and(|compiler| compiler.ends_with("++"));
    is_named_so && language.map_or(by_compiler, |name| matches!(name, "c" | "cpp-output" | "none"))
}

/// Without `.` and `..`, whether there is such a path or not.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The first few of these.
fn several(names: &BTreeSet<String>) -> String {
    let first = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{first} and {} more", names.len() - 3) } else { first }
}
