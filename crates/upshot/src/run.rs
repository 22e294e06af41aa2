//! `upshot run`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use upshot_exec::Image;
use upshot_explore::{Config, Known, KnownPath, Range, Seed, Summary, Work};
use upshot_frontend::SourceFile;
use upshot_suite::{Bounds, Coverage, Covered, ProgramRecord, Queries, Times};

use crate::arguments::{Format, OutputArguments, Run, Search};
use crate::failure::Failure;
use crate::loaded::{self, Loaded};
use crate::progress::Bar;
use crate::ranges;
use crate::resume::{self, Identity};
use crate::seeds;
use crate::settings::{Beginning, Settings, bounds_record, extra_flags, identity, layers};
use crate::sink::{Keeper, Writer};

/// Runs the command; the exit code.
pub fn run(arguments: &Run, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    if arguments.checks.symbolic_globals && arguments.program.entry.is_none() {
        return Err(Failure::new(
            "--symbolic-globals is for a function that is named by --entry; main starts with its globals as they are",
        ));
    }
    let loaded = loaded::load(&arguments.program, &extra_flags(&arguments.checks))?;
    let image = Image::new(&loaded.program);
    let settings = Settings {
        bounds: &arguments.bounds,
        checks: &arguments.checks,
        solver: &arguments.solver,
        jobs: arguments.jobs,
        interrupt,
        started,
    };
    let mut config = config(arguments, &settings, &loaded);
    let seeds = seeds::gather(&arguments.seeds)?;
    let whole = identity_of(arguments, &loaded, &seeds);
    let range = arguments.range.as_ref().map(|file| ranges::read(file, &whole)).transpose()?;
    let mut identity = whole;
    if let Some(range) = &range {
        ranges::narrow(&mut identity, range);
    }
    if !seeds.is_empty() {
        let known = |seed| KnownPath { seed: Some(Arc::new(seed)), ..KnownPath::default() };
        config.known = Some(Arc::new(Known { paths: seeds.into_iter().map(known).collect(), exact: false }));
    }
    if arguments.resume
        && let Some(done) = resume::complete(&arguments.out, &identity)?
    {
        return Ok(tell_complete(arguments, &done));
    }
    let (out, mut session, work) = if arguments.no_tests {
        (None, None, Work::on(vec![Range::default()]))
    } else {
        let wanted = resume::Wanted {
            resume: arguments.resume,
            force: arguments.force,
            identity: identity.clone(),
            ordered: config.search == upshot_explore::Search::DepthFirst || config.max_paths.is_some(),
            max_paths: config.max_paths,
            ranges: vec![range.clone().unwrap_or_default()],
        };
        let (out, session, work) = resume::open(&arguments.out, wanted)?;
        (Some(out), Some(session), work)
    };
    let mut writer =
        Writer::new(&loaded.program, out.as_ref(), arguments.program.entry.as_deref(), arguments.all_errors);
    let summary = {
        let _bar = (!arguments.output.quiet).then(|| Bar::show(config.progress.clone()));
        let keeper = Keeper { out: out.as_ref(), entry: arguments.program.entry.as_deref() };
        resume::explore(&image, &config, work, &keeper, &mut writer, session.as_mut())?
    };
    let before = session.as_ref().map_or(0.0, |session| session.seconds_before);
    let times = (before + started.elapsed().as_secs_f64(), before + summary.time.as_secs_f64());
    complete_record(&mut writer.run, &described(arguments, &loaded), &loaded, &summary, times);
    let manifest = writer.run.suite.get_or_insert_default();
    manifest.identity = Some(resume::fingerprint(&identity));
    manifest.part = range.as_ref().map(ranges::record);
    if let (Some(out), Some(session)) = (&out, session) {
        let finished = session.finish(&mut writer, out, summary.exhausted)?;
        // Whoever joins the parts needs the journals.
        range.is_none().then(|| finished.forget()).transpose()?;
    }
    let notes = upshot_report::Notes {
        null_inputs: writer.null_inputs,
        inputs: writer.inputs,
        entry: arguments.program.entry.clone(),
        out: out.as_ref().map(|out| out.path().display().to_string()),
        can_resume: out.is_some() && !summary.exhausted,
        range: arguments.range.as_ref().map(|file| file.display().to_string()),
        met_symbolic: summary.met_symbolic,
        interrupted: summary.interrupted,
        limits: settings.limits(&summary),
        layers: layers(&summary),
        cross_checked: arguments.solver.check_solver.then_some(summary.solver.cross_checked),
        disagreements: summary.solver.disagreements,
    };
    print(&arguments.output, &writer.run, &notes);
    Ok(exit_code(&writer.run, &summary))
}

/// Nothing is left to do, and nothing was done.
fn tell_complete(arguments: &Run, run: &upshot_suite::Run) -> u8 {
    let out = Some(arguments.out.display().to_string());
    let entry = arguments.program.entry.clone();
    print(&arguments.output, run, &upshot_report::Notes { out, entry, met_symbolic: true, ..Default::default() });
    if matches!(arguments.output.format, Format::Text) {
        println!("nothing was left to do");
    }
    u8::from(run.paths.error > 0)
}

fn identity_of(arguments: &Run, loaded: &Loaded, seeds: &[Seed]) -> Identity {
    let program = &arguments.program;
    let bounds = bounds_record(&arguments.bounds, &arguments.checks, arguments.all_errors);
    let programs = [("program", &loaded.built.linked[..])];
    identity(&programs, program.entry.as_deref(), &program.assume, &bounds, seeds)
}

fn config(arguments: &Run, settings: &Settings<'_>, loaded: &Loaded) -> Config {
    let beginning = Beginning {
        program: &loaded.program,
        entry: loaded.entry,
        symbolic: arguments.program.entry.is_some(),
        assumptions: &loaded.assumptions,
    };
    Config {
        search: match arguments.search {
            Search::Dfs => upshot_explore::Search::DepthFirst,
            Search::Bfs => upshot_explore::Search::BreadthFirst,
            Search::Random => upshot_explore::Search::Random,
            Search::Coverage => upshot_explore::Search::Coverage,
        },
        seed: arguments.seed,
        all_errors: arguments.all_errors,
        tests: !arguments.no_tests,
        ..settings.config(&beginning)
    }
}

/// What was explored, for the record.
pub struct Described {
    pub program: ProgramRecord,
    pub bounds: Bounds,
}

fn described(arguments: &Run, loaded: &Loaded) -> Described {
    let program = &arguments.program;
    Described {
        program: ProgramRecord {
            inputs: loaded.recorded.inputs.clone(),
            flags: loaded.recorded.flags.clone(),
            entry: program.entry.clone(),
            assumptions: program.assume.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        },
        bounds: bounds_record(&arguments.bounds, &arguments.checks, arguments.all_errors),
    }
}

/// Adds what is known when everything is explored.
pub fn complete_record(
    run: &mut upshot_suite::Run,
    described: &Described,
    loaded: &Loaded,
    summary: &Summary,
    (total_s, explore_s): (f64, f64),
) {
    let paths = run.paths;
    run.complete = summary.exhausted && paths.bound + paths.unsupported + paths.unknown == 0;
    run.instructions = summary.instructions;
    run.queries = Queries { asked: summary.asked, solved: summary.solved };
    run.time = Times { total_s, solver_s: summary.solver_s };
    let assumptions = &loaded.built.assumption_functions;
    let (lines, branches) = summary
        .coverage
        .figures(&loaded.program, |function| !function.is_runtime && !assumptions.contains(&function.name));
    let covered = |covered: upshot_exec::Covered| Covered { covered: covered.covered, total: covered.total };
    run.coverage = Coverage { lines: covered(lines), branches: covered(branches) };
    run.program = Some(described.program.clone());
    let names = file_names(&loaded.built.files);
    let manifest = run.suite.get_or_insert_default();
    manifest.version = upshot_suite::SUITE_VERSION;
    manifest.bounds = described.bounds.clone();
    manifest.functions = upshot_diff::fingerprints(&loaded.program, &names);
    manifest.names = names;
    manifest.open = summary.open.iter().map(ranges::record).collect();
    run.effort = Some(upshot_suite::Effort { asked: summary.asked, solved: summary.solved, seconds: explore_s });
}

/// The last parts of these paths.
pub fn file_names(files: &[SourceFile]) -> Vec<String> {
    files.iter().filter_map(|file| Some(file.path.file_name()?.to_string_lossy().into_owned())).collect()
}

pub fn print(output: &OutputArguments, run: &upshot_suite::Run, notes: &upshot_report::Notes) {
    match output.format {
        Format::Json => println!("{}", upshot_report::run_json(run, notes)),
        Format::Text => {
            let style = crate::style(output.color);
            print!("{}", upshot_report::run_text(run, notes, style, output.detail()));
        }
    }
}

pub fn exit_code(run: &upshot_suite::Run, summary: &Summary) -> u8 {
    if summary.interrupted {
        130
    } else if run.paths.error > 0 {
        1
    } else if run.complete {
        0
    } else {
        3
    }
}
