//! Bits to SAT: terms become words of gates, gates become clauses, and a SAT solver decides. This answers nearly all questions
//! that reach it, and far faster than a general SMT solver: what is asked on a path is many small, similar questions. Floats, large
//! arrays and what turns out to be hard are left to Z3.
//!
//! One SAT solver serves many questions. It is never let grow without bound: gates of other questions are decided and propagated
//! in each, so beyond a few times the size of the question at hand it is emptied, and refilled from the graph of gates.

mod blaster;
mod cnf;
mod gates;
mod mutation;
mod sat;
mod words;

use upshot_expr::{Assignment, TermId, Terms, Var};

use self::blaster::{Blaster, Formula};
use self::cnf::Cnf;
use self::gates::Bit;
use self::sat::{Batsat, Literal, SatAnswer, SatSolver};
use crate::answer::UnknownReason;
use crate::interval::Facts;
use crate::options::Limits;

/// What this layer says about a set of constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BitsAnswer {
    /// Values for the input bytes that matter.
    Sat(Vec<(Var, u8)>),
    Unsat,
    /// The limits of the question were reached.
    Unknown(UnknownReason),
    /// Not a question for this layer: floats, large arrays, or the budget was used up.
    Declined,
}

/// Variables of the SAT solver up to which it is kept whatever the question.
const SMALL: usize = 400;

/// Variables that the SAT solver may have, for each that the question needs.
const GROWTH: usize = 4;

/// Gates beyond which the graph is dropped.
const LARGE: usize = 1 << 21;

/// Conflicts times gates that a question may cost: in a large formula a conflict costs more, and helps less.
const EFFORT: u64 = 80_000_000;

/// Conflicts that even the largest formula may cost.
const FEWEST: u64 = 1_000;

/// A question: constraints, and what is known to follow from them.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) facts: &'a Facts,
    pub(crate) limits: &'a Limits,
    /// Conflicts after which the question is declined, if it is small; the larger, the fewer.
    pub(crate) conflicts: u64,
}

impl Question<'_> {
    fn budget(&self, cone: usize) -> u64 {
        self.conflicts.min((EFFORT / (cone as u64).max(1)).max(FEWEST))
    }
}

pub(crate) struct Bits {
    blaster: Blaster,
    cnf: Cnf,
    sat: Box<dyn SatSolver>,
}

impl Default for Bits {
    fn default() -> Bits {
        Bits { blaster: Blaster::default(), cnf: Cnf::default(), sat: Box::<Batsat>::default() }
    }
}

impl Bits {
    /// Answers with all that was learnt from earlier questions. Bits that do not matter are taken from `model`.
    pub(crate) fn solve(
        &mut self,
        question: Question,
        constraints: impl IntoIterator<Item = TermId>,
        model: &Assignment,
    ) -> BitsAnswer {
        if self.blaster.gates.len() > LARGE {
            self.clear();
        }
        let Ok(formula) = self.blaster.formula(question.terms, question.facts, constraints) else {
            return BitsAnswer::Declined;
        };
        if formula.roots.contains(&Bit::FALSE) {
            return BitsAnswer::Unsat;
        }
        let (cone, unknown) = self.cnf.find_cone(&self.blaster.gates, &formula.roots);
        if self.sat.variables() as usize + unknown > SMALL.max(GROWTH * cone) {
            self.sat.reset();
            self.cnf.reset();
        }
        self.cnf.emit_cone(&self.blaster.gates, self.sat.as_mut(), false);
        let assumptions: Vec<Literal> = formula.roots.iter().map(|&root| self.cnf.literal(root)).collect();
        let answer = self.sat.solve(&assumptions, question.budget(cone), question.limits);
        self.read_out(answer, &formula, |var| model.byte(var.symbol, var.offset))
    }

    /// Answers as if nothing had been asked before: the values depend on the constraints, their order and the facts alone.
    pub(crate) fn solve_afresh(
        &mut self,
        question: Question,
        constraints: impl IntoIterator<Item = TermId>,
    ) -> BitsAnswer {
        self.clear();
        let Ok(formula) = self.blaster.formula(question.terms, question.facts, constraints) else {
            return BitsAnswer::Declined;
        };
        if formula.roots.contains(&Bit::FALSE) {
            return BitsAnswer::Unsat;
        }
        let (cone, _) = self.cnf.find_cone(&self.blaster.gates, &formula.roots);
        self.cnf.emit_cone(&self.blaster.gates, self.sat.as_mut(), true);
        for &root in &formula.roots {
            self.sat.add_clause(&[self.cnf.literal(root)]);
        }
        let answer = self.sat.solve(&[], question.budget(cone), question.limits);
        self.read_out(answer, &formula, |_| 0)
    }

    fn clear(&mut self) {
        self.blaster.clear();
        self.cnf.clear();
        self.sat.reset();
    }

    fn read_out(&self, answer: SatAnswer, formula: &Formula, otherwise: impl Fn(Var) -> u8) -> BitsAnswer {
        match answer {
            SatAnswer::Unsat => BitsAnswer::Unsat,
            SatAnswer::Unknown(Some(reason)) => BitsAnswer::Unknown(reason),
            SatAnswer::Unknown(None) => BitsAnswer::Declined,
            SatAnswer::Sat => {
                let value = |(var, word): &(Var, std::rc::Rc<[Bit]>)| {
                    let default = otherwise(*var);
                    let bit = |(position, &bit): (usize, &Bit)| {
                        let free = default >> position & 1 == 1;
                        u8::from(self.cnf.value(bit, self.sat.as_ref()).unwrap_or(free)) << position
                    };
                    (*var, word.iter().enumerate().map(bit).sum())
                };
                BitsAnswer::Sat(formula.bytes.iter().map(value).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval::Contradiction;
    use crate::options::Options;
    use crate::random_terms::{Generator, Points, Shape};
    use crate::smt::{Problem, SmtAnswer, SmtSolver, Z3};

    const ALL: Shape = Shape { bytes: 6, widest: 128, floats: false, arrays: true, widest_product: 129 };
    const SMALL_PRODUCTS: Shape = Shape { bytes: 3, widest: 128, floats: false, arrays: true, widest_product: 9 };

    fn facts_of(terms: &Terms, constraints: &[TermId]) -> Result<Facts, Contradiction> {
        let mut facts = Facts::default();
        for &constraint in constraints {
            facts.assume(terms, constraint)?;
        }
        Ok(facts)
    }

    fn satisfies(terms: &Terms, constraints: &[TermId], bytes: &[(Var, u8)]) -> bool {
        let mut input = Assignment::new();
        for &(var, value) in bytes {
            input.set(var.symbol, var.offset, value);
        }
        constraints.iter().all(|&constraint| input.eval_bool(terms, constraint))
    }

    /// Every operator at every width from 1 to 128, as such and simplified: the value that evaluating gives, and no other, by the blaster and
    /// by Z3.
    #[test]
    fn every_operator_at_every_width_means_what_it_evaluates_to() {
        let limits = Limits::start(&Options::default());
        let mut bits = Bits::default();
        for seed in 0..2 * 128u64 {
            let mut generator = Generator::new(seed, ALL);
            let width = (seed / 2) as u8 + 1;
            let Points { inputs, all_equal, some_differ } = generator.every_operator(width);
            let (terms, none) = (&generator.terms, Facts::default());
            let question = Question { terms, facts: &none, limits: &limits, conflicts: 10_000 };
            for (last, possible) in [(some_differ, false), (all_equal, true)] {
                let constraints = || inputs.iter().copied().chain([last]);
                let found = bits.solve_afresh(question, constraints());
                assert_eq!(matches!(found, BitsAnswer::Sat(_)), possible, "seed {seed}, width {width}");
                assert_eq!(matches!(found, BitsAnswer::Unsat), !possible, "seed {seed}, width {width}");
                let expected = Z3::new(None).expect("Z3").solve(&Problem::new(terms, constraints()), &limits);
                assert_eq!(matches!(expected, SmtAnswer::Sat(_)), possible, "seed {seed}, width {width}");
                assert_eq!(matches!(expected, SmtAnswer::Unsat), !possible, "seed {seed}, width {width}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

        /// Terms have the values that evaluating them gives, and no other, for one input.
        #[test]
        fn words_mean_what_terms_evaluate_to(seed: u64, depth in 1u32..4) {
            let mut generator = Generator::new(seed, ALL);
            let Points { inputs, all_equal, some_differ } = generator.points(8, depth);
            let limits = Limits::start(&Options::default());
            let (mut bits, none) = (Bits::default(), Facts::default());
            let question = Question { terms: &generator.terms, facts: &none, limits: &limits, conflicts: 10_000 };
            let differ = inputs.iter().copied().chain([some_differ]);
            prop_assert_eq!(bits.solve_afresh(question, differ), BitsAnswer::Unsat);
            let answer = bits.solve_afresh(question, inputs.iter().copied().chain([all_equal]));
            prop_assert!(matches!(answer, BitsAnswer::Sat(_)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

        /// Constraints that are free to be satisfied in any way: the answer is that of Z3, with and without facts, asked alone
        /// and after others.
        #[test]
        fn answers_are_those_of_z3(seed: u64, depth in 1u32..4, count in 1usize..4) {
            let mut generator = Generator::new(seed, SMALL_PRODUCTS);
            let limits = Limits::start(&Options::default());
            let mut shared = Bits::default();
            for _ in 0..3 {
                let constraints: Vec<TermId> = (0..count).map(|_| generator.term(1, depth)).collect();
                let terms = &generator.terms;
                let expected = Z3::new(None)
                    .expect("Z3")
                    .solve(&Problem::new(terms, constraints.iter().copied()), &limits);
                let expected = matches!(expected, SmtAnswer::Sat(_));
                let none = Facts::default();
                let derived = facts_of(terms, &constraints);
                prop_assert!(derived.is_ok() || !expected);
                for facts in [Ok(none), derived] {
                    let Ok(facts) = facts else { continue };
                    let question = Question { terms, facts: &facts, limits: &limits, conflicts: 1_000_000 };
                    let alone = Bits::default().solve_afresh(question, constraints.iter().copied());
                    let after = shared.solve(question, constraints.iter().copied(), &Assignment::new());
                    for answer in [alone, after] {
                        match answer {
                            BitsAnswer::Sat(bytes) => {
                                prop_assert!(expected);
                                prop_assert!(satisfies(terms, &constraints, &bytes));
                            }
                            other => {
                                prop_assert_eq!(other, BitsAnswer::Unsat);
                                prop_assert!(!expected);
                            }
                        }
                    }
                }
            }
        }
    }
}
