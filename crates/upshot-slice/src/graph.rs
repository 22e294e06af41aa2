//! The dynamic dependences of one path.
//!
//! A node is an instruction that ran, or a potential definition by a branch; its parents are what it depends on, by data, control or potentially. Each
//! node knows the decisions of the path that it depends on, so its relevant slice (FSE'11, Def. 4) is there as soon as it is made, and
//! the slices of all branches of a path cost one pass. Which instructions are in a slice is found by walking back, for the few nodes for which somebody asks.

use upshot_ir::{FuncId, InstId};

use crate::sets::{SetId, Sets};

/// What something depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node(u32);

impl Node {
    /// Depends on nothing: constants, and inputs.
    pub const NONE: Node = Node(0);
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    function: FuncId,
    inst: InstId,
    /// Where its parents end; they begin where those of the node before end.
    end: u32,
    set: SetId,
}

/// The nodes of one path.
#[derive(Debug)]
pub(crate) struct Graph {
    entries: Vec<Entry>,
    parents: Vec<Node>,
    pub sets: Sets,
}

impl Default for Graph {
    fn default() -> Self {
        let nothing = Entry { function: FuncId(u32::MAX), inst: InstId(u32::MAX), end: 0, set: SetId::EMPTY };
        Graph { entries: vec![nothing], parents: Vec::new(), sets: Sets::default() }
    }
}

impl Graph {
    /// A node for an instruction, with these parents.
    pub(crate) fn node(&mut self, at: (FuncId, InstId), parents: &[Node]) -> Node {
        let mut set = SetId::EMPTY;
        let mut last = Node::NONE;
        for &parent in parents {
            if parent == Node::NONE || parent == last {
                continue;
            }
            last = parent;
            self.parents.push(parent);
            let theirs = self.set(parent);
            set = self.sets.union(set, theirs);
        }
        self.entries.push(Entry { function: at.0, inst: at.1, end: self.parents.len() as u32, set });
        Node(self.entries.len() as u32 - 1)
    }

    /// Adds decisions to those that the newest node depends on.
    pub(crate) fn extend(&mut self, node: Node, set: SetId) {
        let united = self.sets.union(self.set(node), set);
        self.entries[node.0 as usize].set = united;
    }

    #[inline(always)]
    pub(crate) fn set(&self, node: Node) -> SetId {
        self.entries[node.0 as usize].set
    }

    /// What a definition depends on once a branch could have redefined it.
    pub(crate) fn weakened(&mut self, at: (FuncId, InstId), old: Node, branch: Node) -> Node {
        let (theirs, mine) = (self.set(branch), self.set(old));
        if self.sets.is_subset(theirs, mine) {
            return old;
        }
        self.node(at, &[old, branch])
    }

    /// The instructions in the slices of these nodes, sorted.
    pub(crate) fn instructions(&self, criteria: &[Node]) -> Vec<(FuncId, InstId)> {
        let mut seen = vec![false; self.entries.len()];
        let mut work = criteria.to_vec();
        let mut found = Vec::new();
        while let Some(node) = work.pop() {
            if node == Node::NONE || std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            let entry = self.entries[node.0 as usize];
            found.push((entry.function, entry.inst));
            let start = self.entries[node.0 as usize - 1].end;
            work.extend(&self.parents[start as usize..entry.end as usize]);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}
