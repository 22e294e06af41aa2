//! The constraints of a path, kept as independent parts: constraints that share no input byte, directly or through others,
//! are in different parts. A question about a condition concerns only the parts that mention its bytes, so most of a path
//! never reaches a solver, and sibling paths share most of their parts. Cloning is cheap, and pushing copies only what it
//! merges.

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use upshot_expr::{Assignment, BinOp, Node, TermId, Terms, Var};

use crate::fingerprint::Fingerprint;
use crate::interval::{Contradiction, Facts};

/// A constraint and its place on the path. Splitting a conjunction gives several constraints with one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub(crate) place: u32,
    pub(crate) term: TermId,
}

/// Constraints that hang together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// In path order, each once.
    pub(crate) constraints: Vec<Constraint>,
    /// Sorted.
    pub(crate) vars: Vec<Var>,
    /// Of the set of constraints.
    pub(crate) fingerprint: Fingerprint,
    facts: PartFacts,
}

/// The facts of a part, computed when they are first asked for. They are always those of the constraints taken in path order: a part
/// that grew at its end takes in what is new, one that was merged starts over.
#[derive(Clone, Debug, Default)]
struct PartFacts {
    /// The facts of the first `absorbed` constraints.
    base: Rc<Facts>,
    absorbed: usize,
    all: OnceCell<Result<Rc<Facts>, Contradiction>>,
}

impl Part {
    fn contains(&self, term: TermId) -> bool {
        self.constraints.iter().any(|constraint| constraint.term == term)
    }

    /// What the constraints say about ranges of values.
    pub(crate) fn facts(&self, terms: &Terms) -> Result<Rc<Facts>, Contradiction> {
        self.facts.all.get_or_init(|| self.compute_facts(terms)).clone()
    }

    fn compute_facts(&self, terms: &Terms) -> Result<Rc<Facts>, Contradiction> {
        let mut facts = self.facts.base.copied();
        for constraint in &self.constraints[self.facts.absorbed..] {
            facts.assume(terms, constraint.term)?;
        }
        Ok(Rc::new(facts))
    }

    fn add(&mut self, constraint: Constraint, vars: &[Var]) {
        if let Some(Ok(facts)) = self.facts.all.take() {
            self.facts = PartFacts { base: facts, absorbed: self.constraints.len(), all: OnceCell::new() };
        }
        self.constraints.push(constraint);
        self.fingerprint.add(constraint.term);
        if !is_subset(vars, &self.vars) {
            self.vars = union(&self.vars, vars);
        }
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = TermId> {
        self.constraints.iter().map(|constraint| constraint.term)
    }

    /// One part of several that share no byte.
    pub(crate) fn merged<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Part {
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return Part::default() };
        let mut merged = Part { facts: PartFacts::default(), ..first.clone() };
        for part in parts {
            merged.constraints.extend_from_slice(&part.constraints);
            merged.vars.extend_from_slice(&part.vars);
            merged.fingerprint.add_all(part.fingerprint);
        }
        // Stable: constraints with one place stay in the order in which they were split.
        merged.constraints.sort_by_key(|constraint| constraint.place);
        merged.vars.sort_unstable();
        merged
    }
}

fn is_subset(small: &[Var], large: &[Var]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|var| rest.any(|other| other == var))
}

fn union(a: &[Var], b: &[Var]) -> Vec<Var> {
    let mut all: Vec<Var> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Which part owns an input byte, as a position in the list of parts.
type Owners = FxHashMap<Var, u32>;

/// The constraints of a path, in order.
#[derive(Clone, Default)]
pub struct PathCondition {
    constraints: Rc<Vec<TermId>>,
    /// A slot is empty after its part was merged into another.
    parts: Rc<Vec<Option<Rc<Part>>>>,
    owners: Rc<Owners>,
    /// A constraint without input bytes is false.
    contradictory: bool,
}

impl fmt::Debug for PathCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl PathCondition {
    pub fn new() -> PathCondition {
        PathCondition::default()
    }

    /// Adds a constraint (1 bit wide). One that is true of itself, or that is there already, changes nothing.
    pub fn push(&mut self, terms: &mut Terms, constraint: TermId) {
        debug_assert_eq!(terms.width(constraint), 1, "a constraint is 1 bit wide");
        let place = self.constraints.len() as u32;
        let mut added = false;
        let mut pending = vec![constraint];
        while let Some(term) = pending.pop() {
            match conjuncts(terms, term) {
                Some((first, second)) => pending.extend([second, first]),
                None => added |= self.push_single(terms, Constraint { place, term }),
            }
        }
        if added {
            Rc::make_mut(&mut self.constraints).push(constraint);
        }
    }

    fn push_single(&mut self, terms: &mut Terms, constraint: Constraint) -> bool {
        let vars = terms.support(constraint.term);
        if vars.is_empty() {
            let holds = Assignment::new().eval_bool(terms, constraint.term);
            self.contradictory |= !holds;
            return !holds;
        }
        let slots = self.slots_of(&vars);
        if slots.iter().any(|&slot| self.part(slot).is_some_and(|part| part.contains(constraint.term))) {
            return false;
        }
        let target = self.merge(&slots);
        let parts = Rc::make_mut(&mut self.parts);
        if let Some(part) = parts[target as usize].as_mut() {
            Rc::make_mut(part).add(constraint, &vars);
        }
        if vars.iter().any(|var| self.owners.get(var) != Some(&target)) {
            Rc::make_mut(&mut self.owners).extend(vars.iter().map(|&var| (var, target)));
        }
        true
    }

    /// Makes one part of those in `slots`, or a new one if there are none; its slot.
    fn merge(&mut self, slots: &[u32]) -> u32 {
        let parts = Rc::make_mut(&mut self.parts);
        let size = |slot: &u32| parts[*slot as usize].as_ref().map_or(0, |part| part.vars.len());
        let Some(&target) = slots.iter().max_by_key(|slot| (size(slot), u32::MAX - **slot)) else {
            let free = parts.iter().position(Option::is_none).unwrap_or(parts.len());
            if free == parts.len() {
                parts.push(None);
            }
            parts[free] = Some(Rc::default());
            return free as u32;
        };
        if slots.len() > 1 {
            let owners = Rc::make_mut(&mut self.owners);
            let merged: Vec<Rc<Part>> = slots.iter().filter_map(|&slot| parts[slot as usize].take()).collect();
            for part in &merged {
                owners.extend(part.vars.iter().map(|&var| (var, target)));
            }
            parts[target as usize] = Some(Rc::new(Part::merged(merged.iter().map(Rc::as_ref))));
        }
        target
    }

    fn slots_of(&self, vars: &[Var]) -> Vec<u32> {
        let mut slots: Vec<u32> = Vec::new();
        for var in vars {
            if let Some(&slot) = self.owners.get(var)
                && !slots.contains(&slot)
            {
                slots.push(slot);
            }
        }
        slots.sort_unstable();
        slots
    }

    fn part(&self, slot: u32) -> Option<&Rc<Part>> {
        self.parts[slot as usize].as_ref()
    }

    /// The parts that mention one of these bytes.
    pub(crate) fn parts_of(&self, vars: &[Var]) -> Vec<&Rc<Part>> {
        self.slots_of(vars).into_iter().filter_map(|slot| self.part(slot)).collect()
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Rc<Part>> {
        self.parts.iter().flatten()
    }

    /// Whether for every input of the other path there is one of this path with the same values in the bytes that matter: what this path says
    /// about those, directly or through other bytes, the other says too. What it says about the rest can be met whatever those are.
    pub fn covers(&self, other: &PathCondition, matters: impl Fn(Var) -> bool) -> bool {
        if self.contradictory {
            return false;
        }
        self.parts().all(|part| {
            let theirs = other.parts_of(&part.vars);
            theirs.iter().any(|their| Rc::ptr_eq(their, part))
                || !part.vars.iter().any(|&var| matters(var))
                || part.terms().all(|term| theirs.iter().any(|their| their.contains(term)))
        })
    }

    /// Whether the path says in so many words that the condition does not hold.
    pub fn denies(&self, terms: &mut Terms, condition: TermId) -> bool {
        let support = terms.support(condition);
        let negation = terms.not(condition);
        self.parts_of(&support).iter().any(|part| part.contains(negation))
    }

    /// Whether a constraint mentions one of these bytes.
    pub fn mentions(&self, vars: &[Var]) -> bool {
        !self.slots_of(vars).is_empty()
    }

    /// Whether a constraint without input bytes is false.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.contradictory
    }

    /// The constraints in the order in which they were pushed.
    pub fn iter(&self) -> impl Iterator<Item = TermId> + '_ {
        self.constraints.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }
}

/// The two sides, if the term says that both hold.
fn conjuncts(terms: &mut Terms, term: TermId) -> Option<(TermId, TermId)> {
    match terms.node(term) {
        Node::Bin(BinOp::And, a, b) => Some((a, b)),
        Node::Not(inner) => match terms.node(inner) {
            Node::Bin(BinOp::Or, a, b) => Some((terms.not(a), terms.not(b))),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes {
        terms: Terms,
        bytes: Vec<TermId>,
    }

    fn bytes(count: u32) -> Bytes {
        let mut terms = Terms::new();
        let symbol = terms.symbol("buf", count);
        let bytes = (0..count).map(|offset| terms.byte(symbol, offset)).collect();
        Bytes { terms, bytes }
    }

    impl Bytes {
        fn below(&mut self, byte: usize, limit: u128) -> TermId {
            let limit = self.terms.constant(8, limit);
            self.terms.compare(upshot_expr::IntPredicate::Ult, self.bytes[byte], limit)
        }
    }

    fn sizes(path: &PathCondition) -> Vec<usize> {
        let mut sizes: Vec<usize> = path.parts().map(|part| part.constraints.len()).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn constraints_on_different_bytes_stay_apart_until_one_joins_them() {
        let mut bytes = bytes(3);
        let mut path = PathCondition::new();
        for byte in 0..3 {
            let constraint = bytes.below(byte, 10);
            path.push(&mut bytes.terms, constraint);
        }
        assert_eq!(sizes(&path), [1, 1, 1]);
        let before = path.clone();
        let joining = bytes.terms.eq(bytes.bytes[0], bytes.bytes[2]);
        path.push(&mut bytes.terms, joining);
        assert_eq!(sizes(&path), [1, 3]);
        assert_eq!(sizes(&before), [1, 1, 1]);
        assert_eq!((path.len(), before.len()), (4, 3));
        let joined = path.parts().find(|part| part.constraints.len() == 3).expect("the joined part");
        assert!(joined.constraints.is_sorted_by_key(|constraint| constraint.place));
    }

    #[test]
    fn a_merged_part_owns_all_its_bytes() {
        let mut bytes = bytes(4);
        let mut path = PathCondition::new();
        for (a, b) in [(0, 1), (2, 3), (1, 2)] {
            let constraint = bytes.terms.eq(bytes.bytes[a], bytes.bytes[b]);
            path.push(&mut bytes.terms, constraint);
        }
        let vars = bytes.terms.support(bytes.bytes[0]);
        let found = path.parts_of(&vars);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].vars.len(), 4);
    }

    #[test]
    fn what_says_nothing_new_is_not_kept() {
        let mut bytes = bytes(1);
        let mut path = PathCondition::new();
        let (truth, constraint) = (bytes.terms.bool(true), bytes.below(0, 7));
        path.push(&mut bytes.terms, truth);
        path.push(&mut bytes.terms, constraint);
        path.push(&mut bytes.terms, constraint);
        assert_eq!(path.iter().collect::<Vec<_>>(), [constraint]);
        assert!(!path.is_contradictory());
        let lie = bytes.terms.bool(false);
        path.push(&mut bytes.terms, lie);
        assert!(path.is_contradictory());
    }

    #[test]
    fn a_conjunction_is_split() {
        let mut bytes = bytes(2);
        let (a, b) = (bytes.below(0, 3), bytes.below(1, 4));
        let both = bytes.terms.and(a, b);
        let mut path = PathCondition::new();
        path.push(&mut bytes.terms, both);
        assert_eq!(sizes(&path), [1, 1]);
        assert_eq!(path.len(), 1);
    }
}
