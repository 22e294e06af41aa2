//! `upshot verify`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_diff::Changes;
use upshot_explore::End;
use upshot_ir::FuncId;
use upshot_report::{Behaviour, PartitionKind, PartitionReport, VerifyReport};
use upshot_suite::OutDir;
use upshot_verify::{Beginning, Change, Config, Inside, Kind, Partition, Prepared, Proof, Shown, Side, Sink, Summary};

use crate::arguments::{Comparing, Format, Observable, Until, Verify, YesNo};
use crate::confirm::{self, Confirmer};
use crate::ctest;
use crate::explore::{no_entry, roots};
use crate::failure::Failure;
use crate::settings::{self, Settings, extra_flags};
use crate::sink::ktest;
use crate::versions::{self, LoadedVersion, Versions, Wanted};

/// Runs the command; the exit code.
pub fn verify(arguments: &Verify, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let comparing = &arguments.comparing;
    let wanted = Wanted { entry: arguments.entry.clone(), assumptions: comparing.assume.clone() };
    let versions = versions::load_for(&arguments.versions, &wanted, &extra_flags(&comparing.checks))?;
    let changes = versions.compare()?;
    let (entries, symbolic) = entries(arguments.entry.as_deref(), &versions, &changes)?;
    let out = OutDir::claim(&comparing.out, comparing.force)?;
    let deadline = comparing.bounds.timeout.map(|timeout| started + timeout);
    let job = Job { comparing, versions: &versions, changes: &changes, interrupt, started, deadline };
    let report = job.run(entries, symbolic, arguments.until, &out)?;
    print(&report, comparing);
    Ok(report.exit_code())
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
}

impl Job<'_> {
    /// Compares one function, or the whole programs.
    pub fn run(
        &self,
        entries: [FuncId; 2],
        symbolic: bool,
        until: Until,
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
        let config = self.config(&prepared, entries[1]);
        let name = symbolic.then(|| new.program.function(entries[1]).source_name.clone());
        let [old_program, new_program] = &prepared.programs;
        let confirmer = Confirmer::new([&old.bitcode, &new.bitcode], [old_program, new_program], name.as_deref());
        let mut collector = Collector {
            prepared: &prepared,
            confirmer,
            entry: name.clone(),
            out,
            until,
            partitions: Vec::new(),
            shares: Vec::new(),
            has_pointers: false,
            sources: self.sources(),
            failure: None,
        };
        let summary = upshot_verify::verify(&side(0), &side(1), &config, &mut collector).map_err(Failure::new)?;
        if let Some(failure) = collector.failure.take() {
            return Err(failure);
        }
        let time = before.elapsed();
        Ok(self.report(name, collector, &summary, prepared.notes.clone(), time.as_secs_f64()))
    }

    /// What a C file of its own can include.
    fn sources(&self) -> Option<([PathBuf; 2], Vec<String>)> {
        let file = |version: &LoadedVersion| match &version.files[..] {
            [file] if file.extension().is_some_and(|end| end == "c") => file.canonicalize().ok(),
            _ => None,
        };
        let (old, new) = (&self.versions.old, &self.versions.new);
        let is_for_people = |flag: &&String| !flag.starts_with("-fmacro-prefix-map");
        let flags = new.flags.iter().filter(is_for_people).cloned().collect();
        Some(([file(old)?, file(new)?], flags))
    }

    fn config(&self, prepared: &Prepared, entry: FuncId) -> Config {
        let comparing = self.comparing;
        let settings = Settings {
            bounds: &comparing.bounds,
            checks: &comparing.checks,
            solver: &comparing.solver,
            jobs: None,
            interrupt: self.interrupt,
            started: self.started,
        };
        let beginning =
            settings::Beginning { program: &prepared.programs[1], entry, symbolic: false, assumptions: &[] };
        let explore = settings.config(&beginning);
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
        if entry.is_some() && collector.has_pointers {
            shape.push(("array-len", bounds.array_len.to_string()));
            shape.push(("pointer-depth", bounds.pointer_depth.to_string()));
        }
        if !self.comparing.assume.is_empty() {
            shape.push(("assume", self.comparing.assume.join(" && ")));
        }
        if self.comparing.null_args == YesNo::No {
            notes.push("null is left out as a value of pointer parameters (--null-args no)".to_string());
        }
        let is_settled = collector.partitions.iter().all(|partition| partition.kind != PartitionKind::Open);
        let complete = summary.exhausted && is_settled;
        let share = if complete {
            (1.0, 0.0)
        } else {
            let proved = collector.partitions.iter().zip(&collector.shares);
            let proved = proved.filter(|(partition, _)| partition.kind != PartitionKind::Open).map(|(_, share)| *share);
            let sum = proved.fold((0.0, 0.0), |sum, share| (sum.0 + share.0, sum.1 + share.1 * share.1));
            (f64::min(sum.0, 1.0), f64::sqrt(sum.1))
        };
        VerifyReport {
            old: self.versions.old.name.clone(),
            new: self.versions.new.name.clone(),
            entry,
            complete,
            interrupted: summary.interrupted,
            bounds: shape,
            partitions: collector.partitions,
            share,
            asked: summary.asked,
            solved: summary.solver.solved,
            times: vec![("verify", seconds), ("solver", summary.solver.time().as_secs_f64())],
            notes,
            out: Some(collector.out.path().display().to_string()),
        }
    }
}

/// Takes partitions, writes their tests, and has differences confirmed.
struct Collector<'a> {
    prepared: &'a Prepared,
    confirmer: Confirmer,
    entry: Option<String>,
    out: &'a OutDir,
    until: Until,
    partitions: Vec<PartitionReport>,
    shares: Vec<(f64, f64)>,
    /// Shape bounds matter.
    has_pointers: bool,
    /// The C files of both versions, and flags, where each is one file.
    sources: Option<([PathBuf; 2], Vec<String>)>,
    failure: Option<Failure>,
}

impl Sink for Collector<'_> {
    fn found(&mut self, partition: Partition, _: &Inside<'_>) -> bool {
        let mut report = self.plain(&partition);
        self.has_pointers |= partition.test.as_ref().is_some_and(|test| !test.pointers.is_empty());
        let wants_run = report.kind.is_difference() || report.kind == PartitionKind::Open && !partition.what.is_empty();
        if let (Some(test), Some(old), Some(new)) = (&partition.test, &partition.old, &partition.new)
            && wants_run
        {
            let test = ktest(test, self.entry.as_deref());
            match self.out.write_test(self.partitions.len() as u64 + 1, &test) {
                Ok(name) => report.test = Some(format!("{name}.ktest")),
                Err(error) => {
                    self.failure.get_or_insert(error.into());
                    return false;
                }
            }
            if report.kind.is_difference() {
                report.native_test = self.write_c_test(&partition, &report);
            }
            if confirm::is_an_end(&old.end) && confirm::is_an_end(&new.end) {
                let confirmation = self.confirmer.confirm(&test, [&old.end, &new.end]);
                if report.kind == PartitionKind::Open && confirmation.confirmed && !partition.uncontrolled {
                    self.add_example(&report);
                } else {
                    report.confirmed = confirmation.confirmed;
                    report.note = confirmation.note.filter(|_| report.kind != PartitionKind::Open);
                }
            }
            if partition.uncontrolled {
                report.note = Some(
                    "depends on memory that was never written, or another value that no test controls".to_string(),
                );
            }
        }
        let stops = report.kind.is_difference() && self.until == Until::FirstDifference;
        self.partitions.push(report);
        self.shares.push(partition.share);
        !stops
    }
}

impl Collector<'_> {
    /// Where it is not known for a whole partition, a native run can still show it for the example.
    fn add_example(&mut self, open: &PartitionReport) {
        let condition = vec![format!("the input is {}", open.input)];
        self.partitions.push(PartitionReport {
            kind: PartitionKind::Different,
            condition,
            why: None,
            confirmed: true,
            share: 0.0,
            ..open.clone()
        });
        self.shares.push((0.0, 0.0));
    }

    /// Writes a C file that shows the difference by itself, where there can be one; its path.
    fn write_c_test(&mut self, partition: &Partition, report: &PartitionReport) -> Option<String> {
        let (files, flags) = self.sources.as_ref()?;
        self.entry.as_ref()?;
        let [old, new] = &self.prepared.programs;
        let case = ctest::Case { programs: [old, new], entries: self.prepared.entries, files: files.clone(), flags };
        let outcome = |behaviour: &Option<Behaviour>| behaviour.as_ref().map_or(String::new(), |it| it.outcome.clone());
        let told = format!("{}\n * old: {}\n * new: {}", report.input, outcome(&report.old), outcome(&report.new));
        let text = ctest::render(&case, partition.test.as_ref()?, &told)?;
        let name = OutDir::test_name(self.partitions.len() as u64 + 1);
        let path = self.out.path().join(format!("{name}.c"));
        match upshot_suite::write_atomic(&path, text.as_bytes()) {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                self.failure.get_or_insert(Failure::new(error));
                None
            }
        }
    }

    fn plain(&self, partition: &Partition) -> PartitionReport {
        let (kind, why, by) = match &partition.kind {
            Kind::Equal(Proof::Identity) => (PartitionKind::Equal, None, Some("identity")),
            Kind::Equal(Proof::Solver) => (PartitionKind::Equal, None, Some("solver")),
            Kind::Different(Change::Regression) => (PartitionKind::Regression, None, None),
            Kind::Different(Change::Fix) => (PartitionKind::Fix, None, None),
            Kind::Different(Change::Output) => (PartitionKind::Different, None, None),
            Kind::Open(why) => (PartitionKind::Open, Some(why.clone()), None),
        };
        let program = &self.prepared.programs[1];
        let input = partition.test.as_ref().map_or(String::new(), |test| {
            let test = ktest(test, self.entry.as_deref());
            upshot_suite::inline(&upshot_suite::show(&test, Some(program), self.entry.as_deref()))
        });
        let mut changed_lines = Vec::new();
        for (side, shown) in [&partition.old, &partition.new].into_iter().enumerate() {
            if let Some(shown) = shown {
                changed_lines.extend(self.prepared.lines(side, &shown.marks));
            }
        }
        PartitionReport {
            kind,
            condition: partition.condition.clone(),
            test: None,
            native_test: None,
            input,
            old: partition.old.as_ref().map(|shown| self.behaviour(0, shown)),
            new: partition.new.as_ref().map(|shown| self.behaviour(1, shown)),
            what: partition.what.clone(),
            why,
            by,
            confirmed: false,
            note: None,
            changed_lines,
            share: partition.share.0,
        }
    }

    fn behaviour(&self, side: usize, shown: &Shown) -> Behaviour {
        Behaviour {
            outcome: self.outcome(side, shown),
            expression: shown.returned_term.clone(),
            stdout: upshot_suite::escape_bytes(&shown.stdout),
            stderr: upshot_suite::escape_bytes(&shown.stderr),
            effects: shown
                .effects
                .iter()
                .map(|(name, expression, value)| (name.clone(), expression.clone(), value.to_string()))
                .collect(),
        }
    }

    fn outcome(&self, side: usize, shown: &Shown) -> String {
        let program = &self.prepared.programs[side];
        match &shown.end {
            End::Returned(Some(value)) => format!("returns {}", self.signed(side, *value)),
            End::Returned(None) => "returns".to_string(),
            End::Exited(Some(code)) => format!("exits with {}", *code as i32),
            End::Exited(None) => "exits".to_string(),
            End::Error { kind, message, location, .. } => {
                let file = program.files.get(location.file as usize).map_or("", String::as_str);
                format!("{} error at {file}:{}: {message}", kind.name(), location.line)
            }
            other => other.word().to_string(),
        }
    }

    /// A returned number as its C type has it.
    fn signed(&self, side: usize, value: u128) -> String {
        let program = &self.prepared.programs[side];
        let function = program.function(self.prepared.entries[side]);
        let width = function.results.first().map_or(128, |scalar| scalar.width());
        let is_signed = function.return_type.is_some_and(|ty| {
            matches!(program.types.get(program.types.resolve(ty)), upshot_ir::CType::Int { signed: true, .. })
        });
        let ty = function.return_type.map(|ty| program.types.get(program.types.resolve(ty)));
        if matches!(ty, Some(upshot_ir::CType::Float { .. })) && matches!(width, 32 | 64) {
            return if width == 32 {
                f32::from_bits(value as u32).to_string()
            } else {
                f64::from_bits(value as u64).to_string()
            };
        }
        if is_signed && width < 128 && value >> (width - 1) & 1 == 1 {
            format!("{}", (value as i128) - (1i128 << width))
        } else {
            value.to_string()
        }
    }
}
