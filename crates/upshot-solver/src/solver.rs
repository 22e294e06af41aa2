//! The layers put together. A question goes down until a layer answers; a model is evaluated before it is returned, whichever layer it
//! came from; and what was found at some cost is remembered for the questions to come.

use std::time::Instant;

use upshot_expr::{Assignment, TermId, Terms};

use crate::answer::{Answer, SolverError, UnknownReason};
use crate::bits::{Bits, BitsAnswer, Question};
use crate::cache::Cache;
use crate::canonical::{Canonical, Tools};
use crate::cross_check::Reference;
use crate::interval::{self, Facts};
use crate::model;
use crate::options::{Limits, Options};
use crate::path::PathCondition;
use crate::query::{Query, Verdict};
use crate::recent::RecentModels;
use crate::repair::repaired;
use crate::simplify;
use crate::smt::{Problem, SmtAnswer, SmtSolver, Z3};
use crate::statistics::{Layer, Statistics};

/// Conflicts after which a question is handed from the SAT solver to Z3.
const BITS_CONFLICTS: u64 = 20_000;

/// Answers questions about the paths of one arena of terms. Each worker has its own.
pub struct Solver {
    options: Options,
    statistics: Statistics,
    cache: Cache,
    recent: RecentModels,
    bits: Bits,
    /// For canonical inputs: emptied before each.
    fresh_bits: Bits,
    canonical: Canonical,
    smt: Box<dyn SmtSolver>,
}

impl Solver {
    /// Fails if the Z3 that was linked is too old, or the folder for queries cannot be made.
    pub fn new(options: Options) -> Result<Solver, SolverError> {
        let smt = Box::new(Z3::new(options.log_queries.clone())?);
        Ok(Solver {
            options,
            statistics: Statistics::default(),
            cache: Cache::default(),
            recent: RecentModels::default(),
            bits: Bits::default(),
            fresh_bits: Bits::default(),
            canonical: Canonical::default(),
            smt,
        })
    }

    /// Can `condition` hold together with `path`? `model` satisfies `path`. The answer's model is `model`, changed only in
    /// bytes that the condition is connected with.
    pub fn check(&mut self, terms: &mut Terms, path: &PathCondition, model: &Assignment, condition: TermId) -> Answer {
        self.statistics.asked += 1;
        if path.is_contradictory() {
            return Answer::Unsat;
        }
        let limits = Limits::start(&self.options);
        let start = Instant::now();
        let query = Query::new(terms, path, model, condition, self.options.layers.has(Layer::Independence));
        self.statistics.record(Layer::Independence, start.elapsed(), false);
        let reference = self.options.cross_check.then(|| Reference::new(path, &query));
        let (layer, verdict) = self.decide(&query, &limits, reference.as_ref());
        self.statistics.solved += u64::from(matches!(layer, Layer::Bits | Layer::Smt));
        self.statistics.unknown += u64::from(matches!(verdict, Verdict::Unknown(_)));
        verdict.into()
    }

    /// The first of `conditions` that `model` satisfies, found by evaluating. It is the model's layer, for all sides of a decision at once.
    /// When cross-checking, each side is left to [`Solver::check`], which compares the answer.
    pub fn satisfied_by(&mut self, terms: &Terms, model: &Assignment, conditions: &[TermId]) -> Option<usize> {
        if self.options.cross_check || !self.options.layers.has(Layer::Model) {
            return None;
        }
        let start = Instant::now();
        let found = conditions.iter().position(|&condition| model.eval_bool(terms, condition));
        if found.is_some() {
            self.statistics.record(Layer::Model, start.elapsed(), true);
        }
        found
    }

    /// An input for the whole path that depends on the path condition alone: not on term ids, caches, earlier questions or
    /// threads. Of `preferences`, in order, each is met that can be.
    pub fn canonical(
        &mut self,
        terms: &mut Terms,
        path: &PathCondition,
        preferences: &[TermId],
    ) -> Result<Assignment, UnknownReason> {
        let start = Instant::now();
        let limits = Limits::start(&self.options);
        let mut tools = Tools {
            bits: &mut self.fresh_bits,
            smt: self.smt.as_mut(),
            limits: &limits,
            cross_check: self.options.cross_check,
            statistics: &mut self.statistics,
        };
        let input = self.canonical.solve(&mut tools, terms, path, preferences);
        self.statistics.canonical_time += start.elapsed();
        input
    }

    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The first layer that answers, and its answer. When cross-checking, the layers below are asked too.
    fn decide(&mut self, query: &Query, limits: &Limits, reference: Option<&Reference>) -> (Layer, Verdict) {
        let mut decided = None;
        for layer in Layer::ALL {
            // The second opinion is Z3 already.
            let needless = layer == Layer::Smt && decided.is_some();
            if !self.options.layers.has(layer) || layer == Layer::Independence || needless {
                continue;
            }
            let start = Instant::now();
            let verdict = self.ask(layer, query, limits).and_then(|verdict| self.evaluated(layer, query, verdict));
            self.statistics.record(layer, start.elapsed(), verdict.is_some() && decided.is_none());
            let verdict = match reference {
                Some(reference) => self.cross_checked(layer, query, verdict, reference),
                None => verdict,
            };
            if let (Some(verdict), None) = (verdict, &decided) {
                decided = Some((layer, verdict));
                if reference.is_none() {
                    break;
                }
            }
        }
        let unknown = || Verdict::Unknown(UnknownReason::GaveUp("no layer could decide it".to_string()));
        let (layer, verdict) = decided.unwrap_or_else(|| (Layer::Smt, unknown()));
        self.learn(layer, query, &verdict);
        (layer, verdict)
    }

    /// The layers, from cheap to dear.
    fn ask(&mut self, layer: Layer, query: &Query, limits: &Limits) -> Option<Verdict> {
        match layer {
            Layer::Simplify => simplify::answer(query),
            Layer::Model => model::answer(query),
            Layer::Independence => None,
            Layer::Cache => self.cache.answer(query),
            Layer::RecentModels => self.recent.answer(query),
            Layer::Intervals => interval::answer(query),
            Layer::Repair => ask_repair(query),
            Layer::Bits => self.ask_bits(query, limits),
            Layer::Smt => Some(self.ask_smt(query, limits)),
        }
    }

    fn ask_bits(&mut self, query: &Query, limits: &Limits) -> Option<Verdict> {
        let facts = query.facts.get_or_init(Facts::default);
        let conflicts = limits.conflicts.map_or(BITS_CONFLICTS, |conflicts| conflicts.min(BITS_CONFLICTS));
        let question = Question { terms: query.terms, facts, limits, conflicts };
        match self.bits.solve(question, query.constraints(), query.model) {
            BitsAnswer::Sat(bytes) => Some(Verdict::Sat(query.changed_model(bytes))),
            BitsAnswer::Unsat => Some(Verdict::Unsat),
            BitsAnswer::Unknown(reason) => Some(Verdict::Unknown(reason)),
            BitsAnswer::Declined => None,
        }
    }

    fn ask_smt(&mut self, query: &Query, limits: &Limits) -> Verdict {
        match self.smt.solve(&Problem::new(query.terms, query.constraints()), limits) {
            SmtAnswer::Sat(bytes) => Verdict::Sat(query.changed_model(bytes)),
            SmtAnswer::Unsat => Verdict::Unsat,
            SmtAnswer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// The verdict, unless it is a model that does not satisfy the question.
    fn evaluated(&mut self, layer: Layer, query: &Query, verdict: Verdict) -> Option<Verdict> {
        match &verdict {
            Verdict::Sat(model) if !query.is_satisfied_by(model) => {
                self.statistics.disagreements += 1;
                tracing::error!("the model found by the layer `{}` does not satisfy the question", layer.name());
                None
            }
            _ => Some(verdict),
        }
    }

    /// The verdict, unless the reference says otherwise.
    fn cross_checked(
        &mut self,
        layer: Layer,
        query: &Query,
        verdict: Option<Verdict>,
        reference: &Reference,
    ) -> Option<Verdict> {
        let claimed = verdict.as_ref()?;
        self.statistics.cross_checked += 1;
        let Err(complaint) = reference.compare(query, claimed) else { return verdict };
        self.statistics.disagreements += 1;
        let condition = query.terms.display(query.condition);
        tracing::error!("the layer `{}` is wrong about {condition}: {complaint}", layer.name());
        Some(Verdict::Unknown(UnknownReason::GaveUp(format!("the layer `{}` is wrong: {complaint}", layer.name()))))
    }

    fn learn(&mut self, layer: Layer, query: &Query, verdict: &Verdict) {
        if matches!(layer, Layer::Repair | Layer::Bits | Layer::Smt) {
            self.cache.learn(query, verdict);
            self.recent.learn(verdict);
        }
    }
}

fn ask_repair(query: &Query) -> Option<Verdict> {
    let constraints: Vec<TermId> = query.constraints().collect();
    let facts = query.facts.get_or_init(Facts::default);
    repaired(query.terms, &constraints, facts, query.model).map(Verdict::Sat)
}

#[cfg(test)]
mod tests;
