//! Solving the inclusions: waves over the graph of copies, whose cycles are merged before each wave.
//!
//! In each wave every node hands on only what is new to it, in topological order, so that one visit per node suffices; what
//! loads, stores and calls then add to the graph is for the next wave. Nodes on a cycle of copies have equal sets and become one.

use super::constraints::{CallSite, MemoryCopy, Problem, Rule};
use super::objects::{ObjectId, ObjectKind, Place};
use super::set::Set;
use super::{NodeId, PointsTo, SetId};
use crate::externals::external;
use rustc_hash::{FxHashMap, FxHashSet};
use upshot_ir::{FuncId, InstId, Program};

/// Contents are kept for this many bytes together.
const GRAIN: u32 = 8;
/// A copy of at most this many grains is done grain by grain.
const MOST_GRAINS: u64 = 64;
/// Between at most this many pairs of places.
const MOST_PAIRS: usize = 16;

struct Solver<'p> {
    problem: Problem,
    program: &'p Program,
    /// The node that each was merged into.
    parent: Vec<u32>,
    sets: Vec<Set>,
    /// What of the set has been handed on.
    done: Vec<Set>,
    copies: Vec<Vec<u32>>,
    rules: Vec<Vec<Rule>>,
    known_copies: FxHashSet<(u32, u32)>,
    /// The contents of an object, per grain; `None`: written anywhere.
    contents: FxHashMap<(ObjectId, Option<u32>), u32>,
    /// What goes through a copy of memory, where that is not told apart by offset.
    through: FxHashMap<u32, u32>,
    contents_of: FxHashMap<ObjectId, Vec<u32>>,
    /// Objects that have escaped to unknown code.
    open: FxHashSet<ObjectId>,
    /// All contents of an object together.
    all: FxHashMap<ObjectId, u32>,
    targets: FxHashMap<(FuncId, InstId), Vec<FuncId>>,
    linked: FxHashSet<(u32, FuncId)>,
    unknown_calls: bool,
    /// A set has grown, or the graph has.
    grown: bool,
    /// By node: it may hold something that it has not handed on.
    dirty: Vec<bool>,
    /// Nodes before this are in the order of the waves.
    ordered: u32,
}

pub(super) fn solve(mut problem: Problem, program: &Program) -> PointsTo {
    let count = problem.nodes as usize;
    let (initial, contents, copies, rules, direct) = (
        std::mem::take(&mut problem.initial),
        std::mem::take(&mut problem.contents),
        std::mem::take(&mut problem.copies),
        std::mem::take(&mut problem.rules),
        std::mem::take(&mut problem.direct),
    );
    let mut solver = Solver {
        problem,
        program,
        parent: (0..count as u32).collect(),
        sets: vec![Set::default(); count],
        done: vec![Set::default(); count],
        copies: vec![Vec::new(); count],
        rules: vec![Vec::new(); count],
        known_copies: FxHashSet::default(),
        contents: FxHashMap::default(),
        through: FxHashMap::default(),
        contents_of: FxHashMap::default(),
        open: FxHashSet::default(),
        all: FxHashMap::default(),
        targets: FxHashMap::default(),
        linked: FxHashSet::default(),
        unknown_calls: false,
        grown: true,
        dirty: vec![true; count],
        ordered: 0,
    };
    for (node, rule) in rules {
        solver.rules[node.0 as usize].push(rule);
    }
    for (from, to) in copies {
        solver.copy(from, to);
    }
    for (node, place) in initial {
        solver.sets[node.0 as usize].insert(place);
    }
    for (object, offset, place) in contents {
        let node = solver.content(object, offset.map(|offset| offset / GRAIN));
        solver.sets[node as usize].insert(place);
    }
    for (call, target) in direct {
        solver.link(call, target);
    }
    solver.run();
    solver.finish()
}

impl Solver<'_> {
    fn representative(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = node;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    fn new_node(&mut self) -> u32 {
        let node = self.problem.node().0;
        self.parent.push(node);
        self.sets.push(Set::default());
        self.done.push(Set::default());
        self.copies.push(Vec::new());
        self.rules.push(Vec::new());
        self.dirty.push(true);
        node
    }

    /// Puts a place into a node's set.
    fn insert(&mut self, node: u32, place: u32) {
        if self.sets[node as usize].insert(place) {
            self.grown = true;
            self.dirty[node as usize] = true;
        }
    }

    /// `to` holds all that `from` holds.
    fn copy(&mut self, from: NodeId, to: NodeId) {
        if from.0 == 0 || to.0 == 0 {
            return;
        }
        let (from, to) = (self.representative(from.0), self.representative(to.0));
        if from == to || !self.known_copies.insert((from, to)) {
            return;
        }
        self.copies[from as usize].push(to);
        let (giver, taker) = pair(&mut self.sets, from as usize, to as usize);
        if taker.union(giver) {
            self.dirty[to as usize] = true;
        }
        self.grown = true;
    }

    fn content(&mut self, object: ObjectId, grain: Option<u32>) -> u32 {
        if self.open.contains(&object) {
            return self.problem.escaped.0;
        }
        if let Some(&node) = self.contents.get(&(object, grain)) {
            return node;
        }
        let node = self.new_node();
        self.contents.insert((object, grain), node);
        self.contents_of.entry(object).or_default().push(node);
        let all = self.all_contents(object);
        self.copy(NodeId(node), NodeId(all));
        node
    }

    fn all_contents(&mut self, object: ObjectId) -> u32 {
        if self.open.contains(&object) {
            return self.problem.escaped.0;
        }
        if let Some(&node) = self.all.get(&object) {
            return node;
        }
        let node = self.new_node();
        self.all.insert(object, node);
        node
    }

    fn run(&mut self) {
        let mut waves = 0;
        let (mut order, mut copies) = (Vec::new(), 0);
        while std::mem::take(&mut self.grown) {
            waves += 1;
            // Looking for cycles is worth it only when there is much new to find them in.
            if self.known_copies.len() * 50 >= copies * 51 {
                order = self.merge_cycles();
                copies = self.known_copies.len();
            }
            order.extend(self.ordered..self.parent.len() as u32);
            self.ordered = self.parent.len() as u32;
            for &node in &order {
                self.visit(node);
            }
        }
        tracing::debug!(waves, nodes = self.parent.len(), copies = self.known_copies.len(), "points-to sets");
    }

    /// Merges the nodes of each cycle of copies; returns the nodes that are left, in topological order.
    fn merge_cycles(&mut self) -> Vec<u32> {
        let count = self.parent.len();
        for node in 0..count as u32 {
            if self.parent[node as usize] == node {
                let mut targets = std::mem::take(&mut self.copies[node as usize]);
                targets.iter_mut().for_each(|to| *to = self.representative(*to));
                targets.sort_unstable();
                targets.dedup();
                targets.retain(|&to| to != node);
                self.copies[node as usize] = targets;
            }
        }
        let (component, found) = upshot_ir::components(&self.copies);
        let mut leader = vec![u32::MAX; found as usize];
        for node in 0..count as u32 {
            if self.parent[node as usize] != node {
                continue;
            }
            let first = &mut leader[component[node as usize] as usize];
            if *first == u32::MAX {
                *first = node;
            } else {
                let first = *first;
                self.merge(node, first);
            }
        }
        let mut order: Vec<u32> = leader.into_iter().filter(|&leader| leader != u32::MAX).collect();
        order.reverse();
        self.ordered = count as u32;
        order
    }

    fn merge(&mut self, node: u32, into: u32) {
        self.parent[node as usize] = into;
        self.dirty[into as usize] = true;
        let set = std::mem::take(&mut self.sets[node as usize]);
        self.sets[into as usize].union(&set);
        // What only one of them has handed on must be handed on again for the other's edges.
        let done = std::mem::take(&mut self.done[node as usize]);
        let first = std::mem::take(&mut self.done[into as usize]);
        let lost = first.without(&done);
        self.done[into as usize] = first.without(&lost);
        let copies = std::mem::take(&mut self.copies[node as usize]);
        self.copies[into as usize].extend(copies.into_iter().filter(|&to| to != into));
        let rules = std::mem::take(&mut self.rules[node as usize]);
        self.rules[into as usize].extend(rules);
    }

    fn visit(&mut self, node: u32) {
        let at = node as usize;
        if !std::mem::take(&mut self.dirty[at]) || self.parent[at] != node {
            return;
        }
        let news = self.sets[at].without(&self.done[at]);
        if news.is_empty() {
            return;
        }
        self.done[at].union(&news);
        let targets = std::mem::take(&mut self.copies[at]);
        for &to in &targets {
            let to = self.representative(to);
            if to != node && self.sets[to as usize].union(&news) {
                self.grown = true;
                self.dirty[to as usize] = true;
            }
        }
        // Edges may have been added to this very node meanwhile; keep both.
        let added = std::mem::replace(&mut self.copies[at], targets);
        self.copies[at].extend(added);
        let rules = std::mem::take(&mut self.rules[at]);
        for rule in &rules {
            self.apply(*rule, &news);
        }
        let added = std::mem::replace(&mut self.rules[at], rules);
        if !added.is_empty() {
            // Rules that came with a call just linked have seen nothing of this node yet.
            let all = self.done[at].clone();
            for rule in &added {
                self.apply(*rule, &all);
            }
            self.rules[at].extend(added);
        }
    }

    fn apply(&mut self, rule: Rule, news: &Set) {
        let places: Vec<Place> = news.iter().map(|place| self.problem.objects.at(place)).collect();
        match rule {
            Rule::Load { to, offset, size } => {
                for place in places {
                    for from in self.read_grains(place, offset, size) {
                        self.copy(NodeId(from), to);
                    }
                }
            }
            Rule::Store { from, offset, size } => {
                for place in places.into_iter().filter(|_| from.0 != 0) {
                    for to in self.written_grains(place, offset, size) {
                        self.copy(from, NodeId(to));
                    }
                }
            }
            Rule::Displace { to, by } => self.shift(&places, to, |offset| offset.map(|at| i64::from(at) + by)),
            Rule::Anywhere { to } => self.shift(&places, to, |_| None),
            Rule::CopyTo { copy } => {
                let from = self.places_of(self.problem.memory_copies[copy as usize].from);
                self.copy_memory(copy, &places, &from);
            }
            Rule::CopyFrom { copy } => {
                let to = self.places_of(self.problem.memory_copies[copy as usize].to);
                self.copy_memory(copy, &to, &places);
            }
            Rule::Call { call } => {
                for place in places {
                    if let ObjectKind::Function(target) = self.problem.objects.get(place.object).kind {
                        self.link(call, target);
                    }
                }
            }
            Rule::Escape => places.into_iter().for_each(|place| self.escape(place.object)),
            Rule::VariadicList { arguments } => {
                for place in places {
                    let to = self.content(place.object, None);
                    let to = self.representative(to);
                    self.insert(to, arguments);
                }
            }
        }
    }

    fn places_of(&mut self, node: NodeId) -> Vec<Place> {
        let node = self.representative(node.0);
        self.sets[node as usize].iter().map(|place| self.problem.objects.at(place)).collect()
    }

    fn shift(&mut self, places: &[Place], to: NodeId, offset: impl Fn(Option<u32>) -> Option<i64>) {
        let to = self.representative(to.0);
        for place in places {
            let moved = self.problem.objects.place(place.object, offset(place.offset));
            self.insert(to, moved);
        }
    }

    fn read_grains(&mut self, place: Place, offset: u32, size: u32) -> Vec<u32> {
        let Some(at) = place.offset.and_then(|at| at.checked_add(offset)) else {
            return vec![self.all_contents(place.object)];
        };
        let mut grains = self.grains(place.object, at, size);
        grains.push(self.content(place.object, None));
        grains
    }

    fn written_grains(&mut self, place: Place, offset: u32, size: u32) -> Vec<u32> {
        match place.offset.and_then(|at| at.checked_add(offset)) {
            Some(at) => self.grains(place.object, at, size),
            None => vec![self.content(place.object, None)],
        }
    }

    fn grains(&mut self, object: ObjectId, at: u32, size: u32) -> Vec<u32> {
        let last = at.saturating_add(size.max(1) - 1) / GRAIN;
        (at / GRAIN..=last).map(|grain| self.content(object, Some(grain))).collect()
    }

    /// Copies what is in the places `from` to the places `to`: by offset where both are few and the length is known, else all to anywhere.
    fn copy_memory(&mut self, number: u32, to: &[Place], from: &[Place]) {
        let copy = self.problem.memory_copies[number as usize];
        let whole = |length: u64| length.div_ceil(u64::from(GRAIN)) <= MOST_GRAINS;
        let length = copy.length.filter(|&length| whole(length)).map(|length| length as u32);
        let few = to.len() * from.len() <= MOST_PAIRS;
        let exact = |target: &Place, source: &Place| match (target.offset, source.offset, length) {
            (Some(to), Some(from), Some(length)) if few && to % GRAIN == from % GRAIN => Some((to, length)),
            _ => None,
        };
        let mut rough = !few;
        for target in to.iter().filter(|_| few) {
            for source in from {
                let Some((to, length)) = exact(target, source) else {
                    rough = true;
                    continue;
                };
                for step in (0..length.max(1)).step_by(GRAIN as usize).chain([length.max(1) - 1]) {
                    let reads = self.read_grains(*source, step, 1);
                    let write = self.content(target.object, Some((to + step) / GRAIN));
                    reads.into_iter().for_each(|read| self.copy(NodeId(read), NodeId(write)));
                }
            }
        }
        if rough {
            let through = match self.through.get(&number) {
                Some(&node) => node,
                None => {
                    let node = self.new_node();
                    self.through.insert(number, node);
                    node
                }
            };
            for source in from {
                let read = self.all_contents(source.object);
                self.copy(NodeId(read), NodeId(through));
            }
            for target in to {
                let write = self.content(target.object, None);
                self.copy(NodeId(through), NodeId(write));
            }
        }
    }

    /// An object that unknown code can reach.
    fn escape(&mut self, object: ObjectId) {
        let escaped = self.problem.escaped;
        if let ObjectKind::Function(function) = self.problem.objects.get(object).kind {
            let body = self.program.function(function);
            let scalars: usize = body.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
            let base = self.problem.registers.base[function.index()];
            for register in 0..scalars as u32 + u32::from(body.struct_return.is_some()) {
                self.copy(escaped, NodeId(base + register));
            }
            for returned in self.problem.returns[function.index()].clone() {
                self.copy(returned, escaped);
            }
            return;
        }
        // Unknown code may put anything that has escaped anywhere in it: its contents are one with all that has escaped.
        if !self.open.insert(object) {
            return;
        }
        self.problem.objects.blur(object);
        let all = self.all.remove(&object);
        for node in self.contents_of.remove(&object).unwrap_or_default().into_iter().chain(all) {
            self.copy(NodeId(node), escaped);
            self.copy(escaped, NodeId(node));
        }
    }

    /// A call may enter a function.
    fn link(&mut self, call: u32, target: FuncId) {
        if !self.linked.insert((call, target)) {
            return;
        }
        let site = self.problem.calls[call as usize].clone();
        let targets = self.targets.entry((site.function, site.inst)).or_default();
        if let Err(at) = targets.binary_search(&target) {
            targets.insert(at, target);
        }
        let function = self.program.function(target);
        if function.is_declaration {
            return self.link_external(&site, &function.name.clone());
        }
        let base = self.problem.registers.base[target.index()];
        let scalars: usize = function.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
        let named = scalars + usize::from(function.struct_return.is_some());
        for (position, &argument) in site.arguments.iter().enumerate() {
            if position < named.max(if function.is_variadic { 0 } else { site.fixed }) && position < named {
                match site.by_value[position] {
                    Some(length) => self.pass_by_value(target, position as u32, argument, length),
                    None => self.copy(argument, NodeId(base + position as u32)),
                }
            } else {
                let object = self.problem.objects.object(ObjectKind::Variadic(target), None);
                let node = self.content(object, None);
                self.copy(argument, NodeId(node));
            }
        }
        for (position, &result) in site.results.iter().enumerate() {
            if let Some(&returned) = self.problem.returns[target.index()].get(position) {
                self.copy(returned, result);
            }
        }
    }

    fn pass_by_value(&mut self, target: FuncId, register: u32, argument: NodeId, length: u64) {
        let object = self.problem.objects.object(ObjectKind::ByValue(target, register), Some(length));
        let place = self.problem.objects.place(object, Some(0));
        let node = self.new_node();
        self.sets[node as usize].insert(place);
        self.add_memory_copy(MemoryCopy { to: NodeId(node), from: argument, length: Some(length) });
        self.grown = true;
    }

    fn add_memory_copy(&mut self, copy: MemoryCopy) {
        let number = self.problem.memory_copies.len() as u32;
        self.problem.memory_copies.push(copy);
        self.add_rule(copy.to, Rule::CopyTo { copy: number });
        self.add_rule(copy.from, Rule::CopyFrom { copy: number });
    }

    /// A rule that comes late applies to what the node has handed on already.
    fn add_rule(&mut self, node: NodeId, rule: Rule) {
        if node.0 == 0 {
            return;
        }
        let node = self.representative(node.0);
        self.rules[node as usize].push(rule);
        let seen = self.done[node as usize].clone();
        if !seen.is_empty() {
            self.apply(rule, &seen);
        }
        self.grown = true;
    }

    fn link_external(&mut self, site: &CallSite, name: &str) {
        let effects = external(name);
        let argument = |index: u8| site.arguments.get(usize::from(index)).copied();
        if effects.allocates {
            let object = self.problem.objects.object(ObjectKind::Heap(site.function, site.inst), None);
            let place = self.problem.objects.place(object, Some(0));
            let fresh = self.new_node();
            self.sets[fresh as usize].insert(place);
            if effects.writes != 0 {
                if let Some(pointer) = argument(0) {
                    self.add_rule(pointer, Rule::Store { from: NodeId(fresh), offset: 0, size: GRAIN });
                }
            } else if let Some(&result) = site.results.first() {
                self.copy(NodeId(fresh), result);
                if let Some(old) = effects.frees.and_then(argument) {
                    self.add_memory_copy(MemoryCopy { to: NodeId(fresh), from: old, length: None });
                }
            }
        }
        if let (Some(from), Some(&result)) = (effects.returns.and_then(argument), site.results.first()) {
            self.add_rule(from, Rule::Anywhere { to: result });
            self.copy(from, result);
        }
        if let (true, Some(to), Some(from)) = (effects.copies, argument(0), argument(1)) {
            self.add_memory_copy(MemoryCopy { to, from, length: None });
        }
        if effects.unknown {
            self.unknown_call(site);
        }
    }

    fn unknown_call(&mut self, site: &CallSite) {
        let escaped = self.problem.escaped;
        if !std::mem::replace(&mut self.unknown_calls, true) {
            self.open_to_the_world();
        }
        for &argument in &site.arguments {
            self.copy(argument, escaped);
        }
        for &result in &site.results {
            self.copy(escaped, result);
        }
    }

    /// Unknown code sees every variable and function with a name that it can link to, and may keep objects of its own.
    fn open_to_the_world(&mut self) {
        let node = self.problem.escaped.0;
        let node = self.representative(node);
        for (number, global) in (0..).zip(&self.program.globals) {
            if !global.is_local && !global.is_runtime && !global.is_constant {
                let object = self.problem.global_object(self.program, upshot_ir::GlobalId(number));
                let place = self.problem.objects.place(object, None);
                self.insert(node, place);
            }
        }
        let unknown = self.problem.objects.object(ObjectKind::Input(None), None);
        let place = self.problem.objects.place(unknown, None);
        self.insert(node, place);
    }

    fn finish(mut self) -> PointsTo {
        let mut numbers: FxHashMap<Set, u32> = FxHashMap::default();
        numbers.insert(Set::default(), 0);
        let mut sets = vec![Set::default()];
        let mut set_of = vec![u32::MAX; self.parent.len()];
        for node in 0..self.parent.len() as u32 {
            let root = self.representative(node);
            if set_of[root as usize] == u32::MAX {
                let set = std::mem::take(&mut self.sets[root as usize]);
                set_of[root as usize] = *numbers.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    sets.len() as u32 - 1
                });
            }
            set_of[node as usize] = set_of[root as usize];
        }
        let escaped = set_of[self.problem.escaped.0 as usize];
        let ids = (0..self.problem.objects.len() as u32).map(ObjectId);
        let kinds: Vec<(ObjectId, ObjectKind)> = ids.map(|id| (id, self.problem.objects.get(id).kind)).collect();
        let Problem { mut objects, registers, constants, .. } = self.problem;
        let mut alone = |object: ObjectId| {
            let mut set = Set::default();
            set.insert(objects.place(object, None));
            sets.push(set);
            sets.len() as u32 - 1
        };
        let mut passed: FxHashMap<FuncId, Vec<SetId>> = FxHashMap::default();
        let mut world = 0;
        for (object, kind) in kinds {
            match kind {
                ObjectKind::World => world = alone(object),
                ObjectKind::Variadic(function) | ObjectKind::ByValue(function, _) => {
                    passed.entry(function).or_default().push(SetId(alone(object)));
                }
                _ => {}
            }
        }
        PointsTo { objects, registers, constants, set_of, sets, escaped, world, passed, targets: self.targets }
    }
}

fn pair<T>(list: &mut [T], a: usize, b: usize) -> (&T, &mut T) {
    if a < b {
        let (low, high) = list.split_at_mut(b);
        (&low[a], &mut high[0])
    } else {
        let (low, high) = list.split_at_mut(a);
        (&high[0], &mut low[b])
    }
}
