//! Tests that are C files: what the tool must report is written in the file, beside the line it is about.
//!
//! `cargo test -p upshot --test ui -- <part of a name>` runs some; `UPSHOT_BLESS=1` before it sets the counts in the files to
//! what was found (never the errors: those are written by hand). `expectation` says what a file can hold.

mod bench;
mod case;
mod cross_check;
mod determinism;
mod examples;
mod expectation;
#[path = "../tool/mod.rs"]
mod tool;
mod versions;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = if std::env::var_os("UPSHOT_BLESS").is_some() { blessings() } else { of_programs() };
    trials.extend(of_examples());
    trials.extend(of_versions());
    trials.extend(of_bench());
    libtest_mimic::run(&arguments, trials).exit();
}

/// Sets the counts, and checks the rest.
fn blessings() -> Vec<Trial> {
    let files = programs().into_iter();
    files.map(|file| trial(file.display().to_string(), move || case::check(&file, true))).collect()
}

fn of_programs() -> Vec<Trial> {
    let mut trials = Vec::new();
    for file in programs() {
        let name = file.display().to_string();
        let said = expectation::Expectation::read(&tool::root(), &file).unwrap_or_default();
        let checked = file.clone();
        trials.push(trial(name.clone(), move || case::check(&checked, false)));
        if said.determinism {
            let file = file.clone();
            trials.push(trial(format!("determinism {name}"), move || determinism::check(&file)));
        }
        if said.cross_check {
            trials.push(trial(format!("cross-check {name}"), move || cross_check::check(&file)));
        }
    }
    trials
}

fn of_examples() -> Vec<Trial> {
    let examples = match examples::examples() {
        Ok(examples) => examples,
        Err(why) => return vec![trial("examples".to_string(), move || Err(why))],
    };
    let trials = examples.into_iter().flat_map(|example| {
        let (name, again, cross_checked) = (example.name.clone(), example.clone(), example.clone());
        [
            trial(format!("cross-check {name}"), move || cross_checked.cross_check()),
            trial(format!("example {name}"), move || example.check()),
            trial(format!("determinism {name}"), move || again.check_determinism()),
        ]
    });
    trials.collect()
}

fn of_versions() -> Vec<Trial> {
    match versions::versions() {
        Ok(versions) => versions
            .into_iter()
            .flat_map(|version| {
                let changed = version.clone();
                let affected = (!version.is_base() && !version.is_slow)
                    .then(|| trial(format!("affected {}", changed.name), move || changed.check_affected()));
                [trial(format!("version {}", version.name), move || version.check())].into_iter().chain(affected)
            })
            .collect(),
        Err(why) => vec![trial("versions".to_string(), move || Err(why))],
    }
}

fn of_bench() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    let mut cross_checked = BTreeSet::new();
    for row in bench::rows() {
        if let Some(small) = row.at_checked_size()
            && cross_checked.insert(small.name.clone())
        {
            trials.push(trial(format!("cross-check bench {}", small.name), move || small.cross_check()));
        }
        trials.push(trial(format!("bench {}", row.name), move || row.check()));
    }
    trials
}

fn trial(name: String, check: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, move || check().map_err(Failed::from))
}

/// The C files that hold expectations, by name. Others are parts of programs.
fn programs() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["tests/run", "tests/fail"] {
        gather(&tool::root(), Path::new(folder), &mut files);
    }
    files
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let path = folder.join(name);
        if root.join(&path).is_dir() {
            gather(root, &path, files);
        } else if path.extension().is_some_and(|end| end == "c") && is_case(&root.join(&path)) {
            files.push(path);
        }
    }
}

/// Files that say `// part of other.c` in their first line have no expectations of their own.
fn is_case(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| !text.starts_with("// part of"))
}
