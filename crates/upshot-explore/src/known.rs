//! What a suite of another version tells about the paths of this one (ASE'14: tests are checked instead of solved).
//!
//! The paths of a suite lie in path order, so those that begin alike are neighbours, and a range of positions stands for a node of their tree. While a state runs
//! *along* them, in step with the version that they are from (see [`Lockstep`](upshot_diff::Lockstep)), the sides that exist are those that a path takes:
//! the suite has every path, so a side that none takes is infeasible, and nothing has to be asked. Where the state gets to code that is not in step, the tests
//! of the paths at hand go on *with* it. Each shows one side of every decision to exist, by evaluation; only what none of them shows has to be asked.
//! A suite that is not complete, or tests without a record, go with the state from the start: they save questions, and prove nothing infeasible.

use std::sync::Arc;

use upshot_exec::{Fork, Image, InputKind, Machine, PointerTarget, State, Watch};
use upshot_expr::{Assignment, SymbolId};
use upshot_ir::{FuncId, InstId, Program, with_marks};

use crate::follow::{Seed, SeedTarget};

/// One path of the suite.
#[derive(Clone, Debug, Default)]
pub struct KnownPath {
    /// The sides it took; of no meaning where the suite is not [exact](Known::exact).
    pub sides: Vec<u32>,
    pub seed: Option<Arc<Seed>>,
    /// It is a path of this version too, and need not be run.
    pub same: bool,
    /// It ended in `klee_silent_exit`, or with an assumption that does not hold.
    pub silent: bool,
}

/// The paths of a suite.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// In path order.
    pub paths: Vec<KnownPath>,
    /// These are all paths of the version that they are from, and the program has a [mark](mark_changes) wherever it is not in step with that.
    pub exact: bool,
}

/// The program with a mark at the start of each block that is not in step with another version, and an image that stops there.
pub fn mark_changes(program: &Program, in_step: &[Vec<bool>]) -> Program {
    with_marks(program, |function: FuncId, inst: InstId| {
        let body = program.function(function);
        let block = body.insts[inst.index()].block;
        let is_first = body.blocks[block.index()].first_inst == inst;
        (is_first && !in_step[function.index()][block.index()]).then_some(0)
    })
}

/// The image of a program with such marks.
pub fn stopping_at_changes(marked: &Program) -> Image<'_> {
    let always = vec![true; marked.functions.len()];
    Image::watched(marked, Watch { counts: vec![false], pauses: vec![true], always, ..Watch::default() })
}

/// The known paths that a state still belongs to.
#[derive(Default)]
pub(crate) enum Company {
    /// None, or their tests have all gone another way.
    #[default]
    Alone,
    /// In step with the paths from the first position up to the second.
    Along(usize, usize),
    /// With the tests that come by the same way. Never empty.
    With(Vec<Follower>),
}

/// The number of a test that only shows the way to an end of a range.
pub(crate) const GUIDE: usize = usize::MAX;

impl Company {
    /// With tests that show the way to the ends of a range.
    pub(crate) fn guided(tests: Vec<Arc<Seed>>) -> Self {
        if tests.is_empty() {
            return Company::Alone;
        }
        Company::With(tests.into_iter().map(|seed| Follower::new(GUIDE, seed)).collect())
    }
}

impl Known {
    /// The company of a state at the start.
    pub(crate) fn all(&self) -> Company {
        if self.exact { Company::Along(0, self.paths.len()) } else { self.followers(0, self.paths.len(), None) }
    }

    /// The tests of some paths, to go with a state.
    pub(crate) fn followers(&self, first: usize, last: usize, state: Option<&State>) -> Company {
        let numbered = (first..last).zip(&self.paths[first..last]);
        let followers: Vec<Follower> = numbered
            .filter_map(|(number, path)| {
                let mut follower = Follower::new(number, path.seed.clone()?);
                if let Some(state) = state {
                    follower.take_in(state);
                }
                Some(follower)
            })
            .collect();
        if followers.is_empty() { Company::Alone } else { Company::With(followers) }
    }

    /// Which sides the paths take at their decision number `depth`, each with the positions of the paths. `None` if one of them takes none.
    pub(crate) fn sides(&self, first: usize, last: usize, depth: usize) -> Option<Vec<(u32, usize, usize)>> {
        let mut sides: Vec<(u32, usize, usize)> = Vec::new();
        for (number, path) in (first..last).zip(&self.paths[first..last]) {
            let side = *path.sides.get(depth)?;
            match sides.last_mut() {
                Some((known, _, end)) if *known == side => *end = number + 1,
                _ => sides.push((side, number, number + 1)),
            }
        }
        Some(sides)
    }

    pub(crate) fn all_same(&self, first: usize, last: usize) -> bool {
        self.paths[first..last].iter().all(|path| path.same)
    }
}

/// Bytes of a pointer that is known not to be null, before it is decided where it leads.
const SOMEWHERE: u64 = 0x7fff_ffff_ffff_fff0;

/// A test on its way along a path.
#[derive(Clone, Debug)]
pub struct Follower {
    /// The position of its path.
    pub number: usize,
    seed: Arc<Seed>,
    pub values: Assignment,
    /// Inputs and pointers of the state that have their values.
    inputs: usize,
    pointers: usize,
    /// Bytes of inputs so far.
    used: usize,
    /// What the program asked for and the seed does not have, or has in another size. It was taken to be zero.
    pub misfits: Vec<String>,
}

impl Follower {
    pub fn new(number: usize, seed: Arc<Seed>) -> Self {
        Follower { number, seed, values: Assignment::new(), inputs: 0, pointers: 0, used: 0, misfits: Vec::new() }
    }

    pub fn seed(&self) -> Arc<Seed> {
        self.seed.clone()
    }

    /// Another state follows, which may have the same inputs.
    pub fn begin_again(&mut self) {
        (self.inputs, self.pointers, self.used) = (0, 0, 0);
    }

    /// Gives values to inputs that have come up.
    pub fn take_in(&mut self, state: &State) {
        for input in &state.inputs()[self.inputs..] {
            if input.kind != InputKind::Given {
                continue;
            }
            let object = self.seed.objects.iter().find(|(name, _)| *name == input.name);
            let plain = self.seed.plain.as_ref().map(|bytes| &bytes[self.used.min(bytes.len())..]);
            self.used += input.size as usize;
            let Some(bytes) = plain.or(object.map(|(_, bytes)| &bytes[..])) else {
                self.misfits.push(input.name.clone());
                continue;
            };
            if plain.is_some() || bytes.len() != input.size as usize {
                self.misfits.push(input.name.clone());
            }
            for (offset, &byte) in (0..input.size).zip(bytes) {
                self.values.set(input.symbol, offset, byte);
            }
        }
        self.inputs = state.inputs().len();
        for pointer in &state.pointers()[self.pointers..] {
            let holder = &state.inputs()[pointer.holder];
            let is_null = matches!(self.target(&holder.name, pointer.offset), None | Some(SeedTarget::Null));
            let address = match pointer.resolved {
                Some(target) => address_of(target),
                None if is_null => 0,
                None => SOMEWHERE,
            };
            self.set_address(holder.symbol, pointer.offset, address);
        }
        self.pointers = state.pointers().len();
    }

    fn target(&self, holder: &str, offset: u32) -> Option<&SeedTarget> {
        let here = |pointer: &&crate::SeedPointer| pointer.holder == holder && pointer.offset == offset;
        self.seed.pointers.iter().find(here).map(|pointer| &pointer.target)
    }

    fn set_address(&mut self, holder: SymbolId, offset: u32, address: u64) {
        for (byte, value) in (0..).zip(address.to_le_bytes()) {
            self.values.set(holder, offset + byte, value);
        }
    }

    /// The side of a decision that the seed takes, and whether it really meets its condition.
    pub fn side(&mut self, machine: &Machine<'_>, state: &State, fork: &Fork) -> (u32, bool) {
        let side = self.wanted_side(machine, state, fork);
        (side, self.values.eval_bool(&machine.terms, fork.choices[side as usize]))
    }

    fn wanted_side(&mut self, machine: &Machine<'_>, state: &State, fork: &Fork) -> u32 {
        let Some((number, targets)) = &fork.pointer else {
            let taken = fork.choices.iter().position(|&choice| self.values.eval_bool(&machine.terms, choice));
            return taken.unwrap_or(fork.choices.len() - 1) as u32;
        };
        let pointer = &state.pointers()[*number];
        let holder = &state.inputs()[pointer.holder];
        let made = |input: usize| state.inputs().get(input);
        let wanted = self.target(&holder.name, pointer.offset);
        let position = targets.iter().position(|target| match (wanted, target) {
            (None | Some(SeedTarget::Null), PointerTarget::Null) => true,
            (Some(SeedTarget::Function), PointerTarget::Function { .. }) => true,
            (Some(SeedTarget::Object(name)), PointerTarget::Object { input, .. }) => {
                made(*input).is_some_and(|input| input.name == *name)
            }
            _ => false,
        });
        // An object that is not there yet is a new one.
        let new = || {
            let is_new = |target: &PointerTarget| matches!(target, PointerTarget::Object { input, .. } if made(*input).is_none());
            targets.iter().position(is_new).filter(|_| matches!(wanted, Some(SeedTarget::Object(_))))
        };
        let side = position.or_else(new).unwrap_or_else(|| {
            self.misfits.push(pointer.name.clone());
            0
        });
        self.set_address(holder.symbol, pointer.offset, address_of(targets[side]));
        side as u32
    }
}

fn address_of(target: PointerTarget) -> u64 {
    match target {
        PointerTarget::Null => 0,
        PointerTarget::Object { address, .. } | PointerTarget::Function { address } => address,
    }
}
