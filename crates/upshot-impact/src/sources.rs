//! Where impact starts, and the joint fixed point of both versions.

use crate::backward::{rule_3_backward_control, rule_4_reaching_definitions};
use crate::detour::detours;
use crate::graph::{Node, NodeKind};
use crate::marks::{Level, Marks, Why};
use crate::side::Side;
use rustc_hash::FxHashMap;
use upshot_diff::{Changes, FunctionMatch, GlobalMatch};
use upshot_ir::{FuncId, InstId, Program};

/// Whether anything differs that can influence something.
pub(crate) fn any(changes: &Changes) -> bool {
    changes.functions.iter().any(differs) || changed_globals(changes).next().is_some()
}

/// A matched function in which nothing is new, old, or in another place.
fn differs(function: &FunctionMatch) -> bool {
    let in_place = |(number, counterpart): (u32, &Option<InstId>)| *counterpart == Some(InstId(number));
    function.to_new.len() != function.to_old.len()
        || !(0..).zip(&function.to_new).all(in_place)
        || function.status.differs() && !function.to_new.is_empty()
}

fn changed_globals(changes: &Changes) -> impl Iterator<Item = &GlobalMatch> {
    changes.globals.iter().filter(|global| global.status.differs() && !global.nameless)
}

/// The globals of each version that the other does not have with the same contents.
pub(crate) fn separate_globals(old: &Program, new: &Program, changes: &Changes) -> (Vec<bool>, Vec<bool>) {
    let (mut of_old, mut of_new) = (vec![false; old.globals.len()], vec![false; new.globals.len()]);
    for global in changed_globals(changes) {
        if let Some(id) = global.old {
            of_old[id.index()] = true;
        }
        if let Some(id) = global.new {
            of_new[id.index()] = true;
        }
    }
    (of_old, of_new)
}

/// Both versions, and what is impacted in each.
pub(crate) struct Propagation<'a> {
    pub(crate) old: &'a Side<'a>,
    pub(crate) new: &'a Side<'a>,
    changes: &'a Changes,
    pub(crate) old_marks: Marks,
    pub(crate) new_marks: Marks,
    /// The match of each function, by id in either version.
    by_old: FxHashMap<FuncId, &'a FunctionMatch>,
    by_new: FxHashMap<FuncId, &'a FunctionMatch>,
    /// How much of each order has been mapped across.
    mapped: (usize, usize),
}

impl<'a> Propagation<'a> {
    pub(crate) fn new(old: &'a Side<'a>, new: &'a Side<'a>, changes: &'a Changes) -> Self {
        let functions = changes.functions.iter();
        Propagation {
            old,
            new,
            changes,
            old_marks: Marks::new(&old.graph),
            new_marks: Marks::new(&new.graph),
            by_old: functions.clone().filter_map(|function| Some((function.old?, function))).collect(),
            by_new: functions.filter_map(|function| Some((function.new?, function))).collect(),
            mapped: (0, 0),
        }
    }

    pub(crate) fn whole_program(&mut self) {
        let changes = self.changes;
        for function in &changes.functions {
            self.start_in(function);
        }
        self.start_in_globals();
        self.reach_fixed_point();
    }

    /// Each procedure for itself. What functions share is forgotten between them.
    pub(crate) fn per_procedure(&mut self) {
        let changes = self.changes;
        let globals = changed_globals(changes).next().is_some();
        for function in changes.functions.iter().filter(|function| globals || differs(function)) {
            self.old_marks.only = function.old;
            self.new_marks.only = function.new;
            self.start_in(function);
            self.start_in_globals();
            self.reach_fixed_point();
            self.old_marks.forget_shared(&self.old.graph);
            self.new_marks.forget_shared(&self.new.graph);
            self.mapped = (self.old_marks.order.len(), self.new_marks.order.len());
        }
    }

    /// Added, removed and changed instructions, and those that are reached in another way.
    fn start_in(&mut self, function: &FunctionMatch) {
        if !differs(function) {
            return;
        }
        if let Some(id) = function.new {
            start_where_unmatched(self.new, &mut self.new_marks, id, &function.to_old);
        }
        if let Some(id) = function.old {
            start_where_unmatched(self.old, &mut self.old_marks, id, &function.to_new);
        }
        for detour in detours(self.old, self.new, function) {
            let old = function.old.zip(detour.old);
            let new = function.new.zip(detour.new);
            if let Some((id, inst)) = old {
                let cause = detour.cause_old.map(|cause| (Why::Flow, self.old.graph.inst(id, cause)));
                let other = new.filter(|_| detour.cause_new.is_some()).map(|(id, inst)| self.new.graph.inst(id, inst));
                let cause = cause.or(other.map(|node| (Why::Counterpart, node)));
                start_at_detour(self.old, &mut self.old_marks, id, inst, cause);
            }
            if let Some((id, inst)) = new {
                let cause = detour.cause_new.map(|cause| (Why::Flow, self.new.graph.inst(id, cause)));
                let other = old.filter(|_| detour.cause_old.is_some()).map(|(id, inst)| self.old.graph.inst(id, inst));
                let cause = cause.or(other.map(|node| (Why::Counterpart, node)));
                start_at_detour(self.new, &mut self.new_marks, id, inst, cause);
            }
        }
    }

    /// What changed globals hold at first.
    fn start_in_globals(&mut self) {
        for global in changed_globals(self.changes) {
            let sides = [(global.old, self.old, &mut self.old_marks), (global.new, self.new, &mut self.new_marks)];
            for (id, side, marks) in sides {
                if let Some(node) = id.and_then(|id| side.graph.find(NodeKind::Initial(id))) {
                    marks.mark(node, Level::Above, Why::Source, node);
                }
            }
        }
    }

    /// Rules (1) and (2), alternately, on each version and across, until nothing is added.
    fn reach_fixed_point(&mut self) {
        loop {
            let (old, old_marks) = (self.old, &mut self.old_marks);
            std::thread::scope(|threads| {
                threads.spawn(|| apply_forward_rules(old_marks, old));
                apply_forward_rules(&mut self.new_marks, self.new);
            });
            self.map_across();
            if self.old_marks.is_settled() && self.new_marks.is_settled() {
                break;
            }
        }
    }

    /// Section 4.1.3: what is impacted in one version is so in the other, where it is in both.
    fn map_across(&mut self) {
        let old_nodes: Vec<Node> = self.old_marks.order[self.mapped.0..].to_vec();
        let new_nodes: Vec<Node> = self.new_marks.order[self.mapped.1..].to_vec();
        self.mapped = (self.old_marks.order.len(), self.new_marks.order.len());
        for node in old_nodes {
            if let Some(there) = counterpart(self.old, self.new, &self.by_old, node, true) {
                let level = self.old_marks.marks[node as usize].level;
                self.new_marks.mark(there, level, Why::Counterpart, node);
            }
        }
        for node in new_nodes {
            if let Some(there) = counterpart(self.new, self.old, &self.by_new, node, false) {
                let level = self.new_marks.marks[node as usize].level;
                self.old_marks.mark(there, level, Why::Counterpart, node);
            }
        }
    }

    /// Rules (3) and (4) on each version, then across once more.
    pub(crate) fn backward(&mut self) {
        for (side, marks) in [(self.new, &mut self.new_marks), (self.old, &mut self.old_marks)] {
            marks.round += 1;
            rule_3_backward_control(side, marks);
            marks.round += 1;
            rule_4_reaching_definitions(side, marks);
        }
        for at in self.mapped.0..self.old_marks.order.len() {
            let node = self.old_marks.order[at];
            if let Some(there) = counterpart(self.old, self.new, &self.by_old, node, true) {
                self.new_marks.mark_quietly(there, Why::Counterpart, node);
            }
        }
    }
}

fn start_where_unmatched(side: &Side<'_>, marks: &mut Marks, id: FuncId, counterparts: &[Option<InstId>]) {
    for (inst, counterpart) in (0..).map(InstId).zip(counterparts) {
        if counterpart.is_none() && side.is_reachable(id, inst) {
            let node = side.graph.inst(id, inst);
            marks.mark(node, Level::Above, Why::Source, node);
            let runs = side.runs(id, inst);
            marks.mark(runs, Level::Above, Why::Source, node);
        }
    }
}

/// `cause` is a node of the same version, or for [`Why::Counterpart`] of the other one.
fn start_at_detour(side: &Side<'_>, marks: &mut Marks, id: FuncId, inst: InstId, cause: Option<(Why, Node)>) {
    if !side.is_reachable(id, inst) {
        return;
    }
    let node = side.graph.inst(id, inst);
    let (why, cause) = cause.unwrap_or((Why::Flow, node));
    let runs = side.runs(id, inst);
    marks.mark(runs, Level::Above, why, cause);
    marks.mark(node, Level::Above, why, cause);
}

fn apply_forward_rules(marks: &mut Marks, side: &Side<'_>) {
    while !marks.is_settled() {
        marks.round += 1;
        marks.rule_1_control(&side.graph);
        marks.round += 1;
        marks.rule_2_data(&side.graph);
    }
}

/// The node of the other version that stands for the same thing.
fn counterpart(
    here: &Side<'_>,
    there: &Side<'_>,
    matches: &FxHashMap<FuncId, &FunctionMatch>,
    node: Node,
    from_old: bool,
) -> Option<Node> {
    let kind = here.graph.kinds[node as usize];
    let (NodeKind::Inst(id, inst) | NodeKind::Runs(id, inst) | NodeKind::Ends(id, inst) | NodeKind::Result(id, inst)) =
        kind
    else {
        return None;
    };
    let matched = matches.get(&id)?;
    let (other, map) = if from_old { (matched.new?, &matched.to_new) } else { (matched.old?, &matched.to_old) };
    // One that can not be reached there does not run there: it differs all the more, and nothing follows from it.
    let inst = map.get(inst.index()).copied().flatten()?;
    match kind {
        NodeKind::Inst(..) => Some(there.graph.inst(other, inst)),
        NodeKind::Runs(..) => Some(there.runs(other, inst)),
        NodeKind::Ends(..) => there.graph.find(NodeKind::Ends(other, inst)),
        _ => there.graph.find(NodeKind::Result(other, inst)),
    }
}
