//! What directs an exploration of the new version (TOSEM'14 section 4.2): where impacted code can still be reached, and what it depends on.

use crate::graph::{Graph, Node, NodeKind};
use crate::impact::Impact;
use crate::memory::AccessKind;
use crate::points_to::ObjectKind;
use crate::side::Side;
use rustc_hash::FxHashSet;
use upshot_ir::{Function, Intrinsic, Op};

/// By function, by instruction.
pub type Table = Vec<Vec<bool>>;

/// What an exploration of the new version has to know.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// From this instruction on, itself included, in its activation and in what that calls: may an impacted instruction run?
    pub ahead: Table,
    /// The same for decisions of code that is not impacted: branches, and instructions that may end the path.
    pub open: Table,
    /// The same for calls that restrict the inputs (`klee_assume`).
    pub restricted: Table,
    /// By function: may running it run an impacted instruction?
    pub enters: Vec<bool>,
    /// Whether it depends on this instruction which impacted instructions run, or how one of them ends the path.
    pub relevant: Table,
    pub reads: Reads,
    /// From this instruction on, may an impacted instruction run that is in a loop or a recursion?
    pub repeating: Table,
    /// Whether the path may end at the instruction.
    pub ends: Table,
    /// Whether the instruction may enter impacted code other than by a direct call.
    pub callbacks: Table,
}

/// Which memory relevant instructions may read.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    pub globals: Vec<bool>,
    /// Locals in memory, by function.
    pub stacks: Vec<bool>,
    pub heap: bool,
    /// What input pointers lead to.
    pub inputs: bool,
}

/// Functions that restrict the inputs, or end a path without a trace.
const RESTRICTING: [&str; 4] = ["klee_assume", "klee_range", "klee_silent_exit", "klee_int"];

pub(crate) fn direct(side: &Side<'_>, impact: &Impact) -> Direction {
    let program = side.program;
    let impacted: Table = impact.new.iter().map(|reasons| reasons.iter().map(Option::is_some).collect()).collect();
    let restricts: Vec<bool> =
        program.functions.iter().map(|f| f.is_declaration && RESTRICTING.contains(&f.name.as_str())).collect();
    let no_calls = vec![false; program.functions.len()];
    let nowhere: Table = program.functions.iter().map(|f| vec![false; f.insts.len()]).collect();
    let (ahead, enters) = reach(side, &impacted, &no_calls);
    let (open, _) = reach(side, &choices(side, &impacted), &no_calls);
    let (restricted, _) = reach(side, &nowhere, &restricts);
    let seen = relevant(side, &impacted);
    let relevant = table_of(&side.graph, side, &seen);
    let reads = reads(side, &seen);
    let repeating = repeating(side, &impacted, &enters);
    let mut ends: Table = nowhere.clone();
    let mut callbacks: Table = nowhere;
    for (number, flow) in side.flows.iter().enumerate() {
        for segment in flow.segments.iter().filter(|segment| segment.may_end) {
            ends[number][segment.last.index()] = true;
        }
        for call in &side.calls.calls[number] {
            let entered = call.bodies.iter().chain(&call.callbacks).any(|callee| enters[callee.index()]);
            let direct =
                direct_callee(side, number, call).is_some_and(|callee| !program.function(callee).is_declaration);
            callbacks[number][call.inst.index()] = entered && !direct;
        }
    }
    Direction { ahead, open, restricted, enters, relevant, reads, repeating, ends, callbacks }
}

/// The instructions that decide something, and are not impacted.
fn choices(side: &Side<'_>, impacted: &Table) -> Table {
    let mut table: Table = Vec::new();
    for (number, (function, flow)) in side.program.functions.iter().zip(&side.flows).enumerate() {
        let mut choices = vec![false; function.insts.len()];
        for (segment, next) in flow.segments.iter().zip(&flow.successors) {
            let at = segment.last.index();
            choices[at] = next.len() > 1 && !impacted[number][at];
        }
        table.push(choices);
    }
    table
}

/// From where impacted instructions in loops, or in functions that call themselves, can be reached.
fn repeating(side: &Side<'_>, impacted: &Table, enters: &[bool]) -> Table {
    let mut looped: Table = Vec::new();
    for (number, function) in side.program.functions.iter().enumerate() {
        let graph = crate::flow::block_graph(function);
        let (component, components) = upshot_ir::components(&graph);
        let mut sizes = vec![0u32; components as usize];
        component.iter().for_each(|&at| sizes[at as usize] += 1);
        let in_loop = |block: usize| sizes[component[block] as usize] > 1 || graph[block].contains(&(block as u32));
        let mut points = vec![false; function.insts.len()];
        for (inst, point) in points.iter_mut().enumerate() {
            let again = side.calls.recursive[number] || in_loop(function.insts[inst].block.index());
            *point = again && impacted[number][inst];
        }
        for call in &side.calls.calls[number] {
            let again = side.calls.recursive[number] || in_loop(function.insts[call.inst.index()].block.index());
            let entered = call.bodies.iter().chain(&call.callbacks).any(|callee| enters[callee.index()]);
            points[call.inst.index()] |= again && entered;
        }
        looped.push(points);
    }
    let no_calls = vec![false; side.program.functions.len()];
    reach(side, &looped, &no_calls).0
}

fn direct_callee(side: &Side<'_>, caller: usize, call: &crate::calls::CallInst) -> Option<upshot_ir::FuncId> {
    match call.call(&side.program.functions[caller])?.callee {
        upshot_ir::Callee::Direct(callee) => Some(callee),
        upshot_ir::Callee::Indirect(_) => None,
    }
}

/// From where `wanted` instructions, or calls of `wanted_functions`, can be reached.
fn reach(side: &Side<'_>, wanted: &Table, wanted_functions: &[bool]) -> (Table, Vec<bool>) {
    let program = side.program;
    let mut enters: Vec<bool> = wanted.iter().map(|insts| insts.contains(&true)).collect();
    loop {
        let mut grown = false;
        for (number, calls) in
            side.calls.calls.iter().enumerate().filter(|(number, _)| !enters[*number]).collect::<Vec<_>>()
        {
            if calls.iter().any(|call| call_reaches(side, number, call, &enters, wanted_functions)) {
                enters[number] = true;
                grown = true;
            }
        }
        if !grown {
            break;
        }
    }
    let tables = program.functions.iter().enumerate().map(|(number, function)| {
        let mut points = wanted[number].clone();
        for call in &side.calls.calls[number] {
            points[call.inst.index()] |= call_reaches(side, number, call, &enters, wanted_functions);
        }
        within(function, points)
    });
    (tables.collect(), enters)
}

fn call_reaches(
    side: &Side<'_>,
    caller: usize,
    call: &crate::calls::CallInst,
    enters: &[bool],
    wanted_functions: &[bool],
) -> bool {
    direct_callee(side, caller, call).is_some_and(|callee| wanted_functions[callee.index()])
        || call.bodies.iter().chain(&call.callbacks).any(|callee| enters[callee.index()])
}

/// From where in a function one of the `points` can be reached. A `setjmp` may be come back to from anywhere.
fn within(function: &Function, points: Vec<bool>) -> Vec<bool> {
    if !points.contains(&true) {
        return points;
    }
    let jumps_back = function.ops.iter().any(|op| matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp, .. }));
    if jumps_back {
        return vec![true; points.len()];
    }
    let blocks = function.blocks.len();
    let has_point = |block: usize| {
        let block = &function.blocks[block];
        (block.first_inst.0..=block.last_inst.0).any(|inst| points[inst as usize])
    };
    // By block: whether one can be reached from its start.
    let mut from_start: Vec<bool> = (0..blocks).map(has_point).collect();
    let graph = crate::flow::block_graph(function);
    let predecessors = upshot_ir::reversed(&graph);
    let mut pending: Vec<u32> = (0..blocks as u32).filter(|block| from_start[*block as usize]).collect();
    while let Some(block) = pending.pop() {
        for &before in &predecessors[block as usize] {
            if !std::mem::replace(&mut from_start[before as usize], true) {
                pending.push(before);
            }
        }
    }
    let mut ahead = points;
    for (number, block) in function.blocks.iter().enumerate() {
        let mut reached = graph[number].iter().any(|&next| from_start[next as usize]);
        for inst in (block.first_inst.0..=block.last_inst.0).rev() {
            reached |= ahead[inst as usize];
            ahead[inst as usize] = reached;
        }
    }
    ahead
}

/// What decides which impacted instructions run, how often and in which order, and whether one of them ends the path; found backwards in the dependence graph, whoever called whom. What an impacted instruction
/// computes is not among it, unless it decides something in turn.
fn relevant(side: &Side<'_>, impacted: &Table) -> Vec<bool> {
    let graph = &side.graph;
    let (offsets, sources) = graph.sources();
    let mut seen = vec![false; graph.kinds.len()];
    let mut pending: Vec<Node> = Vec::new();
    for node in 0..graph.kinds.len() as Node {
        let is_wanted = match graph.kinds[node as usize] {
            NodeKind::Segment(f, segment) => {
                let segment = &side.flows[f.index()].segments[segment as usize];
                (segment.first.0..=segment.last.0).any(|inst| impacted[f.index()][inst as usize])
            }
            NodeKind::Runs(f, i) | NodeKind::Ends(f, i) => impacted[f.index()][i.index()],
            _ => false,
        };
        if is_wanted {
            seen[node as usize] = true;
            pending.push(node);
        }
    }
    while let Some(node) = pending.pop() {
        for &source in &sources[offsets[node as usize] as usize..offsets[node as usize + 1] as usize] {
            if !std::mem::replace(&mut seen[source as usize], true) {
                pending.push(source);
            }
        }
    }
    seen
}

/// An instruction is in it if any node of it was seen.
fn table_of(graph: &Graph, side: &Side<'_>, seen: &[bool]) -> Table {
    let mut table: Table = side.program.functions.iter().map(|f| vec![false; f.insts.len()]).collect();
    for (kind, _) in graph.kinds.iter().zip(seen).filter(|(_, seen)| **seen) {
        if let NodeKind::Inst(f, i)
        | NodeKind::Runs(f, i)
        | NodeKind::Ends(f, i)
        | NodeKind::Result(f, i)
        | NodeKind::Left(f, i, _) = kind
        {
            table[f.index()][i.index()] = true;
        }
    }
    table
}

/// The memory read by instructions whose values matter. Where it only matters whether one runs or fails, its operands decide that.
fn reads(side: &Side<'_>, seen: &[bool]) -> Reads {
    let valued = |kind: &NodeKind| matches!(kind, NodeKind::Inst(..) | NodeKind::Result(..) | NodeKind::Left(..));
    let only_valued: Vec<bool> = side.graph.kinds.iter().zip(seen).map(|(kind, &seen)| seen && valued(kind)).collect();
    let relevant = table_of(&side.graph, side, &only_valued);
    let program = side.program;
    let mut reads = Reads {
        globals: vec![false; program.globals.len()],
        stacks: vec![false; program.functions.len()],
        ..Reads::default()
    };
    let mut classes: FxHashSet<u32> = FxHashSet::default();
    for (function, accesses) in side.memory.accesses.iter().enumerate() {
        let is_read = |access: &&crate::memory::Access| {
            relevant[function][access.inst.index()] && access.kind != AccessKind::Write
        };
        classes.extend(accesses.iter().filter(is_read).map(|access| access.class));
    }
    for class in classes {
        for &cell in &side.memory.classes[class as usize].cells {
            match side.points_to.objects.get(side.memory.object[cell.0 as usize]).kind {
                ObjectKind::Global(global) => reads.globals[global.index()] = true,
                ObjectKind::Stack(function, _) | ObjectKind::ByValue(function, _) => {
                    reads.stacks[function.index()] = true;
                }
                ObjectKind::Heap(..) => reads.heap = true,
                ObjectKind::Input(_) | ObjectKind::Variadic(_) => reads.inputs = true,
                ObjectKind::Literals | ObjectKind::Function(_) | ObjectKind::World => {}
            }
        }
    }
    reads
}
