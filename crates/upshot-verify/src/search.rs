//! The product of two executions: every path of the old version, and for each the paths of the new one that its inputs take.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use upshot_exec::{Bound, Fork, Machine, PathEnd, Pause, PointerTarget, State};
use upshot_expr::{Assignment, TermId};
use upshot_ir::Location;
use upshot_solver::{Answer, PathCondition, Solver};

use crate::pair::Pair;
use crate::partition::Partition;
use crate::{Config, Side, Sink, Summary, VerifyError};

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
    pub asked: u64,
    pub instructions: u64,
    pub reported: u64,
    pub stopped: bool,
    /// Instructions that a pair may run for before the others get their turn, and those that have.
    patience: u64,
    later: Vec<Node>,
}

/// The first such share.
const PATIENCE: u64 = 20_000;

impl<'a> Search<'a> {
    pub fn new(old: &'a Side<'a>, new: &'a Side<'a>, config: &'a Config) -> Result<Self, VerifyError> {
        let pair = Pair {
            old: Machine::new(old.image, config.exec.clone()),
            new: Machine::new(new.image, config.exec.clone()),
        };
        let solver = Solver::new(config.solver.clone())?;
        Ok(Search {
            pair,
            solver,
            config,
            old,
            new,
            asked: 0,
            instructions: 0,
            reported: 0,
            stopped: false,
            patience: PATIENCE,
            later: Vec::new(),
        })
    }

    pub fn run(mut self, sink: &mut dyn Sink) -> Result<Summary, VerifyError> {
        let started = Instant::now();
        let mut frontier = vec![self.start()?];
        let mut exhausted = true;
        loop {
            if frontier.is_empty() {
                // What takes long, for ever perhaps, comes after all that does not.
                self.patience *= 4;
                frontier.extend(std::mem::take(&mut self.later).into_iter().rev());
            }
            let Some(node) = frontier.pop() else { break };
            if let Some(why) = self.stopping() {
                exhausted = false;
                let partition = self.open(&node, why);
                self.report(partition, sink);
                continue;
            }
            self.advance(node, &mut frontier, sink);
        }
        Ok(Summary {
            exhausted: exhausted && !self.stopped,
            interrupted: self.config.interrupt.load(Relaxed),
            out_of_time: self.is_late(),
            asked: self.asked,
            solver: self.solver.statistics().clone(),
            instructions: self.instructions,
            time: started.elapsed(),
        })
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
    fn stopping(&self) -> Option<&'static str> {
        if self.config.interrupt.load(Relaxed) {
            Some("interrupted")
        } else if self.stopped {
            Some("not looked at")
        } else if self.is_late() {
            Some("--timeout was reached")
        } else if self.config.max_terms.is_some_and(|most| self.pair.old.terms.len() > most) {
            Some("out of memory")
        } else if self.config.max_partitions.is_some_and(|most| self.reported >= most) {
            Some("--max-paths was reached")
        } else {
            None
        }
    }

    /// Takes a pair of states to its end; siblings on the way go to the frontier.
    fn advance(&mut self, mut node: Node, frontier: &mut Vec<Node>, sink: &mut dyn Sink) {
        loop {
            match self.step(&mut node) {
                Pause::Mark(_) => {}
                Pause::Yield => {
                    if self.stopping().is_some() {
                        return frontier.push(node);
                    }
                    if self.is_slow(&node) {
                        return self.later.push(node);
                    }
                }
                Pause::Assume(condition) => match self.assume(&mut node, condition) {
                    Ok(()) => {}
                    Err(why) => {
                        let partition = self.open(&node, &why);
                        return self.report(partition, sink);
                    }
                },
                Pause::Fork(fork) => {
                    if self.stopping().is_some() {
                        return frontier.push(node);
                    }
                    if self.is_slow(&node) {
                        return self.later.push(node);
                    }
                    let mut sides = self.sides(node, &fork, sink);
                    sides.reverse();
                    let Some(first) = sides.pop() else { return };
                    frontier.extend(sides);
                    node = first;
                }
                Pause::Ended(end) => match self.ended(&mut node, end) {
                    Next::GoOn => {}
                    Next::Drop => return,
                    Next::Open(why) => {
                        let partition = self.open(&node, &why);
                        return self.report(partition, sink);
                    }
                    Next::Compare(end) => {
                        for partition in self.partitions(node, &end) {
                            self.report(partition, sink);
                        }
                        return;
                    }
                },
            }
        }
    }

    /// Whether a pair has run for longer than is its due for now.
    fn is_slow(&self, node: &Node) -> bool {
        let run = |machine: &Machine<'_>, state: &State| machine.path_instructions(state);
        let new = node.new.as_ref().map_or(0, |state| run(&self.pair.new, state));
        run(&self.pair.old, &node.old) + new > self.patience
    }

    pub fn report(&mut self, partition: Partition, sink: &mut dyn Sink) {
        self.reported += 1;
        let (formula, symbols) = (partition.formula.clone(), partition.symbols.clone());
        let terms = &self.pair.old.terms;
        let inside = |objects: &[(&str, &[u8])]| {
            let mut values = Assignment::new();
            for (name, bytes) in objects {
                let symbol = symbols.iter().find(|(known, _)| known == name).map(|(_, symbol)| *symbol);
                for (offset, &byte) in (0..).zip(*bytes) {
                    symbol.into_iter().for_each(|symbol| values.set(symbol, offset, byte));
                }
            }
            formula.iter().all(|&condition| values.eval_bool(terms, condition))
        };
        if !sink.found(partition, &inside) {
            self.stopped = true;
        }
    }

    fn ended(&mut self, node: &mut Node, end: PathEnd) -> Next {
        let (machine, state) = match &node.new {
            None => (&self.pair.old, &node.old),
            Some(state) => (&self.pair.new, state),
        };
        self.instructions += machine.own_instructions(state);
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
        self.asked += 1;
        let terms = &mut self.pair.old.terms;
        if self.solver.satisfied_by(terms, &node.model, &[condition]).is_none() {
            match self.solver.check(terms, &node.condition, &node.model, condition) {
                Answer::Sat(model) => node.model = Rc::new(model),
                Answer::Unsat => {
                    self.answer(node, 1);
                    return Ok(());
                }
                Answer::Unknown(why) => return Err(why.to_string()),
            }
        }
        node.condition.push(&mut self.pair.old.terms, condition);
        Rc::make_mut(&mut node.facts).push(Fact::Data(condition));
        self.answer(node, 0);
        Ok(())
    }

    /// The pairs on the sides of a decision that exist, in path order.
    fn sides(&mut self, node: Node, fork: &Fork, sink: &mut dyn Sink) -> Vec<Node> {
        let at_hand = self.solver.satisfied_by(&self.pair.old.terms, &node.model, &fork.choices);
        let mut models = Vec::new();
        let mut unknown = Vec::new();
        for (side, &condition) in fork.choices.iter().enumerate() {
            if self.pair.old.terms.is_false(condition) {
                continue;
            }
            self.asked += 1;
            if Some(side) == at_hand {
                models.push((side, node.model.clone()));
                continue;
            }
            match self.solver.check(&mut self.pair.old.terms, &node.condition, &node.model, condition) {
                Answer::Sat(model) => models.push((side, Rc::new(model))),
                Answer::Unsat => {}
                Answer::Unknown(why) => unknown.push((side, why.to_string())),
            }
        }
        let forced = models.len() + unknown.len() == 1 && unknown.is_empty();
        if !forced && self.config.max_depth.is_some_and(|most| node.depth >= most) {
            let partition = self.open(&node, "--max-depth was reached");
            self.report(partition, sink);
            return Vec::new();
        }
        let count = models.len() + unknown.len();
        for (side, why) in unknown {
            let mut lost = node.clone();
            self.take(&mut lost, fork, side, count);
            let partition = self.open(&lost, &why);
            self.report(partition, sink);
        }
        let mut sides = Vec::with_capacity(models.len());
        for (side, model) in models {
            let mut next = node.clone();
            next.model = model;
            self.take(&mut next, fork, side, count);
            sides.push(next);
        }
        sides
    }

    fn take(&mut self, node: &mut Node, fork: &Fork, side: usize, sides: usize) {
        if sides > 1 {
            node.condition.push(&mut self.pair.old.terms, fork.choices[side]);
            node.depth += 1;
        }
        if fork.pointer.is_some() {
            node.weight /= sides as f64;
            Rc::make_mut(&mut node.facts).push(Fact::Pointer);
        } else if sides > 1 {
            Rc::make_mut(&mut node.facts).push(Fact::Data(fork.choices[side]));
        }
        self.answer(node, side as u32);
    }
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
            Some(PointerTarget::Null) => format!("{} == 0", pointer.name),
            Some(PointerTarget::Function { .. }) => format!("{} != 0", pointer.name),
            Some(PointerTarget::Object { .. }) => match state.pointers()[..index].iter().find(|other| same(other)) {
                Some(other) => format!("{} == {}", pointer.name, other.name),
                None => format!("{} != 0", pointer.name),
            },
        });
    }
    facts
}
