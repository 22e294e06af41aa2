//! Where control flow itself has changed: a `break` that went away, bodies that were swapped, statements in another order.
//!
//! The rules work on each version alone, and an unconditional jump decides nothing there. So both versions are laid over each other, matched instructions as one node:
//! each run of either version is a path of that union. Two runs with the same decisions part only where a matched instruction is followed by
//! different ones, and what depends on such a *fork* in the union (by the ordinary control dependence) may run in one version and not in the other, or in another order.

use crate::flow::{Flow, possible_edges};
use crate::side::Side;
use upshot_diff::FunctionMatch;
use upshot_ir::{Adjacency, FuncId, Function, InstId, Op};

/// An instruction whose way there has changed, and a changed instruction that is behind it.
pub(crate) struct Detour {
    pub(crate) old: Option<InstId>,
    pub(crate) new: Option<InstId>,
    pub(crate) cause_old: Option<InstId>,
    pub(crate) cause_new: Option<InstId>,
}

/// Both versions of one function.
struct Union<'a> {
    matched: &'a FunctionMatch,
    /// By old instruction: its node. Nodes of the new version are its instructions.
    of_old: Vec<u32>,
    /// By node past the new instructions: the old one.
    only_old: Vec<InstId>,
    news: u32,
}

/// What may run differently for want of the same way there.
pub(crate) fn detours(old: &Side<'_>, new: &Side<'_>, matched: &FunctionMatch) -> Vec<Detour> {
    let (Some(old_id), Some(new_id)) = (matched.old, matched.new) else { return Vec::new() };
    let union = Union::new(old.program.function(old_id), new.program.function(new_id), matched);
    let old_steps = steps(old, old_id);
    let new_steps = steps(new, new_id);
    if union.is_the_same(&old_steps, &new_steps) {
        return Vec::new();
    }
    let (graph, forks) = union.graph(&old_steps, &new_steps);
    let exit = union.count();
    let controllers = upshot_ir::control_dependence(&graph, exit);
    let mut found = Vec::new();
    for node in 0..union.count() {
        let Some(&fork) = controllers[node as usize].iter().find(|&&from| forks[from as usize]) else { continue };
        let mut detour = union.at(node);
        // The changed instruction next to the fork: one that follows it in one version only.
        let mut behind = graph[fork as usize].iter().chain([&fork]).map(|&next| union.at(next));
        let cause = behind.find(|next| next.old.is_none() || next.new.is_none());
        if let Some(cause) = cause {
            detour.cause_old = cause.old;
            detour.cause_new = cause.new;
        }
        found.push(detour);
    }
    found
}

/// What follows each instruction: in order, with what it is that leads there; and whether the path may end instead.
#[derive(Clone, Debug, Default, PartialEq)]
struct Step {
    reachable: bool,
    next: Vec<(u128, InstId)>,
    may_end: bool,
}

fn steps(side: &Side<'_>, id: FuncId) -> Vec<Step> {
    let function = side.program.function(id);
    let flow = &side.flows[id.index()];
    let mut list: Vec<Step> = vec![Step::default(); function.insts.len()];
    for (number, segment) in flow.segments.iter().enumerate() {
        for inst in segment.first.0..segment.last.0 {
            list[inst as usize] = Step { reachable: true, next: vec![(0, InstId(inst + 1))], may_end: false };
        }
        let last = &mut list[segment.last.index()];
        last.reachable = true;
        let leaves = flow.successors[number].contains(&flow.exit());
        last.may_end = leaves;
        last.next =
            if segment.may_end { vec![(0, InstId(segment.last.0 + 1))] } else { targets(function, flow, segment.last) };
    }
    list
}

/// The first instructions of the blocks that a terminator jumps to, by the case that leads there.
fn targets(function: &Function, flow: &Flow, inst: InstId) -> Vec<(u128, InstId)> {
    let block = function.insts[inst.index()].block;
    let Some(op) = function.ops.get(function.blocks[block.index()].end as usize - 1) else { return Vec::new() };
    let first = |target: upshot_ir::BlockId| function.blocks[target.index()].first_inst;
    let list: Vec<(u128, InstId)> = match op {
        Op::Switch(switch) if switch.value.as_constant().is_none() => {
            let mut cases: Vec<_> = switch.cases.iter().map(|(value, edge)| (*value, first(edge.target))).collect();
            cases.sort_unstable();
            cases.push((u128::MAX, first(switch.default.target)));
            cases
        }
        _ => (0..).zip(possible_edges(function, op)).map(|(number, edge)| (number, first(edge.target))).collect(),
    };
    list.into_iter().filter(|(_, inst)| flow.is_reachable(*inst)).collect()
}

impl<'a> Union<'a> {
    fn new(old: &Function, new: &Function, matched: &'a FunctionMatch) -> Self {
        let news = new.insts.len() as u32;
        let mut only_old = Vec::new();
        let mut of_old = Vec::with_capacity(old.insts.len());
        for number in 0..old.insts.len() as u32 {
            match matched.to_new.get(number as usize).copied().flatten() {
                Some(new) => of_old.push(new.0),
                None => {
                    of_old.push(news + only_old.len() as u32);
                    only_old.push(InstId(number));
                }
            }
        }
        Union { matched, of_old, only_old, news }
    }

    fn count(&self) -> u32 {
        self.news + self.only_old.len() as u32
    }

    fn at(&self, node: u32) -> Detour {
        let (old, new) = match self.only_old.get(node.wrapping_sub(self.news) as usize) {
            Some(old) if node >= self.news => (Some(*old), None),
            _ => (self.matched.to_old.get(node as usize).copied().flatten(), Some(InstId(node))),
        };
        Detour { old, new: new.filter(|new| new.0 < self.news), cause_old: None, cause_new: None }
    }

    fn as_nodes(&self, step: &Step) -> Step {
        let next = step.next.iter().map(|(case, inst)| (*case, InstId(self.of_old[inst.index()]))).collect();
        Step { next, ..step.clone() }
    }

    fn is_the_same(&self, old: &[Step], new: &[Step]) -> bool {
        self.only_old.is_empty()
            && old.len() == new.len()
            && old.iter().enumerate().all(|(number, step)| self.as_nodes(step) == new[self.of_old[number] as usize])
    }

    /// The union with an exit and an entry after its nodes, and where the versions part.
    fn graph(&self, old: &[Step], new: &[Step]) -> (Adjacency, Vec<bool>) {
        let count = self.count() as usize;
        let (exit, entry) = (count as u32, count as u32 + 1);
        let mut graph: Adjacency = vec![Vec::new(); count + 2];
        let mut forks = vec![false; count + 2];
        let mut link = |from: u32, to: u32| {
            let list = &mut graph[from as usize];
            if !list.contains(&to) {
                list.push(to);
            }
        };
        for (number, step) in (0..).zip(new) {
            step.next.iter().for_each(|(_, to)| link(number, to.0));
            if step.reachable && (step.may_end || step.next.is_empty()) {
                link(number, exit);
            }
        }
        for (number, step) in old.iter().enumerate() {
            let node = self.of_old[number];
            let there = self.as_nodes(step);
            there.next.iter().for_each(|(_, to)| link(node, to.0));
            if step.reachable && (step.may_end || step.next.is_empty()) {
                link(node, exit);
            }
            if let Some(here) = new.get(node as usize) {
                forks[node as usize] = here.reachable != there.reachable || here.next != there.next;
            }
        }
        let first = self.of_old.first().copied();
        link(entry, 0);
        first.into_iter().for_each(|first| link(entry, first));
        link(entry, exit);
        forks[entry as usize] = first != Some(0);
        (graph, forks)
    }
}
