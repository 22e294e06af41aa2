//! Answers that were given before. An answer belongs to a set of constraints, whichever of them was the condition and whichever
//! path it was on, so sibling paths profit from each other. Three ways to find one: the very same set; a subset that was
//! unsatisfiable, which makes any larger set so; and a set that shared the condition and had a model, which may fit here too (it
//! does for certain if that set was larger).

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_expr::{Assignment, TermId, Var};

use crate::fingerprint::Fingerprint;
use crate::query::{Query, Verdict};

/// Sets kept under each of their constraints. The latest are the most likely to be met again.
const SETS: usize = 16;
const MODELS: usize = 4;

/// Constraints of a set that is kept for comparison with others.
const LARGEST: usize = 512;

/// Entries beyond which all is dropped: neither memory nor time may grow with the age of a run.
const ENTRIES: usize = 1 << 18;

#[derive(Debug)]
enum Known {
    Sat(Box<[(Var, u8)]>),
    Unsat,
}

/// Answers by set of constraints.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    exact: FxHashMap<Fingerprint, Known>,
    /// Unsatisfiable sets, under each of their constraints.
    unsatisfiable: FxHashMap<TermId, VecDeque<Rc<[TermId]>>>,
    /// Models of sets, under each of their constraints.
    models: FxHashMap<TermId, VecDeque<Rc<Assignment>>>,
}

impl Cache {
    pub(crate) fn answer(&self, query: &Query) -> Option<Verdict> {
        match self.exact.get(&query.fingerprint) {
            Some(Known::Sat(bytes)) => return Some(Verdict::Sat(query.changed_model(bytes.iter().copied()))),
            Some(Known::Unsat) => return Some(Verdict::Unsat),
            None => {}
        }
        if self.holds_unsatisfiable_subset(query) {
            return Some(Verdict::Unsat);
        }
        self.models.get(&query.condition)?.iter().find(|model| query.is_satisfied_by(model)).map(|model| {
            let bytes = query.vars().map(|var| (var, model.byte(var.symbol, var.offset)));
            Verdict::Sat(query.changed_model(bytes))
        })
    }

    /// The path alone can be satisfied, so a subset that cannot contains the condition.
    fn holds_unsatisfiable_subset(&self, query: &Query) -> bool {
        let Some(sets) = self.unsatisfiable.get(&query.condition) else { return false };
        let present: FxHashSet<TermId> = query.constraints().collect();
        sets.iter().any(|set| set.iter().all(|constraint| present.contains(constraint)))
    }

    pub(crate) fn learn(&mut self, query: &Query, verdict: &Verdict) {
        if self.exact.len() + self.models.len() + self.unsatisfiable.len() > ENTRIES {
            *self = Cache::default();
        }
        let known = match verdict {
            Verdict::Sat(model) => {
                self.keep_model(query, model);
                Known::Sat(query.vars().map(|var| (var, model.byte(var.symbol, var.offset))).collect())
            }
            Verdict::Unsat => {
                self.keep_unsatisfiable(query);
                Known::Unsat
            }
            Verdict::Unknown(_) => return,
        };
        self.exact.insert(query.fingerprint, known);
    }

    fn keep_model(&mut self, query: &Query, model: &Assignment) {
        let model = Rc::new(model.clone());
        for constraint in query.constraints().take(LARGEST) {
            keep(self.models.entry(constraint).or_default(), MODELS, model.clone());
        }
    }

    fn keep_unsatisfiable(&mut self, query: &Query) {
        let set: Rc<[TermId]> = query.constraints().collect();
        if set.len() <= LARGEST {
            for &constraint in set.iter() {
                keep(self.unsatisfiable.entry(constraint).or_default(), SETS, set.clone());
            }
        }
    }
}

fn keep<T>(list: &mut VecDeque<T>, most: usize, entry: T) {
    list.truncate(most - 1);
    list.push_front(entry);
}

#[cfg(test)]
mod tests {
    use upshot_expr::{IntPredicate, SymbolId, Terms};

    use super::*;
    use crate::path::PathCondition;

    struct Bench {
        terms: Terms,
        symbol: SymbolId,
        cache: Cache,
    }

    impl Bench {
        fn new() -> Bench {
            let mut terms = Terms::new();
            let symbol = terms.symbol("x", 4);
            Bench { terms, symbol, cache: Cache::default() }
        }

        fn compare(&mut self, predicate: IntPredicate, a: u32, b: u32) -> TermId {
            let (a, b) = (self.terms.byte(self.symbol, a), self.terms.byte(self.symbol, b));
            self.terms.compare(predicate, a, b)
        }

        fn ask(&mut self, path: &[TermId], condition: TermId) -> Option<Verdict> {
            let (path, model) = (self.path(path), Assignment::new());
            self.cache.answer(&Query::new(&mut self.terms, &path, &model, condition, true))
        }

        fn learn(&mut self, path: &[TermId], condition: TermId, verdict: Verdict) {
            let (path, model) = (self.path(path), Assignment::new());
            self.cache.learn(&Query::new(&mut self.terms, &path, &model, condition, true), &verdict);
        }

        fn path(&mut self, constraints: &[TermId]) -> PathCondition {
            let mut path = PathCondition::new();
            for &constraint in constraints {
                path.push(&mut self.terms, constraint);
            }
            path
        }
    }

    #[test]
    fn a_set_is_the_same_whichever_of_it_is_the_condition() {
        let mut bench = Bench::new();
        let (a, b) = (bench.compare(IntPredicate::Ult, 0, 1), bench.compare(IntPredicate::Ult, 1, 0));
        assert!(bench.ask(&[a], b).is_none());
        bench.learn(&[a], b, Verdict::Unsat);
        assert!(matches!(bench.ask(&[a], b), Some(Verdict::Unsat)));
        assert!(matches!(bench.ask(&[b], a), Some(Verdict::Unsat)));
    }

    #[test]
    fn more_constraints_stay_unsatisfiable_and_fewer_do_not() {
        let mut bench = Bench::new();
        let a = bench.compare(IntPredicate::Ult, 0, 1);
        let b = bench.compare(IntPredicate::Ult, 1, 2);
        let c = bench.compare(IntPredicate::Ult, 2, 0);
        let other = bench.compare(IntPredicate::Ult, 3, 0);
        bench.learn(&[a, b], c, Verdict::Unsat);
        assert!(matches!(bench.ask(&[other, a, b], c), Some(Verdict::Unsat)));
        assert!(matches!(bench.ask(&[other, c, b], a), Some(Verdict::Unsat)));
        assert!(bench.ask(&[other, a], c).is_none());
    }

    #[test]
    fn a_model_of_a_larger_set_is_one_of_a_smaller() {
        let mut bench = Bench::new();
        let a = bench.compare(IntPredicate::Ult, 0, 1);
        let b = bench.compare(IntPredicate::Ult, 1, 2);
        let mut model = Assignment::new();
        model.set(bench.symbol, 1, 1);
        model.set(bench.symbol, 2, 2);
        bench.learn(&[a], b, Verdict::Sat(model));
        let symbol = bench.symbol;
        let Some(Verdict::Sat(found)) = bench.ask(&[], a) else { panic!("no answer") };
        assert_eq!((found.byte(symbol, 1), found.byte(symbol, 2)), (1, 0));
    }
}
