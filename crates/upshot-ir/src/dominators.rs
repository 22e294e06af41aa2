//! Dominators and control dependence of any directed graph.
//!
//! Nodes are numbers, edges are adjacency lists, so the same code serves blocks, parts of blocks, and graphs that exist only inside an analysis.
//! Dominators are found by iterating over the reverse postorder (Cooper, Harvey and Kennedy); post-dominators are the dominators of the reversed graph from its exit.
//! Control dependence follows Ferrante, Ottenstein and Warren: `n` depends on `c` if `n` post-dominates a successor of `c` but not `c` itself.

/// Adjacency lists: for each node, where its edges lead.
pub type Adjacency = Vec<Vec<u32>>;

const NONE: u32 = u32::MAX;

/// The dominator tree of what is reachable from a root.
#[derive(Clone, Debug)]
pub struct Dominators {
    parent: Vec<u32>,
    /// The reachable nodes in reverse postorder; the root first.
    order: Vec<u32>,
}

impl Dominators {
    /// The dominators of `successors` from `root`.
    pub fn new(successors: &[Vec<u32>], root: u32) -> Self {
        let order = reverse_postorder(successors, root);
        let mut position = vec![NONE; successors.len()];
        for (place, &node) in (0..).zip(&order) {
            position[node as usize] = place;
        }
        let predecessors = reversed(successors);
        // By position in the order, so that comparing positions says which of two nodes is deeper.
        let mut parent = vec![NONE; order.len()];
        if let Some(first) = parent.first_mut() {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (place, &node) in order.iter().enumerate().skip(1) {
                let mut best = NONE;
                for &before in &predecessors[node as usize] {
                    let before = position[before as usize];
                    if before != NONE && parent[before as usize] != NONE {
                        best = if best == NONE { before } else { meet(&parent, best, before) };
                    }
                }
                if parent[place] != best {
                    parent[place] = best;
                    changed = true;
                }
            }
        }
        let mut tree = vec![NONE; successors.len()];
        for (place, &node) in order.iter().enumerate().skip(1) {
            tree[node as usize] = order[parent[place] as usize];
        }
        Dominators { parent: tree, order }
    }

    /// The closest strict dominator; none for the root and for what the root does not reach.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        Some(self.parent[node as usize]).filter(|&parent| parent != NONE)
    }

    /// The reachable nodes, each after its dominators.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    pub fn is_reachable(&self, node: u32) -> bool {
        self.order.first() == Some(&node) || self.parent[node as usize] != NONE
    }

    /// The children of each node in the tree.
    pub fn children(&self) -> Adjacency {
        let mut children = vec![Vec::new(); self.parent.len()];
        for &node in self.order.iter().skip(1) {
            children[self.parent[node as usize] as usize].push(node);
        }
        children
    }

    /// The dominance frontier of each node: where what it dominates meets what it does not.
    pub fn frontiers(&self, successors: &[Vec<u32>]) -> Adjacency {
        let mut frontiers = vec![Vec::new(); successors.len()];
        for &from in &self.order {
            for &join in &successors[from as usize] {
                let stop = self.immediate(join);
                let mut at = Some(from);
                while at != stop {
                    let Some(node) = at else { break };
                    let frontier: &mut Vec<u32> = &mut frontiers[node as usize];
                    if !frontier.contains(&join) {
                        frontier.push(join);
                    }
                    at = self.immediate(node);
                }
            }
        }
        frontiers
    }
}

fn meet(parent: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = parent[a as usize];
        }
        while b > a {
            b = parent[b as usize];
        }
    }
    a
}

/// The graph with every edge turned round.
pub fn reversed(successors: &[Vec<u32>]) -> Adjacency {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, targets) in (0..).zip(successors) {
        for &to in targets {
            predecessors[to as usize].push(from);
        }
    }
    predecessors
}

/// What `root` reaches, each node before its successors wherever there is no cycle.
pub fn reverse_postorder(successors: &[Vec<u32>], root: u32) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(root, 0usize)];
    seen[root as usize] = true;
    while let Some((node, next)) = stack.last_mut() {
        match successors[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !seen[to as usize] {
                    seen[to as usize] = true;
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// For each node, the nodes that it is control dependent on. `exit` must be reachable from every node that matters: give
/// an endless loop an edge to it.
pub fn control_dependence(successors: &[Vec<u32>], exit: u32) -> Adjacency {
    let tree = Dominators::new(&reversed(successors), exit);
    let mut controllers = vec![Vec::new(); successors.len()];
    for (from, targets) in (0..).zip(successors) {
        if targets.len() < 2 || !tree.is_reachable(from) {
            continue;
        }
        let stop = tree.immediate(from);
        for &to in targets {
            let mut at = Some(to).filter(|&to| tree.is_reachable(to));
            while at != stop {
                let Some(node) = at.filter(|&node| node != exit) else { break };
                let list: &mut Vec<u32> = &mut controllers[node as usize];
                if list.last() != Some(&from) {
                    list.push(from);
                }
                at = tree.immediate(node);
            }
        }
    }
    controllers
}

/// The strongly connected components, each after the ones it leads to; the number of each node's component and how many there are.
pub fn components(successors: &[Vec<u32>]) -> (Vec<u32>, u32) {
    let count = successors.len();
    let (mut number, mut low, mut component) = (vec![NONE; count], vec![0u32; count], vec![NONE; count]);
    let (mut next, mut found) = (0u32, 0u32);
    let mut open: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for start in 0..count as u32 {
        if number[start as usize] != NONE {
            continue;
        }
        calls.push((start, 0));
        while let Some((node, edge)) = calls.last_mut() {
            let at = *node as usize;
            if *edge == 0 && number[at] == NONE {
                number[at] = next;
                low[at] = next;
                next += 1;
                open.push(*node);
            }
            if let Some(&to) = successors[at].get(*edge) {
                *edge += 1;
                let to_at = to as usize;
                if number[to_at] == NONE {
                    calls.push((to, 0));
                } else if component[to_at] == NONE {
                    low[at] = low[at].min(number[to_at]);
                }
                continue;
            }
            if low[at] == number[at] {
                while let Some(member) = open.pop() {
                    component[member as usize] = found;
                    if member as usize == at {
                        break;
                    }
                }
                found += 1;
            }
            let done = low[at];
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(done);
            }
        }
    }
    (component, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reaches(successors: &[Vec<u32>], from: u32, to: u32, without: Option<u32>) -> bool {
        if Some(from) == without {
            return false;
        }
        let mut seen = vec![false; successors.len()];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if node == to {
                return true;
            }
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            stack.extend(successors[node as usize].iter().filter(|&&next| Some(next) != without));
        }
        false
    }

    fn graphs() -> impl Strategy<Value = Adjacency> {
        proptest::collection::vec(proptest::collection::vec(0u32..9, 0..4), 9)
    }

    proptest! {
        #[test]
        fn a_dominator_is_on_every_path(graph in graphs()) {
            let tree = Dominators::new(&graph, 0);
            for node in 0..9 {
                prop_assert_eq!(tree.is_reachable(node), reaches(&graph, 0, node, None));
                let mut dominators = vec![node];
                while let Some(next) = tree.immediate(*dominators.last().unwrap()) {
                    dominators.push(next);
                }
                for other in 0..9 {
                    if tree.is_reachable(node) {
                        let on_all = other == node || !reaches(&graph, 0, node, Some(other));
                        prop_assert_eq!(dominators.contains(&other), on_all, "{} of {}", other, node);
                    }
                }
            }
        }

        #[test]
        fn control_dependence_is_as_defined(mut graph in graphs()) {
            // Node 8 is the exit, which all reach.
            graph[8].clear();
            for targets in graph.iter_mut().take(8) {
                targets.retain(|&to| to != 8);
                targets.dedup();
            }
            for node in 0..8u32 {
                if !reaches(&graph, node, 8, None) {
                    graph[node as usize].push(8);
                }
            }
            let controllers = control_dependence(&graph, 8);
            let post_dominates = |a: u32, b: u32| a == b || !reaches(&graph, b, 8, Some(a));
            for node in 0..8u32 {
                for from in 0..8u32 {
                    let successor = graph[from as usize].iter().any(|&to| post_dominates(node, to));
                    let expected = successor && (node == from || !post_dominates(node, from));
                    let strict = graph[from as usize].len() > 1;
                    prop_assert_eq!(controllers[node as usize].contains(&from), expected && strict, "{} on {}", node, from);
                }
            }
        }

        #[test]
        fn components_reach_each_other(graph in graphs()) {
            let (component, _) = components(&graph);
            for a in 0..9 {
                for b in 0..9 {
                    let together = reaches(&graph, a, b, None) && reaches(&graph, b, a, None);
                    prop_assert_eq!(component[a as usize] == component[b as usize], together);
                    if reaches(&graph, a, b, None) {
                        prop_assert!(component[b as usize] <= component[a as usize]);
                    }
                }
            }
        }
    }
}
