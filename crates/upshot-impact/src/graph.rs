//! The dependence graph of a program: what may differ if something else does.
//!
//! The nodes are the instructions, and what is between them: whether a segment runs, whether an instruction ends the path, what a call returns, the
//! value of a variable where control flow joins or where a function begins and ends. An edge says that its target may differ
//! if its source does, by control (rule 1 of TOSEM'14 Fig. 5) or by data (rule 2), and how it relates to calls.

use crate::memory::CellId;
use rustc_hash::FxHashMap;
use upshot_ir::{BlockId, FuncId, GlobalId, InstId};

pub(crate) type Node = u32;
pub(crate) const NO_NODE: Node = u32::MAX;

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NodeKind {
    /// What the instruction computes, writes or decides.
    Inst(FuncId, InstId),
    /// Whether it runs; for instructions that do more than compute a value.
    Runs(FuncId, InstId),
    /// Whether the path ends there.
    Ends(FuncId, InstId),
    /// What a call returns.
    Result(FuncId, InstId),
    /// What a call leaves in a cell.
    Left(FuncId, InstId, CellId),
    /// What a cell holds after a write that may miss it, or a slot or cell where control flow joins.
    Joined(FuncId, Option<CellId>),
    /// What a phi register gets.
    Phi(FuncId, BlockId),
    /// Whether a segment runs.
    Segment(FuncId, u32),
    /// Whether, and how often, a function is called.
    Called(FuncId),
    /// A parameter, by register.
    Parameter(FuncId, u32),
    /// What a cell holds when a function begins.
    Before(FuncId, CellId),
    /// What a function leaves in a cell.
    After(FuncId, CellId),
    Returned(FuncId),
    /// Whether a function returns at all.
    Terminates(FuncId),
    /// A cell that is not followed through the control flow.
    Loose(CellId),
    /// All the loose cells of one class of accesses.
    LooseAccess(u32),
    /// What a global holds at the start of the program.
    Initial(GlobalId),
    /// Jumps out of functions.
    LongJump,
}

/// How an edge relates to calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Within,
    /// From a call into the callee; the number is of the [`CallSite`].
    Into(u32),
    /// From a callee to one of its calls.
    Out,
    /// Through loose memory: leads anywhere, whoever called whom.
    Loose,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) to: Node,
    pub(crate) control: bool,
    pub(crate) way: Way,
}

/// An edge of the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallSite {
    pub(crate) caller: FuncId,
    pub(crate) inst: InstId,
    pub(crate) callee: FuncId,
}

#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) kinds: Vec<NodeKind>,
    /// The first instruction's node of each function; the others follow.
    pub(crate) first_inst: Vec<Node>,
    by_kind: FxHashMap<NodeKind, Node>,
    pending: Vec<(Node, Edge)>,
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    pub(crate) sites: Vec<CallSite>,
    /// What a node of the callee is at a call: (call site, node of the callee) to the caller's.
    pub(crate) at_site: FxHashMap<(u32, Node), Node>,
    /// By call site: all the caller's nodes that outcomes of the callee come back to.
    pub(crate) parts: Vec<Vec<Node>>,
}

impl Graph {
    pub(crate) fn add(&mut self, kind: NodeKind) -> Node {
        self.kinds.push(kind);
        self.kinds.len() as Node - 1
    }

    /// The one node of its kind.
    pub(crate) fn node(&mut self, kind: NodeKind) -> Node {
        if let Some(&node) = self.by_kind.get(&kind) {
            return node;
        }
        let node = self.add(kind);
        self.by_kind.insert(kind, node);
        node
    }

    pub(crate) fn find(&self, kind: NodeKind) -> Option<Node> {
        self.by_kind.get(&kind).copied()
    }

    pub(crate) fn inst(&self, function: FuncId, inst: InstId) -> Node {
        self.first_inst[function.index()] + inst.0
    }

    pub(crate) fn edge(&mut self, from: Node, to: Node, control: bool, way: Way) {
        if from != NO_NODE && to != NO_NODE && from != to {
            self.pending.push((from, Edge { to, control, way }));
        }
    }

    pub(crate) fn data(&mut self, from: Node, to: Node) {
        self.edge(from, to, false, Way::Within);
    }

    pub(crate) fn control(&mut self, from: Node, to: Node) {
        self.edge(from, to, true, Way::Within);
    }

    /// No more edges: sorts them by source.
    pub(crate) fn finish(&mut self) {
        let mut counts = vec![0u32; self.kinds.len() + 1];
        for (from, _) in &self.pending {
            counts[*from as usize + 1] += 1;
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
        }
        self.offsets = counts.clone();
        let nothing = Edge { to: NO_NODE, control: false, way: Way::Within };
        self.edges = vec![nothing; self.pending.len()];
        for (from, edge) in std::mem::take(&mut self.pending) {
            let place = &mut counts[from as usize];
            self.edges[*place as usize] = edge;
            *place += 1;
        }
    }

    pub(crate) fn edges(&self, node: Node) -> &[Edge] {
        let at = node as usize;
        &self.edges[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The sources of the data edges of each node, within functions and through loose memory.
    pub(crate) fn data_sources(&self) -> (Vec<u32>, Vec<Node>) {
        self.sources_by(|edge: &&Edge| !edge.control && matches!(edge.way, Way::Within | Way::Loose))
    }

    /// The sources of all edges of each node.
    pub(crate) fn sources(&self) -> (Vec<u32>, Vec<Node>) {
        self.sources_by(|_| true)
    }

    fn sources_by(&self, wanted: impl Fn(&&Edge) -> bool + Copy) -> (Vec<u32>, Vec<Node>) {
        let mut counts = vec![0u32; self.kinds.len() + 1];
        for edge in self.edges.iter().filter(wanted) {
            counts[edge.to as usize + 1] += 1;
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
        }
        let offsets = counts.clone();
        let mut sources = vec![NO_NODE; offsets[offsets.len() - 1] as usize];
        for from in 0..self.kinds.len() as Node {
            for edge in self.edges(from).iter().filter(wanted) {
                let place = &mut counts[edge.to as usize];
                sources[*place as usize] = from;
                *place += 1;
            }
        }
        (offsets, sources)
    }

    /// The function that a node belongs to; none for what functions share.
    pub(crate) fn function_of(&self, node: Node) -> Option<FuncId> {
        use NodeKind::*;
        match self.kinds[node as usize] {
            Inst(f, _)
            | Runs(f, _)
            | Ends(f, _)
            | Result(f, _)
            | Left(f, ..)
            | Joined(f, _)
            | Phi(f, _)
            | Segment(f, _)
            | Called(f)
            | Parameter(f, _)
            | Before(f, _)
            | After(f, _)
            | Returned(f)
            | Terminates(f) => Some(f),
            Loose(_) | LooseAccess(_) | Initial(_) | LongJump => None,
        }
    }
}
