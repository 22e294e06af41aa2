//! Why a test does something else in the new version (FSE'11, section 5.2; the method of DARWIN over relevant-slice conditions).
//!
//! Let g be the relevant-slice condition of the test in the old version, and g' that in the new one. An input of g that is not in g' is one that the old version treats like the test
//! and the new version does not; the decision of g' that it fails is where the versions part. Each such decision is a place to look at; one that
//! changed code has a part in, and whose input makes both versions do the same, is a better one. Where g implies g', the code that is missing is looked for with the sides exchanged;
//! and where no decision parts the versions, only data can: then it is the changed code in the slice of the output.

use upshot_explore::{End, Seed, Test};
use upshot_expr::{Assignment, Terms};
use upshot_ir::{FuncId, InstId};
use upshot_solver::{Answer, PathCondition};

use crate::config::Config;
use crate::explore::{Atom, Explorer, Found};
use crate::observe::Variables;
use crate::run::Input;
use crate::{Code, Problem};

/// One of the two versions.
pub struct Side<'a, 'p> {
    pub image: &'p upshot_exec::Image<'p>,
    pub config: &'a Config,
    pub code: &'a Code<'p>,
    /// Whether an instruction stands on a changed line.
    pub is_changed: &'a dyn Fn(FuncId, InstId) -> bool,
    /// The instructions on changed lines, by the mark that the program has before each.
    pub marked: &'a [(FuncId, InstId)],
}

/// What a version did, in plain values.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub end: End,
    pub values: Vec<(String, Option<u128>)>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// What is not the same in both.
    pub fn differences(&self, other: &Outcome) -> Vec<String> {
        let mut found = Vec::new();
        let kind = |end: &End| match end {
            End::Error { kind, .. } => Some(*kind),
            _ => None,
        };
        if self.end.word() != other.end.word() || kind(&self.end) != kind(&other.end) {
            // The rest follows from that.
            return vec!["how it ends".to_string()];
        }
        for (name, value) in &self.values {
            let theirs = other.values.iter().find(|(theirs, _)| theirs == name);
            if theirs.is_none_or(|(_, theirs)| theirs != value) {
                found.push(name.clone());
            }
        }
        let is_new = |(name, _): &&(String, Option<u128>)| !self.values.iter().any(|(mine, _)| mine == name);
        found.extend(other.values.iter().filter(is_new).map(|(name, _)| name.clone()));
        if self.stdout != other.stdout {
            found.push("stdout".to_string());
        }
        if self.stderr != other.stderr {
            found.push("stderr".to_string());
        }
        found
    }
}

/// A line that may be the cause.
#[derive(Clone, Debug)]
pub struct Place {
    /// It is in the old version: something that is missing in the new one.
    pub is_old: bool,
    pub file: String,
    pub line: u32,
    /// The decision that parts the versions, as the test takes it. `None`: the line computes something else.
    pub condition: Option<String>,
    /// An input near the test that takes it the other way.
    pub neighbour: Option<Test>,
    /// Both versions do the same for it.
    pub agrees: bool,
    /// Changed lines that have a part in it, as (whether of the old version, file, line).
    pub changed_lines: Vec<(bool, String, u32)>,
}

impl Place {
    /// A changed line, with no decision to tell.
    fn changed(is_old: bool, file: String, line: u32) -> Place {
        let changed_lines = vec![(is_old, file.clone(), line)];
        Place { is_old, file, line, condition: None, neighbour: None, agrees: false, changed_lines }
    }
}

/// What is known about a test that does something else.
pub struct Explanation {
    /// The outcome for the test, in the old and the new version.
    pub outcomes: [Outcome; 2],
    /// What differs; nothing, where the test does the same in both.
    pub what: Vec<String>,
    /// The best first.
    pub places: Vec<Place>,
    /// How many conditions were composed, and questions asked.
    pub conditions: usize,
    pub asked: u64,
    /// Questions without an answer.
    pub unknown: u64,
    /// Inputs that the programs asked for and that the test does not have, or has in another size; they were zero.
    pub misfits: Vec<String>,
}

/// More places than these are no explanation.
const MOST_PLACES: usize = 5;

/// Explains what a test does in the new version and does not in the old one.
pub fn explain(old: &Side<'_, '_>, new: &Side<'_, '_>, test: &Seed) -> Result<Explanation, Problem> {
    let variables = Variables::default();
    let mut pair = Pair {
        explorers: [
            Explorer::new(Terms::new(), old.image, old.config, &variables, &old.code.bodies)?,
            Explorer::new(Terms::new(), new.image, new.config, &variables, &new.code.bodies)?,
        ],
        holder: 1,
        changed: [old.is_changed, new.is_changed],
        marked: [old.marked, new.marked],
        asked: 0,
        unknown: 0,
        conditions: 0,
    };
    let found = [pair.look(0, Input::Test(test.clone()))?, pair.look(1, Input::Test(test.clone()))?];
    let outcomes = [pair.outcome(0, &found[0]), pair.outcome(1, &found[1])];
    let what = outcomes[0].differences(&outcomes[1]);
    let mut places = Vec::new();
    if !what.is_empty() {
        places = pair.parting(&found, 1)?;
        if places.iter().all(|place| place.changed_lines.is_empty()) {
            places.extend(pair.parting(&found, 0)?);
        }
        if !new.config.whole_paths {
            pair.add_data(&found, &mut places);
            if places.iter().all(|place| place.changed_lines.is_empty()) {
                pair.add_executed(&found, &mut places);
            }
            places = chosen(places);
        }
    }
    let mut misfits: Vec<String> = found.iter().flat_map(|found| found.run.misfits.clone()).collect();
    misfits.sort();
    misfits.dedup();
    let Pair { asked, unknown, conditions, .. } = pair;
    Ok(Explanation { outcomes, what, places, conditions, asked, unknown, misfits })
}

/// The best few, each line once.
fn chosen(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by_key(|place| {
        let is_near = !place.changed_lines.is_empty();
        match (is_near, place.condition.is_some(), place.agrees) {
            (true, true, true) => 0,
            (true, false, _) => 1,
            (true, true, false) => 2,
            (false, _, true) => 3,
            (false, _, false) => 4,
        }
    });
    // Decisions that no changed code has a part in only follow from others that it has.
    if places.iter().any(|place| !place.changed_lines.is_empty()) {
        places.retain(|place| !place.changed_lines.is_empty());
    }
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        if !kept.iter().any(|other| (other.is_old, &other.file, other.line) == (place.is_old, &place.file, place.line))
        {
            kept.push(place);
        }
    }
    kept.truncate(MOST_PLACES);
    kept
}

/// Both versions, over one arena of terms.
struct Pair<'a, 'p> {
    explorers: [Explorer<'a, 'p>; 2],
    /// Which of the two has the arena.
    holder: usize,
    changed: [&'a dyn Fn(FuncId, InstId) -> bool; 2],
    marked: [&'a [(FuncId, InstId)]; 2],
    asked: u64,
    unknown: u64,
    conditions: usize,
}

impl<'a, 'p> Pair<'a, 'p> {
    /// One of the versions, with the arena.
    fn with(&mut self, side: usize) -> &mut Explorer<'a, 'p> {
        if self.holder != side {
            let terms = std::mem::take(&mut self.explorers[self.holder].machine.terms);
            self.explorers[side].machine.terms = terms;
            self.holder = side;
        }
        &mut self.explorers[side]
    }

    fn look(&mut self, side: usize, input: Input) -> Result<Found, Problem> {
        self.with(side).look(input).map_err(Problem::Start)
    }

    fn outcome(&mut self, side: usize, found: &Found) -> Outcome {
        let explorer = self.with(side);
        let (terms, values) = (&explorer.machine.terms, &found.run.model);
        let mut numbers = Vec::new();
        for output in &found.observed {
            match (&output.term, &output.parts) {
                (Some(term), _) => numbers.push((output.name.clone(), Some(values.eval(terms, *term)))),
                (None, Some(_)) if matches!(output.name.as_str(), "stdout" | "stderr") => {}
                (None, Some((shape, parts))) => {
                    numbers.push((format!("{} {shape}", output.name), None));
                    let parts = parts.iter().enumerate();
                    numbers.extend(
                        parts.map(|(at, part)| (format!("{}[{at}]", output.name), Some(values.eval(terms, *part)))),
                    );
                }
                (None, None) => numbers.push((output.name.clone(), None)),
            }
        }
        let stream = |number: u32, name: &str| {
            let is_wanted = found.observed.iter().any(|output| output.name == name);
            let bytes = || upshot_explore::output_of(&explorer.machine, &found.run.state, values, number);
            if is_wanted { bytes() } else { Vec::new() }
        };
        Outcome {
            end: upshot_explore::end_of(&explorer.machine, &found.run.end, Some(values)),
            stdout: stream(1, "stdout"),
            stderr: stream(2, "stderr"),
            values: numbers,
        }
    }

    /// Decisions of one version's condition that an input of the other's fails.
    fn parting(&mut self, found: &[Found; 2], side: usize) -> Result<Vec<Place>, Problem> {
        let other = 1 - side;
        let ordered = |pair: &mut Self, which: usize| pair.with(which).ordered(&found[which]);
        let (theirs, mine) = (ordered(self, other), ordered(self, side));
        self.conditions += theirs.len() + mine.len();
        let mut path = PathCondition::default();
        let terms = &mut self.with(side).machine.terms;
        for atom in &theirs {
            path.push(terms, atom.term());
        }
        let mut places = Vec::new();
        for (number, atom) in &mut mine.iter().map(|atom| (found[side].number_of(atom), atom)) {
            if self.stops(side) {
                break;
            }
            let explorer = self.with(side);
            let not = explorer.machine.terms.not(atom.term());
            let answer = explorer.solver.check(&mut explorer.machine.terms, &path, &found[side].run.model, not);
            self.asked += 1;
            match answer {
                Answer::Sat(model) => places.extend(self.place(found, side, number, atom, model)?),
                Answer::Unsat => {}
                Answer::Unknown(_) => self.unknown += 1,
            }
            path.push(&mut self.with(side).machine.terms, atom.term());
        }
        Ok(places)
    }

    fn stops(&self, side: usize) -> bool {
        self.explorers[side].stops()
    }

    /// A decision that parts the versions, with the input that takes it the other way.
    fn place(
        &mut self,
        found: &[Found; 2],
        side: usize,
        number: Option<usize>,
        atom: &Atom,
        model: Assignment,
    ) -> Result<Option<Place>, Problem> {
        let Some((at, number)) = number.and_then(|number| Some((found[side].run.taken[number].at?, number))) else {
            return Ok(None);
        };
        let near = [self.look(0, Input::Model(model.clone()))?, self.look(1, Input::Model(model))?];
        let outcomes = [self.outcome(0, &near[0]), self.outcome(1, &near[1])];
        let agrees = outcomes[0].differences(&outcomes[1]).is_empty();
        let run = &near[1].run;
        let new = self.with(1);
        let neighbour = upshot_explore::test_of(&new.machine, &run.state, &run.model);
        let condition = self.with(side).told(&found[side], std::slice::from_ref(atom)).pop();
        let changed_lines = self.changed_behind(found, side, number);
        let (file, line) = self.line(side, at);
        Ok(Some(Place {
            is_old: side == 0,
            file,
            line,
            condition: Some(condition.unwrap_or_default()),
            neighbour: Some(neighbour),
            agrees,
            changed_lines,
        }))
    }

    /// The place in the user's code that an instruction belongs to.
    fn line(&self, side: usize, (function, inst): (FuncId, InstId)) -> (String, u32) {
        let program = self.explorers[side].machine.program();
        let location = program.function(function).insts[inst.index()].location;
        (program.files.get(location.file as usize).cloned().unwrap_or_default(), location.line)
    }

    /// The changed lines in the slice of a decision.
    fn changed_behind(&self, found: &[Found; 2], side: usize, number: usize) -> Vec<(bool, String, u32)> {
        let Some(walked) = &found[side].slices else { return Vec::new() };
        self.changed_among(side, &walked.graph.instructions(&[walked.decided[number].node]))
    }

    fn changed_among(&self, side: usize, instructions: &[(FuncId, InstId)]) -> Vec<(bool, String, u32)> {
        let is_changed = |at: &&(FuncId, InstId)| (self.changed[side])(at.0, at.1);
        let lines = instructions.iter().filter(is_changed).map(|&at| self.line(side, at));
        let mut lines: Vec<_> =
            lines.filter(|(_, line)| *line != 0).map(|(file, line)| (side == 0, file, line)).collect();
        lines.sort();
        lines.dedup();
        lines
    }

    /// Where no slice has changed code in it, what was changed only leads elsewhere (a jump, say): changed lines that were run.
    fn add_executed(&self, found: &[Found; 2], places: &mut Vec<Place>) {
        for side in [1, 0] {
            let marks = found[side].run.state.sequence().marks();
            let run: Vec<(FuncId, InstId)> = marks.map(|mark| self.marked[side][mark as usize]).collect();
            for (is_old, file, line) in self.changed_among(side, &run) {
                places.push(Place::changed(is_old, file, line));
            }
        }
    }

    /// Changed lines in the slices of the outputs: they compute something else.
    fn add_data(&self, found: &[Found; 2], places: &mut Vec<Place>) {
        for side in [1, 0] {
            let Some(walked) = &found[side].slices else { continue };
            let behind = self.changed_among(side, &walked.graph.instructions(&found[side].criteria));
            for (is_old, file, line) in behind {
                places.push(Place::changed(is_old, file, line));
            }
        }
    }
}
