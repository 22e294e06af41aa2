//! Tests on disk as seeds of an exploration.

use std::path::{Path, PathBuf};

use upshot_explore::{Seed, SeedPointer, SeedTarget};
use upshot_suite::{Ktest, RUN_FILE};

use crate::arguments::SeedArguments;
use crate::failure::Failure;
use crate::suite::Suite;

/// The object in which a test says where its pointers lead.
pub const POINTERS: &str = "upshot.pointers";

/// The tests of a folder, in the order of their names.
pub fn tests_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    let mut tests: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
        .collect();
    tests.sort();
    if tests.is_empty() {
        let hint = "make one with `upshot run OLD --out DIR`";
        return Err(Failure::new(format!("{}: the folder holds no tests (.ktest)", folder.display())).hint(hint));
    }
    Ok(tests)
}

/// The seeds that were named.
pub fn gather(arguments: &SeedArguments) -> Result<Vec<Seed>, Failure> {
    let mut seeds = Vec::new();
    for folder in &arguments.seeds {
        for file in tests_in(folder)? {
            let test = Ktest::read(&file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
            seeds.push(seed(&test));
        }
    }
    for path in &arguments.seed_bytes {
        let problem = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
        let mut files = vec![path.clone()];
        if path.is_dir() {
            let entries = std::fs::read_dir(path).map_err(problem)?;
            files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
            files.sort();
        }
        for file in files {
            let plain = Some(std::fs::read(&file).map_err(problem)?);
            seeds.push(Seed { plain, ..Seed::default() });
        }
    }
    Ok(seeds)
}

/// Whether a folder holds a record or tests.
pub fn is_suite(folder: &Path) -> bool {
    let is_part = |path: PathBuf| path.extension().is_some_and(|end| end == "ktest") || path.ends_with(RUN_FILE);
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| is_part(entry.path())))
}

pub fn has_folders(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
}

/// Tests of a suite, and what there is to say about it.
#[derive(Default)]
pub struct Tests {
    pub seeds: Vec<Seed>,
    pub notes: Vec<String>,
}

/// The tests of a suite; or else the function that it was made for, where that is another one. No entry: main.
pub fn of_suite(folder: &Path, entry: Option<&str>) -> Result<Result<Tests, String>, Failure> {
    let suite = Suite::read(folder)?;
    let recorded = suite.run.as_ref().and_then(|run| run.program.as_ref());
    if let Some(program) = recorded.filter(|program| program.entry.as_deref() != entry) {
        return Ok(Err(program.entry.clone().unwrap_or_else(|| "main".to_string())));
    }
    let recorded = suite.paths.iter().filter_map(|path| path.test.as_ref());
    let tests = recorded.chain(suite.others.iter().map(|(_, test)| test));
    Ok(Ok(Tests { seeds: tests.map(seed).collect(), notes: suite.remarks }))
}

/// A test as the executor takes it.
pub fn seed(test: &Ktest) -> Seed {
    let mut seed = Seed::default();
    let mut table: &[u8] = &[];
    for object in &test.objects {
        if object.name == POINTERS {
            table = &object.bytes;
        } else {
            seed.objects.push((object.name.clone(), object.bytes.clone()));
        }
    }
    for entry in table.chunks_exact(16) {
        let field = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
        let name = |number: u32| test.objects.get(number as usize).map(|object| object.name.clone());
        let target = match field(8) {
            0 => SeedTarget::Null,
            u32::MAX => SeedTarget::Function,
            number => name(number - 1).map_or(SeedTarget::Null, SeedTarget::Object),
        };
        if let Some(holder) = name(field(0)) {
            seed.pointers.push(SeedPointer { holder, offset: field(4), target });
        }
    }
    seed
}
