//! The input that is written for a path. It is a function of the path condition alone: each independent part is solved by
//! itself, by a solver that has seen nothing else, from a problem whose numbering follows from the constraints in path order. Which
//! layers are switched on does not matter here, so switching one off changes no test.
//! Parts are shared between sibling paths, so each is solved once and remembered.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use upshot_expr::{Assignment, TermId, Terms, Var};

use crate::answer::UnknownReason;
use crate::bits::{Bits, BitsAnswer, Question};
use crate::cross_check::compare_part;
use crate::fingerprint::Fingerprint;
use crate::interval::{Contradiction, Facts};
use crate::options::Limits;
use crate::path::{Part, PathCondition};
use crate::repair::repaired;
use crate::smt::{Problem, SmtAnswer, SmtSolver};
use crate::statistics::Statistics;

/// The values of a part's bytes; `None`: the part cannot be satisfied.
type Solution = Option<Rc<[(Var, u8)]>>;

/// Solutions by sequence of constraints.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    solutions: FxHashMap<Fingerprint, Solution>,
}

/// What solving takes.
pub(crate) struct Tools<'a> {
    pub(crate) bits: &'a mut Bits,
    pub(crate) smt: &'a mut dyn SmtSolver,
    pub(crate) limits: &'a Limits,
    pub(crate) cross_check: bool,
    pub(crate) statistics: &'a mut Statistics,
}

impl Canonical {
    pub(crate) fn solve(
        &mut self,
        tools: &mut Tools,
        terms: &mut Terms,
        path: &PathCondition,
        preferences: &[TermId],
    ) -> Result<Assignment, UnknownReason> {
        let path = self.preferred(tools, terms, path, preferences)?;
        let mut input = Assignment::new();
        for part in path.parts() {
            let Some(bytes) = self.part(tools, terms, part)? else { return Err(contradiction()) };
            for &(var, value) in bytes.iter() {
                input.set(var.symbol, var.offset, value);
            }
        }
        if path.is_contradictory() { Err(contradiction()) } else { Ok(input) }
    }

    /// The path with those preferences that can be met, each in turn, added as constraints.
    fn preferred(
        &mut self,
        tools: &mut Tools,
        terms: &mut Terms,
        path: &PathCondition,
        preferences: &[TermId],
    ) -> Result<PathCondition, UnknownReason> {
        let mut preferred = path.clone();
        for &preference in preferences {
            let mut stricter = preferred.clone();
            stricter.push(terms, preference);
            if stricter.is_contradictory() {
                continue;
            }
            let support = terms.support(preference);
            let mut possible = true;
            for part in stricter.parts_of(&support) {
                possible &= match self.part(tools, terms, part) {
                    Ok(solution) => solution.is_some(),
                    Err(UnknownReason::GaveUp(_)) => false,
                    Err(reason) => return Err(reason),
                };
            }
            if possible {
                preferred = stricter;
            }
        }
        Ok(preferred)
    }

    fn part(&mut self, tools: &mut Tools, terms: &Terms, part: &Part) -> Result<Solution, UnknownReason> {
        let mut key = Fingerprint::default();
        for term in part.terms() {
            key.append(term);
        }
        tools.statistics.canonical_parts += 1;
        if let Some(known) = self.solutions.get(&key) {
            return Ok(known.clone());
        }
        tools.statistics.canonical_solved += 1;
        let solution = solve_part(tools, terms, part)?;
        if tools.cross_check {
            cross_check(tools, terms, part, &solution)?;
        }
        self.solutions.insert(key, solution.clone());
        Ok(solution)
    }
}

/// Conflicts after which a part is handed to Z3.
const CONFLICTS: u64 = 50_000;

fn solve_part(tools: &mut Tools, terms: &Terms, part: &Part) -> Result<Solution, UnknownReason> {
    let Ok(facts) = facts_of(terms, part) else { return Ok(None) };
    if let Some(solution) = simple_input(terms, part, &facts) {
        return Ok(Some(solution));
    }
    let bytes: Rc<[(Var, u8)]> = match search(tools, terms, part, &facts) {
        SmtAnswer::Sat(bytes) => bytes.into(),
        SmtAnswer::Unsat => return Ok(None),
        SmtAnswer::Unknown(reason) => return Err(reason),
    };
    let input = input_of(&bytes);
    if part.terms().all(|term| input.eval_bool(terms, term)) {
        return Ok(Some(bytes));
    }
    Err(disagreement(tools, "the solver's model does not satisfy the path condition"))
}

/// The facts of the part, from nothing and in path order. Those that the part itself keeps may have seen other questions.
fn facts_of(terms: &Terms, part: &Part) -> Result<Facts, Contradiction> {
    let mut facts = Facts::default();
    for term in part.terms() {
        facts.assume(terms, term)?;
    }
    Ok(facts)
}

fn search(tools: &mut Tools, terms: &Terms, part: &Part, facts: &Facts) -> SmtAnswer {
    let conflicts = tools.limits.conflicts.map_or(CONFLICTS, |conflicts| conflicts.min(CONFLICTS));
    let question = Question { terms, facts, limits: tools.limits, conflicts };
    match tools.bits.solve_afresh(question, part.terms()) {
        BitsAnswer::Sat(bytes) => SmtAnswer::Sat(bytes),
        BitsAnswer::Unsat => SmtAnswer::Unsat,
        BitsAnswer::Unknown(reason) => SmtAnswer::Unknown(reason),
        BitsAnswer::Declined => tools.smt.solve(&Problem::new(terms, part.terms()), tools.limits),
    }
}

fn input_of(bytes: &[(Var, u8)]) -> Assignment {
    let mut input = Assignment::new();
    for &(var, value) in bytes {
        input.set(var.symbol, var.offset, value);
    }
    input
}

fn cross_check(tools: &mut Tools, terms: &Terms, part: &Part, solution: &Solution) -> Result<(), UnknownReason> {
    let input = solution.as_ref().map(|bytes| input_of(bytes));
    compare_part(terms, part, input.as_ref()).map_err(|complaint| disagreement(tools, &complaint))
}

fn disagreement(tools: &mut Tools, complaint: &str) -> UnknownReason {
    tools.statistics.disagreements += 1;
    tracing::error!("a canonical input is wrong: {complaint}");
    UnknownReason::GaveUp(complaint.to_string())
}

/// Each byte at the lower end of its range, and then changed where a constraint asks for it: a simple input, and usually right.
fn simple_input(terms: &Terms, part: &Part, facts: &Facts) -> Option<Rc<[(Var, u8)]>> {
    let ranges = facts.byte_ranges(terms);
    let mut lowest = Assignment::new();
    for (var, range) in &ranges {
        lowest.set(var.symbol, var.offset, range.low as u8);
    }
    let constraints: Vec<TermId> = part.terms().collect();
    let input = repaired(terms, &constraints, facts, &lowest)?;
    Some(part.vars.iter().map(|&var| (var, input.byte(var.symbol, var.offset))).collect())
}

fn contradiction() -> UnknownReason {
    UnknownReason::GaveUp("the path condition contradicts itself".to_string())
}
