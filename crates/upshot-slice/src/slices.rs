//! The slices of one path, for whoever has run it: what an output, or a decision, depends on.
//!
//! The state must have been [recording](upshot_exec::State::record) since its start.

use upshot_exec::{Machine, State};
use upshot_ir::{FuncId, InstId};

use crate::Code;
use crate::graph::Node;
use crate::order::reorder;
use crate::walk::{Lost, Walk, Walked};

/// The dependences of a path that has ended. Decisions are numbered in the order in which the machine asked for them.
pub struct PathSlices(Walked);

impl Code<'_> {
    /// The slices of a path of the code, run by this machine to its end.
    pub fn slices(&self, machine: &Machine<'_>, state: &State, entry: FuncId) -> Result<PathSlices, Lost> {
        Walk::along(machine, state, &self.bodies, entry, &[]).map(PathSlices)
    }
}

impl PathSlices {
    /// How many decisions there are.
    pub fn decisions(&self) -> usize {
        self.0.decided.len()
    }

    /// What the entry returned, scalar by scalar.
    pub fn returned(&self) -> &[Node] {
        &self.0.returned
    }

    /// The bytes of the object that starts at an address.
    pub fn object(&mut self, base: u64) -> Vec<Node> {
        self.0.cells.all(base)
    }

    /// What went to streams; and what went to files and unknown functions.
    pub fn outside(&self) -> [Node; 2] {
        [self.0.streams, self.0.world]
    }

    /// What the path ended at, where it did not return.
    pub fn end(&self) -> Node {
        self.0.end
    }

    /// A decision itself.
    pub fn decision(&self, number: usize) -> Node {
        self.0.decided[number].node
    }

    /// The same decision on another path has the same index.
    pub fn index(&self, number: usize) -> u64 {
        self.0.decided[number].index
    }

    /// The decisions of the relevant-slice condition of an output that is made of these, in path order: those that it depends on, and those that there is any output at all.
    pub fn relevant(&mut self, output: &[Node]) -> Vec<usize> {
        let graph = &mut self.0.graph;
        let mut set = self.0.life;
        for &node in output {
            set = graph.sets.union(set, graph.set(node));
        }
        graph.sets.members(set)
    }

    /// Decisions in the order in which they are negated; see the paper's `reorder`.
    pub fn reordered(&self, decisions: &[usize]) -> Vec<usize> {
        reorder(&self.0.graph.sets, &|number| self.0.decided[number].slice, decisions)
    }

    /// The instructions in the relevant slices of these, sorted: where one of them has changed, the change has a part in them.
    pub fn instructions(&self, nodes: &[Node]) -> Vec<(FuncId, InstId)> {
        self.0.graph.instructions(nodes)
    }
}
