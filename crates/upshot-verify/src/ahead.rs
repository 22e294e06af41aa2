//! Where nothing that has changed can be met any more: there the run so far is one partition in which both versions do the same, and nobody need see how it ends.
//!
//! A run of the old version that has been in blocks in step alone ([`Lockstep`]), and can get to no other, is a run of the new version too, with the same values. This says
//! less than impact sets do (code on which a change has no influence may be out of step), and needs no dependences to be right: not even memory matters.

use upshot_diff::{Changes, Lockstep, Status};
use upshot_exec::{Machine, State, Visited};
use upshot_ir::{BlockId, Callee, Const, FuncId, Intrinsic, Op, Program, edges};

/// What an old version can still meet.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// The blocks out of step.
    changed: Visited,
    /// By function and block: may a block out of step be run from its start on, in it, in what comes after and in what they call?
    from: Vec<Vec<bool>>,
}

impl Ahead {
    /// `None` where versions that run in step may differ all the same: types or globals are others, or the entry's parameters.
    pub(crate) fn new(old: &Program, new: &Program, changes: &Changes, entries: [FuncId; 2]) -> Option<Ahead> {
        if !begin_alike(old, new, changes, entries) {
            return None;
        }
        let lockstep = Lockstep::new(old, new, changes);
        let in_step = |function: usize, block: usize| lockstep.to_new[function][block].is_some();
        let ids = |function: usize| (0..old.functions[function].blocks.len()).map(move |block| (function, block));
        let all = (0..old.functions.len()).flat_map(ids).filter(|&(function, block)| !in_step(function, block));
        let changed = Visited::of(old, all.map(|(function, block)| (FuncId(function as u32), BlockId(block as u32))));
        Some(Ahead { changed, from: reach(old, in_step) })
    }

    /// Whether the state has met no change and never will.
    pub(crate) fn is_clear(&self, machine: &Machine<'_>, state: &State) -> bool {
        let program = machine.program();
        let block_of = |function: FuncId, pc: u32| {
            program.function(function).blocks.iter().position(|block| (block.start..block.end).contains(&pc))
        };
        let is_ahead =
            |function: FuncId, block: usize| self.from[function.index()].get(block).copied().unwrap_or(false);
        let stands =
            |(function, pc): (FuncId, u32)| block_of(function, pc).is_none_or(|block| is_ahead(function, block));
        !state.positions().any(stands)
            && !state.awaited().chain(program.destructors.iter().copied()).any(|function| is_ahead(function, 0))
            && !machine.visited(state).meets(&self.changed)
    }
}

/// Whether both versions start in the same state, whatever they do from there: the same globals, types and parameters. Jumps out of functions are left out here.
pub(crate) fn begin_alike(old: &Program, new: &Program, changes: &Changes, entries: [FuncId; 2]) -> bool {
    let parameters = |program: &Program, entry: FuncId| -> Vec<(String, u64, Option<String>)> {
        let list = &program.function(entry).parameters;
        list.iter().map(|it| (it.name.clone(), it.size, it.ty.map(|ty| program.types.name(ty)))).collect()
    };
    let is_jump = |op: &Op| matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp | Intrinsic::LongJmp, .. });
    let jumps = |program: &Program| program.functions.iter().any(|function| function.ops.iter().any(is_jump));
    let same_globals = changes.globals.iter().all(|global| global.nameless || global.status == Status::Unchanged);
    let same_types = changes.types.is_empty();
    let partner = |id: FuncId| changes.functions.iter().find(|pair| pair.old == Some(id)).and_then(|pair| pair.new);
    let partners = |functions: &[FuncId]| functions.iter().map(|&id| partner(id)).collect::<Vec<_>>();
    let some = |functions: &[FuncId]| functions.iter().map(|&id| Some(id)).collect::<Vec<_>>();
    let same_surroundings =
        partners(&old.constructors) == some(&new.constructors) && partners(&old.destructors) == some(&new.destructors);
    same_globals
        && same_types
        && same_surroundings
        && !jumps(old)
        && !jumps(new)
        && parameters(old, entries[0]) == parameters(new, entries[1])
}

/// From where blocks out of step can be reached.
fn reach(program: &Program, in_step: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let bodies = &program.functions;
    let mut from: Vec<Vec<bool>> = (0..bodies.len())
        .map(|function| (0..bodies[function].blocks.len()).map(|block| !in_step(function, block)).collect())
        .collect();
    let pointed_at = address_taken(program);
    loop {
        let mut grown = false;
        let enters: Vec<bool> = from.iter().map(|blocks| blocks.first().copied().unwrap_or(false)).collect();
        let by_pointer = pointed_at.iter().any(|function| enters[function.index()]);
        for (function, body) in bodies.iter().enumerate() {
            for number in (0..body.blocks.len()).rev().filter(|&number| !from[function][number]).collect::<Vec<_>>() {
                let block = &body.blocks[number];
                let ops = &body.ops[block.start as usize..block.end as usize];
                let calls = ops.iter().any(|op| match op {
                    Op::Call(call) => match call.callee {
                        Callee::Direct(callee) => {
                            enters[callee.index()] || program.function(callee).is_declaration && by_pointer
                        }
                        Callee::Indirect(_) => by_pointer,
                    },
                    _ => false,
                });
                let goes_on =
                    ops.last().is_some_and(|op| edges(op).iter().any(|edge| from[function][edge.target.index()]));
                if calls || goes_on {
                    from[function][number] = true;
                    grown = true;
                }
            }
        }
        if !grown {
            return from;
        }
    }
}

/// Functions that may be called through a pointer.
fn address_taken(program: &Program) -> Vec<FuncId> {
    let mut found = Vec::new();
    let in_code = program.functions.iter().flat_map(|function| &function.constants);
    let initializers = program.globals.iter().filter_map(|global| global.initializer.as_ref());
    let in_data = initializers.flat_map(|data| data.relocations.iter().map(|(_, _, value)| value));
    in_code.chain(in_data).for_each(|constant| mentioned(constant, &mut found));
    found
}

fn mentioned(constant: &Const, functions: &mut Vec<FuncId>) {
    match constant {
        Const::Function(function) => functions.push(*function),
        Const::Expr { args, .. } => args.iter().for_each(|arg| mentioned(arg, functions)),
        _ => {}
    }
}
