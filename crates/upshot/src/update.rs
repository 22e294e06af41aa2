//! `upshot update`: the suite follows the code (ASE'14).
//!
//! Paths of the old suite that stay in blocks that [run in step](upshot_diff::Lockstep) are paths of the new version, and are not executed. The others are followed, first
//! along the recorded paths, then with their tests, and what no test shows is solved; see [`upshot_explore::Known`].

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_diff::{Changes, Lockstep};
use upshot_explore::{Config, End, Known, KnownPath, PathRecord, Range, SeedUse, Sink, Summary};
use upshot_ir::{FuncId, Location, Program};
use upshot_report::{DroppedTest, RangeReport, UpdateReport};
use upshot_suite::{Ktest, ProgramRecord, Run};

use crate::arguments::{DEFAULT_ARRAY_LEN, DEFAULT_MAX_ALLOC, DEFAULT_POINTER_DEPTH, Format, NO_VERSION, Update};
use crate::failure::Failure;
use crate::history;
use crate::progress::Bar;
use crate::ranges;
use crate::restored::Restorer;
use crate::resume;
use crate::run::file_names;
use crate::seeds;
use crate::settings::{Beginning, NO_WRAPPING, Settings, bounds_record, extra_flags, identity};
use crate::sink::Writer;
use crate::suite::{self, Suite};
use crate::versions::{self, Versions};

/// Runs the command; the exit code.
pub fn update(arguments: &Update, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    if let Some(revisions) = &arguments.history {
        return history::history(arguments, revisions, interrupt);
    }
    let given = &arguments.versions;
    if [&given.old, &given.new].into_iter().any(|version| version.as_os_str() == NO_VERSION) {
        return Err(
            Failure::new("two versions are needed, OLD and NEW").hint("or --history REV1..REV2, in a git repository")
        );
    }
    let report = bring(arguments, interrupt)?;
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::update_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.output.color);
            print!("{}", upshot_report::update_text(&report, style, arguments.output.detail()));
        }
    }
    Ok(match report {
        UpdateReport { interrupted: true, .. } => 130,
        UpdateReport { errors: 1.., .. } => 1,
        UpdateReport { complete: true, .. } => 0,
        _ => 3,
    })
}

/// Brings the suite up to date.
pub fn bring(arguments: &Update, interrupt: &Arc<AtomicBool>) -> Result<UpdateReport, Failure> {
    let started = Instant::now();
    let suite = Suite::read(&arguments.suite)?;
    let given = arguments;
    let arguments = &as_recorded(given, &suite)?;
    let target = target(arguments)?;
    let mut report = bring_up_to_date(arguments, &suite, &target, interrupt, started)?;
    let flags = &arguments.versions.clang_flags;
    if given.versions.clang_flags != *flags {
        report.notes.insert(0, format!("clang's flags are those of the suite: {}", flags.join(" ")));
    }
    if arguments.in_place && report.whole {
        upshot_suite::exchange(&target, &arguments.suite).map_err(Failure::new)?;
    }
    Ok(report)
}

/// The arguments, with what they leave open as the suite has it.
fn as_recorded(given: &Update, suite: &Suite) -> Result<Update, Failure> {
    let mut arguments = given.clone();
    let Some(run) = &suite.run else { return Ok(arguments) };
    let recorded = run.program.as_ref().and_then(|program| program.entry.clone());
    if let Some(entry) = arguments.entry.as_ref().filter(|entry| Some(*entry) != recorded.as_ref()) {
        let of = recorded.as_deref().unwrap_or("main");
        let message = format!("{}: the suite starts in `{of}`, not in `{entry}`", suite.folder.display());
        return Err(Failure::new(message).hint("leave --entry out, or make a suite for it with `upshot suite create`"));
    }
    arguments.entry = recorded;
    let assumptions = run.program.as_ref().map(|program| program.assumptions.clone()).unwrap_or_default();
    if !arguments.assume.is_empty() && arguments.assume != assumptions {
        let message = format!("{}: the suite was made under other assumptions", suite.folder.display());
        return Err(Failure::new(message).hint("leave --assume out, or make a suite with `upshot suite create`"));
    }
    arguments.assume = assumptions;
    let versions = &mut arguments.versions;
    if versions.clang_flags.is_empty() && versions.old_flags.is_empty() && versions.new_flags.is_empty() {
        let recorded = recorded_flags(run).into_iter();
        versions.clang_flags = recorded.map(|flag| inside(&flag, &versions.old)).collect();
    }
    if let Some(bounds) = run.suite.as_ref().map(|manifest| &manifest.bounds) {
        let (ours, checks) = (&mut arguments.bounds, &mut arguments.checks);
        ours.max_depth = ours.max_depth.or(bounds.max_depth.map(|depth| depth as usize));
        ours.max_instructions = ours.max_instructions.or(bounds.max_instructions);
        // What was given on the command line differs from the default.
        if ours.max_alloc == DEFAULT_MAX_ALLOC {
            ours.max_alloc = bounds.max_alloc;
        }
        if ours.array_len == DEFAULT_ARRAY_LEN {
            ours.array_len = bounds.array_len;
        }
        if ours.pointer_depth == DEFAULT_POINTER_DEPTH {
            ours.pointer_depth = bounds.pointer_depth;
        }
        checks.check_overflow |= bounds.check_overflow;
        checks.check_uninit |= bounds.check_uninit;
        checks.malloc_fail |= bounds.malloc_fail;
        checks.symbolic_globals |= bounds.symbolic_globals;
    }
    Ok(arguments)
}

/// The flags that the program of a suite was compiled with, as they were given.
pub fn recorded_flags(run: &Run) -> Vec<String> {
    let mut flags = run.program.as_ref().map(|program| program.flags.clone()).unwrap_or_default();
    // What a check needs is added by the check.
    let checked = run.suite.as_ref().is_some_and(|manifest| manifest.bounds.check_overflow);
    let ours = |flag: &String| flag.starts_with("-fmacro-prefix-map") || checked && flag == NO_WRAPPING;
    flags.retain(|flag| !ours(flag));
    flags
}

/// A flag of a version that lies in a folder, as it is for any: a folder within that one is meant in each.
fn inside(flag: &str, folder: &Path) -> String {
    let (head, path) = if let Some(path) = flag.strip_prefix("-I") { ("-I", path) } else { ("", flag) };
    match Path::new(path).strip_prefix(folder) {
        Ok(path) if folder.is_dir() => format!("{head}{}", path.display()),
        _ => flag.to_string(),
    }
}

/// Where the new suite is written.
pub fn target(arguments: &Update) -> Result<PathBuf, Failure> {
    if arguments.in_place {
        let whole = std::fs::canonicalize(&arguments.suite).map_err(Failure::new)?;
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(whole.with_file_name(format!(".{name}.upshot-new")));
    }
    if is_same_folder(&arguments.out, &arguments.suite) {
        let message = format!("--out {} is the old suite itself", arguments.out.display());
        return Err(Failure::new(message).hint("use --in-place to replace it when the new one is whole"));
    }
    Ok(arguments.out.clone())
}

pub fn is_same_folder(a: &Path, b: &Path) -> bool {
    matches!((std::fs::canonicalize(a), std::fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

fn bring_up_to_date(
    arguments: &Update,
    suite: &Suite,
    target: &Path,
    interrupt: &Arc<AtomicBool>,
    started: Instant,
) -> Result<UpdateReport, Failure> {
    let assumptions =
        suite.run.as_ref().and_then(|run| run.program.as_ref()).map(|program| program.assumptions.clone());
    let wanted = versions::Wanted {
        entry: arguments.entry.clone(),
        assumptions: assumptions.clone().unwrap_or_default(),
        ..versions::Wanted::default()
    };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&arguments.checks))?;
    let since = Instant::now();
    let changes = versions.compare()?;
    let new = &versions.new.program;
    let name = arguments.entry.as_deref().unwrap_or("main");
    let entry = |program: &Program| program.function_named(name).ok_or_else(|| no_entry(name));
    let (old_entry, new_entry) = (entry(&versions.old.program)?, entry(new)?);
    let lockstep = Lockstep::new(&versions.old.program, new, &changes);
    let mut knowledge = Knowledge { suite, versions: &versions, lockstep: &lockstep, notes: suite.remarks.clone() };
    let exact = knowledge.is_exact(arguments, old_entry, new_entry, &changes)?;
    let (known, restored, originals) = knowledge.paths(arguments, exact)?;
    let notes = std::mem::take(&mut knowledge.notes);
    let marked = upshot_explore::mark_changes(new, &lockstep.new);
    let image = upshot_explore::stopping_at_changes(&marked);
    let static_s = since.elapsed().as_secs_f64();
    let settings = Settings {
        bounds: &arguments.bounds,
        checks: &arguments.checks,
        solver: &arguments.solver,
        jobs: arguments.jobs,
        interrupt,
        started,
    };
    let beginning = Beginning {
        program: &marked,
        entry: new_entry,
        symbolic: arguments.entry.is_some(),
        assumptions: &versions.new.assumptions,
    };
    let all_errors = suite.run.as_ref().and_then(|run| run.suite.as_ref()).is_some_and(|suite| suite.bounds.all_errors);
    let mut config = Config { all_errors, ..settings.config(&beginning) };
    let since = Instant::now();
    let all_known = exact && known.paths.iter().all(|path| path.same);
    config.known = Some(Arc::new(known));
    let mut records = Records { all: restored, executed: 0 };
    let mut summary = Summary { exhausted: true, ..Summary::default() };
    let (out, mut session, work) = resume::open(target, asked_for(arguments, suite, &versions, &config))?;
    if !all_known {
        let _bar = (!arguments.output.quiet).then(|| Bar::show(config.progress.clone()));
        summary = resume::explore(&image, &config, work, &(), &mut records, Some(&mut session))?;
    }
    let lacking = records.without_test(all_errors);
    if !lacking.is_empty() && !summary.interrupted {
        let config = Config { known: None, all_errors: true, ..config.clone() };
        let ranges = lacking.into_iter().map(|prefix| Range { prefix, ..Range::default() }).collect();
        let more = upshot_explore::explore(&image, &config, ranges, &(), &mut records).map_err(Failure::new)?;
        summary.exhausted &= more.exhausted;
        summary.interrupted |= more.interrupted;
        summary.solved += more.solved;
        summary.solver_s += more.solver_s;
    }
    let explore_s = since.elapsed().as_secs_f64();
    let since = Instant::now();
    let mut writer = Writer::new(new, Some(&out), arguments.entry.as_deref(), all_errors);
    writer.originals = &originals;
    if arguments.in_place {
        let file = |name: &str| arguments.suite.join(format!("{name}.ktest"));
        writer.files = suite.test_names().map(|(number, name)| (number, file(name))).collect();
    }
    let mut report = UpdateReport {
        old: versions.old.name.clone(),
        new: versions.new.name.clone(),
        out: if arguments.in_place { arguments.suite.display().to_string() } else { target.display().to_string() },
        executed: records.executed,
        paths: records.all.len() as u64,
        asked: summary.asked,
        solved: summary.solved,
        solver_s: summary.solver_s,
        interrupted: summary.interrupted,
        limits: settings.limits(&summary),
        exact,
        notes,
        static_s,
        explore_s,
        ..UpdateReport::default()
    };
    let names: BTreeMap<usize, &str> = suite.test_names().collect();
    let kept = write_all(&mut writer, records, &names, &mut report);
    let run = &mut writer.run;
    report.complete = summary.exhausted && run.paths.bound + run.paths.unsupported + run.paths.unknown == 0;
    report.errors = run.paths.error;
    expect(&mut report, suite, run.paths.total());
    run.complete = report.complete;
    run.instructions = summary.instructions;
    run.queries = upshot_suite::Queries { asked: summary.asked, solved: summary.solved };
    run.time = upshot_suite::Times { total_s: started.elapsed().as_secs_f64(), solver_s: report.solver_s };
    run.program = Some(ProgramRecord {
        inputs: versions.new.recorded.inputs.clone(),
        flags: versions.new.recorded.flags.clone(),
        entry: arguments.entry.clone(),
        assumptions: arguments.assume.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    });
    let files = file_names(&versions.new.files);
    let manifest = run.suite.get_or_insert_default();
    manifest.version = upshot_suite::SUITE_VERSION;
    manifest.bounds = bounds_record(&arguments.bounds, &arguments.checks, all_errors);
    manifest.functions = upshot_diff::fingerprints(new, &files);
    manifest.names = files;
    manifest.open = summary.open.iter().map(ranges::record).collect();
    run.effort = Some(upshot_suite::Effort {
        asked: report.expected_asked,
        solved: report.expected_solved,
        seconds: report.expected_s,
    });
    session.finish(&mut writer, &out, summary.exhausted)?.forget()?;
    if !summary.exhausted {
        report.notes.push(resume::HOW.to_string());
    }
    report.whole = summary.exhausted;
    report.dropped = dropped(suite, &kept, &versions, &lockstep, &changes);
    report.write_s = since.elapsed().as_secs_f64();
    report.total_s = started.elapsed().as_secs_f64();
    Ok(report)
}

/// What is to be explored, or gone on with.
fn asked_for(arguments: &Update, suite: &Suite, versions: &Versions, config: &Config) -> resume::Wanted {
    let bounds = bounds_record(&arguments.bounds, &arguments.checks, config.all_errors);
    let programs = [("old program", &versions.old.bitcode[..]), ("new program", &versions.new.bitcode[..])];
    let seeds = format!("{:?}", arguments.seeds);
    let mut identity = identity(&programs, arguments.entry.as_deref(), &arguments.assume, &bounds, &[]);
    identity.insert("suite".to_string(), format!("{} {}", suite.sum, upshot_suite::checksum(seeds.as_bytes())));
    resume::Wanted {
        resume: arguments.resume,
        force: arguments.force,
        identity,
        ordered: true,
        max_paths: config.max_paths,
        ranges: vec![Range::default()],
    }
}

fn no_entry(name: &str) -> Failure {
    Failure::new(format!("no function `{name}` in both versions")).hint("name one with --entry")
}

/// What starting over would cost, by what the suite says it took, in proportion to the paths.
fn expect(report: &mut UpdateReport, suite: &Suite, paths: u64) {
    let Some((run, effort)) = suite.run.as_ref().and_then(|run| Some((run, run.effort?))) else { return };
    let factor = if run.paths.total() == 0 { 1.0 } else { paths as f64 / run.paths.total() as f64 };
    report.expected_asked = (effort.asked as f64 * factor).round() as u64;
    report.expected_solved = (effort.solved as f64 * factor).round() as u64;
    report.expected_s = effort.seconds * factor;
}

/// Writes every path in path order; the numbers of the old tests that were kept.
fn write_all(
    writer: &mut Writer<'_>,
    records: Records,
    names: &BTreeMap<usize, &str>,
    report: &mut UpdateReport,
) -> HashSet<usize> {
    let mut kept = HashSet::new();
    let mut adapted: BTreeMap<String, u64> = BTreeMap::new();
    let mut range = RangeReport::default();
    for (_, record) in records.all {
        let (seed, asked) = (record.seed.clone(), record.asked);
        writer.settled(record);
        let has_test = writer.run.records.last().is_some_and(|record| record.test.is_some());
        let misfits: BTreeSet<&String> = seed.iter().flat_map(|seed| &seed.misfits).collect();
        misfits.into_iter().for_each(|name| *adapted.entry(name.clone()).or_default() += 1);
        let original = seed.filter(|seed| has_test && seed.misfits.is_empty() && names.contains_key(&seed.number));
        match original {
            Some(seed) => {
                let name = names[&seed.number].to_string();
                close(&mut range, Some(name.clone()), report);
                range = RangeReport { from: Some(name), queries: asked, ..RangeReport::default() };
                report.kept += 1;
                kept.insert(seed.number);
            }
            None => {
                range.paths += u64::from(has_test);
                range.queries += asked;
                report.added += u64::from(has_test);
            }
        }
    }
    close(&mut range, None, report);
    for (name, count) in adapted {
        let note = format!(
            "the input {name} is not in {count} of the old tests that were used as it is now (its name, its size, or where it leads): they were cut, or filled up with zeros"
        );
        report.notes.push(note);
    }
    kept
}

fn close(range: &mut RangeReport, to: Option<String>, report: &mut UpdateReport) {
    if range.paths + range.queries > 0 {
        report.ranges.push(RangeReport { to, ..std::mem::take(range) });
    }
}

/// The old tests that are gone, each with the changed lines that it met.
fn dropped(
    suite: &Suite,
    kept: &HashSet<usize>,
    versions: &Versions,
    lockstep: &Lockstep,
    changes: &Changes,
) -> Vec<DroppedTest> {
    let Some(run) = &suite.run else {
        return Vec::new();
    };
    let old = &versions.old.program;
    let restorer = Restorer::new(old, run);
    let changed: BTreeMap<FuncId, &upshot_diff::FunctionMatch> =
        changes.functions.iter().filter_map(|pair| Some((pair.old?, pair))).collect();
    let mut list = Vec::new();
    for (number, name) in suite.test_names().filter(|(number, _)| !kept.contains(number)) {
        let mut lines: BTreeSet<String> = BTreeSet::new();
        let visited = restorer.covered(&run.records[number]);
        for (function, blocks) in visited.into_iter().flat_map(|visited| visited.by_function(old)) {
            let Some(pair) = changed.get(&function) else { continue };
            let body = old.function(function);
            let touched = blocks.iter().filter(|block| lockstep.to_new[function.index()][block.index()].is_none());
            let mut own: BTreeSet<(u32, u32)> = BTreeSet::new();
            let mut any = false;
            for block in touched {
                any = true;
                let block = &body.blocks[block.index()];
                let insts = &body.insts[block.first_inst.index()..=block.last_inst.index()];
                own.extend(insts.iter().map(|inst| (inst.location.file, inst.location.line)));
            }
            let met = pair.changed_lines.old.iter().filter(|(file, line)| own.contains(&(file.0, *line)));
            let met: Vec<String> = met.map(|(file, line)| place(old, file.0, *line)).collect();
            if met.is_empty() && any {
                let new = &versions.new.program;
                lines.extend(pair.changed_lines.new.iter().map(|(file, line)| place(new, file.0, *line)));
            }
            lines.extend(met);
        }
        list.push(DroppedTest { test: name.to_string(), lines: lines.into_iter().collect() });
    }
    list
}

fn place(program: &Program, file: u32, line: u32) -> String {
    program.describe(Location { file, line, column: 0 })
}

type ByPath = BTreeMap<upshot_explore::Path, PathRecord>;

/// The paths of the new version, in path order.
struct Records {
    all: ByPath,
    executed: u64,
}

impl Records {
    /// Paths that should have a test, and have none: that of an error whose first path was another one, or whose file is lost.
    fn without_test(&self, all_errors: bool) -> Vec<upshot_explore::Path> {
        let mut places = HashSet::new();
        let mut lacking = Vec::new();
        for (path, record) in &self.all {
            let is_first = record.end.place().is_none_or(|place| places.insert(place));
            let wants = !matches!(record.end, End::Silent | End::Unknown { .. });
            if wants && record.test.is_none() && (is_first || all_errors) {
                lacking.push(path.clone());
            }
        }
        lacking
    }
}

impl Sink for Records {
    fn found(&mut self, _: &PathRecord) {}

    fn settled(&mut self, mut record: PathRecord) -> bool {
        self.executed += u64::from(!self.all.contains_key(&record.path));
        if let Some(before) = self.all.get(&record.path) {
            record.asked += before.asked;
        }
        self.all.insert(record.path.clone(), record);
        true
    }
}

/// What a suite is good for.
struct Knowledge<'a> {
    suite: &'a Suite,
    versions: &'a Versions,
    lockstep: &'a Lockstep,
    notes: Vec<String>,
}

impl<'a> Knowledge<'a> {
    /// Whether the suite shows what is infeasible.
    fn is_exact(
        &mut self,
        arguments: &Update,
        old_entry: FuncId,
        new_entry: FuncId,
        changes: &Changes,
    ) -> Result<bool, Failure> {
        let Some(run) = &self.suite.run else {
            self.notes.push("the tests have no record: they save questions, and nothing is assumed infeasible".into());
            return Ok(false);
        };
        let Some(manifest) = &run.suite else {
            self.notes.push("the record has no manifest: nothing is assumed infeasible".into());
            return Ok(false);
        };
        let old = &self.versions.old;
        // Both versions are compiled under the new one's name.
        let names = [file_names(&old.files), file_names(&self.versions.new.files)].concat();
        let prints = upshot_diff::fingerprints(&old.program, &names);
        match suite::differing(manifest, &prints) {
            None => {
                let of = run.program.as_ref().map(|program| program.inputs.join(", ")).unwrap_or_default();
                let message = format!(
                    "{}: the suite is of another program ({of}), not of {}",
                    self.suite.folder.display(),
                    old.name
                );
                return Err(Failure::new(message));
            }
            Some(different) if !different.is_empty() => {
                let what = format!("the suite is not of {} as it is now ({} differ)", old.name, different.join(", "));
                self.notes.push(format!("{what}: nothing is assumed infeasible"));
                return Ok(false);
            }
            Some(_) => {}
        }
        let mut doubts = Vec::new();
        if !run.complete {
            doubts.push("the old suite is not complete".to_string());
        }
        if manifest.part.is_some() {
            doubts.push("the old suite is of one range of paths".to_string());
        }
        if !self.suite.paths.is_sorted_by(|a, b| a.sides < b.sides) {
            doubts.push("the paths of the old suite are not in order".to_string());
        }
        if bounds_record(&arguments.bounds, &arguments.checks, manifest.bounds.all_errors) != manifest.bounds {
            doubts.push("the bounds are not those of the old suite".to_string());
        }
        if !same_start(&self.versions.old.program, &self.versions.new.program, old_entry, new_entry) {
            doubts.push("the parameters of the entry have changed".to_string());
        }
        if arguments.entry.is_some() && !changes.types.is_empty() {
            doubts.push("types have changed that inputs may be made of".to_string());
        }
        self.notes.extend(doubts.iter().map(|doubt| format!("{doubt}: nothing is assumed infeasible")));
        Ok(doubts.is_empty())
    }

    /// What is known; the paths that need not be run, as they are in the new version; and the tests by number.
    fn paths(&mut self, arguments: &Update, exact: bool) -> Result<(Known, ByPath, Vec<Option<&'a Ktest>>), Failure> {
        let mut known = Known { paths: Vec::new(), exact };
        let mut restored = BTreeMap::new();
        let mut originals: Vec<Option<&'a Ktest>> = Vec::new();
        let empty = Run::default();
        let suite = self.suite;
        let run = suite.run.as_ref().unwrap_or(&empty);
        let (before, after) =
            (Restorer::new(&self.versions.old.program, run), Restorer::new(&self.versions.new.program, run));
        let unnamed = self.is_unnamed(run);
        for (path, record) in suite.paths.iter().zip(&run.records) {
            let number = known.paths.len();
            let same = exact && unnamed && self.stays_in_step(&before, record);
            let mut kept = None;
            if same {
                let moved = |file: &str, line: u32| self.moved(file, line);
                kept = after.path(record, &path.sides, path.test.as_ref(), &moved);
            }
            let same = kept.is_some();
            if let Some(mut kept) = kept {
                kept.seed = path.test.is_some().then(|| SeedUse { number, misfits: Vec::new() });
                restored.insert(kept.path.clone(), kept);
            }
            known.paths.push(KnownPath {
                sides: path.sides.clone(),
                seed: path.test.as_ref().map(suite::seed_of),
                same,
                silent: record.end.kind == upshot_suite::EndKind::Silent,
            });
            originals.push(path.test.as_ref());
        }
        let more = seeds::gather(&arguments.seeds)?;
        if exact {
            let unused = self.suite.others.len() + more.len();
            if unused > 0 {
                self.notes.push(format!("{unused} tests without a record are not needed: the suite has every path"));
            }
            return Ok((known, restored, originals));
        }
        for (_, test) in &suite.others {
            known.paths.push(KnownPath { seed: Some(suite::seed_of(test)), ..KnownPath::default() });
            originals.push(Some(test));
        }
        let plain = more.into_iter().map(|seed| KnownPath { seed: Some(Arc::new(seed)), ..KnownPath::default() });
        known.paths.extend(plain);
        Ok((known, restored, originals))
    }

    /// Whether the names of the program's files are what they were, or nothing depends on them.
    fn is_unnamed(&self, run: &Run) -> bool {
        let new = &self.versions.new;
        let names = file_names(&new.files);
        run.suite.as_ref().map(|manifest| &manifest.names) == Some(&names) || !depends_on_names(&new.program, &names)
    }

    /// Whether a path meets no code that has changed, and its trace has the same numbers in the new version.
    fn stays_in_step(&self, before: &Restorer<'_>, record: &upshot_suite::PathRecord) -> bool {
        if record.uncertain || record.uncontrolled || !record.remarks.is_empty() {
            return false;
        }
        let Some(visited) = before.covered(record) else { return false };
        let (old, new) = (&self.versions.old.program, &self.versions.new.program);
        visited.by_function(old).into_iter().all(|(function, blocks)| {
            blocks.into_iter().all(|block| match self.lockstep.to_new[function.index()][block.index()] {
                Some((partner, other)) => other == block && new.function(partner).name == old.function(function).name,
                None => false,
            })
        })
    }

    /// Where a line of the old version is in the new one.
    fn moved(&self, file: &str, line: u32) -> Option<Location> {
        let old = &self.versions.old.program;
        let last = |path: &str| Path::new(path).file_name().map(|name| name.to_owned());
        let file = old.files.iter().position(|other| other == file).or_else(|| {
            let mut alike = old.files.iter().enumerate().filter(|(_, other)| last(other) == last(file));
            alike.next().filter(|_| alike.next().is_none()).map(|(id, _)| id)
        })?;
        let (file, line) = *self.lockstep.lines.get(&(file as u32, line))?;
        Some(Location { file, line, column: 0 })
    }
}

/// Whether the program does anything with the name of one of its files but hand it to an assertion that fails.
fn depends_on_names(program: &Program, names: &[String]) -> bool {
    let mentions = |global: &upshot_ir::Global| {
        let contents = global.initializer.as_ref().map(|contents| String::from_utf8_lossy(&contents.bytes));
        contents.is_some_and(|text| names.iter().any(|name| text.contains(name.as_str())))
    };
    let named: HashSet<usize> =
        program.globals.iter().enumerate().filter(|(_, g)| mentions(g)).map(|(id, _)| id).collect();
    let is_named = |constant: &upshot_ir::Const| match constant {
        upshot_ir::Const::Global { global, .. } => named.contains(&global.index()),
        upshot_ir::Const::Expr { .. } => !named.is_empty(),
        _ => false,
    };
    let is_assertion = |op: &upshot_ir::Op| match op {
        upshot_ir::Op::Call(call) => match call.callee {
            upshot_ir::Callee::Direct(callee) => program.function(callee).name == "__assert_fail",
            upshot_ir::Callee::Indirect(_) => false,
        },
        _ => false,
    };
    let in_code = program.functions.iter().any(|function| {
        let uses = |op: &upshot_ir::Op| {
            let moved = upshot_ir::edges(op).into_iter().flat_map(|edge| &edge.moves).map(|(_, from)| *from);
            let mut operands = upshot_ir::accesses(op).1.into_iter().chain(moved);
            operands.any(|operand| operand.as_constant().is_some_and(|at| is_named(&function.constants[at])))
        };
        function.ops.iter().any(|op| uses(op) && !is_assertion(op))
    });
    let relocations = program.globals.iter().filter_map(|global| global.initializer.as_ref());
    in_code || relocations.flat_map(|contents| &contents.relocations).any(|(_, _, value)| is_named(value))
}

/// Whether both versions begin with the same inputs, in the same functions.
fn same_start(old: &Program, new: &Program, old_entry: FuncId, new_entry: FuncId) -> bool {
    let names = |program: &Program, list: &[FuncId]| -> Vec<String> {
        list.iter().map(|&id| program.function(id).name.clone()).collect()
    };
    let parameters = |program: &Program, entry: FuncId| -> Vec<String> {
        let of = |parameter: &upshot_ir::Parameter| {
            let ty = parameter.ty.map(|ty| program.types.name(ty)).unwrap_or_default();
            format!("{ty} {} {} {:?} {:?}", parameter.name, parameter.size, parameter.scalars, parameter.by_value)
        };
        program.function(entry).parameters.iter().map(of).collect()
    };
    names(old, &old.constructors) == names(new, &new.constructors)
        && names(old, &old.destructors) == names(new, &new.destructors)
        && parameters(old, old_entry) == parameters(new, new_entry)
}
