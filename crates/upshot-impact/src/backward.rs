//! Rules (3) and (4): from what is impacted back to what leads there, within each procedure.
//!
//! They add nothing that can differ between the versions; they complete the conditions of the paths through impacted code, for those who explore
//! them. So they go by the branches and the definitions of the procedure itself: what may end a path by an error is no branch here, and calls are not entered.

use crate::flow::block_graph;
use crate::graph::{Graph, NO_NODE, Node, NodeKind};
use crate::loops;
use crate::marks::{Level, Marks, Why};
use crate::memory::{AccessKind, CellId};
use crate::side::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use upshot_ir::{Adjacency, FuncId, Function};

/// Rule (3) of TOSEM'14 Fig. 5: a branch that an impacted node is control dependent on is impacted. To its fixed point.
pub(crate) fn rule_3_backward_control(side: &Side<'_>, marks: &mut Marks) {
    let mut controllers: FxHashMap<FuncId, Adjacency> = FxHashMap::default();
    let mut pending: Vec<Node> = marks.order.clone();
    while let Some(node) = pending.pop() {
        let NodeKind::Inst(id, inst) = side.graph.kinds[node as usize] else { continue };
        let function = side.program.function(id);
        let controllers = controllers.entry(id).or_insert_with(|| branches(function));
        let block = function.insts[inst.index()].block;
        for &controller in &controllers[block.index()] {
            let Some(branch) = function.blocks.get(controller as usize).map(|block| block.last_inst) else { continue };
            let branch = side.graph.inst(id, branch);
            if marks.mark_quietly(branch, Why::Backward, node) {
                pending.push(branch);
            }
        }
    }
}

/// The branches that each block is control dependent on, errors not counted; endless loops have an exit of their own.
fn branches(function: &Function) -> Adjacency {
    let mut jumps = block_graph(function);
    let exit = jumps.len() as u32;
    let endless: Vec<(u32, u32)> = loops::retreating(&jumps);
    jumps.push(Vec::new());
    for targets in jumps.iter_mut().take(exit as usize).filter(|targets| targets.is_empty()) {
        targets.push(exit);
    }
    let leads_out = upshot_ir::reverse_postorder(&upshot_ir::reversed(&jumps), exit);
    let leads_out: FxHashSet<u32> = leads_out.into_iter().collect();
    for (from, _) in endless.into_iter().filter(|(from, _)| !leads_out.contains(from)) {
        jumps[from as usize].push(exit);
    }
    upshot_ir::control_dependence(&jumps, exit)
}

/// Rule (4): a definition that reaches a use in an impacted node is impacted. To its fixed point.
pub(crate) fn rule_4_reaching_definitions(side: &Side<'_>, marks: &mut Marks) {
    let graph = &side.graph;
    let (offsets, sources) = graph.data_sources();
    let insts = marks.order.iter().copied().filter(|&node| is_inst(graph, node));
    let mut pending: Vec<(Node, Node)> = insts.map(|node| (node, node)).collect();
    // Nodes between instructions have been seen for the sake of one function only.
    let mut seen: FxHashSet<(Node, Option<FuncId>)> = FxHashSet::default();
    while let Some((node, user)) = pending.pop() {
        let home = graph.function_of(user);
        let range = offsets[node as usize] as usize..offsets[node as usize + 1] as usize;
        for &source in &sources[range] {
            let elsewhere = graph.function_of(source).is_some_and(|function| Some(function) != home);
            if elsewhere || source == NO_NODE {
                continue;
            }
            if let (NodeKind::LooseAccess(access), Some(home)) = (graph.kinds[source as usize], home) {
                if seen.insert((source, Some(home))) {
                    for definition in loose_definitions(side, home, access / 2) {
                        if marks.mark_quietly(definition, Why::Reaching, user) {
                            pending.push((definition, definition));
                        }
                    }
                }
                continue;
            }
            let definition = match graph.kinds[source as usize] {
                NodeKind::Inst(..) => Some(source),
                // What a call returns or leaves is its doing.
                NodeKind::Result(id, inst) | NodeKind::Left(id, inst, _) => Some(graph.inst(id, inst)),
                NodeKind::Ends(..) | NodeKind::Runs(..) => continue,
                _ => None,
            };
            match definition {
                Some(definition) => {
                    if marks.mark_quietly(definition, Why::Reaching, user) {
                        pending.push((definition, definition));
                    }
                }
                None => {
                    if seen.insert((source, home)) {
                        pending.push((source, user));
                    }
                }
            }
        }
    }
}

/// The writes of a function to the loose cells that a class of accesses reads.
fn loose_definitions(side: &Side<'_>, function: FuncId, class: u32) -> Vec<Node> {
    let memory = &side.memory;
    let is_loose = |cell: &&CellId| memory.loose[cell.0 as usize];
    let read: FxHashSet<CellId> = memory.classes[class as usize].cells.iter().filter(is_loose).copied().collect();
    let writes = memory.accesses[function.index()].iter().filter(|access| access.kind == AccessKind::Write);
    let hits =
        writes.filter(|access| memory.classes[access.class as usize].cells.iter().any(|cell| read.contains(cell)));
    hits.map(|access| side.graph.inst(function, access.inst)).collect()
}

fn is_inst(graph: &Graph, node: Node) -> bool {
    matches!(graph.kinds[node as usize], NodeKind::Inst(..))
}

impl Marks {
    /// Marks without following: what the backward rules add impacts nothing further.
    pub(crate) fn mark_quietly(&mut self, node: Node, why: Why, from: Node) -> bool {
        if self.is_marked(node) {
            return false;
        }
        let mark = &mut self.marks[node as usize];
        mark.level = Level::Below;
        mark.why = why;
        mark.from = from;
        mark.round = self.round;
        self.order.push(node);
        true
    }
}
