//! What has been found to be impacted, and why: the state that the rules work on.
//!
//! Impact that comes up from a callee may go on to all its callers; impact that a call has brought down into a callee may not, or it would come
//! out at other calls than it went in. So a node is marked *below* (by a call) or *above* (by anything else), and only the latter crosses back to callers; a call hands
//! on what its callee makes of its arguments by [summaries](crate::summaries). Loose memory forgets who called whom.

use crate::graph::{Edge, Graph, Node, NodeKind, Way};
use crate::summaries::Summaries;
use upshot_ir::FuncId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Not,
    Below,
    Above,
}

/// Why a node is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Changed, added or removed.
    Source,
    /// The counterpart in the other version is impacted.
    Counterpart,
    /// Control flow gets there in another way than in the other version; the node is a changed instruction, if there is one.
    Flow,
    Control,
    Data,
    /// What a callee makes of an argument.
    Through(u32),
    Backward,
    Reaching,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) level: Level,
    pub(crate) why: Why,
    /// The node that it comes from; itself at the start of a chain.
    pub(crate) from: Node,
    /// In which round of the rules.
    pub(crate) round: u32,
}

pub(crate) struct Marks {
    pub(crate) marks: Vec<Mark>,
    /// In the order of marking.
    pub(crate) order: Vec<Node>,
    /// Nodes whose control edges are still to be followed, and whose data edges are.
    control: std::collections::VecDeque<Node>,
    data: std::collections::VecDeque<Node>,
    /// Arguments of calls whose way through the callee is still to be followed: the node, the callee's input, the call site.
    crossings: std::collections::VecDeque<(Node, Node, u32)>,
    /// By call site: the level that all that comes back from it has.
    through: Vec<Level>,
    summaries: Summaries,
    pub(crate) round: u32,
    /// Call sites that carry impact into the callee.
    pub(crate) entered: Vec<bool>,
    /// Only within this function.
    pub(crate) only: Option<FuncId>,
}

impl Marks {
    pub(crate) fn new(graph: &Graph) -> Self {
        let none = Mark { level: Level::Not, why: Why::Source, from: 0, round: 0 };
        Marks {
            marks: vec![none; graph.kinds.len()],
            order: Vec::new(),
            control: Default::default(),
            data: Default::default(),
            crossings: Default::default(),
            through: vec![Level::Not; graph.sites.len()],
            summaries: Summaries::default(),
            round: 0,
            entered: vec![false; graph.sites.len()],
            only: None,
        }
    }

    pub(crate) fn is_marked(&self, node: Node) -> bool {
        self.marks[node as usize].level != Level::Not
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.control.is_empty() && self.data.is_empty() && self.crossings.is_empty()
    }

    /// Marks a node; whether that is news.
    pub(crate) fn mark(&mut self, node: Node, level: Level, why: Why, from: Node) -> bool {
        let mark = &mut self.marks[node as usize];
        if mark.level >= level {
            return false;
        }
        if mark.level == Level::Not {
            *mark = Mark { level, why, from, round: self.round };
            self.order.push(node);
        } else {
            mark.level = level;
        }
        self.control.push_back(node);
        self.data.push_back(node);
        true
    }

    /// Rule (1) of TOSEM'14 Fig. 5: what is control dependent on an impacted node is impacted. To its fixed point.
    pub(crate) fn rule_1_control(&mut self, graph: &Graph) -> bool {
        let before = self.order.len();
        while let Some(node) = self.control.pop_front() {
            for edge in graph.edges(node).iter().filter(|edge| edge.control) {
                self.follow(graph, node, edge, Why::Control);
            }
        }
        self.order.len() > before
    }

    /// Rule (2): what uses a variable that an impacted node defines, where that definition reaches, is impacted. To its fixed point.
    pub(crate) fn rule_2_data(&mut self, graph: &Graph) -> bool {
        let before = self.order.len();
        loop {
            while let Some(node) = self.data.pop_front() {
                for edge in graph.edges(node).iter().filter(|edge| !edge.control) {
                    self.follow(graph, node, edge, Why::Data);
                }
            }
            // Last, since by then much of what comes back from a call is impacted for other reasons, and its summary is not needed.
            if !self.control.is_empty() {
                break;
            }
            let Some((node, argument, site)) = self.crossings.pop_front() else { break };
            self.cross(graph, node, argument, site);
        }
        self.order.len() > before
    }

    fn follow(&mut self, graph: &Graph, node: Node, edge: &Edge, why: Why) {
        let level = self.marks[node as usize].level;
        match edge.way {
            Way::Within => {
                self.mark(edge.to, level, why, node);
            }
            Way::Loose => {
                let elsewhere = |function| graph.function_of(edge.to).is_some_and(|to| to != function);
                if !self.only.is_some_and(elsewhere) {
                    self.mark(edge.to, Level::Above, why, node);
                }
            }
            Way::Out => {
                if level == Level::Above {
                    self.mark(edge.to, Level::Above, why, node);
                }
            }
            Way::Into(site) => {
                self.entered[site as usize] = true;
                self.mark(edge.to, Level::Below, why, node);
                if !matches!(graph.kinds[edge.to as usize], NodeKind::Called(_)) {
                    self.crossings.push_back((node, edge.to, site));
                }
            }
        }
    }

    /// What the call makes of an argument: the callee's outcomes that depend on it.
    fn cross(&mut self, graph: &Graph, node: Node, argument: Node, site: u32) {
        let level = self.marks[node as usize].level;
        if self.through[site as usize] >= level {
            return;
        }
        if graph.parts[site as usize].iter().all(|&part| self.marks[part as usize].level >= level) {
            self.through[site as usize] = level;
            return;
        }
        for outcome in self.summaries.outcomes(graph, argument) {
            if let Some(&part) = graph.at_site.get(&(site, outcome)) {
                self.mark(part, level, Why::Through(site), node);
            }
        }
    }
}

impl Marks {
    /// Forgets the marks of what functions share, so that the next one starts afresh.
    pub(crate) fn forget_shared(&mut self, graph: &Graph) {
        for node in &self.order {
            if graph.function_of(*node).is_none() {
                self.marks[*node as usize].level = Level::Not;
            }
        }
        let marks = &self.marks;
        self.order.retain(|node| marks[*node as usize].level != Level::Not);
    }
}
