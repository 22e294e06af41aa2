//! The papers' own algorithm: one set of explored nodes for the whole search (TOSEM'14 Fig. 7; loops as in PLDI'11 Fig. 6).
//!
//! A node is a run of instructions of one line in one block, which is what a statement of the papers' control flow graphs is. Reachability takes the call stack into account: from
//! a node to what follows it in its function and in what that calls, then to what follows the calls on the stack. As in the papers' implementation, states are made
//! by decisions, so whether to go on is asked at the first node after one.

use std::collections::VecDeque;

use upshot_exec::State;
use upshot_ir::{Edge, FuncId, Op, Program};

use crate::random::Random;

/// In which order the sides of a decision are taken (TOSEM'14 section 4.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they are numbered: true before false.
    #[default]
    Default,
    Random(u64),
    /// The one with the fewest branches before an unexplored impacted node first.
    Greedy,
}

/// A row of the papers' Table I: the nodes of a path so far, and what is explored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Lines of the nodes that the path has come by.
    pub path: Vec<u32>,
    /// Lines of impacted nodes.
    pub explored: Vec<u32>,
    pub unexplored: Vec<u32>,
    /// The path is given up here.
    pub given_up: bool,
}

/// The nodes of a program, and how to search them.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    pub order: Order,
    nodes: Vec<Node>,
    /// By function, by instruction.
    of_inst: Vec<Vec<u32>>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    line: u32,
    impacted: bool,
    /// What may run next in the function.
    next: Vec<u32>,
    /// The first nodes of what it may call.
    calls: Vec<u32>,
    /// Number of its strongly connected component, where it is in a loop, and whether that is entered here.
    component: u32,
    is_loop_entry: bool,
}

impl Paper {
    /// Cuts a program up. `callees` are the functions that an instruction may call.
    pub fn new(
        program: &Program,
        order: Order,
        impacted: &upshot_impact::Table,
        callees: impl Fn(FuncId, &Op) -> Vec<FuncId>,
    ) -> Self {
        let mut paper = Paper { order, ..Paper::default() };
        let mut first = vec![u32::MAX; program.functions.len()];
        let mut block_starts: Vec<Vec<u32>> = Vec::new();
        for (number, function) in program.functions.iter().enumerate() {
            let mut of_inst = vec![u32::MAX; function.insts.len()];
            let mut starts = Vec::new();
            for block in &function.blocks {
                starts.push(paper.nodes.len() as u32);
                let known = |inst: u32| function.insts[inst as usize].location.line;
                let insts = block.first_inst.0..=block.last_inst.0;
                // What has no line belongs to the next that has one; at the end, to the last.
                let mut line = insts.clone().map(known).find(|line| *line != 0).unwrap_or(0);
                paper.nodes.push(Node { line, ..Node::default() });
                for inst in insts {
                    let here = known(inst);
                    if here != 0 && here != line {
                        line = here;
                        let node = paper.nodes.len() as u32;
                        paper.nodes[node as usize - 1].next.push(node);
                        paper.nodes.push(Node { line, ..Node::default() });
                    }
                    let node = paper.nodes.len() - 1;
                    of_inst[inst as usize] = node as u32;
                    // A block without any line is a jump that clang has put in, no statement.
                    paper.nodes[node].impacted |= line != 0 && impacted[number][inst as usize];
                }
            }
            first[number] = starts.first().copied().unwrap_or(u32::MAX);
            block_starts.push(starts);
            paper.of_inst.push(of_inst);
        }
        paper.connect(program, &first, &block_starts, callees);
        paper.find_loops(program, &block_starts);
        paper
    }

    fn connect(
        &mut self,
        program: &Program,
        first: &[u32],
        block_starts: &[Vec<u32>],
        callees: impl Fn(FuncId, &Op) -> Vec<FuncId>,
    ) {
        for (number, function) in program.functions.iter().enumerate() {
            for (block, starts) in function.blocks.iter().zip(&block_starts[number]) {
                debug_assert!(*starts as usize <= self.nodes.len());
                let last = self.of_inst[number][block.last_inst.index()] as usize;
                for edge in upshot_ir::edges(&function.ops[block.end as usize - 1]) {
                    let target = block_starts[number][edge.target.index()];
                    if !self.nodes[last].next.contains(&target) {
                        self.nodes[last].next.push(target);
                    }
                }
            }
            for (op, inst) in function.ops.iter().zip(&function.op_inst) {
                for callee in callees(FuncId(number as u32), op) {
                    let entry = first[callee.index()];
                    if entry != u32::MAX {
                        self.nodes[self.of_inst[number][inst.index()] as usize].calls.push(entry);
                    }
                }
            }
        }
    }

    fn find_loops(&mut self, program: &Program, block_starts: &[Vec<u32>]) {
        let graph: upshot_ir::Adjacency = self.nodes.iter().map(|node| node.next.clone()).collect();
        let (component, components) = upshot_ir::components(&graph);
        let mut sizes = vec![0u32; components as usize];
        component.iter().for_each(|&number| sizes[number as usize] += 1);
        let mut entered = vec![false; self.nodes.len()];
        for (from, targets) in graph.iter().enumerate() {
            for &to in targets {
                entered[to as usize] |= component[from] != component[to as usize];
            }
        }
        for (number, function) in program.functions.iter().enumerate() {
            if !function.blocks.is_empty() {
                entered[block_starts[number][0] as usize] = true;
            }
        }
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let is_loop = sizes[component[number] as usize] > 1 || graph[number].contains(&(number as u32));
            node.component = component[number];
            node.is_loop_entry = is_loop && entered[number];
        }
    }

    /// The instructions that begin a node, and which.
    pub fn begins(&self, function: FuncId, inst: upshot_ir::InstId) -> Option<u32> {
        let of_inst = &self.of_inst[function.index()];
        let node = of_inst[inst.index()];
        let before = inst.0.checked_sub(1).map(|before| of_inst[before as usize]);
        (before != Some(node) && self.nodes[node as usize].line != 0).then_some(node)
    }

    /// The node of an operation. Nodes go by instructions, since the program that runs has marks among its operations.
    fn node_at(&self, program: &Program, function: FuncId, pc: u32) -> Option<u32> {
        let inst = program.function(function).op_inst.get(pc as usize)?;
        self.of_inst[function.index()].get(inst.index()).copied()
    }

    /// The nodes that the sides of a branch lead to, by side; none where what is decided is not a branch.
    pub(crate) fn targets(&self, program: &Program, state: &State) -> Vec<u32> {
        let Some((id, pc)) = state.positions().next() else { return Vec::new() };
        let function = program.function(id);
        let edges: Vec<&Edge> = match &function.ops[pc as usize] {
            Op::Branch { edges, .. } => vec![&edges.0, &edges.1],
            Op::Switch(switch) => {
                let mut edges: Vec<&Edge> = Vec::new();
                for (_, edge) in switch.cases.iter().filter(|(_, edge)| *edge != switch.default) {
                    if !edges.contains(&edge) {
                        edges.push(edge);
                    }
                }
                edges.push(&switch.default);
                edges
            }
            _ => Vec::new(),
        };
        let first = |edge: &Edge| function.blocks[edge.target.index()].first_inst;
        edges.into_iter().map(|edge| self.of_inst[id.index()][first(edge).index()]).collect()
    }

    fn is_impacted(&self, node: u32) -> bool {
        self.nodes[node as usize].impacted
    }

    /// Definition 4.2: the nodes that there is a way to, over `stack`, the nodes of the calls that are under way.
    fn reachable(&self, from: u32, stack: &[u32]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        seen[from as usize] = true;
        let mut pending = vec![from];
        for call in stack {
            for &next in &self.nodes[*call as usize].next {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    pending.push(next);
                }
            }
        }
        while let Some(node) = pending.pop() {
            let node = &self.nodes[node as usize];
            for &next in node.next.iter().chain(&node.calls) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    pending.push(next);
                }
            }
        }
        seen
    }

    /// The fewest branches from a node to one that is impacted and unexplored.
    fn distance(&self, from: u32, explored: &[bool]) -> u32 {
        let mut best = vec![u32::MAX; self.nodes.len()];
        let mut pending = VecDeque::from([from]);
        best[from as usize] = 0;
        while let Some(at) = pending.pop_front() {
            let so_far = best[at as usize];
            if self.is_impacted(at) && !explored[at as usize] {
                return so_far;
            }
            let node = &self.nodes[at as usize];
            let cost = u32::from(node.next.len() > 1);
            for &next in node.next.iter().chain(&node.calls) {
                if so_far + cost < best[next as usize] {
                    best[next as usize] = so_far + cost;
                    if cost == 0 { pending.push_front(next) } else { pending.push_back(next) }
                }
            }
        }
        u32::MAX
    }
}

/// The state of the search: what of the impacted nodes is explored.
#[derive(Debug)]
pub(crate) struct Explored<'a> {
    paper: &'a Paper,
    explored: Vec<bool>,
    random: Random,
}

impl<'a> Explored<'a> {
    pub(crate) fn new(paper: &'a Paper) -> Self {
        let seed = if let Order::Random(seed) = paper.order { seed } else { 0 };
        Explored { paper, explored: vec![false; paper.nodes.len()], random: Random::new(seed) }
    }

    /// The node is visited; whether it is impacted.
    pub(crate) fn visit(&mut self, node: u32) -> bool {
        self.explored[node as usize] |= self.paper.is_impacted(node);
        self.paper.is_impacted(node)
    }

    /// Procedure CheckLoops of PLDI'11 Fig. 6.
    pub(crate) fn check_loops(&mut self, node: u32) {
        let entry = &self.paper.nodes[node as usize];
        if entry.is_loop_entry {
            for (number, node) in self.paper.nodes.iter().enumerate() {
                if node.component == entry.component {
                    self.explored[number] = false;
                }
            }
        }
    }

    /// Function prune of TOSEM'14 Fig. 7.
    pub(crate) fn prune(&mut self, node: u32, program: &Program, state: &State) -> bool {
        let stack: Vec<u32> =
            state.positions().skip(1).filter_map(|(function, pc)| self.paper.node_at(program, function, pc)).collect();
        let from_here = self.paper.reachable(node, &stack);
        let unexplored: Vec<u32> = (0..self.paper.nodes.len() as u32)
            .filter(|&n| self.paper.is_impacted(n) && !self.explored[n as usize] && from_here[n as usize])
            .collect();
        for &next in &unexplored {
            let from_there = self.paper.reachable(next, &stack);
            for (explored, reached) in self.explored.iter_mut().zip(from_there) {
                *explored &= !reached;
            }
        }
        unexplored.is_empty()
    }

    /// Puts the sides of a decision in the order in which they are to be taken. `targets`: the node that each leads to, where that is known.
    pub(crate) fn arrange<T>(&mut self, sides: &mut [(T, Option<u32>)]) {
        match self.paper.order {
            Order::Default => {}
            Order::Random(_) => {
                for last in (1..sides.len()).rev() {
                    sides.swap(last, self.random.below(last + 1));
                }
            }
            Order::Greedy => {
                sides.sort_by_key(|(_, node)| node.map_or(0, |node| self.paper.distance(node, &self.explored)));
            }
        }
    }

    pub(crate) fn row(&self, path: &[u32], given_up: bool) -> Row {
        let lines = |explored: bool| {
            let of_interest = |node: &u32| self.paper.is_impacted(*node) && self.explored[*node as usize] == explored;
            let mut lines: Vec<u32> = (0..self.paper.nodes.len() as u32)
                .filter(of_interest)
                .map(|node| self.paper.nodes[node as usize].line)
                .collect();
            lines.sort_unstable();
            lines
        };
        let path = path.iter().map(|node| self.paper.nodes[*node as usize].line).collect();
        Row { path, explored: lines(true), unexplored: lines(false), given_up }
    }
}
