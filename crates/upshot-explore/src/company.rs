//! A worker's states in the company of known paths; see [`known`](crate::known).

use std::collections::BTreeMap;
use std::rc::Rc;

use upshot_exec::{Fork, PathEnd};
use upshot_expr::{Assignment, TermId};

use crate::ending::Values;
use crate::known::{Company, Follower, GUIDE};
use crate::record::SeedUse;
use crate::worker::{Node, Worker};

/// Sides of a decision, each with the positions of the known paths that take it.
pub(crate) type KnownSides = Vec<(u32, usize, usize)>;

impl Node {
    /// An input that takes the path so far. What is not known yet is zero, where the state runs along known paths.
    pub(crate) fn input(&self) -> &Assignment {
        match &self.company {
            Company::With(followers) => &followers[0].values,
            Company::Alone | Company::Along(..) => &self.model,
        }
    }
}

impl Worker<'_> {
    /// The state is at code that the known paths do not have: from here on it is their tests that count.
    pub(crate) fn leave_step(&mut self, node: &mut Node) {
        let (Company::Along(first, last), Some(known)) = (&node.company, &self.config.known) else { return };
        node.company = known.followers(*first, *last, Some(&node.state));
        node.model_missing = matches!(node.company, Company::Alone);
    }

    /// The sides that exist, by the paths that the state runs along. Where the paths do not fit, they are left.
    pub(crate) fn known_sides(&mut self, node: &Node) -> Option<KnownSides> {
        let (Company::Along(first, last), Some(known)) = (&node.company, &self.config.known) else { return None };
        known.sides(*first, *last, node.path.0.len())
    }

    /// The states on the sides that the known paths take, but for those on which every path is known to the end.
    pub(crate) fn sides_along(&mut self, mut node: Node, fork: &Fork, known: KnownSides) -> Vec<Node> {
        let inside = self.ends.inside(node.at, node.path.0.len());
        let forced = inside.forced.unwrap_or(known.len() == 1);
        let is_same =
            |first: usize, last: usize| self.config.known.as_ref().is_some_and(|known| known.all_same(first, last));
        let mut rest: KnownSides =
            known.into_iter().filter(|&(side, first, last)| inside.has(side) && !is_same(first, last)).collect();
        self.totals.cut.states += rest.len() as u64;
        if rest.is_empty() {
            return Vec::new();
        }
        let (side, first, last) = rest.remove(0);
        let mut sides = Vec::with_capacity(rest.len() + 1);
        for (side, first, last) in rest {
            let mut sibling = self.copy(&node);
            sibling.company = Company::Along(first, last);
            self.take(&mut sibling, fork, side, forced);
            sides.push(sibling);
        }
        node.company = Company::Along(first, last);
        self.take(&mut node, fork, side, forced);
        sides.insert(0, node);
        sides
    }

    /// The tests that come with the state, by the side that each takes. One that meets no side is lost on the way.
    pub(crate) fn split(&mut self, node: &mut Node, fork: &Fork) -> BTreeMap<u32, Vec<Follower>> {
        if matches!(node.company, Company::Along(..)) {
            self.leave_step(node);
        }
        let mut groups: BTreeMap<u32, Vec<Follower>> = BTreeMap::new();
        let Company::With(followers) = std::mem::take(&mut node.company) else { return groups };
        let mut lost = None;
        for mut follower in followers {
            follower.take_in(&node.state);
            // Deciding where a pointer leads gives it a value.
            let before = (groups.is_empty() && fork.pointer.is_some()).then(|| follower.values.clone());
            match follower.side(&self.machine, &node.state, fork) {
                (side, true) => groups.entry(side).or_default().push(follower),
                (_, false) => lost = Some(before.unwrap_or(follower.values)),
            }
        }
        if let Some(values) = lost.filter(|_| groups.is_empty()) {
            node.model = Rc::new(values);
        }
        groups
    }

    /// Lets those of the company go who do not take this side.
    pub(crate) fn keep_company(&mut self, node: &mut Node, fork: &Fork, side: u32) {
        if let Some(known) = self.known_sides(node) {
            let taken = known.into_iter().find(|(known, ..)| *known == side);
            node.company = taken.map_or(Company::Alone, |(_, first, last)| Company::Along(first, last));
            return;
        }
        let mut groups = self.split(node, fork);
        node.company = groups.remove(&side).map_or(Company::Alone, Company::With);
    }

    /// Whether an assumption is known to be possible; those of the company that do not meet it go.
    pub(crate) fn keep_assuming(&mut self, node: &mut Node, condition: TermId) -> bool {
        match std::mem::take(&mut node.company) {
            Company::Alone => false,
            Company::Along(first, last) => {
                let Some(known) = &self.config.known else { return false };
                let path = &known.paths[first];
                let may_end_here = last == first + 1 && path.silent && path.sides.len() == node.path.0.len();
                if may_end_here {
                    node.model_missing = true;
                } else {
                    node.company = Company::Along(first, last);
                }
                !may_end_here
            }
            Company::With(mut followers) => {
                followers.iter_mut().for_each(|follower| follower.take_in(&node.state));
                let terms = &self.machine.terms;
                let (meet, fail): (Vec<_>, Vec<_>) =
                    followers.into_iter().partition(|follower| follower.values.eval_bool(terms, condition));
                if meet.is_empty() {
                    if let Some(follower) = fail.into_iter().next() {
                        node.model = Rc::new(follower.values);
                    }
                    return false;
                }
                node.company = Company::With(meet);
                true
            }
        }
    }

    /// Sees to it that a state without company has an input that takes its path.
    pub(crate) fn need_model(&mut self, node: &mut Node) -> Result<(), PathEnd> {
        if !node.model_missing {
            return Ok(());
        }
        self.totals.asked += 1;
        node.asked += 1;
        match self.solver.canonical(&mut self.machine.terms, &node.condition, &[]) {
            Ok(model) => {
                node.model = Rc::new(model);
                node.model_missing = false;
                Ok(())
            }
            Err(why) => {
                let location = self.machine.location(&node.state);
                Err(PathEnd::Unknown { why: why.to_string(), location })
            }
        }
    }

    /// What the company says about the test of a path that has ended.
    pub(crate) fn known_values(&mut self, node: &mut Node) -> (Values, Option<SeedUse>) {
        let mut has_none = false;
        if let (Company::Along(first, last), Some(known)) = (&node.company, &self.config.known)
            && *last == first + 1
            && known.paths[*first].sides.len() == node.path.0.len()
        {
            has_none = known.paths[*first].seed.is_none();
        }
        self.leave_step(node);
        match std::mem::take(&mut node.company) {
            Company::With(mut followers) => {
                let mut follower = followers.swap_remove(0);
                if follower.number == GUIDE {
                    return (Values::Asked, None);
                }
                follower.take_in(&node.state);
                let seed = SeedUse { number: follower.number, misfits: follower.misfits };
                (Values::Found(follower.values), Some(seed))
            }
            _ if has_none => (Values::NotWanted, None),
            _ => (Values::Asked, None),
        }
    }
}
