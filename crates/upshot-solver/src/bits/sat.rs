//! The SAT solver, behind a trait so that another can take its place. A budget is counted in conflicts, which makes an answer
//! independent of the machine; the clock and the interrupt flag are looked at now and then.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, SolverInterface, lbool};

use crate::answer::UnknownReason;
use crate::options::Limits;

/// A literal: a variable, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) variable: u32,
    pub(crate) negated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SatAnswer {
    Sat,
    Unsat,
    /// The budget was used up, or a limit was reached.
    Unknown(Option<UnknownReason>),
}

pub(crate) trait SatSolver {
    /// Variables are numbered from zero.
    fn new_variable(&mut self) -> u32;
    fn variables(&self) -> u32;
    fn add_clause(&mut self, clause: &[Literal]);
    /// Solves with these literals assumed, for at most `conflicts` conflicts.
    fn solve(&mut self, assumptions: &[Literal], conflicts: u64, limits: &Limits) -> SatAnswer;
    /// The value of a variable in the model, after [`SatAnswer::Sat`].
    fn value(&self, variable: u32) -> bool;
    /// Forgets everything.
    fn reset(&mut self);
}

/// Counts conflicts, and asks to stop when there were enough.
#[derive(Default)]
struct Budget {
    left: Cell<u64>,
    limits: Option<Limits>,
    /// Calls until the limits are looked at again.
    patience: Cell<u32>,
    exceeded: Cell<bool>,
}

/// Decisions between two looks at the clock.
const PATIENCE: u32 = 2_000;

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.left.set(self.left.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        if self.patience.get() == 0 {
            self.patience.set(PATIENCE);
            let exceeded = self.limits.as_ref().is_some_and(|limits| limits.exceeded().is_some());
            self.exceeded.set(self.exceeded.get() || exceeded);
        }
        self.patience.set(self.patience.get() - 1);
        self.left.get() == 0 || self.exceeded.get()
    }
}

/// MiniSat in Rust. A variable is tried as false first, so what is not constrained becomes zero.
pub(crate) struct Batsat {
    solver: batsat::Solver<Budget>,
    clause: Vec<batsat::Lit>,
    assumptions: Vec<batsat::Lit>,
}

impl Default for Batsat {
    fn default() -> Batsat {
        let solver = batsat::Solver::new(batsat::SolverOpts::default(), Budget::default());
        Batsat { solver, clause: Vec::new(), assumptions: Vec::new() }
    }
}

fn lit(literal: Literal) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(literal.variable), !literal.negated)
}

impl SatSolver for Batsat {
    fn new_variable(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }

    fn variables(&self) -> u32 {
        self.solver.num_vars()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&literal| lit(literal)));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve(&mut self, assumptions: &[Literal], conflicts: u64, limits: &Limits) -> SatAnswer {
        let budget = self.solver.cb_mut();
        budget.left.set(conflicts.max(1));
        budget.exceeded.set(false);
        budget.patience.set(PATIENCE);
        budget.limits = Some(limits.clone());
        self.assumptions.clear();
        self.assumptions.extend(assumptions.iter().map(|&literal| lit(literal)));
        let answer = self.solver.solve_limited(&self.assumptions);
        if answer == lbool::TRUE {
            SatAnswer::Sat
        } else if answer == lbool::FALSE {
            SatAnswer::Unsat
        } else {
            SatAnswer::Unknown(limits.exceeded())
        }
    }

    fn value(&self, variable: u32) -> bool {
        self.solver.value_var(batsat::Var::unsafe_from_idx(variable)) == lbool::TRUE
    }

    fn reset(&mut self) {
        self.solver.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn literal(variable: u32, negated: bool) -> Literal {
        Literal { variable, negated }
    }

    /// No place for one more pigeon than there are holes.
    fn pigeons(solver: &mut Batsat, holes: u32) {
        let variable = |pigeon: u32, hole: u32| pigeon * holes + hole;
        for _ in 0..(holes + 1) * holes {
            solver.new_variable();
        }
        for pigeon in 0..=holes {
            let somewhere: Vec<Literal> = (0..holes).map(|hole| literal(variable(pigeon, hole), false)).collect();
            solver.add_clause(&somewhere);
        }
        for hole in 0..holes {
            for first in 0..=holes {
                for second in 0..first {
                    solver.add_clause(&[literal(variable(first, hole), true), literal(variable(second, hole), true)]);
                }
            }
        }
    }

    #[test]
    fn assumptions_do_not_stay() {
        let mut solver = Batsat::default();
        let limits = Limits::start(&Options::default());
        let (a, b) = (solver.new_variable(), solver.new_variable());
        solver.add_clause(&[literal(a, true), literal(b, false)]);
        let both = [literal(a, false), literal(b, true)];
        assert_eq!(solver.solve(&both, 100, &limits), SatAnswer::Unsat);
        assert_eq!(solver.solve(&both[..1], 100, &limits), SatAnswer::Sat);
        assert!(solver.value(a) && solver.value(b));
    }

    #[test]
    fn a_budget_ends_a_hard_question() {
        let mut solver = Batsat::default();
        let limits = Limits::start(&Options::default());
        pigeons(&mut solver, 9);
        assert_eq!(solver.solve(&[], 50, &limits), SatAnswer::Unknown(None));
        solver.reset();
        pigeons(&mut solver, 4);
        assert_eq!(solver.solve(&[], 100_000, &limits), SatAnswer::Unsat);
    }

    #[test]
    fn an_interrupt_ends_a_hard_question() {
        let mut solver = Batsat::default();
        let options = Options::default();
        options.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        pigeons(&mut solver, 12);
        let answer = solver.solve(&[], u64::MAX, &Limits::start(&options));
        assert_eq!(answer, SatAnswer::Unknown(Some(UnknownReason::Interrupted)));
    }
}
