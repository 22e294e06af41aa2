//! One input, run from the entry to the end of its path, with everything written down.

use std::rc::Rc;
use std::sync::Arc;

use upshot_exec::{Bound, Fork, LocalPlace, Machine, PathEnd, Pause, PointerTarget, State};
use upshot_explore::{Follower, Seed};
use upshot_expr::{Assignment, TermId};
use upshot_ir::{FuncId, InstId};
use upshot_solver::{Answer, PathCondition, Solver};

use crate::config::Config;
use crate::observe::{Variable, Variables};
use crate::walk::Look;

/// A decision that a path took.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The conditions of its sides, of which exactly one holds.
    pub choices: Rc<[TermId]>,
    pub side: u32,
    /// Where it is about an input pointer: what that is, side by side.
    pub pointers: Option<Rc<[String]>>,
    /// Whether the other side is no input.
    pub is_assumption: bool,
    /// Where it was taken.
    pub at: Option<(FuncId, InstId)>,
}

/// A path that has ended.
pub(crate) struct Run {
    pub state: State,
    pub end: PathEnd,
    pub taken: Vec<Taken>,
    /// Satisfies all decisions.
    pub model: Assignment,
    pub looks: Vec<(u32, Look)>,
    /// The values of the variables looked at, at the last look.
    pub variables: Vec<(u32, Option<TermId>)>,
    /// Inputs that the test does not have, or has in another size.
    pub misfits: Vec<String>,
}

/// What decides.
pub(crate) enum Input {
    /// Values for the bytes of inputs; zero where there is none.
    Model(Assignment),
    /// A test, whose objects get their values when the program asks for them.
    Test(Seed),
}

/// Runs an input.
pub(crate) fn run(
    machine: &mut Machine<'_>,
    solver: &mut Solver,
    config: &Config,
    variables: &Variables,
    input: Input,
) -> Result<Run, String> {
    let mut state = machine.start(config.entry, &config.start)?;
    state.record();
    let (model, mut follower) = match input {
        Input::Model(model) => (model, None),
        Input::Test(seed) => (Assignment::new(), Some(Follower::new(0, Arc::new(seed)))),
    };
    let mut run = Run {
        state,
        end: PathEnd::Silent,
        taken: Vec::new(),
        model,
        looks: Vec::new(),
        variables: Vec::new(),
        misfits: Vec::new(),
    };
    run.end = loop {
        let paused = machine.run(&mut run.state);
        if let Some(follower) = &mut follower {
            follower.take_in(&run.state);
            run.model.clone_from(&follower.values);
        }
        match paused {
            Pause::Yield if config.stops() => break PathEnd::Bound(Bound::Time),
            Pause::Yield => {}
            Pause::Mark(mark) => run.look(machine, variables, mark),
            Pause::Ended(end) => break end,
            Pause::Assume(condition) => {
                let other = machine.terms.not(condition);
                let holds = run.model.eval_bool(&machine.terms, condition);
                run.take(machine, [condition, other].into(), u32::from(!holds), None, true);
            }
            Pause::Fork(_) if config.max_depth.is_some_and(|most| run.taken.len() >= most) => {
                machine.abandon(&run.state);
                break PathEnd::Bound(Bound::Depth);
            }
            Pause::Fork(fork) => {
                if let (Some(follower), Some(_)) = (&mut follower, &fork.pointer) {
                    let (side, _) = follower.side(machine, &run.state, &fork);
                    run.model.clone_from(&follower.values);
                    run.choose(machine, &fork, side);
                } else if let Err(why) = run.decide(machine, solver, &fork) {
                    let location = machine.location(&run.state);
                    break PathEnd::Unknown { why, location };
                }
            }
        }
    };
    run.misfits = follower.map_or(Vec::new(), |follower| follower.misfits);
    Ok(run)
}

impl Run {
    fn decide(&mut self, machine: &mut Machine<'_>, solver: &mut Solver, fork: &Fork) -> Result<(), String> {
        let holds = |&condition: &TermId| self.model.eval_bool(&machine.terms, condition);
        let side = match fork.choices.iter().position(holds) {
            Some(side) => side,
            // A pointer that was not null, and nothing else yet.
            None => self.settle(machine, solver, fork)?,
        };
        self.choose(machine, fork, side as u32);
        Ok(())
    }

    fn choose(&mut self, machine: &mut Machine<'_>, fork: &Fork, side: u32) {
        let pointers = fork.pointer.as_ref().map(|(number, targets)| {
            let name = &self.state.pointers()[*number].name;
            targets.iter().map(|target| fact(&self.state, name, *target)).collect()
        });
        self.take(machine, fork.choices.clone().into(), side, pointers, false);
    }

    fn take(
        &mut self,
        machine: &mut Machine<'_>,
        choices: Rc<[TermId]>,
        side: u32,
        pointers: Option<Rc<[String]>>,
        is_assumption: bool,
    ) {
        let at = self.state.positions().next().and_then(|(function, pc)| {
            Some((function, *machine.program().function(function).op_inst.get(pc as usize)?))
        });
        self.taken.push(Taken { choices, side, pointers, is_assumption, at });
        machine.answer(&mut self.state, side);
    }

    /// The first side that there is an input for, which becomes the one that runs.
    fn settle(&mut self, machine: &mut Machine<'_>, solver: &mut Solver, fork: &Fork) -> Result<usize, String> {
        let path = self.condition(machine);
        for (side, &choice) in fork.choices.iter().enumerate() {
            match solver.check(&mut machine.terms, &path, &self.model, choice) {
                Answer::Sat(model) => {
                    self.model = model;
                    return Ok(side);
                }
                Answer::Unsat => {}
                Answer::Unknown(why) => return Err(why.to_string()),
            }
        }
        // What no side matches cannot happen; the last one takes it.
        Ok(fork.choices.len() - 1)
    }

    /// The path condition.
    pub fn condition(&self, machine: &mut Machine<'_>) -> PathCondition {
        let mut path = PathCondition::default();
        for taken in &self.taken {
            path.push(&mut machine.terms, taken.choices[taken.side as usize]);
        }
        path
    }

    /// The program has come by a place where variables are looked at.
    fn look(&mut self, machine: &mut Machine<'_>, variables: &Variables, mark: u32) {
        let Some(variable) = variables.by_mark.get(mark as usize) else { return };
        let state = &self.state;
        let in_memory = |machine: &mut Machine<'_>, base: u64, size: u64| {
            let whole = crate::observe::word(machine, state, base, 0, size);
            (Look::Memory { base, offset: 0, length: size as u32 }, whole)
        };
        let (look, value) = match variable {
            Variable::Global(global) => {
                let (base, size) = (machine.global_address(*global), machine.program().global(*global).size);
                in_memory(machine, base, size)
            }
            Variable::Local(local, size) => match machine.local_place(&self.state, local) {
                LocalPlace::Nowhere => (Look::Nothing, None),
                LocalPlace::Register(reg, value) => {
                    let width = (8 * *size).clamp(1, 128) as u8;
                    let term = value.to_term(&mut machine.terms, width);
                    (Look::Register(reg), Some(term))
                }
                LocalPlace::Memory(address) => in_memory(machine, address, *size),
            },
        };
        self.looks.push((mark, look));
        self.state.note_probe(mark);
        self.variables.retain(|(other, _)| *other != mark);
        self.variables.push((mark, value));
    }
}

/// What an input pointer is, in C.
fn fact(state: &State, name: &str, target: PointerTarget) -> String {
    match target {
        PointerTarget::Null => format!("{name} == NULL"),
        PointerTarget::Function { .. } => format!("{name} is a function"),
        PointerTarget::Object { input, .. } => match state.inputs().get(input) {
            Some(object) if object.name != format!("*{name}") => {
                format!("{name} == {}", object.name.strip_prefix('*').unwrap_or(&object.name))
            }
            _ => format!("{name} != NULL"),
        },
    }
}
