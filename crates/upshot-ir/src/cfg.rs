//! The control flow of a function.

use crate::program::{BlockId, Edge, Function, Op};

/// The blocks that may run after `block`, in the order of the terminator's edges, without repeats.
pub fn successors(function: &Function, block: BlockId) -> Vec<BlockId> {
    let mut targets = Vec::new();
    let block = &function.blocks[block.index()];
    for edge in edges(&function.ops[block.end as usize - 1]) {
        if !targets.contains(&edge.target) {
            targets.push(edge.target);
        }
    }
    targets
}

/// The edges of a terminator, in order; none for any other operation.
pub fn edges(op: &Op) -> Vec<&Edge> {
    match op {
        Op::Jump(edge) => vec![edge],
        Op::Branch { edges, .. } => vec![&edges.0, &edges.1],
        Op::Switch(switch) => switch.cases.iter().map(|(_, edge)| edge).chain([&switch.default]).collect(),
        Op::IndirectJump { edges, .. } => edges.iter().collect(),
        _ => Vec::new(),
    }
}
