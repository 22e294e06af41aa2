//! Who calls whom, who is part of a recursion, and which functions may not return.

use crate::ends::{Definitions, Ends, Failures};
use crate::extents::{Extent, Extents};
use crate::externals::{External, external};
use crate::flow::block_graph;
use crate::loops;
use crate::points_to::{ObjectKind, PointsTo};
use crate::text;
use rustc_hash::FxHashMap;
use upshot_ir::{Adjacency, Call, FuncId, Function, InstId, Op, Program};

/// One call instruction.
#[derive(Clone, Debug)]
pub(crate) struct CallInst {
    pub(crate) inst: InstId,
    /// The operation that is the call.
    pub(crate) op: u32,
    /// The functions it may enter that have a body.
    pub(crate) bodies: Vec<FuncId>,
    /// Those of them that unknown code may call back.
    pub(crate) callbacks: Vec<FuncId>,
    /// What those without one may do.
    pub(crate) externals: Vec<External>,
    /// Through a pointer.
    pub(crate) indirect: bool,
}

impl CallInst {
    pub(crate) fn call<'f>(&self, function: &'f Function) -> Option<&'f Call> {
        match &function.ops[self.op as usize] {
            Op::Call(call) => Some(call),
            _ => None,
        }
    }
}

pub(crate) struct CallGraph {
    /// The calls of each function, by instruction.
    pub(crate) calls: Vec<Vec<CallInst>>,
    /// By function: the number of its component; callees have smaller ones.
    pub(crate) component: Vec<u32>,
    pub(crate) components: u32,
    pub(crate) recursive: Vec<bool>,
    /// May not return to its caller.
    pub(crate) may_end: Vec<bool>,
    pub(crate) has_caller: Vec<bool>,
    failures: Failures,
}

impl CallGraph {
    pub(crate) fn new(program: &Program, points_to: &PointsTo, failures: Failures) -> Self {
        CallGraph::with_extents(program, points_to, failures, &Extents::default())
    }

    /// As [`CallGraph::new`], with what is known of pointer parameters.
    pub(crate) fn with_extents(program: &Program, points_to: &PointsTo, failures: Failures, extents: &Extents) -> Self {
        let mut effects: FxHashMap<FuncId, External> = FxHashMap::default();
        let mut escaped: Vec<FuncId> = points_to
            .places(points_to.escaped())
            .filter_map(|place| match points_to.objects.get(place.object).kind {
                ObjectKind::Function(function) if !program.function(function).is_declaration => Some(function),
                _ => None,
            })
            .collect();
        escaped.sort_unstable();
        let calls: Vec<Vec<CallInst>> = (0..)
            .map(FuncId)
            .zip(&program.functions)
            .map(|(id, function)| calls_of(program, points_to, id, function, &escaped, &mut effects))
            .collect();
        let edges: Adjacency =
            calls.iter().map(|calls| calls.iter().flat_map(|c| c.bodies.iter().map(|f| f.0)).collect()).collect();
        let (component, components) = upshot_ir::components(&edges);
        let mut sizes = vec![0u32; components as usize];
        component.iter().for_each(|&number| sizes[number as usize] += 1);
        let itself = |number: usize| edges[number].contains(&(number as u32));
        let recursive: Vec<bool> =
            (0..edges.len()).map(|number| sizes[component[number] as usize] > 1 || itself(number)).collect();
        let mut has_caller = vec![false; edges.len()];
        edges.iter().flatten().for_each(|&callee| has_caller[callee as usize] = true);
        let own = |id: FuncId, function: &Function| ends_by_itself(program, function, extents.of(id), failures);
        let may_end = may_end(program, &calls, &edges, &recursive, failures, own);
        CallGraph { calls, component, components, recursive, may_end, has_caller, failures }
    }

    /// Whether a call may not return.
    pub(crate) fn call_may_end(&self, call: &CallInst) -> bool {
        call.indirect && self.failures == Failures::Possible
            || call.bodies.iter().any(|body| self.may_end[body.index()])
            || call.externals.iter().any(|effects| effects.may_end)
    }

    pub(crate) fn call(&self, function: FuncId, inst: InstId) -> Option<&CallInst> {
        let calls = &self.calls[function.index()];
        calls.binary_search_by_key(&inst, |call| call.inst).ok().map(|at| &calls[at])
    }

    /// The functions, callees before their callers.
    pub(crate) fn bottom_up(&self) -> Vec<FuncId> {
        let mut order: Vec<FuncId> = (0..self.component.len() as u32).map(FuncId).collect();
        order.sort_by_key(|id| self.component[id.index()]);
        order
    }
}

fn calls_of(
    program: &Program,
    points_to: &PointsTo,
    id: FuncId,
    function: &Function,
    escaped: &[FuncId],
    effects: &mut FxHashMap<FuncId, External>,
) -> Vec<CallInst> {
    let mut calls = Vec::new();
    for (op, (operation, &inst)) in (0..).zip(function.ops.iter().zip(&function.op_inst)) {
        let Op::Call(call) = operation else { continue };
        let targets = points_to.callees(id, inst, &call.callee);
        let (declared, mut bodies): (Vec<FuncId>, Vec<FuncId>) =
            targets.iter().partition(|target| program.function(**target).is_declaration);
        let effects_of =
            |target: FuncId| *effects.entry(target).or_insert_with(|| external(&program.function(target).name));
        let mut externals: Vec<External> = declared.iter().copied().map(effects_of).collect();
        if let [printer] = declared[..]
            && text::prints_for_certain(program, function, call, &program.function(printer).name)
        {
            externals[0].may_end = false;
        }
        let callbacks = if externals.iter().any(|effects| effects.unknown) { escaped.to_vec() } else { Vec::new() };
        bodies.extend(&callbacks);
        bodies.sort_unstable();
        bodies.dedup();
        let indirect = matches!(call.callee, upshot_ir::Callee::Indirect(_));
        calls.push(CallInst { inst, op, bodies, callbacks, externals, indirect });
    }
    calls
}

/// A function may not return if something in it may end the path, if it may loop or recur for ever, or if a callee may not return.
fn may_end(
    program: &Program,
    calls: &[Vec<CallInst>],
    edges: &Adjacency,
    recursive: &[bool],
    failures: Failures,
    own: impl Fn(FuncId, &Function) -> bool,
) -> Vec<bool> {
    let possible = failures == Failures::Possible;
    let mut found: Vec<bool> = recursive.iter().map(|recursive| *recursive && possible).collect();
    for (number, function) in program.functions.iter().enumerate() {
        let external =
            calls[number].iter().any(|call| call.indirect && possible || call.externals.iter().any(|e| e.may_end));
        found[number] |= external || own(FuncId(number as u32), function);
    }
    let callers = upshot_ir::reversed(edges);
    let mut pending: Vec<u32> = (0..found.len() as u32).filter(|&number| found[number as usize]).collect();
    while let Some(number) = pending.pop() {
        for &caller in &callers[number as usize] {
            if !std::mem::replace(&mut found[caller as usize], true) {
                pending.push(caller);
            }
        }
    }
    found
}

fn ends_by_itself(program: &Program, function: &Function, extents: &[Extent], failures: Failures) -> bool {
    if function.blocks.is_empty() {
        return false;
    }
    let definitions = Definitions::with_extents(function, extents);
    let ends = Ends { program, function, definitions: &definitions, failures };
    if function.ops.iter().any(|op| matches!(op, Op::Unreachable) || ends.deciders(op).is_some()) {
        return true;
    }
    let jumps = block_graph(function);
    failures == Failures::Possible
        && loops::retreating(&jumps).into_iter().any(|(from, to)| !loops::ends(function, &jumps, from, to))
}
