//! `upshot run`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use upshot_exec::{Image, Start};
use upshot_explore::{Config, Progress, Summary};
use upshot_ir::{FuncId, GlobalId, Program};
use upshot_suite::{Coverage, Covered, OutDir, ProgramRecord, Queries, Times};

use crate::arguments::{Format, Run, Search};
use crate::failure::Failure;
use crate::loaded::{self, Loaded};
use crate::progress::Bar;
use crate::sink::{Keeper, Writer};

/// Runs the command; the exit code.
pub fn run(arguments: &Run, interrupt: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let started = Instant::now();
    let loaded = loaded::load(&arguments.program, &extra_flags(arguments))?;
    let out = if arguments.no_tests { None } else { Some(OutDir::claim(&arguments.out, arguments.force)?) };
    let image = Image::new(&loaded.program);
    let config = config(arguments, &loaded, interrupt, started);
    let mut writer =
        Writer::new(&loaded.program, out.as_ref(), arguments.program.entry.as_deref(), arguments.all_errors);
    let summary = {
        let _bar = (!arguments.output.quiet).then(|| Bar::show(config.progress.clone()));
        let keeper = Keeper { out: out.as_ref(), entry: arguments.program.entry.as_deref() };
        upshot_explore::explore(&image, &config, Vec::new(), &keeper, &mut writer).map_err(Failure::new)?
    };
    complete_record(&mut writer.run, arguments, &loaded, &summary, started.elapsed());
    if let Some(out) = &out {
        out.write_run(&writer.run)?;
    }
    if let Some(error) = writer.failure {
        return Err(error.into());
    }
    let notes = upshot_report::Notes {
        null_inputs: writer.null_inputs,
        inputs: writer.inputs,
        entry: arguments.program.entry.clone(),
        out: out.as_ref().map(|out| out.path().display().to_string()),
        met_symbolic: summary.met_symbolic,
        interrupted: summary.interrupted,
        limits: limits(arguments, &summary),
        layers: layers(&summary),
        cross_checked: arguments.solver.check_solver.then_some(summary.solver.cross_checked),
        disagreements: summary.solver.disagreements,
    };
    print(arguments, &writer.run, &notes);
    Ok(exit_code(&writer.run, &summary))
}

/// What the checks need of clang, recorded with the user's own flags since replay needs it too.
fn extra_flags(arguments: &Run) -> Vec<String> {
    // Only without wrapping does clang say which additions must not overflow.
    if arguments.checks.check_overflow { vec!["-fno-wrapv".to_string()] } else { Vec::new() }
}

fn config(arguments: &Run, loaded: &Loaded, interrupt: &Arc<AtomicBool>, started: Instant) -> Config {
    let deadline = arguments.bounds.timeout.map(|timeout| started + timeout);
    let layers = arguments
        .solver
        .without_layer
        .iter()
        .fold(upshot_solver::Layers::all(), |layers, &layer| layers.without(layer));
    let symbolic_globals =
        if arguments.checks.symbolic_globals { reachable_globals(&loaded.program, loaded.entry) } else { Vec::new() };
    Config {
        entry: loaded.entry,
        start: Start {
            symbolic_parameters: arguments.program.entry.is_some(),
            symbolic_globals,
            assumptions: loaded.assumptions.clone(),
        },
        exec: upshot_exec::Options {
            check_overflow: arguments.checks.check_overflow,
            check_uninit: arguments.checks.check_uninit,
            malloc_fail: arguments.checks.malloc_fail,
            max_alloc: arguments.bounds.max_alloc,
            max_instructions: arguments.bounds.max_instructions,
            array_len: arguments.bounds.array_len,
            pointer_depth: arguments.bounds.pointer_depth,
            ..Default::default()
        },
        solver: upshot_solver::Options {
            timeout: arguments.solver.solver_timeout.map(Duration::from_millis),
            interrupt: interrupt.clone(),
            deadline,
            log_queries: arguments.solver.log_queries.clone(),
            cross_check: arguments.solver.check_solver,
            layers,
            ..Default::default()
        },
        search: match arguments.search {
            Search::Dfs => upshot_explore::Search::DepthFirst,
            Search::Bfs => upshot_explore::Search::BreadthFirst,
            Search::Random => upshot_explore::Search::Random,
            Search::Coverage => upshot_explore::Search::Coverage,
        },
        seed: arguments.seed,
        max_depth: arguments.bounds.max_depth,
        max_paths: arguments.bounds.max_paths,
        deadline,
        max_memory: arguments.bounds.max_memory.map(|megabytes| megabytes << 20),
        all_errors: arguments.all_errors,
        tests: !arguments.no_tests,
        workers: arguments.jobs.map_or_else(cores, usize::from),
        interrupt: interrupt.clone(),
        progress: Arc::new(Progress::default()),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The globals that can change and that the entry, or what it calls, refers to.
fn reachable_globals(program: &Program, entry: FuncId) -> Vec<GlobalId> {
    let mut globals = std::collections::BTreeSet::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut work = vec![entry];
    while let Some(function) = work.pop() {
        if !seen.insert(function) {
            continue;
        }
        let body = program.function(function);
        for constant in &body.constants {
            mentioned(constant, &mut globals, &mut work);
        }
        for op in &body.ops {
            if let upshot_ir::Op::Call(call) = op
                && let upshot_ir::Callee::Direct(callee) = call.callee
            {
                work.push(callee);
            }
        }
    }
    let is_input = |id: &GlobalId| {
        let global = program.global(*id);
        !global.is_constant && !global.is_runtime && global.initializer.is_some() && global.size > 0
    };
    globals.into_iter().filter(is_input).collect()
}

fn mentioned(
    constant: &upshot_ir::Const,
    globals: &mut std::collections::BTreeSet<GlobalId>,
    functions: &mut Vec<FuncId>,
) {
    match constant {
        upshot_ir::Const::Global { global, .. } => {
            globals.insert(*global);
        }
        upshot_ir::Const::Function(function) => functions.push(*function),
        upshot_ir::Const::Expr { args, .. } => args.iter().for_each(|arg| mentioned(arg, globals, functions)),
        _ => {}
    }
}

fn complete_record(run: &mut upshot_suite::Run, arguments: &Run, loaded: &Loaded, summary: &Summary, time: Duration) {
    let paths = run.paths;
    run.complete = summary.exhausted && paths.bound + paths.unsupported + paths.unknown == 0;
    run.instructions = summary.instructions;
    run.queries = Queries { asked: summary.asked, solved: summary.solver.solved };
    run.time = Times { total_s: time.as_secs_f64(), solver_s: summary.solver.time().as_secs_f64() };
    let assumptions = &loaded.built.assumption_functions;
    let (lines, branches) = summary
        .coverage
        .figures(&loaded.program, |function| !function.is_runtime && !assumptions.contains(&function.name));
    let covered = |covered: upshot_exec::Covered| Covered { covered: covered.covered, total: covered.total };
    run.coverage = Coverage { lines: covered(lines), branches: covered(branches) };
    run.program = Some(ProgramRecord {
        inputs: arguments.program.program.iter().map(|path| path.display().to_string()).collect(),
        flags: arguments.program.clang_flags.iter().cloned().chain(extra_flags(arguments)).collect(),
        entry: arguments.program.entry.clone(),
        assumptions: arguments.program.assume.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    });
}

/// Which limits kept the run from being complete, by their flags.
fn limits(arguments: &Run, summary: &Summary) -> Vec<String> {
    let mut limits = Vec::new();
    if summary.out_of_time {
        limits.push("--timeout was reached".to_string());
    }
    if summary.out_of_memory {
        limits.push("--max-memory was reached".to_string());
    }
    if summary.out_of_paths {
        limits.push(format!("--max-paths {} was reached", arguments.bounds.max_paths.unwrap_or(0)));
    }
    limits
}

fn layers(summary: &Summary) -> Vec<upshot_report::Layer> {
    upshot_solver::Layer::ALL
        .iter()
        .map(|&layer| {
            let figures = summary.solver.layer(layer);
            upshot_report::Layer {
                name: layer.name(),
                asked: figures.asked,
                answered: figures.answered,
                time: figures.time,
            }
        })
        .collect()
}

fn print(arguments: &Run, run: &upshot_suite::Run, notes: &upshot_report::Notes) {
    match arguments.output.format {
        Format::Json => println!("{}", upshot_report::run_json(run, notes)),
        Format::Text => {
            let style = crate::style(arguments.output.color);
            let detail = match (arguments.output.quiet, arguments.output.verbose) {
                (true, _) => upshot_report::Detail::Verdict,
                (_, 0) => upshot_report::Detail::Normal,
                _ => upshot_report::Detail::Verbose,
            };
            print!("{}", upshot_report::run_text(run, notes, style, detail));
        }
    }
}

fn exit_code(run: &upshot_suite::Run, summary: &Summary) -> u8 {
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
