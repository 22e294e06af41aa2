//! States that were explored, and whether one of them covers another.
//!
//! A state is covered by one that comes earlier in path order (and is not one that it came from, so that all that follows the one is before all that follows the other), stands at the same place with the same sequence of impacted instructions behind it, agrees in all that
//! impacted code depends on, and restricts the inputs behind that no more. Then whatever sequence follows the covered state follows the other one too.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use upshot_exec::{State, View};
use upshot_expr::{Terms, Var};
use upshot_solver::PathCondition;

use crate::path::Path;

/// More than this many are forgotten, which costs time, not truth.
const MOST: usize = 20_000;

struct Explored {
    path: Path,
    state: State,
    condition: PathCondition,
    /// The input bytes that impacted code may depend on from here.
    support: OnceCell<Rc<FxHashSet<Var>>>,
}

#[derive(Default)]
pub(crate) struct Covered {
    by_fingerprint: FxHashMap<u64, Vec<Explored>>,
    count: usize,
}

impl Covered {
    /// Whether a state is covered; if not, it may cover others from now on.
    pub(crate) fn check(
        &mut self,
        terms: &mut Terms,
        view: &dyn View,
        state: &State,
        condition: &PathCondition,
        path: &Path,
    ) -> bool {
        let fingerprint = state.fingerprint(view);
        let known = self.by_fingerprint.entry(fingerprint).or_default();
        for explored in known.iter().filter(|explored| explored.path.is_left_of(path)) {
            if !explored.state.agrees(state, view) {
                continue;
            }
            let support = explored.support.get_or_init(|| Rc::new(explored.state.support(terms, view)));
            if explored.condition.covers(condition, |var| support.contains(&var)) {
                return true;
            }
        }
        if self.count < MOST {
            self.count += 1;
            known.push(Explored {
                path: path.clone(),
                state: state.clone(),
                condition: condition.clone(),
                support: OnceCell::new(),
            });
        }
        false
    }

    pub(crate) fn clear(&mut self) {
        self.by_fingerprint.clear();
        self.count = 0;
    }
}
