//! States that were explored, and whether one of them covers another.
//!
//! A state is covered by one that lies to its left in path order, stands at the same place with the same sequence of impacted instructions behind it, agrees in all that
//! impacted code depends on, and restricts the inputs that matter no more. Then whatever sequence follows the covered state follows the other one too: an input of the covered state,
//! changed only in bytes that do not matter to those of the other, takes the same decisions from there, as far as they lead to impacted code.
//!
//! Which bytes matter to a state is known once all that follows it is explored, which in depth-first order is the case for every state to the left: those that the conditions of its decisions mention, as far as impacted
//! code depends on these, and those that matter to the states that cover some of what follows.

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_exec::{State, View};
use upshot_expr::Var;
use upshot_solver::PathCondition;

use crate::path::Path;
use crate::worker::Node;

/// More than this many are forgotten, which costs time, not truth.
const MOST: usize = 20_000;

struct Explored {
    path: Path,
    state: State,
    condition: PathCondition,
    /// The nearest explored state that it follows.
    parent: Option<u32>,
    /// The input bytes that matter to it; also those that matter to what follows it.
    vars: FxHashSet<Var>,
    /// Some of what follows it is explored elsewhere, so it cannot be known what matters.
    shared: bool,
}

#[derive(Default)]
pub(crate) struct Covered {
    states: Vec<Explored>,
    by_fingerprint: FxHashMap<u64, Vec<u32>>,
}

impl Covered {
    /// Whether a state is covered.
    pub(crate) fn covers(&mut self, view: &dyn View, node: &Node) -> bool {
        let Node { state, condition, path, nearest, .. } = node;
        let Some(known) = self.by_fingerprint.get(&state.fingerprint(view)) else { return false };
        let covers = |number: &&u32| {
            let explored = &self.states[**number as usize];
            !explored.shared
                && explored.path.is_left_of(path)
                && explored.condition.covers(condition, |var| explored.vars.contains(&var))
                && explored.state.agrees(state, view)
        };
        if let Some(&by) = known.iter().find(covers) {
            let vars: Vec<Var> = self.states[by as usize].vars.iter().copied().collect();
            self.note(*nearest, vars.into_iter());
            return true;
        }
        false
    }

    /// A state may cover others from now on, and is the new `nearest`.
    pub(crate) fn add(&mut self, view: &dyn View, node: &mut Node) {
        if self.states.len() < MOST {
            let known = self.by_fingerprint.entry(node.state.fingerprint(view)).or_default();
            known.push(self.states.len() as u32);
            self.states.push(Explored {
                path: node.path.clone(),
                state: node.state.clone(),
                condition: node.condition.clone(),
                parent: node.nearest,
                vars: FxHashSet::default(),
                shared: false,
            });
            node.nearest = Some(self.states.len() as u32 - 1);
        }
    }

    /// These bytes matter to a state, and so to all that it follows.
    pub(crate) fn note(&mut self, mut nearest: Option<u32>, vars: impl Iterator<Item = Var> + Clone) {
        while let Some(number) = nearest {
            let explored = &mut self.states[number as usize];
            let mut grown = false;
            for var in vars.clone() {
                grown |= explored.vars.insert(var);
            }
            // What matters to a state matters to those before it, so they have these already.
            if !grown {
                return;
            }
            nearest = explored.parent;
        }
    }

    /// Something that follows a state is explored elsewhere.
    pub(crate) fn share(&mut self, mut nearest: Option<u32>) {
        while let Some(number) = nearest {
            let explored = &mut self.states[number as usize];
            explored.shared = true;
            nearest = explored.parent;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.by_fingerprint.clear();
    }
}
