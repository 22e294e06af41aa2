//! Random programs, as csmith writes them, print the same checksum in the executor as natively.
//!
//! The seeds in `tests/differential/csmith-seeds.txt` are of programs that end soon. `scripts/nightly` runs others: the ignored test
//! below, over a range of seeds at every level of optimisation, skipping what takes too long. `UPSHOT_TIMES=1` prints how long the
//! executor takes for each, to choose seeds by.

mod oracle;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use oracle::Trouble;

/// Kinds of programs, by the options that csmith is given for them.
const KINDS: &[(&str, &[&str])] = &[
    ("plain", &[]),
    ("small", &["--max-funcs", "2", "--max-block-depth", "2", "--max-expr-complexity", "20"]),
    ("float", &["--float"]),
    ("builtins", &["--builtins"]),
    ("structs", &["--max-struct-fields", "20", "--max-union-fields", "10", "--no-volatiles", "--max-array-dim", "2"]),
    ("pointers", &["--max-pointer-depth", "4", "--no-arrays", "--no-volatiles"]),
    ("arithmetic", &["--no-pointers", "--no-structs", "--no-unions", "--max-expr-complexity", "30"]),
    ("loops", &["--max-block-depth", "5", "--max-block-size", "5", "--max-funcs", "3", "--no-pointers"]),
];

/// Common to all.
const OPTIONS: &[&str] = &["--max-funcs", "4", "--max-block-depth", "3", "--concise"];

/// What is flagged in csmith's headers is not ours to mend; the checksum is all that is printed.
const FLAGS: &[&str] = &["-I/usr/include/csmith", "-w"];

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

struct Job {
    kind: &'static str,
    options: &'static [&'static str],
    seed: u64,
    level: &'static str,
}

impl std::fmt::Display for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "csmith {} {} --seed {} at {}", OPTIONS.join(" "), self.options.join(" "), self.seed, self.level)
    }
}

enum Verdict {
    Same,
    Skipped,
}

fn compare(job: &Job) -> Result<Verdict, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("random.c");
    let mut csmith = Command::new("csmith");
    csmith.args(OPTIONS).args(job.options).arg("--seed").arg(job.seed.to_string()).arg("--output").arg(&file);
    let status = csmith.current_dir(folder.path()).output();
    let status = status.map_err(|error| format!("csmith cannot be run ({error}); scripts/setup --test installs it"))?;
    if !status.status.success() {
        return Err(format!("csmith: {}", String::from_utf8_lossy(&status.stderr)));
    }
    let flags: Vec<&str> = FLAGS.iter().copied().chain([job.level]).collect();
    // Some die natively, or use builtins of other processors.
    let Ok(Some(native)) = oracle::native(&file, &flags, Duration::from_secs(1)) else { return Ok(Verdict::Skipped) };
    let started = std::time::Instant::now();
    let executed = oracle::executed(&file, &flags);
    if std::env::var_os("UPSHOT_TIMES").is_some() {
        println!("{} {} {} {:.2} s", job.kind, job.seed, job.level, started.elapsed().as_secs_f64());
    }
    match executed {
        Ok(executed) => oracle::difference(&executed, &native).map_or(Ok(Verdict::Same), Err),
        Err(Trouble::TooLong) => Ok(Verdict::Skipped),
        Err(Trouble::Failed(why)) => Err(why),
    }
}

fn run(jobs: &[Job], skipping: bool) {
    let skipped = std::sync::atomic::AtomicUsize::new(0);
    let failures = oracle::failures(jobs, |job| match compare(job)? {
        Verdict::Same => Ok(()),
        Verdict::Skipped if skipping => {
            skipped.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        }
        Verdict::Skipped => Err("does not compile, live or end soon natively; take its seed off the list".to_string()),
    });
    let report: Vec<String> = failures.iter().map(|(index, why)| format!("{}: {why}", jobs[*index])).collect();
    println!("{} programs, {} skipped", jobs.len(), skipped.into_inner());
    assert!(report.is_empty(), "{} of {} programs differ:\n{}", report.len(), jobs.len(), report.join("\n"));
}

#[test]
fn listed_programs_have_the_native_checksum() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/differential/csmith-seeds.txt");
    let list = std::fs::read_to_string(file).expect("the list of seeds can be read");
    let mut jobs = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a kind");
        let (kind, options) = KINDS.iter().find(|(kind, _)| *kind == name).expect("a known kind");
        for seed in words.map(|seed| seed.parse::<u64>().expect("a number")) {
            jobs.push(Job { kind, options, seed, level: LEVELS[seed as usize % 3] });
        }
    }
    assert!(jobs.len() >= 200, "there are only {} seeds", jobs.len());
    run(&jobs, false);
}

/// `UPSHOT_SEEDS=FROM-TO`, of every kind, at every level.
#[test]
#[ignore = "takes long; scripts/nightly runs it"]
fn more_programs_have_the_native_checksum() {
    let seeds = std::env::var("UPSHOT_SEEDS").unwrap_or_else(|_| "1-20".to_string());
    let (from, to) = seeds.split_once('-').expect("FROM-TO");
    let seeds = from.parse::<u64>().expect("a number")..=to.parse().expect("a number");
    let jobs: Vec<Job> = seeds
        .flat_map(|seed| KINDS.iter().map(move |(kind, options)| (seed, *kind, *options)))
        .flat_map(|(seed, kind, options)| LEVELS.map(|level| Job { kind, options, seed, level }))
        .collect();
    run(&jobs, true);
}
