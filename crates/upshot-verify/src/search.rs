//! The product of two executions: every path of the old version, and for each the paths of the new one that its inputs take.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use upshot_exec::{Bound, Fork, Machine, PathEnd, Pause, PointerTarget, State};
use upshot_explore::Seed;
use upshot_expr::{Assignment, TermId};
use upshot_ir::Location;
use upshot_solver::{Answer, PathCondition, Solver};

use crate::endless::Watched;
use crate::pair::Pair;
use crate::partition::{Kind, Partition, Proof};
use crate::place::Place;
use crate::tests::Tests;
use crate::workers::{Range, Shared};
use crate::{Config, Inside, Side, VerifyError};

/// A pair of states: the old version's, and the new one's once the old has ended.
#[derive(Clone)]
pub(crate) struct Node {
    pub old: State,
    pub old_end: Option<Rc<PathEnd>>,
    pub new: Option<State>,
    pub condition: PathCondition,
    /// What was decided, in order: conditions on data, and what input pointers are (those conditions speak of addresses, which mean nothing outside).
    pub facts: Rc<Vec<Fact>>,
    pub model: Rc<Assignment>,
    pub place: Rc<Place>,
    /// Tests that take this way.
    tests: Tests,
    watched: Watched,
    pub depth: usize,
    /// The share of shapes that this is: decisions on pointers count equally.
    pub weight: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fact {
    Data(TermId),
    Pointer,
}

pub(crate) struct Search<'a> {
    pub pair: Pair<'a>,
    pub solver: Solver,
    pub config: &'a Config,
    old: &'a Side<'a>,
    new: &'a Side<'a>,
    shared: &'a Shared<'a>,
    pub totals: Totals,
    /// Instructions that a pair may run for before the others get their turn, and those that have.
    patience: u64,
    later: Vec<Node>,
    /// Nothing was handed over since the terms were dropped.
    is_barren: bool,
}

/// What a worker has done.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Something was left out.
    pub is_cut: bool,
    pub asked: u64,
    pub instructions: u64,
    pub solver: upshot_solver::Statistics,
}

/// Why a place cannot be gone to.
const ASTRAY: &str = "the versions or the bounds are not those that this was found with";

/// Paths that are shorter are not suspected of being endless.
const SHORT: u64 = 2_000;

/// A decision counts for so many instructions: questions get harder with each, and a difference is often a short way off.
const DECISION: u64 = 2_500;

/// How many pairs may wait. Past that, those that are under way go on.
const MOST_LATER: usize = 2_000;

/// The first such share.
const PATIENCE: u64 = 20_000;

/// How many times more patience there is with what a test takes, which is an end that the old version gets to.
const FOR_TESTS: u64 = 50;

impl<'a> Search<'a> {
    pub fn new(
        old: &'a Side<'a>,
        new: &'a Side<'a>,
        config: &'a Config,
        shared: &'a Shared<'a>,
    ) -> Result<Self, VerifyError> {
        let pair = Self::blank_pair(old, new, config);
        let solver = Solver::new(config.solver.clone())?;
        let totals = Totals::default();
        Ok(Search {
            pair,
            solver,
            config,
            old,
            new,
            shared,
            totals,
            patience: PATIENCE,
            later: Vec::new(),
            is_barren: true,
        })
    }

    fn blank_pair(old: &'a Side<'a>, new: &'a Side<'a>, config: &Config) -> Pair<'a> {
        Pair { old: Machine::new(old.image, config.exec.clone()), new: Machine::new(new.image, config.exec.clone()) }
    }

    /// Works until no range is left.
    pub fn work(mut self) -> Result<Totals, VerifyError> {
        while let Some((range, _busy)) = self.shared.take() {
            self.range(range)?;
        }
        self.totals.solver.add(self.solver.statistics());
        Ok(self.totals)
    }

    /// Both versions do the same on all inputs.
    pub fn report_all(mut self, proof: Proof) -> Result<(), VerifyError> {
        let node = self.start()?;
        let partition = self.without_example(&node, Kind::Equal(proof));
        self.report(&node.place, vec![partition]);
        Ok(())
    }

    /// All paths of a range, but for what is given to others.
    fn range(&mut self, range: Range) -> Result<(), VerifyError> {
        let mut frontier = Vec::new();
        let first = self.at(&range)?;
        frontier.extend(first);
        self.patience = PATIENCE;
        loop {
            if frontier.is_empty() {
                // What takes long, for ever perhaps, comes after all that does not.
                self.patience *= 4;
                frontier.extend(std::mem::take(&mut self.later).into_iter().rev());
            }
            let has_tests = |node: &Node| !node.tests.is_empty();
            let first = if self.config.tests.is_empty() { None } else { frontier.iter().rposition(has_tests) };
            let Some(node) = first.map(|at| frontier.remove(at)).or_else(|| frontier.pop()) else { return Ok(()) };
            if let Some(why) = self.stopping() {
                self.totals.is_cut = true;
                let mut partition = self.open(&node, why);
                partition.cut_short = true;
                self.report(&node.place, vec![partition]);
                continue;
            }
            if self.is_full() {
                if self.is_barren {
                    let partition = self.open(&node, "out of memory");
                    self.report(&node.place, vec![partition]);
                } else {
                    frontier.push(node);
                }
                self.start_over(&mut frontier)?;
                continue;
            }
            if !frontier.is_empty() && self.shared.wants_work() {
                let oldest = frontier.remove(0);
                self.shared.put(range_of(&oldest));
            }
            self.advance(node, &mut frontier);
        }
    }

    fn is_full(&self) -> bool {
        self.config.max_terms.is_some_and(|most| self.pair.old.terms.len() > most)
    }

    /// Drops all terms; what is still to do is written down, and done anew by whoever takes it.
    fn start_over(&mut self, frontier: &mut Vec<Node>) -> Result<(), VerifyError> {
        let nodes = std::mem::take(&mut self.later).into_iter().chain(frontier.drain(..));
        let mut ranges: Vec<Range> = nodes.map(|node| range_of(&node)).collect();
        // The last one is taken first.
        ranges.sort_by_key(|range| !range.tests.is_empty());
        self.pair = Self::blank_pair(self.old, self.new, self.config);
        self.totals.solver.add(self.solver.statistics());
        self.solver = Solver::new(self.config.solver.clone())?;
        self.is_barren = true;
        ranges.into_iter().for_each(|range| self.shared.put(range));
        Ok(())
    }

    /// The pair of states at the start of a range; `None` if there is none that can be gone on with, which is reported.
    fn at(&mut self, range: &Range) -> Result<Option<Node>, VerifyError> {
        let mut node = self.start()?;
        for number in 0..range.place.0.len() {
            let choice = range.place.0[number].clone();
            if let Err(why) = self.follow(&mut node, choice.side, choice.among) {
                node.place = Rc::new(range.place.clone());
                self.totals.is_cut = true;
                let mut partition = self.open(&node, why);
                partition.cut_short = why != ASTRAY;
                self.report(&node.place, vec![partition]);
                return Ok(None);
            }
        }
        match &range.witness {
            Some(witness) => {
                let mut values = Assignment::new();
                let states = std::iter::once(&node.old).chain(&node.new);
                for input in states.flat_map(|state| state.inputs()) {
                    let known = witness.iter().find(|(name, size, _)| *name == input.name && *size == input.size);
                    for (offset, &byte) in (0..).zip(known.iter().flat_map(|(_, _, bytes)| bytes)) {
                        values.set(input.symbol, offset, byte);
                    }
                }
                node.model = Rc::new(values);
            }
            None if range.place.0.is_empty() => {}
            None => match self.solver.canonical(&mut self.pair.old.terms, &node.condition, &[]) {
                Ok(values) => node.model = Rc::new(values),
                Err(why) => {
                    let partition = self.open(&node, &why.to_string());
                    self.report(&node.place, vec![partition]);
                    return Ok(None);
                }
            },
        }
        node.tests = self.tests_at(&node, &range.tests);
        Ok(Some(node))
    }

    /// Those of some tests that take the way that a pair has come.
    fn tests_at(&self, node: &Node, seeds: &[Arc<Seed>]) -> Tests {
        let mut tests = Tests::new(seeds);
        tests.take_in(&node.old);
        if let Some(new) = &node.new {
            tests.begin_again();
            tests.take_in(new);
        }
        let conditions: Vec<TermId> = node.condition.iter().collect();
        tests.keep(&self.pair.old.terms, &conditions);
        tests
    }

    /// Goes to the next decision, and takes the side that is known to exist.
    fn follow(&mut self, node: &mut Node, side: u32, among: Arc<[u32]>) -> Result<(), &'static str> {
        loop {
            match self.step(node) {
                Pause::Mark(_) => {}
                Pause::Yield => {
                    if let Some(why) = self.stopping() {
                        return Err(why);
                    }
                }
                Pause::Assume(condition) => {
                    if side == 0 {
                        node.condition.push(&mut self.pair.old.terms, condition);
                        Rc::make_mut(&mut node.facts).push(Fact::Data(condition));
                    }
                    Rc::make_mut(&mut node.place).push(side, among);
                    self.answer(node, side);
                    return Ok(());
                }
                Pause::Fork(fork) => {
                    if side as usize >= fork.choices.len() {
                        return Err(ASTRAY);
                    }
                    self.take(node, &fork, side, &among);
                    return Ok(());
                }
                Pause::Ended(end) => match self.ended(node, end) {
                    Next::GoOn => {}
                    _ => return Err(ASTRAY),
                },
            }
        }
    }

    fn start(&mut self) -> Result<Node, VerifyError> {
        let old = self.pair.old.start(self.old.entry, &self.old.start).map_err(VerifyError::Start)?;
        let mut node = Node {
            old,
            old_end: None,
            new: None,
            condition: PathCondition::default(),
            facts: Rc::default(),
            model: Rc::new(Assignment::new()),
            place: Rc::default(),
            tests: Tests::default(),
            watched: Watched::default(),
            depth: 0,
            weight: 1.0,
        };
        if self.config.no_null_arguments {
            self.exclude_null(&mut node);
        }
        Ok(node)
    }

    /// Leaves out inputs in which a pointer parameter is null.
    fn exclude_null(&mut self, node: &mut Node) {
        let parameters = &self.pair.old.program().function(self.old.entry).parameters;
        let is_parameter = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        let inputs = node.old.inputs();
        let pointers = node.old.pointers().iter().filter(|pointer| is_parameter(&inputs[pointer.holder].name));
        let pointers: Vec<TermId> = pointers.map(|pointer| pointer.term).collect();
        for pointer in pointers {
            let terms = &mut self.pair.old.terms;
            let null = terms.constant(64, 0);
            let is_some = terms.ne(pointer, null);
            if let Answer::Sat(model) = self.solver.check(terms, &node.condition, &node.model, is_some) {
                node.model = Rc::new(model);
                node.condition.push(&mut self.pair.old.terms, is_some);
            }
        }
    }

    fn is_late(&self) -> bool {
        self.config.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why no more work is to be done, if so.
    pub(crate) fn stopping(&self) -> Option<&'static str> {
        if self.config.interrupt.load(Relaxed) {
            Some("interrupted")
        } else if self.shared.stopped.load(Relaxed) {
            Some("not looked at")
        } else if self.is_late() {
            Some("--timeout was reached")
        } else if self.config.max_partitions.is_some_and(|most| self.shared.reported.load(Relaxed) as u64 >= most) {
            Some("--max-paths was reached")
        } else {
            None
        }
    }

    /// Takes a pair of states to its end; siblings on the way go to the frontier.
    fn advance(&mut self, mut node: Node, frontier: &mut Vec<Node>) {
        let was_full = self.is_full();
        loop {
            let pause = self.step(&mut node);
            let pause = match pause {
                Pause::Yield | Pause::Fork(_) if self.is_back(&mut node) => Pause::Ended(self.endless(&node)),
                other => other,
            };
            match pause {
                Pause::Mark(_) => {}
                Pause::Yield => {
                    if self.stopping().is_some() {
                        return frontier.push(node);
                    }
                    if self.is_slow(&node) {
                        return self.later.push(node);
                    }
                    if self.is_full() && !was_full {
                        return frontier.push(node);
                    }
                }
                Pause::Assume(condition) => match self.assume(&mut node, condition) {
                    Ok(()) => {}
                    Err(why) => {
                        let partition = self.open(&node, &why);
                        return self.report(&node.place, vec![partition]);
                    }
                },
                Pause::Fork(fork) => {
                    if self.stopping().is_some() {
                        return frontier.push(node);
                    }
                    if self.is_slow(&node) {
                        return self.later.push(node);
                    }
                    if self.is_clear(&node) {
                        let partition = self.without_example(&node, Kind::Equal(Proof::Impact));
                        return self.report(&node.place, vec![partition]);
                    }
                    let mut sides = self.sides(node, &fork);
                    sides.reverse();
                    // The last one is gone on with.
                    sides.sort_by_key(|side| !side.tests.is_empty());
                    let Some(first) = sides.pop() else { return };
                    frontier.extend(sides);
                    node = first;
                }
                Pause::Ended(end) => match self.ended(&mut node, end) {
                    Next::GoOn => {}
                    Next::Drop => return self.report(&node.place, Vec::new()),
                    Next::Open(why) => {
                        let partition = self.open(&node, &why);
                        return self.report(&node.place, vec![partition]);
                    }
                    Next::Compare(end) => {
                        let place = node.place.clone();
                        let found = self.partitions(node, &end);
                        return self.report(&place, found);
                    }
                },
            }
        }
    }

    /// Whether the state of the version that runs was there before, with nothing decided since.
    fn is_back(&self, node: &mut Node) -> bool {
        let (machine, state) = match &node.new {
            None => (&self.pair.old, &node.old),
            Some(state) => (&self.pair.new, state),
        };
        machine.path_instructions(state) > SHORT && node.watched.is_back(machine.program(), state)
    }

    fn endless(&self, node: &Node) -> PathEnd {
        match &node.new {
            None => self.pair.old.endless(&node.old),
            Some(state) => self.pair.new.endless(state),
        }
    }

    /// Whether the old version has met no change, and cannot any more.
    fn is_clear(&self, node: &Node) -> bool {
        node.new.is_none() && self.config.ahead.as_ref().is_some_and(|ahead| ahead.is_clear(&self.pair.old, &node.old))
    }

    /// Whether a pair has run for longer than is its due for now.
    fn is_slow(&self, node: &Node) -> bool {
        let run = |machine: &Machine<'_>, state: &State| machine.path_instructions(state);
        let new = node.new.as_ref().map_or(0, |state| run(&self.pair.new, state));
        let due = run(&self.pair.old, &node.old) + new + DECISION * node.depth as u64;
        let patience = if node.tests.is_empty() { self.patience } else { self.patience * FOR_TESTS };
        due > patience && self.later.len() < MOST_LATER
    }

    fn report(&mut self, place: &Rc<Place>, found: Vec<Partition>) {
        self.is_barren = false;
        let terms = &self.pair.old.terms;
        let with_inside = found.into_iter().enumerate().map(|(number, mut partition)| {
            partition.place = ((**place).clone(), number as u32);
            let (formula, symbols) = (partition.formula.clone(), partition.symbols.clone());
            let inside = move |objects: &[(&str, &[u8])]| {
                let mut values = Assignment::new();
                for (name, bytes) in objects {
                    let symbol = symbols.iter().find(|(known, _)| known == name).map(|(_, symbol)| *symbol);
                    for (offset, &byte) in (0..).zip(*bytes) {
                        symbol.into_iter().for_each(|symbol| values.set(symbol, offset, byte));
                    }
                }
                formula.iter().all(|&condition| values.eval_bool(terms, condition))
            };
            (partition, Box::new(inside) as Box<Inside<'_>>)
        });
        self.shared.report(place, with_inside.collect());
    }

    fn ended(&mut self, node: &mut Node, end: PathEnd) -> Next {
        let (machine, state) = match &node.new {
            None => (&self.pair.old, &node.old),
            Some(state) => (&self.pair.new, state),
        };
        self.totals.instructions += machine.own_instructions(state);
        let version = if node.new.is_some() { "new" } else { "old" };
        match end {
            // Inputs that the program itself rules out are none that both versions have in common.
            PathEnd::Infeasible | PathEnd::Silent => Next::Drop,
            PathEnd::Bound(bound) => Next::Open(format!("{version} version: {}", bound_text(bound))),
            PathEnd::Unsupported { what, location } => {
                Next::Open(format!("{version} version: not supported: {what}{}", self.place(node, location)))
            }
            PathEnd::Unknown { why, location } => {
                Next::Open(format!("{version} version: {why}{}", self.place(node, location)))
            }
            end if node.new.is_some() => Next::Compare(end),
            end => {
                node.old_end = Some(Rc::new(end));
                node.watched.forget();
                self.begin_new(node)
            }
        }
    }

    fn place(&self, node: &Node, location: Location) -> String {
        let program = if node.new.is_some() { self.pair.new.program() } else { self.pair.old.program() };
        match program.files.get(location.file as usize) {
            Some(file) if location.is_known() => format!(" at {file}:{}", location.line),
            _ => String::new(),
        }
    }

    /// The old version is through: the new one starts, with the memory that the old one has looked at.
    fn begin_new(&mut self, node: &mut Node) -> Next {
        let side = self.new;
        let old = &node.old;
        let begun = self.pair.with_new(|machine| {
            let mut state = machine.start(side.entry, &side.start)?;
            machine.adopt(&mut state, old).map_err(|error| error.to_string())?;
            Ok::<_, String>(state)
        });
        match begun {
            Ok(state) => {
                node.new = Some(state);
                node.tests.begin_again();
                Next::GoOn
            }
            Err(why) => Next::Open(why),
        }
    }

    /// Runs the version whose turn it is; a bug of ours leaves the partition open.
    fn step(&mut self, node: &mut Node) -> Pause {
        let Node { old, new, .. } = node;
        let pair = &mut self.pair;
        let run = AssertUnwindSafe(|| match new {
            None => pair.old.run(old),
            Some(state) => pair.with_new(|machine| machine.run(state)),
        });
        catch_unwind(run).unwrap_or_else(|_| {
            // The terms are where they were lent to.
            if self.pair.old.terms.is_empty() {
                std::mem::swap(&mut self.pair.old.terms, &mut self.pair.new.terms);
            }
            Pause::Ended(PathEnd::Unsupported {
                what: "a bug in Upshot itself (please report it)".to_string(),
                location: Location::default(),
            })
        })
    }

    fn answer(&mut self, node: &mut Node, side: u32) {
        match &mut node.new {
            None => self.pair.old.answer(&mut node.old, side),
            Some(state) => self.pair.new.answer(state, side),
        }
    }

    fn assume(&mut self, node: &mut Node, condition: TermId) -> Result<(), String> {
        self.totals.asked += 1;
        node.tests.take_in(node.new.as_ref().unwrap_or(&node.old));
        node.tests.keep(&self.pair.old.terms, &[condition]);
        let terms = &mut self.pair.old.terms;
        let is_met = self.solver.satisfied_by(terms, &node.model, &[condition]).is_some();
        let known = if is_met { None } else { self.known(&node.tests, &node.condition, condition) };
        if let Some(model) = known {
            node.model = Rc::new(model);
        } else if !is_met {
            match self.solver.check(&mut self.pair.old.terms, &node.condition, &node.model, condition) {
                Answer::Sat(model) => node.model = Rc::new(model),
                Answer::Unsat => {
                    Rc::make_mut(&mut node.place).push(1, Arc::new([1]));
                    self.answer(node, 1);
                    return Ok(());
                }
                Answer::Unknown(why) => return Err(why.to_string()),
            }
        }
        node.condition.push(&mut self.pair.old.terms, condition);
        Rc::make_mut(&mut node.facts).push(Fact::Data(condition));
        Rc::make_mut(&mut node.place).push(0, Arc::new([0]));
        self.answer(node, 0);
        Ok(())
    }

    /// The pairs on the sides of a decision that exist, in path order.
    fn sides(&mut self, mut node: Node, fork: &Fork) -> Vec<Node> {
        let mut tests = self.tests_by_side(&mut node, fork);
        let at_hand = self.solver.satisfied_by(&self.pair.old.terms, &node.model, &fork.choices);
        // By side: an input that takes it, or why it is not known whether there is one.
        let mut found: Vec<(u32, Result<Rc<Assignment>, String>)> = Vec::new();
        for (side, &condition) in fork.choices.iter().enumerate() {
            if self.pair.old.terms.is_false(condition) {
                continue;
            }
            self.totals.asked += 1;
            if Some(side) == at_hand {
                found.push((side as u32, Ok(node.model.clone())));
                continue;
            }
            if let Some(model) = self.known(&tests[side], &node.condition, condition) {
                found.push((side as u32, Ok(Rc::new(model))));
                continue;
            }
            match self.solver.check(&mut self.pair.old.terms, &node.condition, &node.model, condition) {
                Answer::Sat(model) => found.push((side as u32, Ok(Rc::new(model)))),
                Answer::Unsat => {}
                Answer::Unknown(why) => found.push((side as u32, Err(why.to_string()))),
            }
        }
        let forced = found.len() == 1 && found[0].1.is_ok();
        if !forced && self.config.max_depth.is_some_and(|most| node.depth >= most) {
            let partition = self.open(&node, "--max-depth was reached");
            self.report(&node.place, vec![partition]);
            return Vec::new();
        }
        let among: Arc<[u32]> = found.iter().map(|(side, _)| *side).collect();
        let mut sides = Vec::with_capacity(found.len());
        for (side, model) in found {
            let mut next = node.clone();
            next.tests = std::mem::take(&mut tests[side as usize]);
            self.take(&mut next, fork, side, &among);
            match model {
                Ok(model) => {
                    next.model = model;
                    sides.push(next);
                }
                Err(why) => {
                    let partition = self.open(&next, &why);
                    self.report(&next.place, vec![partition]);
                }
            }
        }
        sides
    }

    fn tests_by_side(&mut self, node: &mut Node, fork: &Fork) -> Vec<Tests> {
        let tests = std::mem::take(&mut node.tests);
        match &node.new {
            None => tests.sides(&self.pair.old, &node.old, fork),
            Some(state) => self.pair.with_new(|machine| tests.sides(machine, state, fork)),
        }
    }

    /// An input that a test shows to exist. What is cross-checked is asked all the same.
    fn known(&self, tests: &Tests, path: &PathCondition, condition: TermId) -> Option<Assignment> {
        if self.config.solver.cross_check {
            return None;
        }
        tests.model(&self.pair.old.terms, path, condition)
    }

    fn take(&mut self, node: &mut Node, fork: &Fork, side: u32, among: &Arc<[u32]>) {
        let sides = among.len();
        let condition = fork.choices[side as usize];
        if sides > 1 {
            node.condition.push(&mut self.pair.old.terms, condition);
            node.depth += 1;
            node.watched.forget();
        }
        if fork.pointer.is_some() {
            node.weight /= sides as f64;
            Rc::make_mut(&mut node.facts).push(Fact::Pointer);
        } else if sides > 1 {
            Rc::make_mut(&mut node.facts).push(Fact::Data(condition));
        }
        Rc::make_mut(&mut node.place).push(side, among.clone());
        self.answer(node, side);
    }
}

/// What a pair of states stands for, to be done by another worker.
fn range_of(node: &Node) -> Range {
    let states = std::iter::once(&node.old).chain(&node.new);
    let inputs = states.flat_map(|state| state.inputs());
    let witness =
        inputs.map(|input| (input.name.clone(), input.size, node.model.bytes(input.symbol, input.size))).collect();
    Range { place: (*node.place).clone(), witness: Some(witness), tests: node.tests.seeds() }
}

enum Next {
    GoOn,
    /// Outside of what is compared.
    Drop,
    Open(String),
    Compare(PathEnd),
}

fn bound_text(bound: Bound) -> String {
    let flag = match bound {
        Bound::Depth => "--max-depth",
        Bound::Instructions => "--max-instructions",
        Bound::Memory => "--max-memory",
        _ => "a bound",
    };
    format!("{flag} was reached")
}

/// What input pointers are in a state, in C.
pub(crate) fn pointer_facts(state: &State) -> Vec<String> {
    let mut facts = Vec::new();
    for (index, pointer) in state.pointers().iter().enumerate() {
        let same = |other: &upshot_exec::InputPointer| other.resolved == pointer.resolved;
        facts.push(match pointer.resolved {
            None => continue,
            Some(PointerTarget::Null) => format!("{} == NULL", pointer.name),
            Some(PointerTarget::Function { .. }) => format!("{} != NULL", pointer.name),
            Some(PointerTarget::Object { .. }) => match state.pointers()[..index].iter().find(|other| same(other)) {
                Some(other) => format!("{} == {}", pointer.name, other.name),
                None => format!("{} != NULL", pointer.name),
            },
        });
    }
    facts
}
