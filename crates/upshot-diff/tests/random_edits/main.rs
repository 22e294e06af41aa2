//! Random functions, randomly edited: whatever was edited, the map between the versions must be one that holds.
//!
//! The checker knows nothing of how the map was found. It reads both programs' operations as text, puts in what the map says, and compares; and it walks both
//! control flow graphs with the same decisions.

mod checker;
mod generate;
mod random;

use generate::{Effect, Pair};
use random::Random;
use upshot_diff::{Sources, Status, Version, diff};
use upshot_ir::Program;

const FILES: u64 = 24;
const FUNCTIONS: usize = 48;

fn load(folder: &std::path::Path, name: &str, text: &str) -> Program {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let request = upshot_frontend::Request { inputs: vec![file], flags: vec!["-w".into()], ..Default::default() };
    match upshot_frontend::build(&request) {
        Ok(built) => upshot_ir::load(&built.linked).unwrap(),
        Err(error) => panic!("{error}\n{:?}\n{text}", error.diagnostics()),
    }
}

#[test]
fn what_is_matched_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (mut unchanged, mut matched, mut unmatched) = (0, 0, 0);
    for seed in 0..FILES {
        let mut random = Random::new(seed);
        let pairs: Vec<Pair> = (0..FUNCTIONS).map(|number| generate::pair(&mut random, number)).collect();
        let old_text = generate::file(pairs.iter().map(|pair| pair.old.as_str()));
        let new_text = generate::file(pairs.iter().map(|pair| pair.new.as_str()));
        let (old, new) = (load(folder.path(), "old.c", &old_text), load(folder.path(), "new.c", &new_text));
        let (sources_of_old, sources_of_new) = (Sources::read(&old), Sources::read(&new));
        let changes = diff(
            Version { program: &old, sources: &sources_of_old },
            Version { program: &new, sources: &sources_of_new },
        );
        for function in changes.functions.iter().filter(|function| function.is_own(&old, &new)) {
            let name = function.new.map(|id| new.function(id).source_name.clone()).unwrap_or_default();
            let pair = pairs.iter().find(|pair| pair.name == name).expect("all functions were generated");
            let told = || format!("seed {seed}, {name}, {:?}:\n{}\n{}", pair.edits, pair.old, pair.new);
            if let Err(why) = checker::check(&changes, function, &old, &new) {
                panic!("{why}\n{}", told());
            }
            if pair.effect == Effect::None {
                assert_eq!(function.status, Status::Unchanged, "{}", told());
            }
            if pair.effect == Effect::Certain {
                assert_eq!(function.status, Status::Changed, "{}", told());
            }
            unchanged += usize::from(function.status == Status::Unchanged);
            matched += function.to_new.iter().filter(|inst| inst.is_some()).count();
            unmatched += function.to_new.iter().filter(|inst| inst.is_none()).count();
        }
    }
    // Most of the code was not touched, so most must be matched: else the map holds only because it is empty.
    let share = matched as f64 / (matched + unmatched) as f64;
    assert!(share > 0.85, "only {share:.3} of the instructions are matched");
    println!("{unchanged} functions unchanged, {share:.3} of the old instructions matched");
}
