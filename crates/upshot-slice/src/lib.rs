//! How outputs depend on inputs (FSE'11, "Path exploration based on symbolic output"): relevant slices, relevant-slice conditions, and the exploration that finds every way in which the output is computed.
//!
//! Two paths compute the output alike if they have the same *relevant slice*: what it depends on by data and control, and the branches that could have redefined something in it. [`signature`] finds all relevant-slice conditions of a
//! program, each with the outputs as terms over the inputs and a test. How a path ends is always part of the output, so an error is a case of its own.
//!
//! An analysis that cannot show that a branch is irrelevant keeps it: cases may be finer than need be, never coarser.
//!
//! This crate knows no file format and no terminal.

mod cells;
mod compare;
mod config;
mod explain;
mod explore;
mod graph;
mod observe;
mod order;
mod regions;
mod run;
mod sets;
mod slices;
mod walk;

use upshot_explore::{End, Seed, Test};
use upshot_expr::{Assignment, SymbolId, TermId, Terms};
use upshot_impact::Effects;
use upshot_ir::Program;

pub use compare::{Compared, Fate, compare};
pub use config::Config;
pub use explain::{Explanation, Outcome, Place, Side, explain};
pub use graph::Node;
pub use observe::{Observed, Output, Variable, Variables};

pub use slices::PathSlices;
pub use walk::Lost;

use explore::{Atom, Explorer};
use regions::Bodies;

/// One way in which the outputs are computed.
#[derive(Clone, Debug)]
pub struct Case {
    /// For which inputs: all that satisfy these, in C.
    pub condition: Vec<String>,
    pub outputs: Vec<Observed>,
    /// How it ends for the test.
    pub end: End,
    /// An input.
    pub test: Test,
    /// The lines in the relevant slice.
    pub lines: Vec<(String, u32)>,
    /// All decisions on the path of the test, those that do not matter included.
    pub path_decisions: usize,
    /// The case whose condition this one was found from, and the place of the decision negated there.
    pub from: Option<(usize, usize)>,
    inputs: Vec<(String, SymbolId)>,
    atoms: Vec<Atom>,
}

impl Case {
    /// The condition as terms.
    pub fn formula(&self) -> impl Iterator<Item = TermId> + '_ {
        self.atoms.iter().map(Atom::term)
    }

    /// Values for terms, from objects by name.
    pub fn assignment(&self, objects: &[(&str, &[u8])]) -> Assignment {
        let mut values = Assignment::new();
        for (name, bytes) in objects {
            let Some((_, symbol)) = self.inputs.iter().find(|(other, _)| other == name) else { continue };
            (0..).zip(*bytes).for_each(|(offset, &byte)| values.set(*symbol, offset, byte));
        }
        values
    }
}

/// What an exploration came to in numbers.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Inputs that were run.
    pub paths: u64,
    /// Questions to the solver, and the conditions in them, added up.
    pub asked: u64,
    pub conditions: u64,
    /// Paths that hit a bound.
    pub bounded: u64,
    pub unsupported: u64,
    pub unknown: u64,
    /// Paths whose dependences could not be followed, or that did not keep to their prefix. Their conditions are whole path conditions.
    pub lost: u64,
    pub strayed: u64,
    pub restarts: u64,
    pub nodes: u64,
    /// A limit of the whole search was hit.
    pub stopped: bool,
    pub solver: upshot_solver::Statistics,
}

/// All ways in which the outputs are computed.
pub struct Signature {
    pub cases: Vec<Case>,
    pub figures: Figures,
    /// The arena of the terms in the cases.
    pub terms: Terms,
}

impl Signature {
    /// Whether the cases cover all inputs.
    pub fn is_complete(&self) -> bool {
        let figures = &self.figures;
        !figures.stopped && figures.bounded + figures.unsupported + figures.unknown == 0
    }
}

/// Why nothing could be explored.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("the solver could not be started: {0}")]
    Solver(#[from] upshot_solver::SolverError),
    #[error("{0}")]
    Start(String),
}

/// Slices the paths of given inputs.
pub struct Slicer<'a, 'p> {
    explorer: Explorer<'a, 'p>,
}

/// The program as slicing sees it, for a [`Slicer`].
pub struct Code<'p> {
    effects: &'p Effects,
    bodies: Bodies<'p>,
}

impl<'p> Code<'p> {
    pub fn new(program: &'p Program, effects: &'p Effects) -> Self {
        Code { effects, bodies: Bodies::new(program, effects) }
    }

    pub fn effects(&self) -> &'p Effects {
        self.effects
    }
}

/// The relevant-slice condition of one input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<(u64, u32)>);

/// What one input has shown.
pub struct Sliced {
    pub case: Case,
    /// Equal for inputs of which the outputs are computed alike.
    pub key: Key,
    /// The path came to an end, and its dependences are known; else the key says nothing.
    pub is_known: bool,
    /// Inputs that the test does not have, or has in another size; they were zero.
    pub misfits: Vec<String>,
}

impl<'a, 'p> Slicer<'a, 'p> {
    pub fn new(
        image: &'p upshot_exec::Image<'p>,
        config: &'a Config,
        variables: &'a Variables,
        code: &'a Code<'p>,
    ) -> Result<Self, Problem> {
        Ok(Slicer { explorer: Explorer::new(Terms::new(), image, config, variables, &code.bodies)? })
    }

    /// Runs a test.
    pub fn slice(&mut self, test: Seed) -> Result<Sliced, Problem> {
        let (found, case) = self.explorer.single(test).map_err(Problem::Start)?;
        let atoms = found.relevant.iter().map(|&number| &found.atoms[number]);
        let mut key: Vec<(u64, u32)> = atoms.map(|atom| (atom.index, atom.side)).collect();
        key.sort_unstable();
        let is_end = matches!(case.end, End::Returned(_) | End::Exited(_) | End::Error { .. });
        let is_known = is_end && found.slices.is_some();
        Ok(Sliced { case, key: Key(key), is_known, misfits: found.run.misfits })
    }

    pub fn terms(&self) -> &Terms {
        &self.explorer.machine.terms
    }
}

impl Case {
    /// What stands for its relevant-slice condition.
    pub fn key(&self) -> Key {
        let mut key: Vec<(u64, u32)> = self.atoms.iter().map(|atom| (atom.index, atom.side)).collect();
        key.sort_unstable();
        Key(key)
    }
}

/// Finds all relevant-slice conditions of a program. `image` is of a program with marks where `variables` are looked at.
pub fn signature(image: &upshot_exec::Image<'_>, config: &Config, variables: &Variables) -> Result<Signature, Problem> {
    signature_in(Terms::new(), image, config, variables)
}

/// As [`signature`], with terms in an arena that has others already: those of another version's signature, to be compared with.
pub fn signature_in(
    terms: Terms,
    image: &upshot_exec::Image<'_>,
    config: &Config,
    variables: &Variables,
) -> Result<Signature, Problem> {
    let effects = Effects::new(image.program, config.entry, config.checks());
    let bodies = Bodies::new(image.program, &effects);
    let mut explorer = Explorer::new(terms, image, config, variables, &bodies)?;
    explorer.explore(&Assignment::new());
    let mut figures = explorer.figures;
    figures.solver = explorer.solver.statistics().clone();
    Ok(Signature { cases: explorer.cases, figures, terms: explorer.machine.terms })
}
