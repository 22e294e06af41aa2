//! Exploration by re-ordered relevant-slice conditions (FSE'11, Algorithm 1).
//!
//! An input is run, the relevant-slice condition of the outputs is put in order, and each of its decisions is negated in turn under those before it. What Algorithm 1 takes from the
//! order alone (a prefix with its last decision negated is a prefix of the new path's condition) does not hold for every program: a decision of the prefix may lose its
//! influence, and a pivot that is new may come before all of them. So the prefix is kept here as it is, and only what the new path adds to it is reordered. Then
//! the prefixes are the inner nodes of a decision tree: nothing is missed, and no input is met twice. A condition that lacks decisions of its prefix could be met
//! again elsewhere; inputs that satisfy a known one are left out when the next is looked for.
//!
//! That a prefix holds on the new path, with the same terms at the same execution indices, is checked on every path. Where it does not, whole path conditions take over below that node, which are finer.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use upshot_exec::{Content, Machine, PathEnd};
use upshot_explore::Seed;
use upshot_expr::{Assignment, TermId, Terms};
use upshot_ir::GlobalId;
use upshot_solver::{Answer, PathCondition, Solver};

use crate::config::Config;
use crate::graph::Node;
use crate::observe::{self, Names, Observed, Observer, Output, Variables};
use crate::order::reorder;
use crate::regions::Bodies;
use crate::run::{self, Input, Run};
use crate::sets::SetId;
use crate::walk::{Walk, Walked};
use crate::{Case, Figures, Problem};

/// A decision in a condition.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// Execution index: the same decision on another path has the same one.
    pub index: u64,
    pub choices: Rc<[TermId]>,
    pub side: u32,
    pub pointers: Option<Rc<[String]>>,
    pub is_assumption: bool,
}

impl Atom {
    pub fn term(&self) -> TermId {
        self.choices[self.side as usize]
    }

    fn is(&self, other: &Atom) -> bool {
        self.index == other.index && self.choices == other.choices && self.side == other.side
    }

    /// Whether no input satisfies both.
    fn excludes(&self, other: &Atom) -> bool {
        self.index == other.index && self.choices == other.choices && self.side != other.side
    }
}

/// A prefix whose last decision goes another way than on any path so far.
struct Pending {
    prefix: Vec<Atom>,
    /// Satisfies all but the last.
    model: Rc<Assignment>,
    /// Taken from where, for those who want to follow: the case, and the place of the decision negated in it.
    from: Option<(usize, usize)>,
}

pub(crate) struct Explorer<'a, 'p> {
    pub machine: Machine<'p>,
    pub solver: Solver,
    config: &'a Config,
    variables: &'a Variables,
    bodies: &'a Bodies<'p>,
    initial: FxHashMap<u64, Content>,
    stack: Vec<Pending>,
    pub cases: Vec<Case>,
    /// Cases whose condition lacks decisions of their prefix.
    loose: Vec<usize>,
    /// Conditions take in their prefixes whole.
    keeps_prefixes: bool,
    pub figures: Figures,
}

/// What one input has shown.
pub(crate) struct Found {
    pub run: Run,
    /// All decisions, in path order.
    pub atoms: Vec<Atom>,
    /// Those that the outputs depend on.
    pub relevant: Vec<usize>,
    pub slices: Option<Walked>,
    pub observed: Vec<Observed>,
    pub lines: Vec<(String, u32)>,
    /// What the outputs and the end of the path are made of.
    pub criteria: Vec<Node>,
}

impl Found {
    /// Which decision of the path an atom is.
    pub fn number_of(&self, atom: &Atom) -> Option<usize> {
        self.atoms.iter().position(|other| other.is(atom))
    }
}

impl<'a, 'p> Explorer<'a, 'p> {
    pub fn new(
        terms: Terms,
        image: &'p upshot_exec::Image<'p>,
        config: &'a Config,
        variables: &'a Variables,
        bodies: &'a Bodies<'p>,
    ) -> Result<Self, Problem> {
        let mut machine = Machine::new(image, config.exec.clone());
        machine.terms = terms;
        let start = machine.start(config.entry, &config.start).map_err(Problem::Start)?;
        let mut initial = FxHashMap::default();
        let globals = (0..machine.program().globals.len() as u32).map(GlobalId);
        for global in globals {
            if config.outputs.contains(&Output::Global(global))
                && let Some(content) = machine.content(&start, machine.global_address(global))
            {
                initial.insert(content.base, content);
            }
        }
        Ok(Explorer {
            machine,
            solver: Solver::new(config.solver.clone())?,
            config,
            variables,
            bodies,
            initial,
            stack: Vec::new(),
            cases: Vec::new(),
            loose: Vec::new(),
            keeps_prefixes: false,
            figures: Figures::default(),
        })
    }

    /// Explores from an input to the end.
    pub fn explore(&mut self, first: &Assignment) {
        self.begin(first);
        if !self.are_disjoint() {
            self.cases.clear();
            self.loose.clear();
            self.keeps_prefixes = true;
            self.figures.restarts += 1;
            self.begin(first);
        }
    }

    fn begin(&mut self, first: &Assignment) {
        self.stack.clear();
        self.execute(first.clone(), Vec::new(), None);
        while let Some(pending) = self.stack.pop() {
            if self.must_stop() {
                self.figures.stopped = true;
                break;
            }
            self.solve(pending);
        }
    }

    fn must_stop(&self) -> bool {
        let is_enough = |most: u64| self.figures.paths >= most;
        let too_many = |most: usize| self.machine.terms.len() > most;
        self.config.stops()
            || self.config.max_paths.is_some_and(is_enough)
            || self.config.max_terms.is_some_and(too_many)
    }

    /// Looks for an input that takes a prefix, and runs it.
    fn solve(&mut self, pending: Pending) {
        let Some((last, before)) = pending.prefix.split_last() else { return };
        let mut path = PathCondition::default();
        for atom in before {
            path.push(&mut self.machine.terms, atom.term());
        }
        let mut wanted = last.term();
        loop {
            self.figures.asked += 1;
            let size: usize = 1 + path.len();
            self.figures.conditions += size as u64;
            match self.solver.check(&mut self.machine.terms, &path, &pending.model, wanted) {
                Answer::Unsat => return,
                Answer::Unknown(_) => {
                    self.figures.unknown += 1;
                    return;
                }
                Answer::Sat(model) => {
                    let known = self.loose.iter().copied().find(|&number| self.holds(number, &model));
                    match known {
                        None => return self.execute(model, pending.prefix, pending.from),
                        Some(number) => {
                            let not = self.outside(number);
                            wanted = self.machine.terms.and(wanted, not);
                        }
                    }
                }
            }
        }
    }

    /// Whether an input belongs to a case.
    fn holds(&self, case: usize, model: &Assignment) -> bool {
        self.cases[case].atoms.iter().all(|atom| model.eval_bool(&self.machine.terms, atom.term()))
    }

    fn outside(&mut self, case: usize) -> TermId {
        let terms = &mut self.machine.terms;
        let mut inside = terms.bool(true);
        for atom in &self.cases[case].atoms {
            inside = terms.and(inside, atom.term());
        }
        terms.not(inside)
    }

    /// Runs an input and slices its path.
    pub fn look(&mut self, input: Input) -> Result<Found, String> {
        let run = run::run(&mut self.machine, &mut self.solver, self.config, self.variables, input)?;
        self.figures.paths += 1;
        let walked = match self.config.whole_paths {
            true => None,
            false => Walk::along(&self.machine, &run.state, self.bodies, self.config.entry, &run.looks)
                .ok()
                .filter(|walked| walked.decided.len() == run.taken.len()),
        };
        self.figures.lost += u64::from(walked.is_none() && !self.config.whole_paths);
        self.figures.nodes += walked.as_ref().map_or(0, |walked| walked.graph.len() as u64);
        Ok(self.found(run, walked))
    }

    fn found(&mut self, run: Run, mut walked: Option<Walked>) -> Found {
        let mut observer = Observer::new(&mut self.machine, &run, walked.as_mut(), &self.initial);
        observer.observe(&self.config.outputs, self.variables);
        let (observed, mut criteria) = (observer.observed, observer.criteria);
        let index = |number: usize| walked.as_ref().map_or(number as u64, |walked| walked.decided[number].index);
        let atoms: Vec<Atom> = run
            .taken
            .iter()
            .enumerate()
            .map(|(number, taken)| Atom {
                index: index(number),
                choices: taken.choices.clone(),
                side: taken.side,
                pointers: taken.pointers.clone(),
                is_assumption: taken.is_assumption,
            })
            .collect();
        let program = self.machine.program();
        let (relevant, lines) = match &mut walked {
            None => ((0..atoms.len()).collect(), Vec::new()),
            Some(walked) => {
                if !matches!(run.end, PathEnd::Returned(_)) {
                    criteria.push(walked.end);
                }
                let graph = &mut walked.graph;
                let mut set = walked.life;
                for &node in &criteria {
                    set = graph.sets.union(set, graph.set(node));
                }
                // A bound says nothing about what would have come.
                let is_whole =
                    !matches!(run.end, PathEnd::Bound(_) | PathEnd::Unknown { .. } | PathEnd::Unsupported { .. });
                let relevant = if is_whole { graph.sets.members(set) } else { (0..atoms.len()).collect() };
                for &decision in &relevant {
                    criteria.push(walked.decided[decision].node);
                }
                (relevant, observe::lines(program, &graph.instructions(&criteria)))
            }
        };
        Found { run, atoms, relevant, slices: walked, observed, lines, criteria }
    }

    pub fn stops(&self) -> bool {
        self.config.stops()
    }

    /// The relevant decisions of a path, in order.
    pub fn ordered(&mut self, found: &Found) -> Vec<Atom> {
        self.sequence(found, &[]).0
    }

    /// Runs a test, and tells its case.
    pub fn single(&mut self, test: Seed) -> Result<(Found, Case), String> {
        let found = self.look(Input::Test(test))?;
        let (atoms, _) = self.sequence(&found, &[]);
        let case = self.case(&found, atoms, None);
        Ok((found, case))
    }

    fn execute(&mut self, model: Assignment, prefix: Vec<Atom>, from: Option<(usize, usize)>) {
        let found = match self.look(Input::Model(model)) {
            Ok(found) => found,
            Err(_) => {
                self.figures.unknown += 1;
                return;
            }
        };
        let (sequence, is_loose) = self.sequence(&found, &prefix);
        let number = self.cases.len();
        let model = Rc::new(found.run.model.clone());
        let reported = self.report(&found, &sequence, is_loose, from);
        for at in prefix.len()..sequence.len() {
            let atom = &sequence[at];
            if atom.is_assumption && atom.side == 0 {
                continue;
            }
            for side in 0..atom.choices.len() as u32 {
                if side == atom.side || self.machine.terms.is_false(atom.choices[side as usize]) {
                    continue;
                }
                let mut prefix = sequence[..at].to_vec();
                prefix.push(Atom { side, ..atom.clone() });
                let from = reported.then_some((number, at));
                self.stack.push(Pending { prefix, model: model.clone(), from });
            }
        }
    }

    /// The decisions of a path in the order in which they are negated: the prefix that it was run for, then what else the outputs depend on; and whether
    /// some of the prefix has no influence.
    fn sequence(&mut self, found: &Found, prefix: &[Atom]) -> (Vec<Atom>, bool) {
        let mut places = Vec::with_capacity(prefix.len());
        for atom in prefix {
            places.push(found.atoms.iter().position(|other| other.is(atom)));
        }
        let mut sequence = prefix.to_vec();
        let (Some(places), Some(walked)) = (places.into_iter().collect::<Option<Vec<usize>>>(), &found.slices) else {
            self.figures.strayed += u64::from(!self.config.whole_paths);
            let is_new = |atom: &&Atom| !prefix.iter().any(|other| other.is(atom));
            sequence.extend(found.atoms.iter().filter(is_new).cloned());
            return (sequence, false);
        };
        let is_loose = places.iter().any(|place| !found.relevant.contains(place));
        let rest: Vec<usize> = found.relevant.iter().copied().filter(|number| !places.contains(number)).collect();
        let slices = |number: usize| -> SetId { walked.decided[number].slice };
        let ordered = reorder(&walked.graph.sets, &slices, &rest);
        sequence.extend(ordered.into_iter().map(|number| found.atoms[number].clone()));
        (sequence, is_loose)
    }

    /// Writes the case down; whether there is one.
    fn report(&mut self, found: &Found, sequence: &[Atom], is_loose: bool, from: Option<(usize, usize)>) -> bool {
        match &found.run.end {
            PathEnd::Infeasible => return false,
            PathEnd::Bound(_) | PathEnd::Unknown { .. } => {
                self.figures.bounded += 1;
                return false;
            }
            PathEnd::Unsupported { .. } => self.figures.unsupported += 1,
            _ => {}
        }
        let is_relevant =
            |atom: &&Atom| self.keeps_prefixes || found.relevant.iter().any(|&number| found.atoms[number].is(atom));
        let strayed = found.slices.is_none();
        let atoms: Vec<Atom> = sequence.iter().filter(|atom| strayed || is_relevant(atom)).cloned().collect();
        if is_loose && !self.keeps_prefixes {
            self.loose.push(self.cases.len());
        }
        let case = self.case(found, atoms, from);
        self.cases.push(case);
        true
    }

    fn case(&mut self, found: &Found, atoms: Vec<Atom>, from: Option<(usize, usize)>) -> Case {
        let condition = self.told(found, &atoms);
        let values = self.input(found, &atoms);
        let run = &found.run;
        let inputs = run.state.inputs().iter().map(|input| (input.name.clone(), input.symbol)).collect();
        Case {
            condition,
            outputs: self.outputs(found),
            end: upshot_explore::end_of(&self.machine, &run.end, Some(&values)),
            test: upshot_explore::test_of(&self.machine, &run.state, &values),
            lines: found.lines.clone(),
            path_decisions: found.atoms.len(),
            from,
            inputs,
            atoms,
        }
    }

    fn outputs(&self, found: &Found) -> Vec<Observed> {
        let names = Names::of(&self.machine, &found.run.state);
        let named = |output: &Observed| Observed { text: names.apply(&output.text), ..output.clone() };
        found.observed.iter().map(named).collect()
    }

    /// A condition in C.
    pub fn told(&self, found: &Found, atoms: &[Atom]) -> Vec<String> {
        let names = Names::of(&self.machine, &found.run.state);
        let mut condition: Vec<String> = Vec::new();
        for atom in atoms {
            let text = match &atom.pointers {
                Some(facts) => facts[atom.side as usize].clone(),
                None => names.apply(&observe::text(&self.machine, atom.term())),
            };
            if !self.machine.terms.is_true(atom.term()) && !condition.contains(&text) {
                condition.push(text);
            }
        }
        condition
    }

    /// The input that is shown for a case: one that takes the very path at hand.
    fn input(&mut self, found: &Found, atoms: &[Atom]) -> Assignment {
        let mut condition = PathCondition::default();
        for atom in atoms {
            condition.push(&mut self.machine.terms, atom.term());
        }
        let preferences = found.run.state.preferences().to_vec();
        if let Ok(values) = self.solver.canonical(&mut self.machine.terms, &condition, &preferences) {
            let takes = |taken: &run::Taken| values.eval_bool(&self.machine.terms, taken.choices[taken.side as usize]);
            if found.run.taken.iter().all(takes) {
                return values;
            }
        }
        let path = found.run.condition(&mut self.machine);
        let values = self.solver.canonical(&mut self.machine.terms, &path, &preferences);
        values.unwrap_or_else(|_| found.run.model.clone())
    }

    /// Whether no input belongs to two cases. Those in different branches of the tree of prefixes cannot share one.
    fn are_disjoint(&mut self) -> bool {
        for &one in &self.loose.clone() {
            for other in 0..self.cases.len() {
                if other == one || other < one && self.loose.contains(&other) {
                    continue;
                }
                let (a, b) = (&self.cases[one].atoms, &self.cases[other].atoms);
                if a.iter().any(|atom| b.iter().any(|other| atom.excludes(other))) {
                    continue;
                }
                let both: Vec<TermId> = a.iter().chain(b).map(Atom::term).collect();
                if self.may_hold(&both) {
                    return false;
                }
            }
        }
        true
    }

    fn may_hold(&mut self, conditions: &[TermId]) -> bool {
        let terms = &mut self.machine.terms;
        let mut all = terms.bool(true);
        for &condition in conditions {
            all = terms.and(all, condition);
        }
        let nothing = PathCondition::default();
        !self.solver.check(terms, &nothing, &Assignment::new(), all).is_unsat()
    }
}
