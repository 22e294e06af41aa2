//! Exploration directed by a change (phase 2 of DiSE): only what can run impacted code, one path for each way of running through it.
//!
//! The promise (Theorem 4.8 of TOSEM'14): every sequence of impacted instructions that lies on a feasible path is found, on one path. The papers' algorithm
//! ([`Prune::Paper`]) can break it, since one set of explored nodes for the whole search forgets on which side of an unimpacted branch they were explored. [`Prune::Sound`] keeps it, by cutting
//! a state off only where no new sequence can follow:
//!
//! 1. No impacted instruction can be reached from any activation on the stack. Without a sequence the path is of no interest; with one it is finished along one input.
//! 2. The sequence is complete already on an earlier path; or every sequence that [can follow](possible) by the control flow is, or every one that a [forecast] shows.
//! 3. An [explored state](covered) earlier in path order, at the same place and with the same sequence, agrees in all that decides which impacted instructions run.
//!
//! Each cut has an earlier path for whatever it gives up, so the first path in path order of every sequence is always found, whoever else works on the search. Keeping that one
//! makes the result independent of workers and orders. None of the cuts needs to know whether the state exists, so that question [waits](unasked) until it is clear that it matters.

mod covered;
mod forecast;
mod live;
mod marked;
mod paper;
mod possible;
mod search;
mod unasked;

use rustc_hash::FxHashSet;
use upshot_exec::{Owner, State};
use upshot_impact::Direction;
use upshot_ir::{FuncId, InstId, Program};

pub(crate) use covered::Covered;
pub(crate) use forecast::{Effort, Outlook};
pub(crate) use live::Window;
pub use marked::{Manner, Marked};
pub use paper::{Order, Paper, Row};
pub(crate) use possible::Possible;
pub(crate) use search::{Directed, Verdict};
pub(crate) use unasked::Unasked;

/// How paths that the change does not touch are cut off.
#[derive(Clone, Debug, Default)]
pub enum Prune {
    /// Not at all.
    #[default]
    Off,
    /// Where no new sequence of impacted instructions can follow.
    Sound,
    /// As the papers do it.
    Paper(Box<Paper>),
}

/// What directs a search.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    pub direction: Direction,
    pub prune: Prune,
    /// By function, by instruction of the program that runs: whether it is impacted.
    pub marked: upshot_impact::Table,
    /// The mark of each.
    pub numbers: Vec<Vec<Option<u32>>>,
    /// By function: its marks count in every activation; and the calls through which they do where the caller's do.
    pub always: Vec<bool>,
    pub calls: FxHashSet<(FuncId, InstId, FuncId)>,
    /// By mark: the node that begins there, for the papers' algorithm.
    pub nodes: Vec<Option<u32>>,
}

/// How much was not explored, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// States that were made.
    pub states: u64,
    /// States from which nothing impacted can be reached and none was.
    pub untouched: u64,
    /// States whose sequence was complete on an earlier path.
    pub repeated: u64,
    /// States that an explored one covers.
    pub covered: u64,
    /// Sides of decisions that no input takes.
    pub infeasible: u64,
    /// States that the papers' algorithm gives up.
    pub paper: u64,
}

impl Cut {
    pub fn add(&mut self, other: &Cut) {
        self.states += other.states;
        self.untouched += other.untouched;
        self.repeated += other.repeated;
        self.covered += other.covered;
        self.infeasible += other.infeasible;
        self.paper += other.paper;
    }

    /// States that were cut off.
    pub fn pruned(&self) -> u64 {
        self.untouched + self.repeated + self.covered + self.paper
    }
}

impl Guide {
    /// Whether an impacted instruction may still run on the path.
    pub(crate) fn is_ahead(&self, program: &Program, state: &State) -> bool {
        let handlers = program.destructors.iter().copied().chain(state.awaited());
        in_sight(program, state, &self.direction.ahead)
            || handlers.into_iter().any(|function| self.direction.enters.get(function.index()).copied().unwrap_or(true))
    }

    /// Whether code that is not impacted may still decide something on the path.
    pub(crate) fn is_left_open(&self, program: &Program, state: &State) -> bool {
        in_sight(program, state, &self.direction.open)
    }

    /// Whether the inputs may still be restricted.
    pub(crate) fn is_restricted(&self, program: &Program, state: &State) -> bool {
        in_sight(program, state, &self.direction.restricted)
    }

    /// Whether impacted code may read such an object.
    pub(crate) fn reads(&self, owner: Owner) -> bool {
        let reads = &self.direction.reads;
        match owner {
            Owner::Global(global) => reads.globals.get(global.index()).copied().unwrap_or(true),
            Owner::Stack(function) => reads.stacks.get(function.index()).copied().unwrap_or(true),
            Owner::Heap => reads.heap,
            Owner::Input => reads.inputs,
        }
    }
}

/// Whether some activation, from where it stands, may come to what the table says.
fn in_sight(program: &Program, state: &State, table: &upshot_impact::Table) -> bool {
    state.positions().enumerate().any(|(depth, (function, pc))| {
        let body = program.function(function);
        let Some(&inst) = body.op_inst.get(pc as usize) else { return false };
        // A caller goes on after its call.
        let inst = if depth == 0 { inst } else { InstId(inst.0 + 1) };
        table[function.index()].get(inst.index()).copied().unwrap_or(false)
    })
}
