//! Equality by induction on aligned iterations: a proof for all inputs, whatever the lengths of arrays and the turns of loops.
//!
//! Both versions of a function are cut at the heads of their loops. For each pair of cuts a relation says which registers of the two hold the same; memory and all that was done
//! must always be the same. From any two states in the relation, both versions are run to the next cut, on terms, and must do the same on the way and be in the relation
//! there. The relations start with all that holds when a cut is first reached, and lose what does not hold again, until nothing is lost any more. What is left is
//! inductive, so runs of any length agree. Memory and calls are not interpreted: equal accesses to equal memory give equal values, equal calls have equal effects, which is right
//! for a callee that is the same in both versions or is proved so in turn (also for one that calls itself: by induction on what has been done so far).
//!
//! Runs end alike because everything that can end in an error is something done, in order: each access with its address, each division. Only what cannot fail, or has been
//! done already without failing, is left out. So this proves less than is true, and never more; where it fails nothing is known.

mod calls;
mod events;
mod meaning;
mod relation;
mod segment;

use std::collections::VecDeque;
use std::time::Instant;

use upshot_diff::{Changes, Lockstep};
use upshot_expr::Terms;
use upshot_ir::{Const, FuncId, Program};
use upshot_solver::Solver;

use meaning::Names;
use relation::Relation;
use segment::{End, Runner};

/// What a proof needs to know of two versions.
#[derive(Clone, Debug)]
pub struct Induction {
    names: Names,
    /// The pairs of functions that the entries can get to and that are not in step: the entries come first.
    open: Vec<(FuncId, FuncId)>,
}

/// Why there is no proof; for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoProof(String);

impl NoProof {
    fn new(why: impl Into<String>) -> Self {
        NoProof(why.into())
    }
}

impl Induction {
    /// `None` where versions that do the same may differ all the same: types or globals are others, or the entry's parameters.
    pub(crate) fn new(old: &Program, new: &Program, changes: &Changes, entries: [FuncId; 2]) -> Option<Induction> {
        if !crate::ahead::begin_alike(old, new, changes, entries) {
            return None;
        }
        let lockstep = Lockstep::new(old, new, changes);
        let names = Names::new(old, new, changes);
        let mut open = vec![(entries[0], entries[1])];
        let reached = [reachable(old, entries[0]), reachable(new, entries[1])];
        for pair in &changes.functions {
            match (pair.old, pair.new) {
                (Some(a), Some(b)) if reached[0][a.index()] || reached[1][b.index()] => {
                    if old.function(a).is_declaration != new.function(b).is_declaration {
                        return None;
                    }
                    let in_step =
                        lockstep.to_new[a.index()].iter().all(|partner| partner.is_some_and(|(id, _)| id == b));
                    let in_step = in_step && lockstep.new[b.index()].iter().all(|&in_step| in_step);
                    if !in_step && (a, b) != open[0] {
                        open.push((a, b));
                    }
                }
                _ => {}
            }
        }
        Some(Induction { names, open })
    }

    /// Proves that both versions do the same on every input.
    pub(crate) fn prove(&self, programs: [&Program; 2], solver: &mut Solver, deadline: Instant) -> Result<(), NoProof> {
        for &(old, new) in &self.open {
            let name = &programs[0].function(old).source_name;
            self.prove_pair(programs, [old, new], solver, deadline)
                .map_err(|NoProof(why)| NoProof(format!("{name}: {why}")))?;
        }
        Ok(())
    }

    fn prove_pair(
        &self,
        programs: [&Program; 2],
        functions: [FuncId; 2],
        solver: &mut Solver,
        deadline: Instant,
    ) -> Result<(), NoProof> {
        let mut terms = Terms::new();
        let bodies = [programs[0].function(functions[0]), programs[1].function(functions[1])];
        if bodies.iter().any(|body| body.is_declaration || body.is_variadic || body.struct_return.is_some()) {
            return Err(NoProof::new("not a plain function"));
        }
        let shape = |body: &upshot_ir::Function| {
            let scalars = body.parameters.iter().map(|it| (it.scalars.clone(), it.by_value));
            (scalars.collect::<Vec<_>>(), body.results.clone())
        };
        if shape(bodies[0]) != shape(bodies[1]) || bodies[0].parameters.iter().any(|it| it.by_value.is_some()) {
            return Err(NoProof::new("parameters or results of another kind"));
        }
        let cuts = bodies.map(relation::loop_heads);
        if cuts[0].len() != cuts[1].len() {
            return Err(NoProof::new("another number of loops"));
        }
        let mut relations: Vec<Option<Relation>> = vec![None; cuts[0].len()];
        let is_entry = functions[0] == self.open[0].0;
        let mut runner = Runner::new(&mut terms, solver, programs, &self.names, deadline, is_entry);
        // `None`: from the start of the function.
        let mut work: VecDeque<Option<usize>> = VecDeque::from([None]);
        while let Some(from) = work.pop_front() {
            let begin = match from {
                None => runner.at_entry(functions),
                Some(cut) => match &relations[cut] {
                    Some(relation) => runner.at_cut(functions, [cuts[0][cut], cuts[1][cut]], cut, relation),
                    None => continue,
                },
            };
            for arrival in runner.run(begin, &cuts)? {
                let End::Cut(cut) = arrival.end else { continue };
                let was_weakened = match &mut relations[cut] {
                    Some(relation) => relation.weaken(&arrival.old, &arrival.new),
                    first => {
                        *first = Some(Relation::of(&arrival.old, &arrival.new));
                        true
                    }
                };
                if was_weakened && !work.contains(&Some(cut)) {
                    work.push_back(Some(cut));
                }
            }
        }
        Ok(())
    }
}

/// The functions that can run where an entry does: by calls or through pointers, or before and after it.
pub(crate) fn reachable(program: &Program, entry: FuncId) -> Vec<bool> {
    let mut seen = vec![false; program.functions.len()];
    let mut work = vec![entry];
    work.extend(program.constructors.iter().chain(&program.destructors));
    let initializers = program.globals.iter().filter_map(|global| global.initializer.as_ref());
    for (_, _, value) in initializers.flat_map(|data| &data.relocations) {
        mentioned(value, &mut work);
    }
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let body = program.function(id);
        body.constants.iter().for_each(|constant| mentioned(constant, &mut work));
        work.extend(body.ops.iter().filter_map(|op| match op {
            upshot_ir::Op::Call(call) => match call.callee {
                upshot_ir::Callee::Direct(callee) => Some(callee),
                upshot_ir::Callee::Indirect(_) => None,
            },
            _ => None,
        }));
    }
    seen
}

fn mentioned(constant: &Const, functions: &mut Vec<FuncId>) {
    match constant {
        Const::Function(function) => functions.push(*function),
        Const::Expr { args, .. } => args.iter().for_each(|arg| mentioned(arg, functions)),
        _ => {}
    }
}
