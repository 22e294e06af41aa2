//! `upshot explore`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_exec::Image;
use upshot_explore::{Config, End, Followed, Manner, Marked, PathRecord, Range, Sink, Summary, Work};
use upshot_impact::Impact;
use upshot_ir::{FuncId, Program};
use upshot_report::{AffectedPath, EntryReport, ExploreReport, FoundError, PathStatus};
use upshot_suite::{Ktest, OutDir, ProgramRecord};

use crate::arguments::{self, Explore, Format};
use crate::failure::{Failure, suggestion};
use crate::progress::Bar;
use crate::resume;
use crate::seeds;
use crate::settings::{Beginning, Settings, bounds_record, extra_flags, identity};
use crate::sink::{Keeper, Writer};
use crate::versions::{self, LoadedVersion, Versions};

/// Runs the command; the exit code.
pub fn explore(arguments: &Explore, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let wanted = versions::Wanted {
        entry: arguments.entry.clone(),
        assumptions: arguments.assume.clone(),
        ..versions::Wanted::default()
    };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&arguments.checks))?;
    let changes = versions.compare()?;
    let before = Instant::now();
    let (impact, direction) = upshot_impact::analyse_and_direct(&versions.old.program, &versions.new.program, &changes);
    let mut report = ExploreReport {
        old: versions.old.name.clone(),
        new: versions.new.name.clone(),
        complete: true,
        differs: !impact.is_empty(),
        static_time: before.elapsed(),
        instructions_impacted: impact.new.iter().flatten().flatten().count() as u64,
        all_paths: matches!(arguments.prune, arguments::Prune::Off),
        ..ExploreReport::default()
    };
    if let Some(direction) = direction.filter(|_| !impact.is_empty()) {
        let entries = entries(arguments, &versions, &impact)?;
        let marked = Marked::new(&versions.new.program, &impact, direction, manner(arguments));
        report.static_time = before.elapsed();
        let settings = Settings {
            bounds: &arguments.bounds,
            checks: &arguments.checks,
            solver: &arguments.solver,
            jobs: arguments.jobs,
            interrupt,
            started,
        };
        let image = Image::watched(&marked.program, marked.watch.clone());
        let several = entries.len() > 1;
        let mut finished = Vec::new();
        for entry in entries {
            let search =
                Search { arguments, versions: &versions, marked: &marked, image: &image, settings: &settings, entry };
            let (found, journal) = search.run(several)?;
            report.add(found);
            finished.extend(journal);
        }
        if report.interrupted || report.entries.iter().any(|entry| !entry.limits.is_empty()) {
            report.notes.push(resume::HOW.to_string());
        } else {
            finished.into_iter().try_for_each(resume::Finished::forget)?;
        }
        report.notes.extend(signature_notes(&versions, &changes, &report));
    }
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::explore_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.output.color);
            print!("{}", upshot_report::explore_text(&report, style, arguments.output.detail()));
        }
    }
    Ok(exit_code(&report))
}

fn manner(arguments: &Explore) -> Manner {
    match arguments.prune {
        arguments::Prune::Off => Manner::Off,
        arguments::Prune::Sound => Manner::Sound,
        arguments::Prune::Paper => Manner::Paper(match arguments.order {
            arguments::Order::Default => upshot_explore::Order::Default,
            arguments::Order::Random => upshot_explore::Order::Random(arguments.seed),
            arguments::Order::Greedy => upshot_explore::Order::Greedy,
        }),
    }
}

fn exit_code(report: &ExploreReport) -> u8 {
    if report.interrupted {
        130
    } else if !report.errors().is_empty() {
        1
    } else if report.complete {
        0
    } else {
        3
    }
}

/// Where to start: the entry that was named; else `main`; else every function of the user's that is impacted and that no other impacted one calls.
fn entries(arguments: &Explore, versions: &Versions, impact: &Impact) -> Result<Vec<FuncId>, Failure> {
    let program = &versions.new.program;
    let name = arguments.entry.as_deref().unwrap_or("main");
    if let Some(entry) = program.function_named(name) {
        return Ok(vec![entry]);
    }
    if arguments.entry.is_some() {
        return Err(no_entry(name, &versions.new));
    }
    roots(program, impact)
}

/// The functions of the user's own that are impacted and that no other impacted one calls.
pub fn roots(program: &Program, impact: &Impact) -> Result<Vec<FuncId>, Failure> {
    let is_touched = |id: FuncId| impact.new[id.index()].iter().any(Option::is_some);
    let own: Vec<FuncId> = (0..program.functions.len() as u32)
        .map(FuncId)
        .filter(|&id| !program.function(id).is_declaration && !program.function(id).is_runtime && is_touched(id))
        .collect();
    let mut called: BTreeSet<FuncId> = BTreeSet::new();
    for &id in &own {
        for op in &program.function(id).ops {
            if let upshot_ir::Op::Call(call) = op
                && let upshot_ir::Callee::Direct(callee) = call.callee
                && callee != id
            {
                called.insert(callee);
            }
        }
    }
    let roots: Vec<FuncId> = own.iter().copied().filter(|id| !called.contains(id)).collect();
    let entries = if roots.is_empty() { own } else { roots };
    if entries.is_empty() {
        return Err(Failure::new("the change touches no function of the new version").hint("name one with --entry"));
    }
    Ok(entries)
}

pub fn no_entry(name: &str, version: &LoadedVersion) -> Failure {
    let own = version.program.functions.iter().filter(|function| !function.is_declaration && !function.is_runtime);
    let names: Vec<String> = own.map(|function| function.source_name.clone()).collect();
    let mut failure = Failure::new(format!("{}: no function `{name}`", version.name));
    failure.hint = suggestion(name, &names);
    failure
}

/// Entries whose parameters are not what they were.
fn signature_notes(versions: &Versions, changes: &upshot_diff::Changes, report: &ExploreReport) -> Vec<String> {
    let mut notes = Vec::new();
    for (entry, (old, new)) in versions.report(changes).changed_signatures() {
        if report.entries.iter().any(|explored| explored.entry.as_deref() == Some(entry)) {
            notes.push(format!("the signature of {entry} has changed from `{old}` to `{new}`; tests are matched by the names of parameters"));
        }
    }
    notes
}

/// One exploration.
struct Search<'a> {
    arguments: &'a Explore,
    versions: &'a Versions,
    marked: &'a Marked,
    image: &'a Image<'a>,
    settings: &'a Settings<'a>,
    entry: FuncId,
}

impl Search<'_> {
    /// The entry's name, where its parameters are made from their types; none for a whole program.
    fn name(&self) -> Option<String> {
        let name = &self.versions.new.program.function(self.entry).source_name;
        (self.arguments.entry.is_some() || name != "main").then(|| name.clone())
    }

    fn run(&self, several: bool) -> Result<(EntryReport, Option<resume::Finished>), Failure> {
        let name = self.name();
        let folder = match &name {
            Some(name) if several => self.arguments.out.join(name),
            _ => self.arguments.out.clone(),
        };
        let config = self.config(&self.marked.program, self.entry, &self.versions.new.assumptions, name.is_some());
        let suite = self.suite(&config)?;
        let (out, mut session, work) = self.open(&folder, &config, name.as_deref())?;
        let mut sink = Affected {
            writer: Writer::new(&self.marked.program, Some(&out), name.as_deref(), true),
            marked: self.marked,
            suite: &suite,
            seen: HashMap::new(),
            paths: Vec::new(),
            incomplete: false,
        };
        let explored = Instant::now();
        let summary = {
            let _bar = (!self.arguments.output.quiet).then(|| Bar::show(config.progress.clone()));
            let keeper = Keeper { out: Some(&out), entry: name.as_deref() };
            resume::explore(self.image, &config, work, &keeper, &mut sink, session.as_mut())?
        };
        let time = explored.elapsed();
        let Affected { mut writer, mut paths, incomplete, .. } = sink;
        self.complete_record(&mut writer, &summary, name.clone());
        let finished = match session {
            Some(session) => Some(session.finish(&mut writer, &out, summary.exhausted)?),
            None => {
                writer.failure.take().map_or(Ok(()), Err)?;
                out.write_run(&writer.run)?;
                None
            }
        };
        let mut errors =
            writer.run.errors.iter().map(|error| FoundError { error: error.clone(), is_new: None }).collect::<Vec<_>>();
        self.tell_old_from_new(&mut errors, &out, name.is_some())?;
        let unaffected = suite.unaffected();
        paths.sort_by_key(|path| path.order);
        let report = EntryReport {
            entry: name.clone(),
            paths,
            errors,
            unaffected,
            known_paths: suite.count(),
            states: summary.cut.states + 1,
            pruned: summary.cut.pruned(),
            infeasible: summary.cut.infeasible,
            asked: summary.asked,
            put: summary.solver.asked,
            solved: summary.solved,
            explore_time: time,
            solver_time: std::time::Duration::from_secs_f64(summary.solver_s),
            complete: summary.exhausted && !incomplete,
            interrupted: summary.interrupted,
            limits: self.settings.limits(&summary),
            unsupported: writer.run.unsupported.clone(),
            rows: summary.rows,
            out: out.path().display().to_string(),
        };
        Ok((report, finished))
    }

    /// The papers' algorithm cannot be cut in two: what it leaves out depends on all that it has done.
    fn open(
        &self,
        folder: &std::path::Path,
        config: &Config,
        entry: Option<&str>,
    ) -> Result<(OutDir, Option<resume::Session>, Work), Failure> {
        let arguments = self.arguments;
        if matches!(arguments.prune, arguments::Prune::Paper) {
            return Ok((OutDir::claim(folder, arguments.force)?, None, Work::on(vec![Range::default()])));
        }
        let (old, new) = (&self.versions.old, &self.versions.new);
        let bounds = bounds_record(&arguments.bounds, &arguments.checks, true);
        let programs = [("old program", &old.bitcode[..]), ("new program", &new.bitcode[..])];
        let mut identity = identity(&programs, entry, &arguments.assume, &bounds, &[]);
        identity.insert("--prune".to_string(), format!("{:?}", arguments.prune));
        let wanted = resume::Wanted {
            resume: arguments.resume,
            force: arguments.force,
            identity,
            ordered: true,
            max_paths: config.max_paths,
            ranges: vec![Range::default()],
        };
        let (out, session, work) = resume::open(folder, wanted)?;
        Ok((out, Some(session), work))
    }

    fn config(&self, program: &Program, entry: FuncId, assumptions: &[FuncId], symbolic: bool) -> Config {
        let config = self.settings.config(&Beginning { program, entry, symbolic, assumptions });
        let workers = if matches!(self.arguments.prune, arguments::Prune::Paper) { 1 } else { config.workers };
        Config { guide: Some(self.marked.guide.clone()), all_errors: true, workers, ..config }
    }

    /// The tests of the old version, run on the new one.
    fn suite(&self, config: &Config) -> Result<Suite, Failure> {
        let Some(folder) = &self.arguments.suite else { return Ok(Suite::default()) };
        let mut suite = Suite { given: true, ..Suite::default() };
        for path in seeds::tests_in(folder)? {
            let test = Ktest::read(&path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
            let followed = upshot_explore::follow(self.image, config, &seeds::seed(&test)).map_err(Failure::new)?;
            suite.names.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            suite.followed.push(followed);
        }
        suite.by_sequence = upshot_explore::by_sequence(&suite.followed).into_iter().collect();
        Ok(suite)
    }

    /// An error is new if its test does not end in the same way in the old version.
    fn tell_old_from_new(&self, errors: &mut [FoundError], out: &OutDir, symbolic: bool) -> Result<(), Failure> {
        let old = &self.versions.old;
        let name = &self.versions.new.program.function(self.entry).source_name;
        let Some(entry) = old.program.function_named(name) else { return Ok(()) };
        let image = Image::new(&old.program);
        let beginning = Beginning { program: &old.program, entry, symbolic, assumptions: &old.assumptions };
        let config = self.settings.config(&beginning);
        for found in errors {
            let Some(test) = &found.error.test else { continue };
            let path = out.path().join(format!("{test}.ktest"));
            let test = Ktest::read(&path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
            let followed = upshot_explore::follow(&image, &config, &seeds::seed(&test)).map_err(Failure::new)?;
            let same = matches!(&followed.end, End::Error { kind, .. } if kind.name() == found.error.kind);
            found.is_new = Some(!same);
        }
        Ok(())
    }

    fn complete_record(&self, writer: &mut Writer<'_>, summary: &Summary, entry: Option<String>) {
        let run = &mut writer.run;
        run.complete = false;
        run.instructions = summary.instructions;
        run.queries = upshot_suite::Queries { asked: summary.asked, solved: summary.solved };
        run.program = Some(ProgramRecord {
            inputs: self.versions.new.recorded.inputs.clone(),
            flags: self.versions.new.recorded.flags.clone(),
            entry,
            assumptions: self.arguments.assume.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        });
    }
}

/// Tests that exist, and where they lead in the new version.
#[derive(Default)]
struct Suite {
    given: bool,
    names: Vec<String>,
    followed: Vec<Followed>,
    by_sequence: HashMap<u128, usize>,
}

impl Suite {
    fn count(&self) -> Option<u64> {
        self.given.then_some(self.names.len() as u64)
    }

    /// Tests that the change does not touch.
    fn unaffected(&self) -> Vec<String> {
        let pairs = self.names.iter().zip(&self.followed);
        pairs.filter(|(_, followed)| followed.length == 0).map(|(name, _)| name.clone()).collect()
    }
}

/// Takes the first path of each sequence.
struct Affected<'a> {
    writer: Writer<'a>,
    marked: &'a Marked,
    suite: &'a Suite,
    /// By sequence: the position among the paths.
    seen: HashMap<u128, usize>,
    paths: Vec<AffectedPath>,
    incomplete: bool,
}

impl Affected<'_> {
    fn lines(&self, marks: &[u32]) -> Vec<u32> {
        let program = &self.marked.program;
        let mut lines = BTreeSet::new();
        for &mark in marks {
            let (function, inst) = self.marked.places[mark as usize];
            let function = program.function(function);
            let location = function.insts[inst.index()].location;
            if location.is_known() && !function.is_runtime {
                lines.insert(location.line);
            }
        }
        lines.into_iter().collect()
    }
}

impl Sink for Affected<'_> {
    fn found(&mut self, record: &PathRecord) {
        self.writer.found(record);
    }

    fn settled(&mut self, record: PathRecord) -> bool {
        let Some(affected) = record.affected.clone() else { return self.writer.settled(record) };
        let cut_off = matches!(record.end, End::Bound(_) | End::Unsupported { .. } | End::Unknown { .. });
        self.incomplete |= cut_off;
        let sound = matches!(self.marked.guide.prune, upshot_explore::Prune::Sound);
        if sound && !cut_off && self.seen.contains_key(&affected.sequence) {
            return self.writer.discard(&record);
        }
        let selected = self.suite.by_sequence.get(&affected.sequence).filter(|_| affected.length > 0);
        let status = if selected.is_some() { PathStatus::Selected } else { PathStatus::Added };
        let end = record.end.clone();
        let is_error = matches!(end, End::Error { .. });
        let goes_on = if selected.is_some() && !is_error {
            self.writer.without_test(record)
        } else {
            self.writer.settled(record)
        };
        let written = self.writer.run.records.last();
        let test = match selected {
            Some(&number) => Some(self.suite.names[number].clone()),
            None => written.and_then(|record| record.test.clone()).map(|name| format!("{name}.ktest")),
        };
        self.seen.insert(affected.sequence, self.paths.len());
        self.paths.push(AffectedPath {
            order: self.paths.len(),
            sequence: affected.sequence,
            impacted: affected.length,
            impacted_lines: self.lines(&affected.marks),
            condition: affected.condition,
            status,
            end: written.map(|record| record.end.clone()).unwrap_or_default(),
            test,
        });
        goes_on
    }
}
