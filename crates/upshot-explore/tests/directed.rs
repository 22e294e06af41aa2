//! Over random pairs of programs: a directed search loses no sequence of impacted instructions, and the inputs it gives take them.
//!
//! The oracle is full exploration of the same marked program. How often the papers' algorithm loses a sequence is counted and printed
//! (`cargo test -p upshot-explore --test directed -- --nocapture`).

use std::collections::{BTreeMap, BTreeSet};

use upshot_diff::{Sources, Version, diff};
use upshot_exec::{Image, Start};
use upshot_explore::{
    Config, End, Manner, Marked, Order, PathRecord, Seed, SeedPointer, SeedTarget, Sink, Summary, Target,
};
use upshot_generate::{Options, Pair, pair};
use upshot_ir::Program;

/// Pairs in one file, so that clang is called less often.
const BATCH: u64 = 40;

struct Collected(Vec<PathRecord>);

impl Sink for Collected {
    fn found(&mut self, _: &PathRecord) {}

    fn settled(&mut self, record: PathRecord) -> bool {
        self.0.push(record);
        true
    }
}

fn compile(pairs: &[Pair], text: impl Fn(&Pair) -> &String) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, pairs.iter().map(|pair| text(pair).clone() + "\n").collect::<String>()).unwrap();
    let request = upshot_frontend::Request { inputs: vec![file], flags: vec!["-w".into()], ..Default::default() };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{error}"));
    upshot_ir::load_trusted(&built.linked).unwrap()
}

fn config(marked: &Marked, entry: upshot_ir::FuncId, workers: usize) -> Config {
    Config {
        start: Start { symbolic_parameters: true, ..Start::default() },
        max_paths: Some(MOST_PATHS),
        all_errors: true,
        workers,
        guide: Some(marked.guide.clone()),
        ..Config::new(entry)
    }
}

/// Pairs with more paths are left out.
const MOST_PATHS: u64 = 200;

fn explore(marked: &Marked, entry: upshot_ir::FuncId) -> (Vec<PathRecord>, Summary) {
    let image = Image::watched(&marked.program, marked.watch.clone());
    let mut collected = Collected(Vec::new());
    let summary = upshot_explore::explore(&image, &config(marked, entry, 1), Vec::new(), &(), &mut collected).unwrap();
    (collected.0, summary)
}

fn sequences(records: &[PathRecord]) -> BTreeSet<u128> {
    records.iter().filter_map(|record| record.affected.as_ref()).filter(|a| a.length > 0).map(|a| a.sequence).collect()
}

fn seed(record: &PathRecord) -> Option<Seed> {
    let test = record.test.as_ref()?;
    let name = |number: u32| test.objects[number as usize].name.clone();
    let pointers = test.pointers.iter().map(|pointer| SeedPointer {
        holder: name(pointer.object),
        offset: pointer.offset,
        target: match pointer.target {
            Target::Null => SeedTarget::Null,
            Target::Object(number) => SeedTarget::Object(name(number)),
            Target::Function => SeedTarget::Function,
        },
    });
    let objects = test.objects.iter().map(|object| (object.name.clone(), object.bytes.clone())).collect();
    Some(Seed { objects, pointers: pointers.collect(), plain: None })
}

#[derive(Default, Debug)]
struct Tally {
    pairs: u64,
    affected: u64,
    full_paths: u64,
    directed_paths: u64,
    asked: (u64, u64),
    /// Pairs where the papers' algorithm loses a sequence, and how many sequences.
    lost_pairs: u64,
    lost: u64,
}

fn check_batch(first: u64, options: &Options, tally: &mut Tally) {
    let pairs: Vec<Pair> = (first..first + BATCH)
        .map(|seed| pair(seed, &Options { tag: format!("_{seed}"), ..options.clone() }))
        .collect();
    let (old, new) = (compile(&pairs, |pair| &pair.old), compile(&pairs, |pair| &pair.new));
    let (old_text, new_text) = (Sources::default(), Sources::default());
    let changes = diff(Version { program: &old, sources: &old_text }, Version { program: &new, sources: &new_text });
    let (impact, direction) = upshot_impact::analyse_and_direct(&old, &new, &changes);
    let Some(direction) = direction else { return };
    let marked = |manner: Manner| Marked::new(&new, &impact, direction.clone(), manner);
    let (off, sound, paper) = (marked(Manner::Off), marked(Manner::Sound), marked(Manner::Paper(Order::Default)));
    for pair in &pairs {
        let entry = new.function_named(&pair.entry).unwrap();
        let (all, summary) = explore(&off, entry);
        if !summary.exhausted || all.iter().any(|record| matches!(record.end, End::Bound(_) | End::Unknown { .. })) {
            continue;
        }
        let (directed, directed_summary) = explore(&sound, entry);
        let (wanted, found) = (sequences(&all), sequences(&directed));
        assert_eq!(wanted, found, "{} {:?}\n{}\n{}", pair.entry, pair.edits, pair.old, pair.new);
        assert_eq!(directed.len(), found.len(), "{}: a sequence has one path", pair.entry);
        assert!(directed_summary.asked <= summary.asked, "{}: more questions than full exploration", pair.entry);
        tests_take_their_sequences(&sound, entry, &directed, pair);
        let (by_paper, _) = explore(&paper, entry);
        let lost = wanted.difference(&sequences(&by_paper)).count() as u64;
        tally.pairs += 1;
        tally.affected += u64::from(!wanted.is_empty());
        tally.full_paths += all.len() as u64;
        tally.directed_paths += directed.len() as u64;
        tally.asked.0 += summary.asked;
        tally.asked.1 += directed_summary.asked;
        tally.lost_pairs += u64::from(lost > 0);
        tally.lost += lost;
    }
}

fn tests_take_their_sequences(marked: &Marked, entry: upshot_ir::FuncId, records: &[PathRecord], pair: &Pair) {
    let image = Image::watched(&marked.program, marked.watch.clone());
    for record in records {
        let Some(seed) = seed(record) else { continue };
        let followed = upshot_explore::follow(&image, &config(marked, entry, 1), &seed).unwrap();
        let affected = record.affected.as_ref().unwrap();
        assert_eq!(followed.sequence, affected.sequence, "{}\n{}\n{}", pair.entry, pair.old, pair.new);
        assert_eq!(followed.trace, record.trace, "{}\n{}\n{}", pair.entry, pair.old, pair.new);
    }
}

/// `UPSHOT_BATCHES` says which batches, as in `0-30`; by default so many.
fn check(batches: u64, first: u64, options: &Options) {
    let range = std::env::var("UPSHOT_BATCHES").unwrap_or_else(|_| format!("0-{batches}"));
    let (from, to) = range.split_once('-').unwrap();
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let mut tally = Tally::default();
    for batch in from..to {
        check_batch(first + batch * BATCH, options, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.affected > (to - from) * BATCH / 4, "too few pairs say something: {tally:?}");
}

#[test]
fn no_sequence_is_lost() {
    check(9, 0, &Options::default());
}

#[test]
fn no_sequence_is_lost_where_runs_may_trap() {
    check(6, 100_000, &Options { traps: true, ..Options::default() });
}

/// Many parameters and branches that have nothing to do with each other: here states cover each other.
#[test]
fn no_sequence_is_lost_among_independent_inputs() {
    let features =
        upshot_generate::Features { loops: true, globals: true, calls: true, ..upshot_generate::Features::NONE };
    check(4, 200_000, &Options { parameters: 4, size: 5, edits: 1, features, ..Options::default() });
}

/// The records of a directed search, however many work on it.
#[test]
fn workers_find_the_same_paths() {
    let options = Options { parameters: 4, size: 5, edits: 1, ..Options::default() };
    let pairs: Vec<Pair> = (300_000..300_000 + BATCH)
        .map(|seed| pair(seed, &Options { tag: format!("_{seed}"), ..options.clone() }))
        .collect();
    let (old, new) = (compile(&pairs, |pair| &pair.old), compile(&pairs, |pair| &pair.new));
    let text = Sources::default();
    let changes = diff(Version { program: &old, sources: &text }, Version { program: &new, sources: &text });
    let (impact, direction) = upshot_impact::analyse_and_direct(&old, &new, &changes);
    let marked = Marked::new(&new, &impact, direction.unwrap(), Manner::Sound);
    let image = Image::watched(&marked.program, marked.watch.clone());
    for pair in &pairs {
        let entry = new.function_named(&pair.entry).unwrap();
        // Questions wait only where there is no bound on the depth.
        let is_small = explore(&marked, entry).1.exhausted;
        let depths = if is_small { vec![None, Some(24)] } else { vec![Some(24)] };
        let mut results = Vec::new();
        for (max_depth, workers) in depths.into_iter().flat_map(|depth| [(depth, 1), (depth, 3)]) {
            let mut collected = Collected(Vec::new());
            let config = Config { max_paths: None, max_depth, ..config(&marked, entry, workers) };
            upshot_explore::explore(&image, &config, Vec::new(), &(), &mut collected).unwrap();
            let mut first: BTreeMap<u128, (Vec<u32>, Option<upshot_explore::Test>)> = BTreeMap::new();
            for record in collected.0.into_iter().filter(|record| !matches!(record.end, End::Bound(_))) {
                let sequence = record.affected.as_ref().unwrap().sequence;
                first.entry(sequence).or_insert((record.path.sides(), record.test));
            }
            results.push(first);
        }
        for pair_of_results in results.chunks(2) {
            assert_eq!(pair_of_results[0], pair_of_results[1], "{}\n{}", pair.entry, pair.new);
        }
    }
}
