//! The control flow of a body: what post-dominates what, and which side of which branch decides whether a block runs.

use upshot_ir::{BlockId, Dominators, InstId, edges, reversed};

use crate::body::Body;

/// One side of a branch: the block whose terminator decides, and the number of the edge.
pub(crate) type Decision = (u32, u32);

pub(crate) struct Flow {
    /// By block: the targets of its edges, in the terminator's order.
    pub(crate) targets: Vec<Vec<u32>>,
    /// By block: the decisions it is control dependent on, sorted.
    pub(crate) controllers: Vec<Vec<Decision>>,
    /// Every block before those that it post-dominates.
    pub(crate) outward: Vec<u32>,
    post_dominators: Dominators,
}

impl Flow {
    pub(crate) fn new(body: &Body<'_>) -> Self {
        let blocks = &body.function.blocks;
        let of_block = |block: &upshot_ir::Block| {
            edges(&body.function.ops[block.end as usize - 1]).into_iter().map(|edge| edge.target.0).collect()
        };
        let targets: Vec<Vec<u32>> = blocks.iter().map(of_block).collect();
        let exit = blocks.len() as u32;
        let post_dominators = post_dominators(&targets, exit);
        let mut controllers = vec![Vec::new(); blocks.len()];
        for (from, targets) in (0..).zip(&targets).filter(|(_, targets)| targets.len() > 1) {
            let stop = post_dominators.immediate(from);
            for (edge, &target) in (0..).zip(targets) {
                let mut at = Some(target);
                while at != stop {
                    let Some(block) = at.filter(|&block| block != exit) else { break };
                    controllers[block as usize].push((from, edge));
                    at = post_dominators.immediate(block);
                }
            }
        }
        let outward = post_dominators.order().iter().copied().filter(|&block| block != exit).collect();
        Flow { targets, controllers, outward, post_dominators }
    }

    /// The block that is certain to run next, other things between aside.
    pub(crate) fn certain_next(&self, block: u32) -> Option<u32> {
        self.post_dominators.immediate(block).filter(|&next| (next as usize) < self.targets.len())
    }
}

/// The post-dominators, with `exit` behind every block that ends the function. Of each endless loop one block counts as if it did.
fn post_dominators(targets: &[Vec<u32>], exit: u32) -> Dominators {
    let mut successors: Vec<Vec<u32>> =
        targets.iter().map(|targets| if targets.is_empty() { vec![exit] } else { targets.clone() }).collect();
    successors.push(Vec::new());
    loop {
        let tree = Dominators::new(&reversed(&successors), exit);
        match (0..exit).find(|&block| !tree.is_reachable(block)) {
            None => return tree,
            Some(block) => successors[block as usize].push(exit),
        }
    }
}

/// The terminator of a block.
pub(crate) fn terminator(body: &Body<'_>, block: u32) -> InstId {
    body.function.blocks[BlockId(block).index()].last_inst
}
