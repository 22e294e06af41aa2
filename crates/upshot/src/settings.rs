//! From flags to the configuration of an exploration, the same for every command that explores.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use upshot_exec::Start;
use upshot_explore::{Config, Seed, Summary};
use upshot_ir::{FuncId, Program};

use crate::arguments::{Bounds, Checks, SolverArguments};
use crate::resume::Identity;

/// The flags that all explorations share.
pub struct Settings<'a> {
    pub bounds: &'a Bounds,
    pub checks: &'a Checks,
    pub solver: &'a SolverArguments,
    pub jobs: Option<u16>,
    pub interrupt: &'a Arc<AtomicBool>,
    pub started: Instant,
}

/// Where an exploration begins.
pub struct Beginning<'a> {
    pub program: &'a Program,
    pub entry: FuncId,
    /// Its parameters are made from their types.
    pub symbolic: bool,
    pub assumptions: &'a [FuncId],
}

impl Settings<'_> {
    /// Depth first, with tests, one test for each kind and place of errors.
    pub fn config(&self, beginning: &Beginning<'_>) -> Config {
        let deadline = self.bounds.timeout.map(|timeout| self.started + timeout);
        let without = self.solver.without_layer.iter();
        let layers = without.fold(upshot_solver::Layers::all(), |layers, &layer| layers.without(layer));
        Config {
            start: self.start(beginning),
            exec: upshot_exec::Options {
                check_overflow: self.checks.check_overflow,
                check_uninit: self.checks.check_uninit,
                malloc_fail: self.checks.malloc_fail,
                max_alloc: self.bounds.max_alloc,
                max_instructions: self.bounds.max_instructions,
                array_len: self.bounds.array_len,
                pointer_depth: self.bounds.pointer_depth,
                ..Default::default()
            },
            solver: upshot_solver::Options {
                timeout: self.solver.solver_timeout.map(Duration::from_millis),
                interrupt: self.interrupt.clone(),
                deadline,
                log_queries: self.solver.log_queries.clone(),
                cross_check: self.solver.check_solver,
                layers,
                ..Default::default()
            },
            max_depth: self.bounds.max_depth,
            max_paths: self.bounds.max_paths,
            deadline,
            max_memory: self.bounds.max_memory.map(|megabytes| megabytes << 20),
            workers: self.jobs.map_or_else(cores, usize::from),
            interrupt: self.interrupt.clone(),
            ..Config::new(beginning.entry)
        }
    }

    fn start(&self, beginning: &Beginning<'_>) -> Start {
        let symbolic_globals = if self.checks.symbolic_globals {
            upshot_exec::reachable_globals(beginning.program, beginning.entry)
        } else {
            Vec::new()
        };
        Start {
            symbolic_parameters: beginning.symbolic,
            symbolic_globals,
            assumptions: beginning.assumptions.to_vec(),
            ..Start::default()
        }
    }

    /// Which limits kept a search from being complete, by their flags.
    pub fn limits(&self, summary: &Summary) -> Vec<String> {
        let mut limits = Vec::new();
        if summary.out_of_time {
            limits.push("--timeout was reached".to_string());
        }
        if summary.out_of_memory {
            limits.push("--max-memory was reached".to_string());
        }
        if summary.out_of_paths {
            limits.push(format!("--max-paths {} was reached", self.bounds.max_paths.unwrap_or(0)));
        }
        limits
    }
}

/// What decides which paths there are, for the record.
pub fn bounds_record(bounds: &Bounds, checks: &Checks, all_errors: bool) -> upshot_suite::Bounds {
    upshot_suite::Bounds {
        max_depth: bounds.max_depth.map(|depth| depth as u64),
        max_paths: bounds.max_paths,
        max_instructions: bounds.max_instructions,
        max_alloc: bounds.max_alloc,
        array_len: bounds.array_len,
        pointer_depth: bounds.pointer_depth,
        check_overflow: checks.check_overflow,
        check_uninit: checks.check_uninit,
        malloc_fail: checks.malloc_fail,
        symbolic_globals: checks.symbolic_globals,
        all_errors,
    }
}

/// What decides which paths there are and what their tests are, for whoever goes on with an exploration of these programs.
pub fn identity(
    programs: &[(&str, &[u8])],
    entry: Option<&str>,
    assumptions: &[String],
    bounds: &upshot_suite::Bounds,
    seeds: &[Seed],
) -> Identity {
    // How far to go in path order may change.
    let bounds = upshot_suite::Bounds { max_paths: None, ..bounds.clone() };
    let mut identity = Identity::from([
        ("version of Upshot".to_string(), env!("CARGO_PKG_VERSION").to_string()),
        ("entry".to_string(), entry.unwrap_or("main").to_string()),
        ("assumptions".to_string(), assumptions.join("\n")),
        ("bounds".to_string(), serde_json::to_string(&bounds).unwrap_or_default()),
    ]);
    for (name, bitcode) in programs {
        identity.insert(name.to_string(), upshot_suite::checksum(bitcode));
    }
    if !seeds.is_empty() {
        identity.insert("seeds".to_string(), upshot_suite::checksum(format!("{seeds:?}").as_bytes()));
    }
    identity
}

/// Only without wrapping does clang say which additions must not overflow.
pub const NO_WRAPPING: &str = "-fno-wrapv";

/// What the checks need of clang, recorded with the user's own flags since replay needs it too.
pub fn extra_flags(checks: &Checks) -> Vec<String> {
    if checks.check_overflow { vec![NO_WRAPPING.to_string()] } else { Vec::new() }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What each layer of the solver did.
pub fn layers(summary: &Summary) -> Vec<upshot_report::Layer> {
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
