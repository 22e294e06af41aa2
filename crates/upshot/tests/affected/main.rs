//! Over random pairs: every test of an affected path takes that path natively.
//!
//! A native build is dear, so many pairs go into one: a function `dispatch` calls the entry of one of them. First each pair is explored by itself, to leave out those with very many paths; then `dispatch`
//! is, and its tests are replayed and compared branch by branch.

#[path = "../tool/mod.rs"]
#[allow(dead_code)]
mod tool;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use upshot_generate::{Features, Options, Pair, pair};

/// Pairs in one build.
const BATCH: u64 = 40;
/// Pairs with more affected paths are left out.
const MOST_PATHS: usize = 60;

/// The kind of pairs in a batch.
fn options(batch: u64) -> Options {
    match batch % 3 {
        0 => Options { traps: true, ..Options::default() },
        1 => Options::default(),
        _ => {
            let features = Features { loops: true, globals: true, calls: true, ..Features::NONE };
            Options { parameters: 4, size: 5, edits: 1, features, ..Options::default() }
        }
    }
}

fn pairs(batch: u64) -> Vec<Pair> {
    let options = options(batch);
    let seeds = batch * BATCH..(batch + 1) * BATCH;
    seeds.map(|seed| pair(seed, &Options { tag: format!("_{seed}"), ..options.clone() })).collect()
}

/// A function that calls the entry of one pair; C converts the arguments.
fn dispatch<'a>(pairs: impl Iterator<Item = &'a Pair>) -> String {
    let mut text =
        "long dispatch(unsigned char which, int p0, int p1, int p2, int p3) {\n  switch (which) {\n".to_string();
    for (number, pair) in pairs.enumerate() {
        let head = format!(" {}(", pair.entry);
        let parameters = pair.new.rsplit_once(&head).and_then(|(_, rest)| rest.split_once(')')).unwrap().0;
        let arguments: Vec<String> = (0..parameters.split(',').count()).map(|number| format!("p{number}")).collect();
        text += &format!("  case {number}: return {}({});\n", pair.entry, arguments.join(", "));
    }
    text + "  }\n  return -1;\n}\n"
}

fn explore(folder: &Path, out: &str, arguments: &[&str]) -> Value {
    let (old, new) = (folder.join("old.c"), folder.join("new.c"));
    let mut command = tool::upshot();
    command.arg("explore").args([&old, &new]).args(["-w", "-q", "--force", "--format", "json", "--out"]);
    let ended = tool::end(command.arg(folder.join(out)).args(arguments));
    assert!(matches!(ended.code, Some(0 | 1 | 3)), "{}", ended.stderr);
    ended.json().unwrap_or_else(|why| panic!("{why}"))
}

fn write(folder: &Path, pairs: &[Pair], more: &str) {
    let texts = |text: fn(&Pair) -> &String| pairs.iter().map(|pair| text(pair).clone() + "\n").collect::<String>();
    std::fs::write(folder.join("old.c"), texts(|pair| &pair.old) + more).unwrap();
    std::fs::write(folder.join("new.c"), texts(|pair| &pair.new) + more).unwrap();
}

/// How many paths were replayed.
fn check(batch: u64) -> usize {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let pairs = pairs(batch);
    write(folder, &pairs, "");
    let report = explore(folder, "each", &["--max-paths", "200", "--max-instructions", "100000"]);
    let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
    for path in report["paths"].as_array().unwrap() {
        *paths.entry(path["entry"].as_str().unwrap()).or_default() += 1;
    }
    let few = |pair: &&Pair| paths.get(pair.entry.as_str()).is_some_and(|&count| count <= MOST_PATHS);
    write(folder, &pairs, &dispatch(pairs.iter().filter(few)));
    let report =
        explore(folder, "all", &["--entry", "dispatch", "--max-paths", "4000", "--max-instructions", "100000"]);
    let tests: Vec<_> = report["paths"].as_array().unwrap().iter().filter_map(|path| path["test"].as_str()).collect();
    let files: Vec<_> = tests.iter().map(|test| folder.join("all").join(test)).collect();
    let replayed = tool::end(tool::upshot().args(["replay", "--check", "--format", "json"]).args(&files));
    assert_eq!(replayed.code, Some(0), "batch {batch}: {}\n{}", replayed.stdout, replayed.stderr);
    files.len()
}

#[test]
fn tests_of_affected_paths_take_them_natively() {
    let range = std::env::var("UPSHOT_BATCHES").unwrap_or_else(|_| "0-1".to_string());
    let (from, to) = range.split_once('-').unwrap();
    let mut replayed = 0;
    for batch in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        replayed += check(batch);
        println!("batch {batch}: {replayed} paths replayed so far");
    }
    assert!(replayed > 0);
}
