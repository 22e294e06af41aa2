//! One worker: takes ranges, runs the states in them, decides which sides of each decision exist.
//!
//! Every state carries an input that satisfies its path condition (DESIGN, idea 4). Evaluating a side's condition
//! under it shows one side to exist for free; only the others can cost a question.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

use upshot_exec::{Bound, ErrorKind, Fork, Image, Machine, PathEnd, Pause, State};
use upshot_expr::{Assignment, TermId};
use upshot_ir::Location;
use upshot_solver::{Answer, PathCondition, Solver};

use crate::checkpoint::Spent;
use crate::collect::{Event, Keep};
use crate::config::Config;
use crate::directed::{Cut, Directed, Outlook, Row, Unasked, Verdict};
use crate::frontier::Frontier;
use crate::known::Company;
use crate::outbox::Outbox;
use crate::path::Path;
use crate::queue::Queue;
use crate::range::{At, Ends, Range, Witness};
use crate::record::{self, PathRecord};

/// A state with what the driver knows of it.
pub(crate) struct Node {
    pub state: State,
    pub condition: PathCondition,
    pub model: Rc<Assignment>,
    pub path: Path,
    pub depth: usize,
    /// A directed search has decided something that no impacted instruction decides.
    pub strayed: bool,
    /// The nearest state before it that may cover others.
    pub nearest: Option<u32>,
    /// It is not known whether an input takes the last decision; the model does not.
    pub unasked: Option<Unasked>,
    pub outlook: Outlook,
    pub company: Company,
    /// The model is none: the state came here along known paths, none of which has a test.
    pub model_missing: bool,
    /// Questions about other sides that this state came by first.
    pub asked: u64,
    pub at: At,
}

/// What a worker has done, summed up when it is through.
#[derive(Default)]
pub(crate) struct Totals {
    pub instructions: u64,
    pub asked: u64,
    pub solver: upshot_solver::Statistics,
    pub coverage: upshot_exec::Coverage,
    pub met_symbolic: bool,
    pub out_of_memory: bool,
    pub out_of_paths: bool,
    pub open: Vec<Range>,
    pub cut: Cut,
    pub rows: Vec<Row>,
}

/// Terms that an arena may hold before the pending states are written down as ranges and it is dropped.
const ARENA_LIMIT: usize = 4_000_000;

pub(crate) struct Worker<'a> {
    image: &'a Image<'a>,
    pub(crate) config: &'a Config,
    queue: &'a Queue,
    pub(crate) outbox: Outbox,
    pub(crate) keep: &'a dyn Keep,
    pub(crate) machine: Machine<'a>,
    pub(crate) solver: Solver,
    pub(crate) frontier: Frontier,
    pub(crate) totals: Totals,
    /// What a directed search knows.
    pub(crate) directed: Option<Directed<'a>>,
    /// The least path on which this worker met an error of a kind at a place.
    pub(crate) errors: BTreeMap<(ErrorKind, Location, String), Path>,
    /// The number of the range at hand, and its ends.
    pub(crate) range: u64,
    pub(crate) ends: Ends,
    /// What was told last of what is covered, and of what was spent.
    told: upshot_exec::Coverage,
    accounted: Spent,
    /// Paths that have ended.
    pub(crate) ended: u64,
    /// Looks at the memory limit so far, and at which of them the arena was last given up for it.
    steps: u64,
    renewed: u64,
}

impl<'a> Worker<'a> {
    pub fn new(
        image: &'a Image<'a>,
        config: &'a Config,
        queue: &'a Queue,
        outbox: Outbox,
        keep: &'a dyn Keep,
    ) -> Result<Self, upshot_solver::SolverError> {
        Ok(Worker {
            image,
            config,
            queue,
            outbox,
            keep,
            machine: Machine::new(image, config.exec.clone()),
            solver: Solver::new(config.solver.clone())?,
            frontier: Frontier::new(config.search, config.seed),
            totals: Totals::default(),
            directed: config.guide.as_deref().map(|guide| Directed::new(image.program, guide)),
            errors: BTreeMap::new(),
            range: 0,
            ends: Ends::default(),
            told: upshot_exec::Coverage::default(),
            accounted: Spent::default(),
            ended: 0,
            steps: 0,
            renewed: 0,
        })
    }

    /// Works until there is no work left anywhere.
    pub fn work(mut self) -> Totals {
        let queue = self.queue;
        while let Some((number, range, busy)) = queue.take() {
            self.range = number;
            let mut done = false;
            if self.stopping() {
                self.totals.open.push(range);
            } else {
                done = self.explore(range);
            }
            let spent = self.spent();
            self.outbox.put(Event::Closed { number, done, spent });
            self.send();
            drop(busy);
        }
        self.retire_machine();
        self.totals
    }

    pub(crate) fn stopping(&self) -> bool {
        self.config.interrupt.load(Relaxed)
            || self.queue.is_stopped()
            || self.config.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline)
    }

    /// False if it was stopped.
    fn explore(&mut self, range: Range) -> bool {
        let Some(node) = self.restore(range) else { return true };
        if self.is_as_papers() {
            self.explore_as_papers(node);
            return !self.stopping();
        }
        self.frontier.push_all(vec![node]);
        loop {
            let machine = &self.machine;
            let Some(node) = self.frontier.pop(|node| machine.at_new_code(&node.state)) else { return true };
            self.run(node);
            self.send_due();
            if self.config.max_paths.is_some_and(|most| self.ended >= most) && self.frontier.len() > 0 {
                self.totals.out_of_paths = true;
                self.queue.stop();
            }
            if self.stopping() {
                let rest = self.frontier.drain();
                let rest: Vec<Range> = rest.into_iter().map(|node| self.range_of(node)).collect();
                self.totals.open.extend(rest);
                return false;
            }
            self.share();
            if self.machine.terms.len() > ARENA_LIMIT || !self.memory_left() {
                self.renew();
            }
        }
    }

    /// Sends what is to be told, when it is time to. To be called again and again.
    pub(crate) fn send_due(&mut self) {
        if self.outbox.is_due() {
            self.send();
        }
    }

    fn send(&mut self) {
        self.tell_coverage();
        self.outbox.send();
    }

    /// What this worker has spent since it was last asked.
    pub(crate) fn spent(&mut self) -> Spent {
        let (before, now) = (&self.totals.solver, self.solver.statistics());
        let all = Spent {
            instructions: self.totals.instructions,
            asked: self.totals.asked,
            solved: before.solved + now.solved,
            solver_s: (before.time() + now.time()).as_secs_f64(),
            met_symbolic: self.totals.met_symbolic,
        };
        all.since(&std::mem::replace(&mut self.accounted, all))
    }

    /// Whoever hears of a path has heard of what it covers.
    fn tell_coverage(&mut self) {
        if self.told != *self.machine.coverage() {
            self.told.clone_from(self.machine.coverage());
            self.outbox.put(Event::Covered(Box::new(self.told.clone())));
        }
    }

    /// Gives work to a worker that has none.
    fn share(&mut self) {
        while self.frontier.len() > 0 && self.queue.wants_work() {
            let Some(node) = self.frontier.give() else { return };
            if let Some(directed) = &mut self.directed {
                directed.give_away(&node);
            }
            let range = self.range_of(node);
            self.hand_out(range);
        }
    }

    fn hand_out(&mut self, range: Range) {
        self.config.progress.ranges.fetch_add(1, Relaxed);
        self.tell_coverage();
        let (outbox, part_of, copy) = (&mut self.outbox, self.range, Box::new(range.clone()));
        self.queue.put(range, |number| {
            outbox.put(Event::Opened { number, part_of, range: copy });
            outbox.send();
        });
    }

    /// Starts over with empty arena and caches: what is pending is written down as ranges, and goes on from there.
    fn renew(&mut self) {
        let pending = self.frontier.drain();
        let ranges: Vec<Range> = pending.into_iter().map(|node| self.range_of(node)).collect();
        // Taken from the end, so the first one goes in last.
        for range in ranges.into_iter().rev() {
            self.hand_out(range);
        }
        self.retire_machine();
    }

    fn retire_machine(&mut self) {
        if let Some(directed) = &mut self.directed {
            directed.forget_states();
        }
        let fresh = Machine::new(self.image, self.config.exec.clone());
        let old = std::mem::replace(&mut self.machine, fresh);
        self.totals.coverage.merge(old.coverage());
        self.totals.solver.add(self.solver.statistics());
        if let Ok(solver) = Solver::new(self.config.solver.clone()) {
            self.solver = solver;
        }
    }

    /// Writes a state down. What it has executed is counted by whoever gets to its end.
    pub(crate) fn range_of(&mut self, node: Node) -> Range {
        let terms = &self.machine.terms;
        let inputs = node
            .input()
            .symbols()
            .map(|(symbol, bytes)| (terms.symbol_name(symbol).to_string(), terms.symbol_size(symbol), bytes.to_vec()))
            .collect();
        let shared = self.machine.shared_instructions(&node.state);
        let unasked = node.unasked.is_some();
        Range { prefix: node.path, witness: Witness { inputs }, shared, unasked, ends: self.ends.of(node.at) }
    }

    /// The state at the start of a range, by following its decisions. The solver is not asked.
    pub(crate) fn restore(&mut self, range: Range) -> Option<Node> {
        self.ends = range.ends;
        if self.ends.are_closed() {
            return None;
        }
        let mut model = Assignment::new();
        for (name, size, bytes) in &range.witness.inputs {
            let symbol = self.machine.terms.symbol(name, *size);
            for (offset, &byte) in bytes.iter().enumerate() {
                if byte != 0 {
                    model.set(symbol, offset as u32, byte);
                }
            }
        }
        let state = match self.machine.start(self.config.entry, &self.config.start) {
            Ok(state) => state,
            Err(why) => {
                self.report_unsupported(why);
                return None;
            }
        };
        let witness = Rc::new(model);
        let mut node = Node {
            state,
            condition: PathCondition::default(),
            model: witness.clone(),
            path: Path::default(),
            depth: 0,
            strayed: false,
            nearest: None,
            unasked: None,
            outlook: Outlook::default(),
            company: match &self.config.known {
                Some(known) => known.all(),
                None => Company::guided(self.ends.tests()),
            },
            model_missing: false,
            asked: 0,
            at: self.ends.start(),
        };
        while node.path.0.len() < range.prefix.0.len() {
            match self.step(&mut node) {
                Pause::Yield => {}
                Pause::Mark(_) => self.leave_step(&mut node),
                Pause::Fork(fork) => {
                    let decision = range.prefix.0[node.path.0.len()];
                    let is_last = node.path.0.len() + 1 == range.prefix.0.len();
                    node.unasked = (range.unasked && is_last).then(|| Unasked {
                        before: node.condition.clone(),
                        condition: fork.choices[decision.side as usize],
                    });
                    self.keep_company(&mut node, &fork, decision.side);
                    self.take(&mut node, &fork, decision.side, decision.forced);
                }
                Pause::Assume(condition) => {
                    self.keep_assuming(&mut node, condition);
                    node.condition.push(&mut self.machine.terms, condition);
                    self.machine.answer(&mut node.state, 0);
                }
                // The prefix came from this very program, so it cannot end early.
                Pause::Ended(_) => return None,
            }
        }
        // What was lost on the way has left its own input.
        node.model = witness;
        self.machine.set_shared_instructions(&mut node.state, range.shared);
        // What leads to the first path is counted elsewhere, as far as an earlier path has it too.
        if node.at.from && self.ends.shared().is_some_and(|shared| node.path.0.len() <= shared) {
            self.machine.set_shared_instructions(&mut node.state, u64::MAX);
        }
        Some(node)
    }

    fn report_unsupported(&mut self, what: String) {
        let record = PathRecord {
            path: Path::default(),
            end: record::End::Unsupported { what, location: Location::default() },
            test: None,
            kept: None,
            stdout: None,
            stderr: None,
            trace: Default::default(),
            instructions: 0,
            returned: None,
            affected: None,
            remarks: Vec::new(),
            uncontrolled: false,
            uncontrolled_test: false,
            visited: Default::default(),
            asked: 0,
            seed: None,
        };
        let spent = self.spent();
        self.outbox.put(Event::Path(self.range, Box::new(record), spent));
    }

    /// Runs the machine; a bug of ours ends the path, not the program.
    pub(crate) fn step(&mut self, node: &mut Node) -> Pause {
        let machine = &mut self.machine;
        match catch_unwind(AssertUnwindSafe(|| machine.run(&mut node.state))) {
            Ok(pause) => pause,
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("no message");
                Pause::Ended(PathEnd::Unsupported {
                    what: format!("a bug in Upshot itself (please report it): {text}"),
                    location: Location::default(),
                })
            }
        }
    }

    /// Runs a state until it ends, or, where the search order asks for that, until it forks.
    fn run(&mut self, mut node: Node) {
        loop {
            match self.step(&mut node) {
                Pause::Yield => {
                    self.send_due();
                    if self.stopping() {
                        let range = self.range_of(node);
                        self.totals.open.push(range);
                        return;
                    }
                    // What goes on for long must exist.
                    let Some(confirmed) = self.confirm(node) else { return };
                    node = confirmed;
                    if !self.memory_left() {
                        return self.finish(node, PathEnd::Bound(Bound::Memory));
                    }
                }
                Pause::Ended(end) => return self.end(node, end),
                Pause::Assume(condition) => {
                    let Some(confirmed) = self.confirm(node) else { return };
                    node = confirmed;
                    self.note_relevant(&node, &[condition]);
                    if let Err(end) = self.assume(&mut node, condition) {
                        return self.finish(node, end);
                    }
                }
                Pause::Mark(_) => self.leave_step(&mut node),
                Pause::Fork(fork) => {
                    if self.stopping() {
                        let range = self.range_of(node);
                        self.totals.open.push(range);
                        return;
                    }
                    let verdict = self.judge(&mut node);
                    if matches!(verdict, Verdict::GiveUp) {
                        return self.give_up(&node);
                    }
                    let Some(confirmed) = self.confirm(node) else { return };
                    node = confirmed;
                    if matches!(verdict, Verdict::FinishAlong) {
                        return self.finish_along(node, fork);
                    }
                    self.note_decision(&mut node, &fork);
                    match self.fork(node, &fork) {
                        Some(next) if self.frontier.interleaves() => {
                            self.frontier.push_all(vec![next]);
                            return;
                        }
                        Some(next) => node = next,
                        None => return,
                    }
                    self.share();
                }
            }
        }
    }

    /// Goes on only where `condition` holds.
    pub(crate) fn assume(&mut self, node: &mut Node, condition: TermId) -> Result<(), PathEnd> {
        if self.keep_assuming(node, condition) {
            node.condition.push(&mut self.machine.terms, condition);
            self.machine.answer(&mut node.state, 0);
            return Ok(());
        }
        self.need_model(node)?;
        self.totals.asked += 1;
        if self.solver.satisfied_by(&self.machine.terms, &node.model, &[condition]).is_none() {
            match self.solver.check(&mut self.machine.terms, &node.condition, &node.model, condition) {
                Answer::Sat(model) => node.model = Rc::new(model),
                Answer::Unsat => {
                    self.machine.answer(&mut node.state, 1);
                    return Ok(());
                }
                Answer::Unknown(why) => {
                    let location = self.machine.location(&node.state);
                    return Err(PathEnd::Unknown { why: why.to_string(), location });
                }
            }
        }
        node.condition.push(&mut self.machine.terms, condition);
        self.machine.answer(&mut node.state, 0);
        Ok(())
    }

    /// Decides which sides exist. Returns the first of them, to go on with; the others wait in the frontier.
    fn fork(&mut self, node: Node, fork: &Fork) -> Option<Node> {
        let mut sides = self.sides(node, fork).into_iter();
        let first = sides.next();
        self.frontier.push_all(sides.collect());
        self.config.progress.pending.store(self.frontier.len() as u64, Relaxed);
        first
    }

    /// The states on the sides of a decision that exist, in path order.
    pub(crate) fn sides(&mut self, mut node: Node, fork: &Fork) -> Vec<Node> {
        if let Some(known) = self.known_sides(&node) {
            return self.sides_along(node, fork, known);
        }
        let mut groups = self.split(&mut node, fork);
        if groups.is_empty()
            && let Err(end) = self.need_model(&mut node)
        {
            self.finish(node, end);
            return Vec::new();
        }
        let model = groups.values().next().map_or(&*node.model, |group| &group[0].values);
        let at_hand = match groups.is_empty() {
            true => self.solver.satisfied_by(&self.machine.terms, model, &fork.choices),
            false => None,
        };
        let inside = self.ends.inside(node.at, node.path.0.len());
        let mut found: Vec<(u32, Option<Rc<Assignment>>)> = Vec::new();
        let mut unknown = Vec::new();
        let defers = at_hand.is_some() && self.defers();
        for (side, &condition) in (0u32..).zip(&fork.choices).filter(|(side, _)| inside.has(*side)) {
            if groups.contains_key(&side) {
                found.push((side, None));
                continue;
            }
            if self.machine.terms.is_false(condition) {
                continue;
            }
            if defers && Some(side as usize) != at_hand {
                if !node.condition.denies(&mut self.machine.terms, condition) {
                    found.push((side, None));
                }
                continue;
            }
            self.totals.asked += 1;
            node.asked += 1;
            if Some(side as usize) == at_hand {
                found.push((side, Some(node.model.clone())));
                continue;
            }
            match self.solver.check(&mut self.machine.terms, &node.condition, model, condition) {
                Answer::Sat(model) => found.push((side, Some(Rc::new(model)))),
                Answer::Unsat => self.totals.cut.infeasible += 1,
                Answer::Unknown(why) => unknown.push((side, why.to_string())),
            }
        }
        self.config.progress.questions.fetch_add(fork.choices.len() as u64, Relaxed);
        let forced = inside.forced.unwrap_or(found.len() == 1 && unknown.is_empty());
        if !forced && self.config.max_depth.is_some_and(|most| node.depth >= most) {
            self.finish(node, PathEnd::Bound(Bound::Depth));
            return Vec::new();
        }
        for (side, why) in unknown {
            let mut lost = self.copy(&node);
            lost.at = self.ends.go(lost.at, lost.path.0.len(), side);
            lost.path.push(side, false);
            let location = self.machine.location(&lost.state);
            self.finish(lost, PathEnd::Unknown { why, location });
        }
        let deferred = if defers { found.len() - 1 } else { 0 };
        self.totals.cut.states += (found.len() - deferred) as u64;
        node.strayed |= !forced && self.strays(&node);
        let before = defers.then(|| node.condition.clone());
        let mut with = |node: &mut Node, side: u32, model: Option<Rc<Assignment>>| {
            let unasked = before.as_ref().filter(|_| Some(side as usize) != at_hand);
            node.unasked =
                unasked.map(|before| Unasked { before: before.clone(), condition: fork.choices[side as usize] });
            node.company = groups.remove(&side).map_or(Company::Alone, Company::With);
            if let Some(model) = model {
                node.model = model;
            }
        };
        // Where no side exists the state itself was not feasible, which only an input pointer out of its domain can bring about.
        let mut found = found.into_iter();
        let Some((first, first_model)) = found.next() else { return Vec::new() };
        let mut sides = Vec::with_capacity(1 + found.len());
        for (side, model) in found {
            let mut sibling = self.copy(&node);
            with(&mut sibling, side, model);
            self.take(&mut sibling, fork, side, forced);
            sides.push(sibling);
        }
        with(&mut node, first, first_model);
        self.take(&mut node, fork, first, forced);
        sides.insert(0, node);
        sides
    }

    /// A copy of a node whose instructions so far are counted by the original.
    pub(crate) fn copy(&self, node: &Node) -> Node {
        let mut state = node.state.clone();
        self.machine.share_instructions(&mut state);
        Node {
            state,
            condition: node.condition.clone(),
            model: node.model.clone(),
            path: node.path.clone(),
            depth: node.depth,
            strayed: node.strayed,
            nearest: node.nearest,
            unasked: None,
            outlook: node.outlook.clone(),
            company: Company::Alone,
            model_missing: node.model_missing,
            asked: 0,
            at: node.at,
        }
    }

    pub(crate) fn take(&mut self, node: &mut Node, fork: &Fork, side: u32, forced: bool) {
        if !forced {
            node.condition.push(&mut self.machine.terms, fork.choices[side as usize]);
            node.depth += 1;
        }
        if node.at.from && self.ends.shared() == Some(node.path.0.len()) {
            self.machine.share_instructions(&mut node.state);
        }
        node.at = self.ends.go(node.at, node.path.0.len(), side);
        node.path.push(side, forced);
        self.machine.answer(&mut node.state, side);
    }

    /// Whether the process is within its memory limit. Where it is not, and starting over with an empty arena did not help,
    /// the whole search is over.
    fn memory_left(&mut self) -> bool {
        let Some(most) = self.config.max_memory else { return true };
        self.steps += 1;
        if !self.steps.is_multiple_of(64) || resident_bytes() <= most {
            return true;
        }
        if self.steps < self.renewed + 1000 {
            self.totals.out_of_memory = true;
            self.queue.stop();
        }
        self.renewed = self.steps;
        false
    }
}

/// Memory that the process holds, from the kernel.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
