//! By brute force: over random programs, every input of a small domain is in exactly one case, the case's outputs evaluate to what a native run gives, and the relevant-slice condition of the
//! input's own path is that of its case.
//!
//! `UPSHOT_BATCHES=FROM-TO` runs others than the default.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use upshot_exec::{Image, Start};
use upshot_explore::{End, Seed};
use upshot_generate::{Features, IntType, Options, Pair, inputs, pair};
use upshot_impact::{Checks, Effects};
use upshot_ir::Program;
use upshot_slice::{Case, Code, Config, Output, Signature, Slicer, Variables, signature};

/// Programs in one file, so that clang is called less often.
const BATCH: u64 = 30;
const INPUTS: usize = 300;
/// Inputs whose own paths are sliced.
const SLICED: usize = 12;

fn compile(file: &Path) -> Program {
    let request =
        upshot_frontend::Request { inputs: vec![file.to_owned()], flags: vec!["-w".into()], ..Default::default() };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{error}"));
    upshot_ir::load_trusted(&built.linked).unwrap()
}

/// What each program does natively on each input: the returned value or the signal, then the globals.
fn native(pairs: &[Pair], folder: &Path) -> Vec<Vec<String>> {
    let mut source = "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n".to_string();
    let mut main = "int main(void) {\n".to_string();
    for (number, pair) in pairs.iter().enumerate() {
        let rows: Vec<String> =
            inputs(&pair.parameters, INPUTS).iter().map(|input| format!("{{{}}}", join(input, "ll,"))).collect();
        let arguments: Vec<String> = (0..pair.parameters.len()).map(|at| format!("in_{number}[i][{at}]")).collect();
        let mut dump = String::new();
        for global in &pair.globals {
            let access = format!("((int *)&{})[k]", global.name);
            let _ = write!(dump, "for (int k = 0; k < {}; k++) printf(\" %d\", {access});", global.length);
        }
        let _ = writeln!(
            source,
            "{}\nstatic const long long in_{number}[][{}] = {{{}}};\nstatic void run_{number}(void) {{ for (unsigned i = 0; i < sizeof in_{number} / sizeof *in_{number}; i++) {{ \
             if (!fork()) {{ printf(\"%d\", {}({})); {dump} printf(\"\\n\"); fflush(stdout); _exit(0); }} int s; wait(&s); \
             if (WIFSIGNALED(s)) printf(\"signal %d\\n\", WTERMSIG(s)); fflush(stdout); }} }}",
            pair.old,
            pair.parameters.len(),
            rows.join(","),
            pair.entry,
            arguments.join(", ")
        );
        let _ = writeln!(main, "run_{number}();");
    }
    let (file, program) = (folder.join("native_main.c"), folder.join("native"));
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

/// An input as objects.
fn objects<'p>(pair: &'p Pair, input: &[i64]) -> Vec<(&'p str, Vec<u8>)> {
    let bytes = |(parameter, value): (&'p upshot_generate::Parameter, &i64)| {
        let size = (parameter.int_type.bits() as usize).div_ceil(8);
        (parameter.name.as_str(), value.to_le_bytes()[..size].to_vec())
    };
    pair.parameters.iter().zip(input).map(bytes).collect()
}

/// The returned value and the globals that a case promises for an input, in the oracle's notation.
fn promised(case: &Case, found: &Signature, pair: &Pair, objects: &[(&str, &[u8])], with_globals: bool) -> String {
    if !matches!(case.end, End::Returned(_)) {
        return "signal".to_string();
    }
    let values = case.assignment(objects);
    let number = |name: &str| {
        let observed = case.outputs.iter().find(|output| output.name == name)?;
        Some(values.eval(&found.terms, observed.term?) as u32 as i32)
    };
    let mut text = number("return").expect("a returned value").to_string();
    for global in pair.globals.iter().filter(|_| with_globals) {
        for index in 0..global.length {
            let leaves = case.outputs.iter().filter(|output| output.name.starts_with(&global.name));
            let value = leaves
                .filter(|output| place(&output.name, &global.name) == Some(index))
                .find_map(|output| number(&output.name));
            let _ = match value {
                Some(value) => write!(text, " {value}"),
                // Not changed: what it was at the start.
                None => write!(text, " ="),
            };
        }
    }
    text
}

/// Which of a global's numbers a leaf is: of a struct of ints, or an array of them.
fn place(leaf: &str, global: &str) -> Option<usize> {
    let rest = leaf.strip_prefix(global)?;
    if rest.is_empty() {
        return Some(0);
    }
    if let Some(index) = rest.strip_prefix('[') {
        return index.strip_suffix(']')?.parse().ok();
    }
    let field = rest.strip_prefix('.')?;
    ["a", "b", "c", "d"].iter().position(|name| *name == field)
}

fn agrees(promised: &str, native: &str) -> bool {
    if promised == "signal" || native.starts_with("signal") {
        return promised == "signal" && native.starts_with("signal");
    }
    let (mine, theirs): (Vec<&str>, Vec<&str>) = (promised.split(' ').collect(), native.split(' ').collect());
    mine.iter().zip(&theirs).all(|(a, b)| *a == "=" || a == b)
}

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    cases: usize,
    paths: u64,
    whole: u64,
    lost: u64,
    strayed: u64,
    restarts: u64,
}

fn check_batch(first: u64, options: &Options, tally: &mut Tally) {
    let pairs: Vec<Pair> = (first..first + BATCH)
        .map(|seed| pair(seed, &Options { tag: format!("_{}", seed - first), ..options.clone() }))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.c");
    std::fs::write(&file, pairs.iter().map(|pair| pair.old.clone() + "\n").collect::<String>()).unwrap();
    let program = compile(&file);
    let ran = native(&pairs, folder.path());
    let image = Image::new(&program);
    for (number, pair) in pairs.iter().enumerate() {
        let seed = first + number as u64;
        let entry = program.function_named(&pair.entry).unwrap();
        let effects = Effects::new(&program, entry, Checks::default());
        let code = Code::new(&program, &effects);
        for with_globals in [false, true] {
            let mut outputs = vec![Output::Returned];
            if with_globals {
                let global = |name: &str| program.globals.iter().position(|global| global.source_name == name);
                let found = pair.globals.iter().filter_map(|it| global(&it.name));
                outputs.extend(found.map(|at| Output::Global(upshot_ir::GlobalId(at as u32))));
            }
            let start = Start { symbolic_parameters: true, ..Start::default() };
            let config = Config { start, outputs, ..Config::new(entry) };
            let variables = Variables::default();
            let found = signature(&image, &config, &variables).unwrap();
            assert!(found.is_complete(), "seed {seed}: {:?}", found.figures);
            let mut slicer = Slicer::new(&image, &config, &variables, &code).unwrap();
            for (at, (input, native)) in inputs(&pair.parameters, INPUTS).iter().zip(&ran[number]).enumerate() {
                let owned = objects(pair, input);
                let objects: Vec<(&str, &[u8])> = owned.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
                let inside = |case: &&Case| {
                    let values = case.assignment(&objects);
                    case.formula().all(|term| values.eval_bool(&found.terms, term))
                };
                let homes: Vec<&Case> = found.cases.iter().filter(inside).collect();
                let [case] = homes[..] else {
                    let homes: Vec<_> = homes.iter().map(|case| &case.condition).collect();
                    panic!("seed {seed}: {input:?} is in {} cases: {homes:?}\n{}", homes.len(), pair.old);
                };
                let promised = promised(case, &found, pair, &objects, with_globals);
                assert!(
                    agrees(&promised, native),
                    "seed {seed}: {input:?}: {promised}, natively {native}; {:?}\n{}",
                    case.condition,
                    pair.old
                );
                if at % (INPUTS / SLICED) == 0 {
                    let own = owned.iter().map(|(name, bytes)| (name.to_string(), bytes.clone())).collect();
                    let sliced = slicer.slice(Seed { objects: own, ..Seed::default() }).unwrap();
                    assert_eq!(
                        sliced.key,
                        case.key(),
                        "seed {seed}: {input:?}: {:?} but {:?}\n{}",
                        sliced.case.condition,
                        case.condition,
                        pair.old
                    );
                }
            }
            let whole = signature(&image, &Config { whole_paths: true, ..config.clone() }, &variables).unwrap();
            assert!(found.cases.len() <= whole.cases.len(), "seed {seed}: more tests than paths\n{}", pair.old);
            tally.programs += 1;
            tally.cases += found.cases.len();
            tally.paths += found.figures.paths;
            tally.whole += whole.figures.paths;
            tally.lost += found.figures.lost;
            tally.strayed += found.figures.strayed;
            tally.restarts += found.figures.restarts;
        }
    }
}

fn check(kind: u64, options: &Options) {
    let range = std::env::var("UPSHOT_BATCHES").unwrap_or_else(|_| "0-0".to_string());
    let (from, to) = range.split_once('-').expect("FROM-TO");
    let range = from.parse::<u64>().expect("a number")..=to.parse().expect("a number");
    let mut tally = Tally::default();
    for batch in range {
        check_batch(1_000_000 * kind + batch * BATCH, options, &mut tally);
    }
    println!("{tally:?}");
    assert_eq!((tally.lost, tally.strayed, tally.restarts), (0, 0, 0));
    assert!((tally.cases as u64) < tally.whole, "slicing has saved nothing");
}

#[test]
fn cases_hold_for_every_input() {
    check(21, &Options { features: Features { static_locals: false, ..Features::ALL }, ..Options::default() });
}

#[test]
fn cases_hold_where_runs_may_trap() {
    let features = Features { static_locals: false, ..Features::ALL };
    check(22, &Options { features, traps: true, ..Options::default() });
}

#[test]
fn cases_hold_for_branches_alone() {
    let parameter_types = vec![IntType::Short, IntType::UnsignedChar];
    check(23, &Options { features: Features::NONE, parameter_types, ..Options::default() });
}
