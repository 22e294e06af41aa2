//! What a change may influence: the impact sets of the DiSE papers (TOSEM'14 section 4.1, PLDI'11 section 3.2), on LLVM instructions, with memory and calls.
//!
//! From the instructions that differ, rules (1) and (2) follow control and data dependence forward to a joint fixed point, on the new version for
//! added code and on the old one for removed code, each handing to the other what matched instructions it has reached; then rules (3) and (4) go
//! back to the branches and definitions behind it. The set over-approximates: an instruction common to both versions that is not
//! in it runs equally often, in the same order, with the same values in both.
//!
//! Data dependence is [static single assignment](build) over locals and over [cells of memory](memory) that a [points-to analysis](points_to) tells apart; control dependence is on
//! [segments](flow), so that an error check counts as the branch it is; calls are crossed by [summaries](summaries), so that what goes into a function at one call does not come out at another.

mod backward;
mod build;
mod calls;
mod detour;
mod direction;
mod effects;
mod ends;
mod extents;
mod externals;
mod flow;
mod graph;
mod impact;
mod loops;
mod marks;
mod memory;
mod points_to;
mod side;
mod sources;
mod summaries;
mod text;

pub use direction::{Direction, Reads, Table};
pub use effects::{BlockEffects, Checks, Effects, Target, Write};
pub use impact::{CallImpact, Carrier, Impact, Reason, Rule, Site, Version};

use ends::Failures;
use side::Side;
use std::time::{Duration, Instant};
use upshot_diff::Changes;
use upshot_ir::Program;

/// How far impact goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Each changed procedure by itself, as in the papers' analysis: a call reads and writes what it may, and nothing is found in other functions.
    Intra,
    /// Into callees and back to callers (TOSEM'14 section 6.1).
    #[default]
    Inter,
}

/// What took how long.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    pub name: &'static str,
    pub time: Duration,
}

/// Finds what the changes between two versions may influence.
pub fn analyse(old: &Program, new: &Program, changes: &Changes, scope: Scope) -> Impact {
    analyse_with(old, new, changes, (scope, Failures::Possible), |_, _| ()).0
}

/// As [`analyse`], of programs in which no operation fails and every loop and recursion comes to an end, as the papers take for granted. What this leaves out
/// is impacted only because the change may end the path before it. Holds for runs in which nothing fails.
pub fn analyse_if_nothing_fails(old: &Program, new: &Program, changes: &Changes, scope: Scope) -> Impact {
    analyse_with(old, new, changes, (scope, Failures::RuledOut), |_, _| ()).0
}

/// As [`analyse`] over calls, with what an exploration of the new version needs to keep to the impacted paths. `None` where nothing is impacted.
pub fn analyse_and_direct(old: &Program, new: &Program, changes: &Changes) -> (Impact, Option<Direction>) {
    analyse_with(old, new, changes, (Scope::Inter, Failures::Possible), direction::direct)
}

fn analyse_with<T>(
    old: &Program,
    new: &Program,
    changes: &Changes,
    (scope, failures): (Scope, Failures),
    then: impl FnOnce(&Side<'_>, &Impact) -> T,
) -> (Impact, Option<T>) {
    if !sources::any(changes) {
        return (Impact::nothing(old, new), None);
    }
    let separate = sources::separate_globals(old, new, changes);
    let (old_side, new_side) = std::thread::scope(|threads| {
        let old_side = threads.spawn(|| Side::new(old, &separate.0, scope, failures));
        let new_side = Side::new(new, &separate.1, scope, failures);
        let old_side = match old_side.join() {
            Ok(side) => side,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        (old_side, new_side)
    });
    let since = Instant::now();
    let mut propagation = sources::Propagation::new(&old_side, &new_side, changes);
    match scope {
        Scope::Inter => propagation.whole_program(),
        Scope::Intra => propagation.per_procedure(),
    }
    propagation.backward();
    let mut impact = impact::collect(&propagation);
    for (position, phase) in new_side.phases.iter().enumerate() {
        let slower = old_side.phases.get(position).map_or(phase.time, |other| other.time.max(phase.time));
        impact.phases.push(Phase { name: phase.name, time: slower });
    }
    impact.phases.push(Phase { name: "rules", time: since.elapsed() });
    let since = Instant::now();
    let more = then(&new_side, &impact);
    impact.phases.push(Phase { name: "direction", time: since.elapsed() });
    (impact, Some(more))
}
