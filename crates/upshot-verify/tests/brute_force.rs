//! Never wrong: over random pairs of programs, what is said of a partition holds for every input in it, natively, and partitions are disjoint and cover all inputs.
//!
//! With every observable only claims of equality can be checked, since the oracle does not see all memory; with the returned value alone, claims of difference too.
//! `UPSHOT_BATCHES=FROM-TO` runs others than the default.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use upshot_diff::{Sources, Version, diff};
use upshot_explore::Seed;
use upshot_generate::{Features, IntType, Options, Pair, Parameter, inputs, pair};
use upshot_ir::Program;
use upshot_verify::{Beginning, Config, Inside, Kind, Observe, Partition, Prepared, Proof, Side, Sink, verify};

/// Pairs in one file, so that clang is called less often.
const BATCH: u64 = 30;
const INPUTS: usize = 300;
/// Pairs with more partitions are left out from there on.
const MOST: u64 = 60;

fn compile(file: &Path) -> Program {
    let request =
        upshot_frontend::Request { inputs: vec![file.to_owned()], flags: vec!["-w".into()], ..Default::default() };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{error}"));
    upshot_ir::load_trusted(&built.linked).unwrap()
}

/// What each pair does natively on each input: the returned value or the signal, then the globals.
fn native(pairs: &[Pair], text: impl Fn(&Pair) -> &String, folder: &Path, name: &str) -> Vec<Vec<String>> {
    let mut source = "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n".to_string();
    let mut main = "int main(void) {\n".to_string();
    for (number, pair) in pairs.iter().enumerate() {
        let _ = writeln!(source, "{}", text(pair));
        let list = inputs(&pair.parameters, INPUTS);
        let rows: Vec<String> = list.iter().map(|input| format!("{{{}}}", join(input, "ll,"))).collect();
        let arguments: Vec<String> = (0..pair.parameters.len()).map(|at| format!("in_{number}[i][{at}]")).collect();
        let mut dump = String::new();
        for global in &pair.globals {
            let access = format!("((int *)&{})[k]", global.name);
            let _ = write!(dump, "for (int k = 0; k < {}; k++) printf(\" %d\", {access});", global.length);
        }
        let _ = writeln!(
            source,
            "static const long long in_{number}[][{}] = {{{}}};\nstatic void run_{number}(void) {{ for (unsigned i = 0; i < sizeof in_{number} / sizeof *in_{number}; i++) {{ \
             if (!fork()) {{ printf(\"%d\", {}({})); {dump} printf(\"\\n\"); fflush(stdout); _exit(0); }} int s; wait(&s); \
             if (WIFSIGNALED(s)) printf(\"signal %d\\n\", WTERMSIG(s)); fflush(stdout); }} }}",
            pair.parameters.len(),
            rows.join(","),
            pair.entry,
            arguments.join(", ")
        );
        let _ = writeln!(main, "run_{number}();");
    }
    let (file, program) = (folder.join(format!("{name}_main.c")), folder.join(name));
    std::fs::write(&file, source + &main + "return 0; }\n").unwrap();
    let clang = upshot_frontend::clang().unwrap();
    let done = Command::new(clang).args(["-w", "-fwrapv", "-O0", "-o"]).arg(&program).arg(&file).status().unwrap();
    assert!(done.success());
    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(str::to_string);
    pairs.iter().map(|pair| lines.by_ref().take(inputs(&pair.parameters, INPUTS).len()).collect()).collect()
}

fn join(values: &[i64], between: &str) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(between)
}

/// Checks partitions as they come.
struct Judge<'a> {
    pair: &'a Pair,
    inputs: &'a [Vec<i64>],
    old: &'a [String],
    new: &'a [String],
    only_returned: bool,
    /// By input: in how many partitions it is.
    within: Vec<u32>,
    wrong: Vec<String>,
    by_induction: bool,
    equal: usize,
    different: usize,
    open: usize,
    found: u64,
}

/// An input as memory.
fn objects(pair: &Pair, input: &[i64]) -> Vec<(String, Vec<u8>)> {
    let size = |ty: IntType| (ty.bits() as usize).div_ceil(8);
    let object = |(parameter, value): (&Parameter, &i64)| {
        (parameter.name.clone(), value.to_le_bytes()[..size(parameter.int_type)].to_vec())
    };
    pair.parameters.iter().zip(input).map(object).collect()
}

impl Judge<'_> {
    fn seen<'s>(&self, line: &'s str) -> &'s str {
        match line.strip_prefix("signal") {
            None if self.only_returned => line.split(' ').next().unwrap_or(line),
            _ => line,
        }
    }
}

impl Sink for Judge<'_> {
    fn found(&mut self, partition: Partition, inside: &Inside<'_>) -> bool {
        self.found += 1;
        for (number, input) in self.inputs.iter().enumerate() {
            let objects = objects(self.pair, input);
            let objects: Vec<(&str, &[u8])> = objects.iter().map(|(name, bytes)| (&name[..], &bytes[..])).collect();
            if !inside(&objects) {
                continue;
            }
            self.within[number] += 1;
            let same = self.seen(&self.old[number]) == self.seen(&self.new[number]);
            let is_wrong = match partition.kind {
                Kind::Equal(_) => !same,
                Kind::Different(_) => same && self.only_returned,
                Kind::Open(_) => false,
            };
            if is_wrong {
                self.wrong.push(format!(
                    "{:?} on {input:?} ({:?}): old {}, new {}\n{}\n---\n{}",
                    partition.kind,
                    partition.condition,
                    self.old[number],
                    self.new[number],
                    self.pair.old,
                    self.pair.new
                ));
            }
        }
        self.by_induction |= partition.kind == Kind::Equal(Proof::Induction);
        match partition.kind {
            Kind::Equal(_) => self.equal += 1,
            Kind::Different(_) => self.different += 1,
            Kind::Open(_) => self.open += 1,
        }
        self.found < MOST
    }
}

fn seed(pair: &Pair, input: &[i64]) -> Arc<Seed> {
    Arc::new(Seed { objects: objects(pair, input), ..Seed::default() })
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    complete: usize,
    by_induction: usize,
    equal: usize,
    different: usize,
    open: usize,
    differing_pairs: usize,
}

fn check_batch(first: u64, options: &Options, tally: &mut Tally) {
    let pairs: Vec<Pair> = (first..first + BATCH)
        .map(|seed| pair(seed, &Options { tag: format!("_{}", seed - first), ..options.clone() }))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let side = |text: fn(&Pair) -> &String, name: &str| {
        let file = folder.path().join(format!("{name}.c"));
        std::fs::write(&file, pairs.iter().map(|pair| text(pair).clone() + "\n").collect::<String>()).unwrap();
        (compile(&file), native(&pairs, text, folder.path(), name))
    };
    let (old, ran_old) = side(|pair| &pair.old, "old");
    let (new, ran_new) = side(|pair| &pair.new, "new");
    let (old_sources, new_sources) = (Sources::read(&old), Sources::read(&new));
    let changes =
        diff(Version { program: &old, sources: &old_sources }, Version { program: &new, sources: &new_sources });
    for (number, pair) in pairs.iter().enumerate() {
        let entries = [&old, &new].map(|program| program.function_named(&pair.entry).unwrap());
        let beginning = Beginning { symbolic: true, fixed_globals: true, ..Beginning::default() };
        let prepared = Prepared::new(&old, &new, &changes, entries, &beginning);
        let images = prepared.images();
        let side = |at: usize| Side { image: &images[at], entry: entries[at], start: prepared.starts[at].clone() };
        let list = inputs(&pair.parameters, INPUTS);
        for only_returned in [false, true] {
            let mut observe = Observe::default();
            if only_returned {
                observe = Observe { globals: false, memory: false, ..observe };
            }
            let config = Config {
                observe,
                globals: prepared.globals.clone(),
                // Of a hard question nothing is learnt here but patience.
                solver: upshot_solver::Options { conflicts: Some(500), ..upshot_solver::Options::default() },
                workers: 1 + usize::from(only_returned),
                ahead: prepared.ahead.clone(),
                // Tests change neither what is claimed nor for which inputs.
                tests: list.iter().step_by(50).filter(|_| number % 2 == 0).map(|input| seed(pair, input)).collect(),
                induction: prepared.induction.clone().filter(|_| only_returned),
                ..Config::default()
            };
            let mut judge = Judge {
                pair,
                inputs: &list,
                old: &ran_old[number],
                new: &ran_new[number],
                only_returned,
                within: vec![0; list.len()],
                wrong: Vec::new(),
                by_induction: false,
                equal: 0,
                different: 0,
                open: 0,
                found: 0,
            };
            let summary = verify(&side(0), &side(1), &config, &mut judge).unwrap();
            assert!(judge.wrong.is_empty(), "seed {}: {}", first + number as u64, judge.wrong[0]);
            for (input, &count) in list.iter().zip(&judge.within) {
                assert_eq!(
                    count,
                    1,
                    "seed {}: {input:?} is in {count} partitions\n{}\n{}",
                    first + number as u64,
                    pair.old,
                    pair.new
                );
            }
            tally.pairs += 1;
            tally.complete += usize::from(summary.exhausted && judge.open == 0);
            tally.by_induction += usize::from(judge.by_induction);
            tally.equal += judge.equal;
            tally.different += judge.different;
            tally.open += judge.open;
            tally.differing_pairs += usize::from(judge.different > 0);
        }
    }
}

fn check(kind: u64, options: &Options) -> Tally {
    let range = std::env::var("UPSHOT_BATCHES").unwrap_or_else(|_| "0-0".to_string());
    let (from, to) = range.split_once('-').expect("FROM-TO");
    let range = from.parse::<u64>().expect("a number")..=to.parse().expect("a number");
    let mut tally = Tally::default();
    for batch in range {
        check_batch(1_000_000 * kind + batch * BATCH, options, &mut tally);
    }
    println!(
        "{} comparisons, {} complete, {} by induction, {} with a difference; partitions: {} equal, {} different, {} open",
        tally.pairs,
        tally.complete,
        tally.by_induction,
        tally.differing_pairs,
        tally.equal,
        tally.different,
        tally.open
    );
    assert!(tally.complete * 2 > tally.pairs && tally.equal > 0 && tally.different > 0);
    tally
}

#[test]
fn partitions_hold_for_every_input() {
    let features = Features { static_locals: false, ..Features::ALL };
    check(1, &Options { features, ..Options::default() });
}

#[test]
fn partitions_hold_where_runs_may_trap() {
    let features = Features { static_locals: false, ..Features::ALL };
    check(2, &Options { features, traps: true, ..Options::default() });
}

#[test]
fn partitions_hold_for_wider_inputs() {
    let features = Features { static_locals: false, recursion: false, ..Features::ALL };
    let parameter_types = vec![IntType::Short, IntType::UnsignedChar];
    check(3, &Options { features, parameter_types, ..Options::default() });
}
