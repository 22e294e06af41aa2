//! `upshot verify`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_diff::Changes;
use upshot_explore::Seed;
use upshot_ir::FuncId;
use upshot_report::{PartitionKind, VerifyReport};
use upshot_suite::OutDir;
use upshot_verify::{Beginning, Config, Prepared, Side, Summary};

use crate::arguments::{Comparing, Format, Observable, Step, Until, Verify, YesNo};
use crate::collector::Collector;
use crate::confirm::Confirmer;
use crate::explore::{no_entry, roots};
use crate::failure::Failure;
use crate::journal::{self, Journal};
use crate::seeds::{self, Tests};
use crate::settings::{self, Settings, extra_flags};
use crate::update;
use crate::versions::{self, LoadedVersion, Versions, Wanted};

/// Runs the command; the exit code.
pub fn verify(arguments: &Verify, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let comparing = &arguments.comparing;
    let wanted = Wanted { entry: arguments.entry.clone(), assumptions: comparing.assume.clone(), ..Wanted::default() };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&comparing.checks))?;
    let changes = versions.compare()?;
    let (entries, symbolic) = entries(arguments.entry.as_deref(), &versions, &changes)?;
    let tests = match &comparing.suite {
        None => Tests::default(),
        Some(folder) => tests_for(folder, &versions, entries[1], symbolic)?,
    };
    spare_suite(comparing)?;
    let out = claim(&comparing.out, comparing)?;
    let deadline = comparing.bounds.timeout.map(|timeout| started + timeout);
    let job =
        Job { comparing, versions: &versions, changes: &changes, interrupt, started, deadline, of_several: false };
    let report = job.run(entries, symbolic, arguments.until, &tests, &out)?;
    print(&report, comparing);
    Ok(report.exit_code())
}

/// The tests of a suite, which has to be for the function at hand.
fn tests_for(folder: &Path, versions: &Versions, entry: FuncId, symbolic: bool) -> Result<Tests, Failure> {
    let name = versions.new.program.function(entry).source_name.as_str();
    match seeds::of_suite(folder, symbolic.then_some(name))? {
        Ok(tests) => Ok(tests),
        Err(other) => {
            let message = format!("{}: the suite starts in `{other}`, not in `{name}`", folder.display());
            Err(Failure::new(message)
                .hint("name the function that it is for with --entry, or make a suite with `upshot suite create`"))
        }
    }
}

/// The output does not take the place of the suite.
pub fn spare_suite(comparing: &Comparing) -> Result<(), Failure> {
    match &comparing.suite {
        Some(suite) if update::is_same_folder(suite, &comparing.out) => {
            let message = format!("--out {} is the suite itself", comparing.out.display());
            Err(Failure::new(message).hint("name another folder with --out"))
        }
        _ => Ok(()),
    }
}

/// Takes an output folder; what is to be gone on from stays in it.
pub fn claim(folder: &Path, comparing: &Comparing) -> Result<OutDir, Failure> {
    let claim = if comparing.resume { OutDir::claim_to_resume } else { OutDir::claim };
    Ok(claim(folder, comparing.force)?)
}

fn print(report: &VerifyReport, comparing: &Comparing) {
    match comparing.output.format {
        Format::Json => println!("{}", upshot_report::verify_json(report)),
        Format::Text => {
            let style = crate::style(comparing.output.color);
            print!("{}", upshot_report::verify_text(report, style, comparing.output.detail()));
        }
    }
}

/// The function to compare, in both versions; and whether its parameters are made from their types.
fn entries(name: Option<&str>, versions: &Versions, changes: &Changes) -> Result<([FuncId; 2], bool), Failure> {
    let (old, new) = (&versions.old, &versions.new);
    let both = |name: &str| {
        let old = old.program.function_named(name).ok_or_else(|| no_entry(name, old))?;
        let new = new.program.function_named(name).ok_or_else(|| no_entry(name, new))?;
        Ok::<_, Failure>([old, new])
    };
    if let Some(name) = name {
        return Ok((both(name)?, true));
    }
    if new.program.function_named("main").is_some() {
        return Ok((both("main")?, false));
    }
    let (impact, _) = upshot_impact::analyse_and_direct(&old.program, &new.program, changes);
    let roots = roots(&new.program, &impact)?;
    let [root] = roots[..] else {
        let names: Vec<&str> = roots.iter().map(|&id| new.program.function(id).source_name.as_str()).collect();
        return Err(Failure::new("several functions are affected, and there is no main")
            .hint(format!("name one with --entry ({}), or use upshot check", names.join(", "))));
    };
    Ok((both(&new.program.function(root).source_name.clone())?, true))
}

/// Two loaded versions, and how to compare functions of them.
pub struct Job<'a> {
    pub comparing: &'a Comparing,
    pub versions: &'a Versions,
    pub changes: &'a Changes,
    pub interrupt: &'a Arc<AtomicBool>,
    pub started: Instant,
    pub deadline: Option<Instant>,
    /// Certificates go to a folder for each function.
    pub of_several: bool,
}

/// Tests with the globals that they do not speak of, which begin as the old version says.
fn with_globals(seeds: &[Seed], prepared: &Prepared) -> Vec<Arc<Seed>> {
    let program = &prepared.programs[0];
    let globals = prepared.starts[0].symbolic_globals.iter().map(|&id| program.global(id));
    let plain: Vec<(&String, &Vec<u8>)> = globals
        .filter_map(|global| Some((&global.source_name, global.initializer.as_ref()?)))
        .filter(|(_, initializer)| initializer.relocations.is_empty())
        .map(|(name, initializer)| (name, &initializer.bytes))
        .collect();
    let whole = |seed: &Seed| {
        let mut seed = seed.clone();
        for (name, bytes) in &plain {
            if !seed.objects.iter().any(|(known, _)| known == *name) {
                seed.objects.push(((*name).clone(), (*bytes).clone()));
            }
        }
        Arc::new(seed)
    };
    seeds.iter().map(whole).collect()
}

impl Job<'_> {
    /// Compares one function, or the whole programs.
    pub fn run(
        &self,
        entries: [FuncId; 2],
        symbolic: bool,
        until: Until,
        tests: &Tests,
        out: &OutDir,
    ) -> Result<VerifyReport, Failure> {
        let before = Instant::now();
        let (old, new) = (&self.versions.old, &self.versions.new);
        let beginning = Beginning {
            symbolic,
            fixed_globals: false,
            assumptions: [old.assumptions.clone(), new.assumptions.clone()],
        };
        let prepared = Prepared::new(&old.program, &new.program, self.changes, entries, &beginning);
        let images = prepared.images();
        let side =
            |index: usize| Side { image: &images[index], entry: entries[index], start: prepared.starts[index].clone() };
        let mut config = self.config(&prepared, entries[1]);
        config.tests = with_globals(&tests.seeds, &prepared);
        let name = symbolic.then(|| new.program.function(entries[1]).source_name.clone());
        let [old_program, new_program] = &prepared.programs;
        let confirmer = Confirmer::new([&old.bitcode, &new.bitcode], [old_program, new_program], name.as_deref());
        let about = self.about(name.as_deref());
        let (journal, settled, entries) = Journal::open(out.path(), &about, self.comparing.resume)?;
        let mut collector = Collector {
            prepared: &prepared,
            confirmer,
            entry: name.clone(),
            out,
            until,
            sources: self.sources(),
            journal,
            entries,
            current: Vec::new(),
            failure: None,
        };
        collector.restore()?;
        config.ranges = upshot_verify::pending(&settled);
        if until == Until::FirstDifference {
            config.workers = 1;
        }
        let is_shown = |entry: &journal::Entry| entry.report.kind.is_difference();
        let is_over = until == Until::FirstDifference && collector.entries.iter().any(is_shown);
        let summary = if config.ranges.is_empty() || is_over {
            Summary { exhausted: config.ranges.is_empty(), ..Summary::default() }
        } else {
            upshot_verify::verify(&side(0), &side(1), &config, &mut collector).map_err(Failure::new)?
        };
        if let Some(failure) = collector.failure.take() {
            return Err(failure);
        }
        collector.finish()?;
        if let Some(folder) = &self.comparing.certify {
            collector.certify(&folder.join(name.as_deref().filter(|_| self.of_several).unwrap_or_default()))?;
        }
        let time = before.elapsed();
        let notes = prepared.notes.iter().chain(&tests.notes).cloned().collect();
        Ok(self.report(name, collector, &summary, notes, time.as_secs_f64()))
    }

    /// What claims are about: the versions, and the flags that say what is compared, on which inputs. Not what limits the search.
    fn about(&self, entry: Option<&str>) -> String {
        let comparing = self.comparing;
        let (bounds, checks) = (&comparing.bounds, &comparing.checks);
        let flags = format!(
            "{:?}",
            (
                entry,
                &comparing.observe,
                &comparing.assume,
                comparing.null_args,
                (bounds.max_alloc, bounds.array_len, bounds.pointer_depth),
                (checks.check_overflow, checks.check_uninit, checks.malloc_fail, checks.symbolic_globals)
            )
        );
        let (old, new) = (&self.versions.old, &self.versions.new);
        journal::fingerprint(&[&old.bitcode, &new.bitcode, &flags])
    }

    /// What a C file of its own can include.
    fn sources(&self) -> Option<([PathBuf; 2], Vec<String>)> {
        let file = |version: &LoadedVersion| match &version.files[..] {
            [file] if file.path.extension().is_some_and(|end| end == "c") => file.path.canonicalize().ok(),
            _ => None,
        };
        let (old, new) = (&self.versions.old, &self.versions.new);
        let is_for_people = |flag: &&String| !flag.starts_with("-fmacro-prefix-map");
        let flags = new.files[0].flags.iter().chain(&new.flags).filter(is_for_people).cloned().collect();
        Some(([file(old)?, file(new)?], flags))
    }

    fn config(&self, prepared: &Prepared, entry: FuncId) -> Config {
        let comparing = self.comparing;
        let settings = Settings {
            bounds: &comparing.bounds,
            checks: &comparing.checks,
            solver: &comparing.solver,
            jobs: comparing.jobs,
            interrupt: self.interrupt,
            started: self.started,
        };
        let beginning =
            settings::Beginning { program: &prepared.programs[1], entry, symbolic: false, assumptions: &[] };
        let explore = settings.config(&beginning);
        let uses = |step: Step| comparing.certify.is_none() && !comparing.without.contains(&step);
        let observes = |what: Observable| comparing.observe.is_empty() || comparing.observe.contains(&what);
        Config {
            exec: upshot_exec::Options { externals: upshot_exec::Externals::Uninterpreted, ..explore.exec },
            solver: upshot_solver::Options { deadline: self.deadline, ..explore.solver },
            observe: upshot_verify::Observe {
                returned: observes(Observable::Return),
                globals: observes(Observable::Globals),
                memory: observes(Observable::Memory),
                output: observes(Observable::Output),
                calls: observes(Observable::Calls),
            },
            no_null_arguments: comparing.null_args == YesNo::No,
            max_depth: explore.max_depth,
            max_partitions: explore.max_paths,
            deadline: self.deadline,
            max_terms: Some(30_000_000),
            interrupt: self.interrupt.clone(),
            workers: explore.workers,
            ranges: Vec::new(),
            tests: Vec::new(),
            certify: comparing.certify.is_some(),
            induction: prepared.induction.clone().filter(|_| uses(Step::Induction)),
            ahead: prepared.ahead.clone().filter(|_| uses(Step::Impact)),
            globals: prepared.globals.clone(),
        }
    }

    fn report(
        &self,
        entry: Option<String>,
        collector: Collector<'_>,
        summary: &Summary,
        mut notes: Vec<String>,
        seconds: f64,
    ) -> VerifyReport {
        let bounds = &self.comparing.bounds;
        let mut shape = Vec::new();
        if entry.is_some() && collector.entries.iter().any(|entry| entry.has_pointers) {
            shape.push(("array-len", bounds.array_len.to_string()));
            shape.push(("pointer-depth", bounds.pointer_depth.to_string()));
        }
        if !self.comparing.assume.is_empty() {
            shape.push(("assume", self.comparing.assume.join(" && ")));
        }
        if self.comparing.null_args == YesNo::No {
            notes.push("null is left out as a value of pointer parameters (--null-args no)".to_string());
        }
        let settled = || collector.entries.iter().filter(|entry| entry.report.kind != PartitionKind::Open);
        let complete = summary.exhausted && settled().count() == collector.entries.len();
        if complete && collector.entries.is_empty() && !self.comparing.assume.is_empty() {
            notes.push("the assumptions leave no input at all".to_string());
        }
        let share = if complete {
            (1.0, 0.0)
        } else {
            let add = |sum: (f64, f64), entry: &journal::Entry| {
                (sum.0 + entry.report.share, sum.1 + entry.share_error * entry.share_error)
            };
            let sum = settled().fold((0.0, 0.0), add);
            (f64::min(sum.0, 1.0), f64::sqrt(sum.1))
        };
        VerifyReport {
            old: self.versions.old.name.clone(),
            new: self.versions.new.name.clone(),
            entry,
            complete,
            interrupted: summary.interrupted,
            bounds: shape,
            partitions: collector.entries.into_iter().map(|entry| entry.report).collect(),
            share,
            asked: summary.asked,
            solved: summary.solver.solved,
            times: vec![("verify", seconds), ("solver", summary.solver.time().as_secs_f64())],
            notes,
            out: Some(collector.out.path().display().to_string()),
            page: None,
        }
    }
}
