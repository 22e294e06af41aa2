//! Pairs of C programs, and what `upshot diff` must say of them.
//!
//! A case is a folder below `tests/diff` with `old.c` and `new.c`, or with folders `old` and `new`. Lines that must be told as changed carry
//! `// changed`; no others may be. The file `expect` says the rest, then, after a line of dashes, holds the report as people see it, which
//! `UPSHOT_BLESS=1` before the command writes. `cargo test -p upshot --test diff -- <part of a name>` runs some.

mod case;
mod expectation;
#[path = "../tool/mod.rs"]
mod tool;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let bless = std::env::var_os("UPSHOT_BLESS").is_some();
    let folder = tool::root().join("tests/diff");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let trials = names.into_iter().map(|name| {
        let case = name.clone();
        Trial::test(name, move || case::check(&case, bless).map_err(Failed::from))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
