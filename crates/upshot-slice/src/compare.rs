//! Two signatures side by side: which cases are the same, which compute something else, which are new or gone.
//!
//! Both are over the same inputs and share one arena of terms. Cases with the same condition are partners; conditions are first compared as sets of terms, then by the solver. Whatever has no partner
//! is new, or gone, and is told with an input for which the other version's output is another one, if there is any.

use upshot_explore::Test;
use upshot_expr::{Assignment, TermId, Terms};
use upshot_solver::{Answer, PathCondition, Solver};

use crate::{Case, Observed, Problem, Signature};

/// What has become of a case.
#[derive(Clone, Debug)]
pub enum Fate {
    /// The same condition and the same outputs: old and new number.
    Same(usize, usize),
    /// The same condition, other outputs for some input.
    Changed(usize, usize),
    /// Only the new version has a case with this condition.
    New(usize),
    /// Only the old version has.
    Gone(usize),
}

/// What both signatures come to.
pub struct Compared {
    pub fates: Vec<Fate>,
    /// By fate: an input for which the outputs differ. `None`: for all inputs of the case they are the same.
    pub witnesses: Vec<Option<Test>>,
    /// Questions without an answer; where there are any, cases may be told as new or changed that are not.
    pub unknown: u64,
}

/// Compares the signatures of two versions. `new` is in the arena that was begun with `old`.
pub fn compare(old: &Signature, new: &mut Signature, options: &upshot_solver::Options) -> Result<Compared, Problem> {
    let solver = Solver::new(options.clone())?;
    let (old_cases, new_cases) = (&old.cases, &new.cases);
    let mut comparer = Comparer { terms: &mut new.terms, solver, unknown: 0 };
    let mut compared = Compared { fates: Vec::new(), witnesses: Vec::new(), unknown: 0 };
    let mut taken = vec![false; old_cases.len()];
    for (number, case) in new_cases.iter().enumerate() {
        let partner = comparer.partner(case, old_cases, &taken);
        if let Some(partner) = partner {
            taken[partner] = true;
            let witness = comparer.difference(&old_cases[partner], case);
            compared.fates.push(match witness {
                None => Fate::Same(partner, number),
                Some(_) => Fate::Changed(partner, number),
            });
            compared.witnesses.push(witness);
        } else {
            let witness = old_cases.iter().find_map(|other| comparer.difference(other, case));
            compared.fates.push(Fate::New(number));
            compared.witnesses.push(witness);
        }
    }
    for (number, case) in old_cases.iter().enumerate().filter(|(number, _)| !taken[*number]) {
        let witness = new_cases.iter().find_map(|other| comparer.difference(case, other));
        compared.fates.push(Fate::Gone(number));
        compared.witnesses.push(witness);
    }
    compared.unknown = comparer.unknown;
    Ok(compared)
}

struct Comparer<'t> {
    terms: &'t mut Terms,
    solver: Solver,
    unknown: u64,
}

impl Comparer<'_> {
    fn conjunction(&mut self, case: &Case) -> TermId {
        let mut all = self.terms.bool(true);
        for term in case.formula() {
            all = self.terms.and(all, term);
        }
        all
    }

    fn witness(&mut self, condition: TermId) -> Option<Assignment> {
        if self.terms.is_false(condition) {
            return None;
        }
        match self.solver.check(self.terms, &PathCondition::default(), &Assignment::new(), condition) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat => None,
            Answer::Unknown(_) => {
                self.unknown += 1;
                Some(Assignment::new())
            }
        }
    }

    fn partner(&mut self, case: &Case, others: &[Case], taken: &[bool]) -> Option<usize> {
        let sorted = |case: &Case| {
            let mut terms: Vec<TermId> = case.formula().collect();
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let mine = sorted(case);
        let free = || (0..others.len()).filter(|&other| !taken[other]);
        if let Some(same) = free().find(|&other| sorted(&others[other]) == mine) {
            return Some(same);
        }
        let inside = self.conjunction(case);
        for other in free() {
            let theirs = self.conjunction(&others[other]);
            let differs = self.terms.ne(inside, theirs);
            if self.witness(differs).is_none() {
                return Some(other);
            }
        }
        None
    }

    /// An input of both cases for which the outputs differ.
    fn difference(&mut self, old: &Case, new: &Case) -> Option<Test> {
        let (a, b) = (self.conjunction(old), self.conjunction(new));
        let both = self.terms.and(a, b);
        let differs = self.outputs_differ(old, new);
        let condition = self.terms.and(both, differs);
        let model = self.witness(condition)?;
        let mut test = new.test.clone();
        for object in &mut test.objects {
            if let Some((_, symbol)) = new.inputs.iter().find(|(name, _)| *name == object.name) {
                object.bytes = model.bytes(*symbol, self.terms.symbol_size(*symbol));
            }
        }
        for pointer in &test.pointers {
            let (object, at) = (pointer.object as usize, pointer.offset as usize);
            test.objects[object].bytes[at..at + 8].fill(0);
        }
        Some(test)
    }

    fn outputs_differ(&mut self, old: &Case, new: &Case) -> TermId {
        let mut differs = self.terms.bool(old.end.word() != new.end.word() || error(old) != error(new));
        let names = old.outputs.iter().chain(&new.outputs).map(|output| &output.name);
        let mut seen: Vec<&String> = Vec::new();
        for name in names {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let of = |case: &'_ Case| case.outputs.iter().find(|output| output.name == *name).cloned();
            let difference = match (of(old), of(new)) {
                (Some(a), Some(b)) => match (a.term, b.term) {
                    (Some(x), Some(y)) if self.terms.width(x) == self.terms.width(y) => self.terms.ne(x, y),
                    _ => self.parts_differ(&a, &b),
                },
                (None, None) => continue,
                // One of the two does not have it.
                _ => self.terms.bool(true),
            };
            differs = self.terms.or(differs, difference);
        }
        differs
    }
}

impl Comparer<'_> {
    fn parts_differ(&mut self, a: &Observed, b: &Observed) -> TermId {
        let (Some((shape, mine)), Some((other, theirs))) = (&a.parts, &b.parts) else {
            return self.terms.bool(a.text != b.text);
        };
        if shape != other || mine.len() != theirs.len() {
            return self.terms.bool(true);
        }
        let mut differs = self.terms.bool(false);
        for (&x, &y) in mine.iter().zip(theirs) {
            let here = match self.terms.width(x) == self.terms.width(y) {
                true => self.terms.ne(x, y),
                false => self.terms.bool(true),
            };
            differs = self.terms.or(differs, here);
        }
        differs
    }
}

fn error(case: &Case) -> Option<upshot_exec::ErrorKind> {
    match &case.end {
        upshot_explore::End::Error { kind, .. } => Some(*kind),
        _ => None,
    }
}
