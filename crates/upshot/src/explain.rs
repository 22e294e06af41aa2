//! `upshot explain`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use upshot_diff::Changes;
use upshot_exec::Externals;
use upshot_explore::{End, Seed, Test};
use upshot_impact::{Checks, Effects};
use upshot_ir::{FileId, FuncId, InstId, Program};
use upshot_report::{ExplainReport, LocationReport};
use upshot_slice::{Code, Config, Explanation, Outcome, Place, Side};
use upshot_suite::{Ktest, OutDir};
use upshot_verify::{Beginning, Inside, Kind, Partition, Prepared};

use crate::arguments::{Explain, Format};
use crate::explore::no_entry;
use crate::failure::Failure;
use crate::outputs;
use crate::seeds;
use crate::settings::{self, Settings, extra_flags};
use crate::sink::ktest;
use crate::versions::{self, Versions, Wanted};

/// Runs the command; the exit code.
pub fn explain(arguments: &Explain, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let given = arguments.test.as_deref().map(read).transpose()?;
    let wanted = Wanted { entry: arguments.entry.clone(), assumptions: arguments.assume.clone(), ..Wanted::default() };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&arguments.checks))?;
    let changes = versions.compare()?;
    let name = arguments.entry.as_deref().unwrap_or("main");
    let find =
        |version: &versions::LoadedVersion| version.program.function_named(name).ok_or_else(|| no_entry(name, version));
    let entries = [find(&versions.old)?, find(&versions.new)?];
    let out = match &arguments.out {
        Some(out) => Some(OutDir::claim(out, arguments.force)?),
        None => None,
    };
    let job = Job { arguments, versions: &versions, changes: &changes, entries, interrupt, started };
    let mut report = match given {
        Some(test) => job.explain(&test, arguments.test.as_deref(), out.as_ref())?,
        None => match job.difference()? {
            Found::Test(test) => job.explain(&test, None, out.as_ref())?,
            Found::Nothing { complete } => ExplainReport { nothing_found: true, complete, ..job.blank() },
        },
    };
    report.seconds = started.elapsed().as_secs_f64();
    report.interrupted = interrupt.load(Relaxed);
    match arguments.shown.format {
        Format::Json => println!("{}", upshot_report::explain_json(&report)),
        Format::Text => {
            let style = crate::style(arguments.shown.color);
            print!("{}", upshot_report::explain_text(&report, style, arguments.shown.detail()));
        }
    }
    Ok(report.exit_code())
}

/// The lines behind a difference that is known.
pub fn lines_behind(
    arguments: &Explain,
    versions: &Versions,
    changes: &Changes,
    entries: [FuncId; 2],
    test: &Path,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<LocationReport>, Failure> {
    let job = Job { arguments, versions, changes, entries, interrupt, started: Instant::now() };
    Ok(job.explain(&read(test)?, None, None)?.locations)
}

fn read(file: &Path) -> Result<Ktest, Failure> {
    Ktest::read(file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

enum Found {
    Test(Ktest),
    Nothing { complete: bool },
}

/// Takes the first test for which the versions differ.
struct First(Option<Test>);

impl upshot_verify::Sink for First {
    fn found(&mut self, partition: Partition, _: &Inside<'_>) -> bool {
        if matches!(partition.kind, Kind::Different(_)) {
            self.0 = partition.test;
        }
        self.0.is_none()
    }
}

struct Job<'a> {
    arguments: &'a Explain,
    versions: &'a Versions,
    changes: &'a Changes,
    entries: [FuncId; 2],
    interrupt: &'a Arc<AtomicBool>,
    started: Instant,
}

impl Job<'_> {
    fn blank(&self) -> ExplainReport {
        ExplainReport {
            old: self.versions.old.name.clone(),
            new: self.versions.new.name.clone(),
            entry: self.arguments.entry.clone(),
            path_conditions: self.arguments.path_conditions,
            ..ExplainReport::default()
        }
    }

    /// Both versions in one address space. `fixed_globals`: they begin with their initial values.
    fn prepare(&self, fixed_globals: bool) -> Prepared {
        let (old, new) = (&self.versions.old, &self.versions.new);
        let beginning = Beginning {
            symbolic: self.arguments.entry.is_some(),
            fixed_globals,
            assumptions: [old.assumptions.clone(), new.assumptions.clone()],
        };
        Prepared::new(&old.program, &new.program, self.changes, self.entries, &beginning)
    }

    fn explore_config(&self, prepared: &Prepared, side: usize) -> upshot_explore::Config {
        let arguments = self.arguments;
        let settings = Settings {
            bounds: &arguments.bounds,
            checks: &arguments.checks,
            solver: &arguments.solver,
            jobs: None,
            interrupt: self.interrupt,
            started: self.started,
        };
        let (program, entry) = (&prepared.programs[side], self.entries[side]);
        settings.config(&settings::Beginning { program, entry, symbolic: false, assumptions: &[] })
    }

    /// Looks for a test for which the versions differ.
    fn difference(&self) -> Result<Found, Failure> {
        let prepared = self.prepare(false);
        let images = prepared.images();
        let side = |at: usize| upshot_verify::Side {
            image: &images[at],
            entry: self.entries[at],
            start: prepared.starts[at].clone(),
        };
        let explore = self.explore_config(&prepared, 1);
        let config = upshot_verify::Config {
            exec: upshot_exec::Options { externals: Externals::Uninterpreted, ..explore.exec },
            solver: explore.solver,
            max_depth: explore.max_depth,
            max_partitions: explore.max_paths,
            deadline: explore.deadline,
            max_terms: Some(30_000_000),
            interrupt: self.interrupt.clone(),
            globals: prepared.globals.clone(),
            ..upshot_verify::Config::default()
        };
        let mut first = First(None);
        let summary = upshot_verify::verify(&side(0), &side(1), &config, &mut first).map_err(Failure::new)?;
        Ok(match first.0 {
            Some(test) => Found::Test(ktest(&test, self.arguments.entry.as_deref())),
            None => Found::Nothing { complete: summary.exhausted },
        })
    }

    fn explain(&self, test: &Ktest, file: Option<&Path>, out: Option<&OutDir>) -> Result<ExplainReport, Failure> {
        let seed = seeds::seed(test);
        // A test that says nothing of globals is one for their initial values.
        let is_global = |name: &str| self.versions.new.program.globals.iter().any(|global| global.source_name == name);
        let fixed_globals = !seed.objects.iter().any(|(name, _)| is_global(name));
        let prepared = self.prepare(fixed_globals);
        let (found, seconds) = self.explanation(&prepared, &seed)?;
        let mut report = self.blank();
        report.explain_seconds = seconds;
        report.complete = found.unknown == 0 && found.outcomes.iter().all(|outcome| is_an_end(&outcome.end));
        for (name, outcome) in ["old", "new"].into_iter().zip(&found.outcomes) {
            if !is_an_end(&outcome.end) {
                report.notes.push(format!("the {name} version did not come to an end: {}", outcome.end.word()));
            }
        }
        if !found.misfits.is_empty() {
            let names = found.misfits.join(", ");
            report
                .notes
                .push(format!("the test has no value for {names}, or one of another size; it was taken to be zero"));
        }
        report.input = self.inline(test);
        report.test = file.map(|file| file.display().to_string());
        if let (None, Some(out)) = (file, out) {
            report.test = Some(format!("{}.ktest", out.write_test(1, test)?));
        }
        report.outcomes = [self.outcome(0, &found.outcomes), self.outcome(1, &found.outcomes)];
        report.differences.clone_from(&found.what);
        report.conditions = found.conditions;
        report.asked = found.asked;
        for (number, place) in found.places.iter().enumerate() {
            let mut location = self.location(place);
            if let (Some(neighbour), Some(out)) = (&place.neighbour, out) {
                let test = ktest(neighbour, self.arguments.entry.as_deref());
                location.neighbour_test = Some(format!("{}.ktest", out.write_test(number as u64 + 2, &test)?));
            }
            report.locations.push(location);
        }
        Ok(report)
    }

    fn explanation(&self, prepared: &Prepared, seed: &Seed) -> Result<(Explanation, f64), Failure> {
        let images = prepared.images();
        let checks =
            Checks { overflow: self.arguments.checks.check_overflow, uninit: self.arguments.checks.check_uninit };
        let effects = [0, 1].map(|side| Effects::new(&prepared.programs[side], self.entries[side], checks));
        let codes = [0, 1].map(|side| Code::new(&prepared.programs[side], &effects[side]));
        let is_main = self.arguments.entry.is_none();
        let mut configs = Vec::new();
        for side in [0, 1] {
            let program = &prepared.programs[side];
            let outputs = outputs::resolve(program, self.entries[side], is_main, &self.arguments.outputs)?;
            if !outputs.variables.names.is_empty() {
                return Err(Failure::new("explain does not look at LINE:VAR")
                    .hint("a line has another number in the other version; name RETURN, a global, memory, stdout, stderr or calls"));
            }
            let explore = self.explore_config(prepared, side);
            configs.push(Config {
                start: prepared.starts[side].clone(),
                exec: upshot_exec::Options { externals: Externals::Uninterpreted, ..explore.exec },
                solver: explore.solver,
                outputs: outputs.wanted,
                whole_paths: self.arguments.path_conditions,
                max_depth: explore.max_depth,
                deadline: explore.deadline,
                interrupt: self.interrupt.clone(),
                ..Config::new(self.entries[side])
            });
        }
        let changed = [self.changed(0), self.changed(1)];
        let is_changed = |side: usize| {
            let (program, changed) = (&prepared.programs[side], &changed[side]);
            move |function: FuncId, inst: InstId| {
                let location = program.function(function).insts[inst.index()].location;
                changed.contains(&(function, location.file_id(), location.line))
            }
        };
        let (old_changed, new_changed) = (is_changed(0), is_changed(1));
        let old = Side {
            image: &images[0],
            config: &configs[0],
            code: &codes[0],
            is_changed: &old_changed,
            marked: &prepared.places[0],
        };
        let new = Side {
            image: &images[1],
            config: &configs[1],
            code: &codes[1],
            is_changed: &new_changed,
            marked: &prepared.places[1],
        };
        let before = Instant::now();
        let found = upshot_slice::explain(&old, &new, seed).map_err(Failure::new)?;
        Ok((found, before.elapsed().as_secs_f64()))
    }

    /// The changed lines of a version, by function.
    fn changed(&self, side: usize) -> HashSet<(FuncId, FileId, u32)> {
        let mut lines = HashSet::new();
        for function in &self.changes.functions {
            let (id, changed) = match side {
                0 => (function.old, &function.changed_lines.old),
                _ => (function.new, &function.changed_lines.new),
            };
            let Some(id) = id else { continue };
            lines.extend(changed.iter().map(|(file, line)| (id, *file, *line)));
        }
        lines
    }

    fn inline(&self, test: &Ktest) -> String {
        let program = &self.versions.new.program;
        upshot_suite::inline(&upshot_suite::show(test, Some(program), self.arguments.entry.as_deref()))
    }

    fn program(&self, side: usize) -> &Program {
        match side {
            0 => &self.versions.old.program,
            _ => &self.versions.new.program,
        }
    }

    /// In words: how it ends, and the values that the other version does not have.
    fn outcome(&self, side: usize, outcomes: &[Outcome; 2]) -> String {
        let (mine, theirs) = (&outcomes[side], &outcomes[1 - side]);
        let mut text = match &mine.end {
            End::Returned(_) => "returns".to_string(),
            End::Exited(_) => "exits".to_string(),
            End::Error { kind, message, location, .. } => {
                format!("{} error at {}: {message}", kind.name(), self.program(side).describe(*location))
            }
            other => other.word().to_string(),
        };
        let mut values: Vec<String> = Vec::new();
        let ends_alike = mine.end.word() == theirs.end.word();
        for (name, value) in mine.values.iter().filter(|_| ends_alike) {
            let same = theirs.values.iter().any(|(other, their)| other == name && their == value);
            if let (false, Some(value)) = (same, value) {
                values.push(format!("{name} = {}", signed(*value)));
            }
        }
        if mine.stdout != theirs.stdout {
            values.push(format!("stdout \"{}\"", upshot_suite::escape_bytes(&mine.stdout)));
        }
        if mine.stderr != theirs.stderr {
            values.push(format!("stderr \"{}\"", upshot_suite::escape_bytes(&mine.stderr)));
        }
        if !values.is_empty() {
            text.push_str(&format!(", {}", values.join(", ")));
        }
        text
    }

    fn location(&self, place: &Place) -> LocationReport {
        let side = usize::from(!place.is_old);
        LocationReport {
            is_old: place.is_old,
            file: place.file.clone(),
            line: place.line,
            source: self.source(side, &place.file, place.line),
            condition: place.condition.clone(),
            neighbour: place.neighbour.as_ref().map(|test| self.inline(&ktest(test, self.arguments.entry.as_deref()))),
            neighbour_test: None,
            agrees: place.agrees,
            changed_lines: place.changed_lines.clone(),
        }
    }

    /// The text of a line.
    fn source(&self, side: usize, file: &str, line: u32) -> Option<String> {
        let path = Path::new(file);
        let given = match side {
            0 => &self.arguments.versions.old,
            _ => &self.arguments.versions.new,
        };
        let path = if path.is_absolute() || path.exists() { path.to_path_buf() } else { given.join(path) };
        let text = std::fs::read_to_string(path).ok()?;
        Some(text.lines().nth(line.checked_sub(1)? as usize)?.trim().to_string())
    }
}

fn is_an_end(end: &End) -> bool {
    matches!(end, End::Returned(_) | End::Exited(_) | End::Error { .. })
}

/// Numbers close below a power of two are negative, as a rule.
fn signed(value: u128) -> String {
    for width in [32, 64] {
        let most = 1u128 << width;
        if value < most && value >= most - (1 << 20) {
            return format!("-{}", most - value);
        }
    }
    value.to_string()
}
