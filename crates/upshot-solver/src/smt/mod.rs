//! Z3, for what the layers above cannot decide: floats, large arrays, and what exceeded the budget of the SAT solver. Each
//! question is a [`Problem`] that goes to a context of its own: an answer, and above all a model, that depends on what the context
//! saw before would make the tests written depend on how the work was split.

mod encode;
mod ffi;
mod float;
mod problem;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use upshot_expr::Var;
use z3::ast::BV;
use z3::{Config, Context, Params, SatResult};

pub(crate) use problem::Problem;

use crate::answer::{SolverError, UnknownReason};
use crate::options::Limits;

/// What a solver says about a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SmtAnswer {
    /// A value for each input byte that the problem mentions.
    Sat(Vec<(Var, u8)>),
    Unsat,
    Unknown(UnknownReason),
}

/// A solver for whole problems.
pub(crate) trait SmtSolver {
    fn solve(&mut self, problem: &Problem, limits: &Limits) -> SmtAnswer;
}

/// Z3 in a new context for each problem.
#[derive(Debug)]
pub(crate) struct Z3 {
    log: Option<PathBuf>,
    solved: u64,
}

/// The oldest Z3 that the bindings work with.
const NEEDED: (&str, [u32; 3]) = ("4.13.3", [4, 13, 3]);

/// How often a limit is looked at while Z3 works.
const POLL: Duration = Duration::from_millis(20);

/// Z3's own unit of work, for each conflict that a question may cost.
const WORK_PER_CONFLICT: u64 = 2_000;

impl Z3 {
    /// `log`: a folder for the problems, as SMT-LIB.
    pub(crate) fn new(log: Option<PathBuf>) -> Result<Z3, SolverError> {
        let found = z3::full_version();
        if !is_new_enough(found) {
            return Err(SolverError::Version { found: found.to_string(), needed: NEEDED.0 });
        }
        if let Some(path) = &log {
            std::fs::create_dir_all(path).map_err(|source| SolverError::LogFolder { path: path.clone(), source })?;
        }
        Ok(Z3 { log, solved: 0 })
    }
}

/// Whether a version like `Z3 4.13.3.0` is one that works.
fn is_new_enough(version: &str) -> bool {
    let numbers = version.split(|c: char| !c.is_ascii_digit() && c != '.').find(|word| word.contains('.'));
    let Some(numbers) = numbers else { return false };
    let parts: Vec<u32> = numbers.split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() >= NEEDED.1.as_slice()
}

impl SmtSolver for Z3 {
    fn solve(&mut self, problem: &Problem, limits: &Limits) -> SmtAnswer {
        if let Some(reason) = limits.exceeded() {
            return SmtAnswer::Unknown(reason);
        }
        self.solved += 1;
        let number = self.solved;
        let log = self.log.as_ref().map(|folder| {
            let worker = format!("{:?}", std::thread::current().id());
            let worker: String = worker.chars().filter(char::is_ascii_digit).collect();
            folder.join(format!("query-{worker}-{number:06}.smt2"))
        });
        let mut config = Config::new();
        config.set_model_generation(true);
        // The bindings panic where Z3 refuses an argument. That would be a bug of ours, but it must not end the run.
        z3::with_z3_config(&config, || {
            catch_unwind(AssertUnwindSafe(|| solve_here(problem, limits, log)))
                .unwrap_or_else(|_| SmtAnswer::Unknown(UnknownReason::GaveUp("Z3 refused the question".to_string())))
        })
    }
}

/// Solves in the current thread's context.
fn solve_here(problem: &Problem, limits: &Limits, log: Option<PathBuf>) -> SmtAnswer {
    let encoded = match encode::encode(problem) {
        Ok(encoded) => encoded,
        Err(gap) => return SmtAnswer::Unknown(UnknownReason::GaveUp(format!("no encoding for {}", gap.0))),
    };
    let solver = z3::Solver::new();
    if let Some(conflicts) = limits.conflicts {
        let mut parameters = Params::new();
        let work = conflicts.saturating_mul(WORK_PER_CONFLICT);
        parameters.set_u32("rlimit", u32::try_from(work).unwrap_or(u32::MAX));
        solver.set_params(&parameters);
    }
    for constraint in &encoded.constraints {
        solver.assert(constraint);
    }
    if let Some(path) = log
        && let Err(error) = std::fs::write(&path, solver.to_smt2())
    {
        tracing::warn!("cannot write {}: {error}", path.display());
    }
    match watched(limits, || solver.check()) {
        SatResult::Unsat => SmtAnswer::Unsat,
        SatResult::Unknown => SmtAnswer::Unknown(limits.exceeded().unwrap_or_else(|| {
            UnknownReason::GaveUp(solver.get_reason_unknown().unwrap_or_else(|| "Z3 gave no reason".to_string()))
        })),
        SatResult::Sat => {
            let Some(model) = solver.get_model() else {
                return SmtAnswer::Unknown(UnknownReason::GaveUp("Z3 gave no model".to_string()));
            };
            let value = |bits: &BV| model.eval(bits, true).and_then(|value| value.as_u64()).unwrap_or(0) as u8;
            SmtAnswer::Sat(problem.variables.iter().copied().zip(encoded.variables.iter().map(value)).collect())
        }
    }
}

/// The question whether these hold together, as SMT-LIB for any solver.
pub(crate) fn smt_lib(problem: &Problem) -> Result<String, String> {
    z3::with_z3_config(&Config::new(), || {
        let write = || {
            let encoded = encode::encode(problem).map_err(|gap| format!("no encoding for {}", gap.0))?;
            let solver = z3::Solver::new();
            encoded.constraints.iter().for_each(|constraint| solver.assert(constraint));
            Ok(format!("(set-logic ALL)\n{}", solver.to_smt2()))
        };
        catch_unwind(AssertUnwindSafe(write)).unwrap_or_else(|_| Err("Z3 refused the question".to_string()))
    })
}

/// Runs `work` in the current context, and interrupts the context when a limit is exceeded.
fn watched<R>(limits: &Limits, work: impl FnOnce() -> R) -> R {
    let context = Context::thread_local();
    let handle = context.handle();
    std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        let (handle, limits) = (&handle, limits.clone());
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(POLL) {
                if limits.exceeded().is_some() {
                    handle.interrupt();
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::Options;
    use crate::random_terms::{Generator, Points, Shape};

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_new_enough("Z3 4.13.3.0"));
        assert!(is_new_enough("Z3 5.4.0.0 8b1f3f2"));
        assert!(!is_new_enough("Z3 4.8.12.0"));
        assert!(!is_new_enough("unknown"));
    }

    /// That terms have the values that evaluating them gives, and no other, for one input.
    fn agrees_with_evaluation(seed: u64, shape: Shape, count: usize, depth: u32) {
        let mut generator = Generator::new(seed, shape);
        let Points { inputs, all_equal, some_differ } = generator.points(count, depth);
        let terms = &generator.terms;
        let limits = Limits::start(&Options::default());
        let mut z3 = Z3::new(None).expect("Z3");
        let mut solve = |last| z3.solve(&Problem::new(terms, inputs.iter().copied().chain([last])), &limits);
        assert_eq!(solve(some_differ), SmtAnswer::Unsat);
        assert!(matches!(solve(all_equal), SmtAnswer::Sat(_)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn integers_mean_what_they_evaluate_to(seed: u64, depth in 1u32..4) {
            let shape = Shape { bytes: 6, widest: 128, floats: false, arrays: true, widest_product: 129 };
            agrees_with_evaluation(seed, shape, 16, depth);
        }

        #[test]
        fn floats_mean_what_they_evaluate_to(seed: u64, depth in 1u32..3) {
            let shape = Shape { bytes: 6, widest: 128, floats: true, arrays: false, widest_product: 65 };
            agrees_with_evaluation(seed, shape, 4, depth);
        }
    }
}
