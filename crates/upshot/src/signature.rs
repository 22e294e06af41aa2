//! `upshot signature`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_exec::{Externals, Image, Pairing};
use upshot_explore::End;
use upshot_expr::Terms;
use upshot_ir::Program;
use upshot_report::{CaseReport, ComparedCase, FateReport, OldSignature, SignatureReport};
use upshot_slice::{Case, Compared, Config, Fate, Signature as Found};
use upshot_suite::{Ktest, OutDir};

use crate::arguments::{PageFormat, ProgramArguments, Signature};
use crate::failure::Failure;
use crate::loaded::{self, Loaded};
use crate::outputs::{self, Outputs};
use crate::settings::{Beginning, Settings, extra_flags};
use crate::sink::ktest;

/// Runs the command; the exit code.
pub fn signature(arguments: &Signature, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    if arguments.checks.symbolic_globals && arguments.program.entry.is_none() {
        return Err(Failure::new(
            "--symbolic-globals is for a function that is named by --entry; main starts with its globals as they are",
        ));
    }
    let job = Job { arguments, interrupt, started };
    let new = job.prepare(&arguments.program)?;
    let out = if arguments.no_tests { None } else { Some(OutDir::claim(&arguments.out, arguments.force)?) };
    let (mut report, tests) = match &arguments.diff {
        None => {
            let image = Image::watched(&new.outputs.program, new.outputs.watch.clone());
            let found = job.explore(Terms::new(), &new, &image, &[])?;
            let mut report = job.report(&new, &found);
            if arguments.count_paths {
                let whole = Config { whole_paths: true, ..job.config(&new, &[]) };
                let all = upshot_slice::signature(&image, &whole, &new.outputs.variables).map_err(Failure::new)?;
                report.paths_full = all.is_complete().then_some(all.figures.paths);
            }
            (report, job.tests(&found))
        }
        Some(old) => job.compare(old, &new)?,
    };
    if let Some(out) = &out {
        job.write_tests(&tests, out, &mut report)?;
    }
    report.seconds = started.elapsed().as_secs_f64();
    print(&report, arguments);
    Ok(report.exit_code())
}

fn print(report: &SignatureReport, arguments: &Signature) {
    match arguments.format {
        PageFormat::Json => println!("{}", upshot_report::signature_json(report)),
        PageFormat::Html => print!("{}", upshot_report::signature_html(report)),
        PageFormat::Text if arguments.table => print!("{}", upshot_report::signature_table(report)),
        PageFormat::Text => {
            let style = crate::style(arguments.appearance.color);
            print!("{}", upshot_report::signature_text(report, style, arguments.appearance.detail()));
        }
    }
}

/// A program, and what to look at in it.
struct Prepared {
    name: String,
    loaded: Loaded,
    outputs: Outputs,
}

struct Job<'a> {
    arguments: &'a Signature,
    interrupt: &'a Arc<AtomicBool>,
    started: Instant,
}

impl Job<'_> {
    fn prepare(&self, program: &ProgramArguments) -> Result<Prepared, Failure> {
        let loaded = loaded::load(program, &extra_flags(&self.arguments.checks))?;
        let is_main = program.entry.is_none();
        let outputs = outputs::resolve(&loaded.program, loaded.entry, is_main, &self.arguments.outputs)?;
        let names: Vec<String> = program.program.iter().map(|path| path.display().to_string()).collect();
        Ok(Prepared { name: names.join(" "), loaded, outputs })
    }

    fn config(&self, prepared: &Prepared, places: &[(String, u64)]) -> Config {
        let arguments = self.arguments;
        let settings = Settings {
            bounds: &arguments.bounds,
            checks: &arguments.checks,
            solver: &arguments.solver,
            jobs: None,
            interrupt: self.interrupt,
            started: self.started,
        };
        let beginning = Beginning {
            program: &prepared.outputs.program,
            entry: prepared.loaded.entry,
            symbolic: arguments.program.entry.is_some(),
            assumptions: &prepared.loaded.assumptions,
        };
        let explore = settings.config(&beginning);
        let mut start = explore.start;
        start.parameter_places = places.to_vec();
        Config {
            start,
            exec: upshot_exec::Options { externals: Externals::Uninterpreted, ..explore.exec },
            solver: explore.solver,
            outputs: prepared.outputs.wanted.clone(),
            whole_paths: arguments.whole_paths,
            max_depth: explore.max_depth,
            max_paths: explore.max_paths,
            max_terms: Some(60_000_000),
            deadline: explore.deadline,
            interrupt: self.interrupt.clone(),
            ..Config::new(prepared.loaded.entry)
        }
    }

    fn explore(
        &self,
        terms: Terms,
        prepared: &Prepared,
        image: &Image<'_>,
        places: &[(String, u64)],
    ) -> Result<Found, Failure> {
        let config = self.config(prepared, places);
        upshot_slice::signature_in(terms, image, &config, &prepared.outputs.variables).map_err(Failure::new)
    }

    fn compare(&self, old: &Path, new: &Prepared) -> Result<(SignatureReport, Vec<Ktest>), Failure> {
        let arguments = ProgramArguments { program: vec![old.to_path_buf()], ..self.arguments.program.clone() };
        let old = self.prepare(&arguments)?;
        let programs = [&old.outputs.program, &new.outputs.program];
        let globals = matching(&programs, |program| {
            program.globals.iter().map(|global| (global.name.as_str(), global.size)).collect()
        });
        let globals: Vec<_> =
            globals.into_iter().map(|(a, b)| (upshot_ir::GlobalId(a), upshot_ir::GlobalId(b))).collect();
        let functions = matching(&programs, |program| {
            program.functions.iter().map(|function| (function.name.as_str(), 0)).collect()
        });
        let functions: Vec<_> =
            functions.into_iter().map(|(a, b)| (upshot_ir::FuncId(a), upshot_ir::FuncId(b))).collect();
        let [of_old, of_new] = Pairing::of(programs[0], programs[1], &globals, &functions);
        let old_image = Image::placed(programs[0], of_old).with_watch(old.outputs.watch.clone());
        let new_image = Image::placed(programs[1], of_new).with_watch(new.outputs.watch.clone());
        let places = parameter_places([(programs[0], &old.loaded), (programs[1], &new.loaded)]);
        let mut before = self.explore(Terms::new(), &old, &old_image, &places)?;
        let mut after = self.explore(std::mem::take(&mut before.terms), new, &new_image, &places)?;
        let options = self.config(new, &places).solver;
        let compared = upshot_slice::compare(&before, &mut after, &options).map_err(Failure::new)?;
        let mut report = self.report(new, &after);
        if compared.unknown > 0 {
            report.complete = false;
            report.notes.push("the solver could not say of some cases whether they are the same".to_string());
        }
        let older = self.report(&old, &before);
        report.notes.extend(older.notes.iter().map(|note| format!("{}: {note}", older.program)));
        report.old = Some(OldSignature {
            name: older.program,
            complete: older.complete,
            cases: older.cases,
            compared: self.compared(&compared, new),
        });
        Ok((report, self.tests(&after)))
    }

    fn compared(&self, compared: &Compared, new: &Prepared) -> Vec<ComparedCase> {
        let pairs = compared.fates.iter().zip(&compared.witnesses);
        let row = |(fate, witness): (&Fate, &Option<upshot_explore::Test>)| {
            let (fate, old, new_case) = match *fate {
                Fate::Same(old, new) => (FateReport::Same, Some(old), Some(new)),
                Fate::Changed(old, new) => (FateReport::Changed, Some(old), Some(new)),
                Fate::New(new) => (FateReport::New, None, Some(new)),
                Fate::Gone(old) => (FateReport::Gone, Some(old), None),
            };
            let differs_for = witness.as_ref().map(|test| {
                let test = ktest(test, self.arguments.program.entry.as_deref());
                self.inline(&test, &new.outputs.program)
            });
            ComparedCase { fate, old, new: new_case, differs_for }
        };
        pairs.map(row).collect()
    }

    fn inline(&self, test: &Ktest, program: &Program) -> String {
        upshot_suite::inline(&upshot_suite::show(test, Some(program), self.arguments.program.entry.as_deref()))
    }

    fn report(&self, prepared: &Prepared, found: &Found) -> SignatureReport {
        let figures = &found.figures;
        let mut notes = Vec::new();
        let mut note = |count: u64, text: &str| {
            if count > 0 {
                notes.push(format!("{count} {text}"));
            }
        };
        note(
            figures.bounded,
            "of the inputs that were run hit a bound (--max-depth, --max-instructions, --timeout, memory); what follows is not in any case",
        );
        note(figures.unsupported, "of the cases end at something that is not supported");
        note(figures.unknown, "times the solver had no answer");
        note(figures.lost + figures.strayed, "paths could not be sliced; their cases are finer than need be");
        if figures.stopped {
            notes.push("the search was stopped before its end (--timeout, --max-paths, or Ctrl-C)".to_string());
        }
        SignatureReport {
            program: prepared.name.clone(),
            entry: self.arguments.program.entry.clone(),
            outputs: prepared.outputs.names.clone(),
            complete: found.is_complete(),
            interrupted: self.interrupt.load(std::sync::atomic::Ordering::Relaxed),
            cases: found.cases.iter().map(|case| self.case(prepared, case)).collect(),
            paths: figures.paths,
            notes,
            asked: figures.asked,
            conditions: figures.conditions,
            solved: figures.solver.solved,
            solver_seconds: figures.solver.time().as_secs_f64(),
            ..SignatureReport::default()
        }
    }

    fn case(&self, prepared: &Prepared, case: &Case) -> CaseReport {
        let program = &prepared.outputs.program;
        let test = ktest(&case.test, self.arguments.program.entry.as_deref());
        let (error, unsupported) = match &case.end {
            End::Error { kind, message, location, .. } => {
                (Some((kind.name().to_string(), format!("{message} at {}", program.describe(*location)))), None)
            }
            End::Unsupported { what, .. } => (None, Some(what.clone())),
            _ => (None, None),
        };
        CaseReport {
            condition: case.condition.clone(),
            outputs: case
                .outputs
                .iter()
                .filter(|output| !output.is_unchanged)
                .map(|output| (output.name.clone(), output.text.clone()))
                .collect(),
            error,
            unsupported,
            test: None,
            input: self.inline(&test, program),
            lines: case.lines.clone(),
            decisions: case.path_decisions,
        }
    }

    fn write_tests(&self, tests: &[Ktest], out: &OutDir, report: &mut SignatureReport) -> Result<(), Failure> {
        for (number, (case, test)) in report.cases.iter_mut().zip(tests).enumerate() {
            let name = out.write_test(number as u64 + 1, test)?;
            case.test = Some(format!("{name}.ktest"));
        }
        report.out = Some(out.path().display().to_string());
        Ok(())
    }

    fn tests(&self, found: &Found) -> Vec<Ktest> {
        found.cases.iter().map(|case| ktest(&case.test, self.arguments.program.entry.as_deref())).collect()
    }
}

/// Where the parameters of both versions lie.
fn parameter_places(versions: [(&Program, &Loaded); 2]) -> Vec<(String, u64)> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for (program, loaded) in versions {
        for parameter in &program.function(loaded.entry).parameters {
            match places.iter_mut().find(|(name, _)| *name == parameter.name) {
                Some(place) => place.1 = place.1.max(parameter.size),
                None => places.push((parameter.name.clone(), parameter.size)),
            }
        }
    }
    places
}

/// The pairs that have the same name and size in both programs, by number.
fn matching<'p>(programs: &[&'p Program; 2], names: impl Fn(&'p Program) -> Vec<(&'p str, u64)>) -> Vec<(u32, u32)> {
    let new = names(programs[1]);
    let partner = |wanted: &(&str, u64)| new.iter().position(|other| other == wanted);
    let old = names(programs[0]);
    let pairs = old.iter().enumerate().filter_map(|(number, wanted)| Some((number as u32, partner(wanted)? as u32)));
    pairs.collect()
}
