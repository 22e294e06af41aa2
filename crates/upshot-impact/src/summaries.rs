//! What the outcomes of a function (what it returns, what it leaves in memory, whether it returns) make of each of its inputs.
//!
//! The summary edges of Horwitz, Reps and Binkley, found on demand: from an input, along the edges inside the function, and across its calls by the summaries
//! of the callees. A summary that grows later, in a recursion, is handed on to whoever has used it.

use crate::graph::{Graph, Node, NodeKind, Way};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(crate) struct Summaries {
    of: FxHashMap<Node, Summary>,
    begun: Vec<Node>,
}

#[derive(Default)]
struct Summary {
    outcomes: Vec<Node>,
    reached: FxHashSet<Node>,
    /// Who crosses a call by this summary: (the input whose summary that is, the call site).
    users: FxHashSet<(Node, u32)>,
}

impl Summaries {
    /// The outcomes that depend on an input of a function.
    pub(crate) fn outcomes(&mut self, graph: &Graph, input: Node) -> Vec<Node> {
        if !self.of.contains_key(&input) {
            self.complete(graph, input);
        }
        self.of.get(&input).map(|summary| summary.outcomes.clone()).unwrap_or_default()
    }

    fn complete(&mut self, graph: &Graph, input: Node) {
        // (input, node reached from it)
        let mut pending: Vec<(Node, Node)> = Vec::new();
        self.begin(input, &mut pending);
        while let Some((input, node)) = pending.pop() {
            if is_outcome(graph.kinds[node as usize]) {
                self.found(graph, input, node, &mut pending);
            }
            for edge in graph.edges(node) {
                match edge.way {
                    Way::Within => self.reach(input, edge.to, &mut pending),
                    Way::Into(site) if !matches!(graph.kinds[edge.to as usize], NodeKind::Called(_)) => {
                        self.cross(graph, input, edge.to, site, &mut pending);
                    }
                    // Calls that run or not reach all their outcomes by edges of their own.
                    Way::Into(_) | Way::Out | Way::Loose => {}
                }
            }
        }
        // All that was begun is complete now, and only the outcomes are of further use.
        for input in std::mem::take(&mut self.begun) {
            if let Some(summary) = self.of.get_mut(&input) {
                summary.reached = FxHashSet::default();
                summary.users = FxHashSet::default();
            }
        }
    }

    fn begin(&mut self, input: Node, pending: &mut Vec<(Node, Node)>) {
        self.begun.push(input);
        self.reach(input, input, pending);
    }

    fn reach(&mut self, input: Node, node: Node, pending: &mut Vec<(Node, Node)>) {
        if self.of.entry(input).or_default().reached.insert(node) {
            pending.push((input, node));
        }
    }

    fn cross(&mut self, graph: &Graph, input: Node, argument: Node, site: u32, pending: &mut Vec<(Node, Node)>) {
        if !self.of.contains_key(&argument) {
            self.begin(argument, pending);
        }
        let summary = self.of.entry(argument).or_default();
        summary.users.insert((input, site));
        for outcome in summary.outcomes.clone() {
            if let Some(&part) = graph.at_site.get(&(site, outcome)) {
                self.reach(input, part, pending);
            }
        }
    }

    fn found(&mut self, graph: &Graph, input: Node, outcome: Node, pending: &mut Vec<(Node, Node)>) {
        let summary = self.of.entry(input).or_default();
        if summary.outcomes.contains(&outcome) {
            return;
        }
        summary.outcomes.push(outcome);
        for (user, site) in summary.users.clone() {
            if let Some(&part) = graph.at_site.get(&(site, outcome)) {
                self.reach(user, part, pending);
            }
        }
    }
}

fn is_outcome(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Returned(_) | NodeKind::Terminates(_) | NodeKind::After(..))
}
