//! Which globals a function can get at.

use std::collections::BTreeSet;

use upshot_ir::{Callee, Const, FuncId, GlobalId, Op, Program};

/// The globals that can change and that the entry, or what it calls, refers to.
pub fn reachable_globals(program: &Program, entry: FuncId) -> Vec<GlobalId> {
    let mut globals = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![entry];
    while let Some(function) = work.pop() {
        if !seen.insert(function) {
            continue;
        }
        let body = program.function(function);
        for constant in &body.constants {
            mentioned(constant, &mut globals, &mut work);
        }
        for op in &body.ops {
            if let Op::Call(call) = op
                && let Callee::Direct(callee) = call.callee
            {
                work.push(callee);
            }
        }
    }
    let is_input = |id: &GlobalId| {
        let global = program.global(*id);
        !global.is_constant && !global.is_runtime && global.initializer.is_some() && global.size > 0
    };
    globals.into_iter().filter(is_input).collect()
}

fn mentioned(constant: &Const, globals: &mut BTreeSet<GlobalId>, functions: &mut Vec<FuncId>) {
    match constant {
        Const::Global { global, .. } => {
            globals.insert(*global);
        }
        Const::Function(function) => functions.push(*function),
        Const::Expr { args, .. } => args.iter().for_each(|arg| mentioned(arg, globals, functions)),
        _ => {}
    }
}
