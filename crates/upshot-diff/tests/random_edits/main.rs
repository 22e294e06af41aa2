//! Random programs, randomly edited: whatever was edited, the map between the versions must be one that holds.
//!
//! The checker knows nothing of how the map was found. It reads both programs' operations as text, puts in what the map says, and compares; and it walks both
//! control flow graphs with the same decisions.

mod checker;

use upshot_diff::{Changes, Sources, Status, Version, diff};
use upshot_generate::{Effect, Options, Pair, pair};
use upshot_ir::Program;

const FILES: u64 = 12;
const PAIRS: u64 = 40;

fn load(folder: &std::path::Path, name: &str, text: &str) -> Program {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let request = upshot_frontend::Request { inputs: vec![file], flags: vec!["-w".into()], ..Default::default() };
    match upshot_frontend::build(&request) {
        Ok(built) => upshot_ir::load(&built.linked).unwrap(),
        Err(error) => panic!("{error}\n{:?}\n{text}", error.diagnostics()),
    }
}

/// The pair that a function belongs to, by the number at the end of its name.
fn pair_of(name: &str) -> Option<usize> {
    name.rsplit_once('_')?.1.parse().ok()
}

/// Whether any function or global of the pair differs.
fn differs(changes: &Changes, number: usize, old: &Program, new: &Program) -> bool {
    let function =
        |id: upshot_ir::FuncId, program: &Program| pair_of(&program.function(id).source_name) == Some(number);
    changes.functions.iter().any(|found| {
        let own = found.new.is_some_and(|id| function(id, new)) || found.old.is_some_and(|id| function(id, old));
        own && found.status.differs()
    })
}

#[test]
fn what_is_matched_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (mut unchanged, mut matched, mut unmatched) = (0, 0, 0);
    for seed in 0..FILES {
        let make = |number| pair(seed * PAIRS + number, &Options { tag: format!("_{number}"), ..Options::default() });
        let pairs: Vec<Pair> = (0..PAIRS).map(make).collect();
        let text = |version: fn(&Pair) -> &str| pairs.iter().map(version).collect::<String>();
        let old = load(folder.path(), "old.c", &text(|pair| &pair.old));
        let new = load(folder.path(), "new.c", &text(|pair| &pair.new));
        let (sources_of_old, sources_of_new) = (Sources::read(&old), Sources::read(&new));
        let changes = diff(
            Version { program: &old, sources: &sources_of_old },
            Version { program: &new, sources: &sources_of_new },
        );
        let told = |number: usize| {
            let pair = &pairs[number];
            format!("seed {seed}, {number}, {:?}:\n{}\n{}", pair.edits, pair.old, pair.new)
        };
        for function in changes.functions.iter().filter(|function| function.is_own(&old, &new)) {
            let name = function.new.map(|id| new.function(id).source_name.clone()).unwrap_or_default();
            if let Err(why) = checker::check(&changes, function, &old, &new) {
                panic!("{why}\n{name}\n{}", pair_of(&name).map(told).unwrap_or_default());
            }
            unchanged += usize::from(function.status == Status::Unchanged);
            matched += function.to_new.iter().filter(|inst| inst.is_some()).count();
            unmatched += function.to_new.iter().filter(|inst| inst.is_none()).count();
        }
        for (number, pair) in pairs.iter().enumerate() {
            let differs = differs(&changes, number, &old, &new);
            assert!(pair.effect != Effect::None || !differs, "changed, though only the text differs: {}", told(number));
            assert!(pair.effect != Effect::Certain || differs, "not seen to change: {}", told(number));
        }
    }
    // Most of the code was not touched, so most must be matched: else the map holds only because it is empty.
    let share = matched as f64 / (matched + unmatched) as f64;
    assert!(share > 0.85, "only {share:.3} of the instructions are matched");
    println!("{unchanged} functions unchanged, {share:.3} of the old instructions matched");
}
