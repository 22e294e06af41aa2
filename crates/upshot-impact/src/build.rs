//! From one function to its part of the dependence graph: static single assignment of slots and cells, then an edge per use.
//!
//! Joins are placed on the dominance frontiers of the writes; a walk over the dominator tree then knows the one definition of each variable that
//! reaches each use. A write that overwrites hides the earlier ones, any other is joined with them. A call writes what its callees leave,
//! and hands them what it finds.

use crate::Scope;
use crate::calls::{CallGraph, CallInst};
use crate::flow::{Flow, block_graph};
use crate::graph::{CallSite, Graph, NO_NODE, Node, NodeKind, Way};
use crate::memory::{Access, AccessKind, CellId, Memory};
use crate::points_to::{ObjectKind, PointsTo, shared_registers};
use rustc_hash::{FxHashMap, FxHashSet};
use upshot_ir::{Adjacency, Dominators, FuncId, Function, InstId, Intrinsic, Op, Operand, Program, Reg};

/// What building needs to know of the program.
pub(crate) struct Facts<'a> {
    pub(crate) program: &'a Program,
    pub(crate) points_to: &'a PointsTo,
    pub(crate) calls: &'a CallGraph,
    pub(crate) memory: &'a Memory,
    pub(crate) flows: &'a [Flow],
    pub(crate) scope: Scope,
}

/// Builds the graph of the whole program.
pub(crate) fn build(facts: &Facts<'_>) -> Graph {
    let mut graph = Graph::default();
    for (id, function) in (0..).map(FuncId).zip(&facts.program.functions) {
        graph.first_inst.push(graph.kinds.len() as Node);
        for inst in 0..function.insts.len() as u32 {
            graph.add(NodeKind::Inst(id, InstId(inst)));
        }
    }
    // Whether a cell's contents survive a call of a function; callees come first, a recursion assumes that they do.
    let mut survives: FxHashSet<(FuncId, CellId)> = FxHashSet::default();
    let mut built = vec![false; facts.program.functions.len()];
    for id in facts.calls.bottom_up() {
        let function = facts.program.function(id);
        if !function.blocks.is_empty() {
            Builder::new(facts, &mut graph, id, function, &mut survives, &built).build();
        }
        built[id.index()] = true;
    }
    loose_memory(facts, &mut graph);
    initial_contents(facts, &mut graph);
    graph.finish();
    graph
}

/// Accesses of a class to the loose cells in it.
fn loose_memory(facts: &Facts<'_>, graph: &mut Graph) {
    let mut read = FxHashSet::default();
    let mut written = FxHashSet::default();
    for access in facts.memory.accesses.iter().flatten() {
        match access.kind {
            AccessKind::Write => written.insert(access.class),
            _ => read.insert(access.class),
        };
    }
    for (class, list) in (0..).zip(&facts.memory.classes) {
        let loose = list.cells.iter().filter(|cell| facts.memory.loose[cell.0 as usize]);
        for &cell in loose {
            let cell = graph.node(NodeKind::Loose(cell));
            if read.contains(&class) {
                let reader = graph.node(NodeKind::LooseAccess(2 * class));
                graph.edge(cell, reader, false, Way::Loose);
            }
            if written.contains(&class) {
                let writer = graph.node(NodeKind::LooseAccess(2 * class + 1));
                graph.edge(writer, cell, false, Way::Loose);
            }
        }
    }
}

/// What globals hold at first is what every function finds that others may call, or that nobody here calls.
fn initial_contents(facts: &Facts<'_>, graph: &mut Graph) {
    for global in 0..facts.program.globals.len() as u32 {
        let kind = ObjectKind::Global(upshot_ir::GlobalId(global));
        let Some(object) = facts.points_to.objects.find(kind) else { continue };
        let initial = graph.node(NodeKind::Initial(upshot_ir::GlobalId(global)));
        for cell in facts.memory.cells_of(object).collect::<Vec<_>>() {
            if facts.memory.loose[cell.0 as usize] {
                let loose = graph.node(NodeKind::Loose(cell));
                graph.edge(initial, loose, false, Way::Loose);
                continue;
            }
            for (id, function) in (0..).map(FuncId).zip(&facts.program.functions) {
                let open = !function.is_local || !facts.calls.has_caller[id.index()] || facts.scope == Scope::Intra;
                if let Some(before) = graph.find(NodeKind::Before(id, cell)).filter(|_| open) {
                    graph.edge(initial, before, false, Way::Loose);
                }
            }
        }
    }
}

/// A variable of static single assignment: a slot or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Slot(Reg),
    Cell(CellId),
}

struct Builder<'g, 'a> {
    facts: &'a Facts<'a>,
    graph: &'g mut Graph,
    id: FuncId,
    function: &'a Function,
    flow: &'a Flow,
    jumps: Adjacency,
    variables: FxHashMap<Variable, usize>,
    names: Vec<Variable>,
    /// By register: the node that defines it, slots apart.
    definition: Vec<Node>,
    shared: Vec<bool>,
    /// The definition of each variable that reaches the walk.
    current: Vec<Node>,
    /// By block: the variables joined there, with the node.
    joins: Vec<Vec<(usize, Node)>>,
    /// The sources of each join and of each write that may miss, for finding what reaches the end.
    merged: FxHashMap<Node, Vec<Node>>,
    survives: &'g mut FxHashSet<(FuncId, CellId)>,
    built: &'g [bool],
    /// The definitions that reach a return, by variable.
    at_return: FxHashMap<usize, Vec<Node>>,
}

impl<'g, 'a> Builder<'g, 'a> {
    fn new(
        facts: &'a Facts<'a>,
        graph: &'g mut Graph,
        id: FuncId,
        function: &'a Function,
        survives: &'g mut FxHashSet<(FuncId, CellId)>,
        built: &'g [bool],
    ) -> Self {
        Builder {
            facts,
            graph,
            id,
            function,
            flow: &facts.flows[id.index()],
            jumps: block_graph(function),
            variables: FxHashMap::default(),
            names: Vec::new(),
            definition: vec![NO_NODE; function.registers as usize],
            shared: shared_registers(function),
            current: Vec::new(),
            joins: vec![Vec::new(); function.blocks.len()],
            merged: FxHashMap::default(),
            survives,
            built,
            at_return: FxHashMap::default(),
        }
    }

    fn build(mut self) {
        self.control();
        self.define_registers();
        self.with_setjmp();
        let tree = Dominators::new(&self.jumps, 0);
        self.place_joins(&tree);
        self.begin();
        self.walk(&tree);
        self.end();
    }

    /// A function that a jump may come back to: any of its calls may be followed by what follows its setjmp.
    fn with_setjmp(&mut self) {
        let set = |op: &Op| matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp, .. });
        let homes: Vec<u32> = (0..)
            .zip(&self.function.blocks)
            .filter(|(_, block)| self.function.ops[block.start as usize..block.end as usize].iter().any(set))
            .map(|(number, _)| number)
            .collect();
        if homes.is_empty() {
            return;
        }
        for (number, block) in self.function.blocks.iter().enumerate() {
            let mut ops = self.function.ops[block.start as usize..block.end as usize].iter();
            if ops.any(|op| matches!(op, Op::Call(_))) {
                self.jumps[number].extend(&homes);
            }
        }
    }

    fn inst(&self, inst: InstId) -> Node {
        self.graph.inst(self.id, inst)
    }

    /// The node for whether an instruction runs: its own, unless it does more than compute a value.
    fn runs(&mut self, inst: InstId) -> Node {
        let special = self.flow.deciders(inst).is_some() || self.facts.calls.call(self.id, inst).is_some();
        if special { self.graph.node(NodeKind::Runs(self.id, inst)) } else { self.inst(inst) }
    }

    /// Segments, what decides them, and what runs in them.
    fn control(&mut self) {
        let called = self.graph.node(NodeKind::Called(self.id));
        let terminates = self.graph.node(NodeKind::Terminates(self.id));
        for (number, segment) in (0..).zip(&self.flow.segments) {
            let node = self.graph.node(NodeKind::Segment(self.id, number));
            for inst in (segment.first.0..=segment.last.0).map(InstId) {
                let runs = self.runs(inst);
                self.graph.control(node, runs);
            }
            for &controller in &self.flow.controllers[number as usize] {
                let from = self.controller(controller, called);
                self.graph.control(from, node);
            }
            if segment.may_end {
                let ends = self.graph.node(NodeKind::Ends(self.id, segment.last));
                self.graph.control(ends, terminates);
            } else if self.leaves(segment.last) || self.flow.endless.contains(&number) {
                let last = self.inst(segment.last);
                self.graph.control(last, terminates);
            }
        }
    }

    /// The terminator ends the path without returning.
    fn leaves(&self, inst: InstId) -> bool {
        let op = self.function.insts[inst.index()].ops.clone().last();
        let op = op.map(|op| &self.function.ops[op as usize]);
        !matches!(op, Some(Op::Jump(_) | Op::Branch { .. } | Op::Switch(_) | Op::Return { .. }))
    }

    fn controller(&mut self, segment: u32, called: Node) -> Node {
        let Some(segment) = self.flow.segments.get(segment as usize) else { return called };
        if segment.may_end { self.graph.node(NodeKind::Ends(self.id, segment.last)) } else { self.inst(segment.last) }
    }

    fn define_registers(&mut self) {
        let function = self.function;
        let scalars: usize = function.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
        for register in 0..(scalars + usize::from(function.struct_return.is_some())) as u32 {
            self.definition[register as usize] = self.graph.node(NodeKind::Parameter(self.id, register));
        }
        for (op, &inst) in function.ops.iter().zip(&function.op_inst) {
            let node = match op {
                Op::Call(call) if !call.results.is_empty() => self.graph.node(NodeKind::Result(self.id, inst)),
                _ => self.inst(inst),
            };
            for reg in upshot_ir::accesses(op).0 {
                self.definition[reg.index()] = node;
            }
            if let Op::SlotLoad { slot, .. } = op {
                self.variable(Variable::Slot(*slot));
            }
        }
        self.phis();
    }

    /// A phi depends on the values that come in, and on the jumps that they come with.
    fn phis(&mut self) {
        let function = self.function;
        for block in &function.blocks {
            if !self.flow.is_reachable(block.last_inst) {
                continue;
            }
            let jump = self.inst(block.last_inst);
            for edge in upshot_ir::edges(&function.ops[block.end as usize - 1]) {
                for (position, (register, _)) in edge.moves.iter().enumerate() {
                    if self.definition[register.index()] == NO_NODE {
                        let phi = self.graph.add(NodeKind::Phi(self.id, edge.target));
                        self.definition[register.index()] = phi;
                        self.phi_instructions(phi, position, edge);
                    }
                    let phi = self.definition[register.index()];
                    self.graph.data(jump, phi);
                }
            }
        }
    }

    /// Ties a phi's register to its instruction; to all of the block where one has several registers.
    fn phi_instructions(&mut self, phi: Node, position: usize, edge: &upshot_ir::Edge) {
        let block = &self.function.blocks[edge.target.index()];
        let insts = (block.first_inst.0..=block.last_inst.0).map(InstId);
        let phis: Vec<InstId> = insts.take_while(|inst| self.function.insts[inst.index()].opcode == "phi").collect();
        let own = if phis.len() == edge.moves.len() { &phis[position..=position] } else { &phis[..] };
        for &inst in own {
            let inst = self.inst(inst);
            self.graph.data(phi, inst);
            // That the phi runs matters to who reads it.
            self.graph.data(inst, phi);
        }
    }

    fn variable(&mut self, name: Variable) -> usize {
        let next = self.names.len();
        let number = *self.variables.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    fn slot(&self, reg: Reg) -> Option<usize> {
        self.variables.get(&Variable::Slot(reg)).copied()
    }

    fn followed(&self, cell: CellId) -> bool {
        !self.facts.memory.loose[cell.0 as usize]
    }

    fn accesses(&self, inst: InstId) -> &'a [Access] {
        let list = &self.facts.memory.accesses[self.id.index()];
        let first = list.partition_point(|access| access.inst < inst);
        let count = list[first..].partition_point(|access| access.inst == inst);
        &list[first..first + count]
    }

    /// The slots that an instruction writes.
    fn slots_written(&self, inst: InstId) -> Vec<usize> {
        let ops = self.function.insts[inst.index()].ops.clone();
        let written = ops.flat_map(|op| match &self.function.ops[op as usize] {
            Op::Move { dst, .. } => Some(*dst),
            Op::SlotReset { slot } => Some(*slot),
            _ => None,
        });
        written.filter_map(|reg| self.slot(reg)).collect()
    }

    fn cells_written(&self, inst: InstId) -> Vec<CellId> {
        let mut cells = Vec::new();
        for access in self.accesses(inst).iter().filter(|access| access.kind == AccessKind::Write) {
            let class = &self.facts.memory.classes[access.class as usize];
            cells.extend(class.cells.iter().copied().filter(|cell| self.followed(*cell)));
        }
        if let Some(call) = self.facts.calls.call(self.id, inst) {
            for body in &call.bodies {
                cells.extend(self.facts.memory.writes[body.index()].iter().map(CellId));
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    fn place_joins(&mut self, tree: &Dominators) {
        let mut writers: Vec<Vec<u32>> = Vec::new();
        for &block in tree.order() {
            let range = &self.function.blocks[block as usize];
            for inst in (range.first_inst.0..=range.last_inst.0).map(InstId) {
                let mut written = self.slots_written(inst);
                for cell in self.cells_written(inst) {
                    written.push(self.variable(Variable::Cell(cell)));
                }
                for variable in written {
                    if writers.len() <= variable {
                        writers.resize(variable + 1, Vec::new());
                    }
                    if writers[variable].last() != Some(&block) {
                        writers[variable].push(block);
                    }
                }
            }
        }
        let frontiers = tree.frontiers(&self.jumps);
        for (variable, mut pending) in writers.into_iter().enumerate() {
            let mut joined = FxHashSet::default();
            while let Some(block) = pending.pop() {
                for &join in &frontiers[block as usize] {
                    if joined.insert(join) {
                        let cell = match self.names[variable] {
                            Variable::Slot(_) => None,
                            Variable::Cell(cell) => Some(cell),
                        };
                        let node = self.graph.add(NodeKind::Joined(self.id, cell));
                        self.joins[join as usize].push((variable, node));
                        pending.push(join);
                    }
                }
            }
        }
    }

    /// What each variable holds when the function begins.
    fn begin(&mut self) {
        self.current = vec![NO_NODE; self.names.len()];
        for variable in 0..self.names.len() {
            self.current[variable] = self.before(variable);
        }
    }

    fn before(&mut self, variable: usize) -> Node {
        let Variable::Cell(cell) = self.names[variable] else { return NO_NODE };
        let object = self.facts.memory.object[cell.0 as usize];
        let kind = self.facts.points_to.objects.get(object).kind;
        let own = matches!(kind, ObjectKind::Stack(owner, _) if owner == self.id);
        if own && !self.facts.calls.recursive[self.id.index()] {
            return NO_NODE;
        }
        self.graph.node(NodeKind::Before(self.id, cell))
    }

    fn reaching(&mut self, name: Variable) -> Node {
        if let Some(&variable) = self.variables.get(&name) {
            return self.current[variable];
        }
        // Never written here.
        let variable = self.variable(name);
        let before = self.before(variable);
        self.current.push(before);
        before
    }

    /// Over the dominator tree, a block before what it dominates.
    fn walk(&mut self, tree: &Dominators) {
        enum Visit {
            Enter(u32),
            Leave(Vec<(usize, Node)>),
        }
        let children = tree.children();
        let mut stack = vec![Visit::Enter(0)];
        while let Some(visit) = stack.pop() {
            let block = match visit {
                Visit::Leave(saved) => {
                    saved.into_iter().rev().for_each(|(variable, node)| self.current[variable] = node);
                    continue;
                }
                Visit::Enter(block) => block,
            };
            let mut saved = Vec::new();
            for (variable, node) in self.joins[block as usize].clone() {
                saved.push((variable, std::mem::replace(&mut self.current[variable], node)));
            }
            let range = &self.function.blocks[block as usize];
            for inst in (range.first_inst.0..=range.last_inst.0).map(InstId) {
                self.instruction(inst, &mut saved);
            }
            for next in self.jumps[block as usize].clone() {
                for (variable, join) in self.joins[next as usize].clone() {
                    let from = self.current[variable];
                    self.graph.data(from, join);
                    self.merged.entry(join).or_default().push(from);
                }
            }
            stack.push(Visit::Leave(saved));
            stack.extend(children[block as usize].iter().map(|&child| Visit::Enter(child)));
        }
    }

    fn write(&mut self, variable: usize, node: Node, saved: &mut Vec<(usize, Node)>) {
        saved.push((variable, std::mem::replace(&mut self.current[variable], node)));
    }

    /// A write of a cell that may leave it as it was.
    fn join(&mut self, cell: CellId, node: Node, before: Node) -> Node {
        let joined = self.graph.add(NodeKind::Joined(self.id, Some(cell)));
        self.graph.data(node, joined);
        self.graph.data(before, joined);
        self.merged.insert(joined, vec![node, before]);
        joined
    }

    fn operand(&self, operand: Operand) -> Node {
        match operand.as_reg() {
            Some(reg) if !self.shared[reg.index()] => self.definition[reg.index()],
            _ => NO_NODE,
        }
    }

    fn instruction(&mut self, inst: InstId, saved: &mut Vec<(usize, Node)>) {
        let node = self.inst(inst);
        self.read_registers(inst, node);
        self.ends(inst);
        for access in self.accesses(inst).iter().filter(|access| access.kind != AccessKind::Write) {
            let target = match access.kind {
                AccessKind::Check => self.graph.find(NodeKind::Ends(self.id, inst)).unwrap_or(NO_NODE),
                _ => node,
            };
            self.read_class(access.class, target);
        }
        if let Some(call) = self.facts.calls.call(self.id, inst) {
            self.call(call, saved);
        }
        for variable in self.slots_written(inst) {
            self.write(variable, node, saved);
        }
        for access in self.accesses(inst).iter().filter(|access| access.kind == AccessKind::Write) {
            self.write_class(access.class, node, saved);
        }
        self.leave(inst, node);
    }

    fn read_registers(&mut self, inst: InstId, node: Node) {
        let function = self.function;
        for op in function.insts[inst.index()].ops.clone() {
            let operation = &function.ops[op as usize];
            if let Op::SlotLoad { slot, .. } = operation {
                let from = self.reaching(Variable::Slot(*slot));
                self.graph.data(from, node);
                continue;
            }
            for operand in upshot_ir::accesses(operation).1 {
                let from = self.operand(operand);
                self.graph.data(from, node);
            }
            for edge in upshot_ir::edges(operation) {
                for (register, value) in &edge.moves {
                    let (from, to) = (self.operand(*value), self.definition[register.index()]);
                    self.graph.data(from, to);
                }
            }
        }
    }

    /// Whether the instruction ends the path: if it runs, and by the operands that decide it.
    fn ends(&mut self, inst: InstId) {
        let node = self.inst(inst);
        let Some(deciders) = self.flow.deciders(inst) else { return };
        let ends = self.graph.node(NodeKind::Ends(self.id, inst));
        let runs = self.runs(inst);
        self.graph.control(runs, ends);
        self.graph.control(runs, node);
        for operand in deciders {
            let from = self.operand(*operand);
            self.graph.data(from, ends);
            let temporary = operand.as_reg().is_some_and(|reg| self.shared[reg.index()]);
            if temporary {
                // Computed by the instruction itself, from all that it reads.
                self.graph.data(node, ends);
            }
        }
        self.graph.data(ends, node);
    }

    fn read_class(&mut self, class: u32, target: Node) {
        let mut loose = false;
        for &cell in &self.facts.memory.classes[class as usize].cells {
            if self.followed(cell) {
                let from = self.reaching(Variable::Cell(cell));
                self.graph.data(from, target);
            } else {
                loose = true;
            }
        }
        if loose {
            let reader = self.graph.node(NodeKind::LooseAccess(2 * class));
            self.graph.edge(reader, target, false, Way::Loose);
        }
    }

    fn write_class(&mut self, class: u32, node: Node, saved: &mut Vec<(usize, Node)>) {
        let list = &self.facts.memory.classes[class as usize];
        let mut loose = false;
        for &cell in &list.cells {
            if !self.followed(cell) {
                loose = true;
                continue;
            }
            let variable = self.variable(Variable::Cell(cell));
            let before = self.current[variable];
            let value = if list.overwrites { node } else { self.join(cell, node, before) };
            self.write(variable, value, saved);
        }
        if loose {
            let writer = self.graph.node(NodeKind::LooseAccess(2 * class + 1));
            self.graph.edge(node, writer, false, Way::Loose);
        }
    }

    /// Jumps out of the function, in the ordinary way or not.
    fn leave(&mut self, inst: InstId, node: Node) {
        for op in self.function.insts[inst.index()].ops.clone() {
            match &self.function.ops[op as usize] {
                Op::Return { .. } => {
                    let returned = self.graph.node(NodeKind::Returned(self.id));
                    self.graph.data(node, returned);
                    for variable in 0..self.names.len() {
                        let reaching = self.current[variable];
                        self.at_return.entry(variable).or_default().push(reaching);
                    }
                }
                Op::Intrinsic { which: Intrinsic::LongJmp, .. } => {
                    let jump = self.graph.node(NodeKind::LongJump);
                    self.graph.edge(node, jump, false, Way::Loose);
                }
                Op::Intrinsic { which: Intrinsic::SetJmp, .. } => {
                    let jump = self.graph.node(NodeKind::LongJump);
                    let runs = self.runs(inst);
                    self.graph.edge(jump, runs, false, Way::Loose);
                }
                _ => {}
            }
        }
    }

    /// What the function leaves to its callers, and what it leaves as it was.
    fn end(mut self) {
        for cell in self.facts.memory.writes[self.id.index()].iter().map(CellId) {
            let Some(&variable) = self.variables.get(&Variable::Cell(cell)) else { continue };
            let before = self.before(variable);
            let mut pending = self.at_return.remove(&variable).unwrap_or_default();
            let mut seen = FxHashSet::default();
            let after = self.graph.node(NodeKind::After(self.id, cell));
            while let Some(node) = pending.pop() {
                if node == NO_NODE || !seen.insert(node) {
                    continue;
                }
                if node == before {
                    self.survives.insert((self.id, cell));
                } else if let Some(sources) = self.merged.get(&node) {
                    pending.extend(sources);
                } else {
                    self.graph.data(node, after);
                }
            }
        }
    }
}

/// Calls.
impl Builder<'_, '_> {
    fn call(&mut self, call: &CallInst, saved: &mut Vec<(usize, Node)>) {
        let node = self.inst(call.inst);
        let runs = self.runs(call.inst);
        let Some(operation) = call.call(self.function) else { return };
        self.graph.control(runs, node);
        let opaque = self.facts.scope == Scope::Intra || !call.externals.is_empty() || call.bodies.is_empty();
        let result = (!operation.results.is_empty()).then(|| self.graph.node(NodeKind::Result(self.id, call.inst)));
        let ends = self.graph.find(NodeKind::Ends(self.id, call.inst));
        for part in [result, ends].into_iter().flatten() {
            self.graph.control(runs, part);
            if opaque {
                self.graph.data(node, part);
            }
            if call.indirect {
                self.called_through(operation, part);
            }
        }
        if let Some(result) = result {
            self.graph.data(result, node);
        }
        let mut left: FxHashMap<CellId, Node> = FxHashMap::default();
        for &body in &call.bodies {
            if self.facts.scope == Scope::Intra {
                self.opaque_body(call.inst, body, node, &mut left);
            } else {
                self.enter(call, body, [result, ends], &mut left);
            }
        }
        self.take_over(call, left, runs, saved);
    }

    fn called_through(&mut self, operation: &upshot_ir::Call, part: Node) {
        if let upshot_ir::Callee::Indirect(pointer) = operation.callee {
            let from = self.operand(pointer);
            self.graph.data(from, part);
        }
    }

    /// Per-procedure analysis: the callee reads all it may at the call, and what it leaves depends on that.
    fn opaque_body(&mut self, inst: InstId, body: FuncId, node: Node, left: &mut FxHashMap<CellId, Node>) {
        for cell in self.facts.memory.reads[body.index()].iter().map(CellId) {
            let from = self.reaching(Variable::Cell(cell));
            self.graph.data(from, node);
        }
        for cell in self.facts.memory.writes[body.index()].iter().map(CellId) {
            let part = *left.entry(cell).or_insert_with(|| self.graph.node(NodeKind::Left(self.id, inst, cell)));
            self.graph.data(node, part);
        }
    }

    /// The edges between a call and a function that it enters.
    fn enter(&mut self, call: &CallInst, body: FuncId, parts: [Option<Node>; 2], left: &mut FxHashMap<CellId, Node>) {
        let Some(operation) = call.call(self.function) else { return };
        let site = self.graph.sites.len() as u32;
        self.graph.parts.push(Vec::new());
        self.graph.sites.push(CallSite { caller: self.id, inst: call.inst, callee: body });
        let runs = self.runs(call.inst);
        let called = self.graph.node(NodeKind::Called(body));
        self.graph.edge(runs, called, true, Way::Into(site));
        if let upshot_ir::Callee::Indirect(pointer) = operation.callee {
            let from = self.operand(pointer);
            self.graph.edge(from, called, true, Way::Into(site));
        }
        let function = self.facts.program.function(body);
        let scalars: usize = function.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
        let named = scalars + usize::from(function.struct_return.is_some());
        if call.callbacks.contains(&body) {
            let node = self.inst(call.inst);
            self.graph.edge(node, called, true, Way::Into(site));
        }
        for (register, argument) in (0..).zip(operation.args.iter().take(named)) {
            if argument.by_value.is_none() {
                let from = self.operand(argument.value);
                let parameter = self.graph.node(NodeKind::Parameter(body, register));
                self.graph.edge(from, parameter, false, Way::Into(site));
            }
        }
        let outcomes = [NodeKind::Returned(body), NodeKind::Terminates(body)];
        for (outcome, part) in outcomes.into_iter().zip(parts) {
            if let Some(part) = part {
                let outcome = self.graph.node(outcome);
                self.come_back(site, outcome, part);
            }
        }
        self.hand_over(site, body);
        for cell in self.facts.memory.writes[body.index()].iter().map(CellId) {
            let part = *left.entry(cell).or_insert_with(|| self.graph.node(NodeKind::Left(self.id, call.inst, cell)));
            let after = self.graph.node(NodeKind::After(body, cell));
            self.come_back(site, after, part);
        }
    }

    fn come_back(&mut self, site: u32, outcome: Node, part: Node) {
        self.graph.edge(outcome, part, false, Way::Out);
        self.graph.at_site.insert((site, outcome), part);
        self.graph.parts[site as usize].push(part);
    }

    /// What the callee finds in the cells that it may read, or leave as they were.
    fn hand_over(&mut self, site: u32, body: FuncId) {
        let memory = self.facts.memory;
        let mut cells = memory.reads[body.index()].clone();
        if !self.built[body.index()] {
            cells.union(&memory.writes[body.index()]);
        }
        for cell in cells.iter().map(CellId) {
            let from = self.reaching(Variable::Cell(cell));
            let before = self.graph.node(NodeKind::Before(body, cell));
            self.graph.edge(from, before, false, Way::Into(site));
        }
    }

    /// The cells after the call.
    fn take_over(
        &mut self,
        call: &CallInst,
        left: FxHashMap<CellId, Node>,
        runs: Node,
        saved: &mut Vec<(usize, Node)>,
    ) {
        let mut left: Vec<(CellId, Node)> = left.into_iter().collect();
        left.sort_unstable();
        for (cell, part) in left {
            self.graph.control(runs, part);
            if let (true, upshot_ir::Callee::Indirect(pointer)) =
                (call.indirect, call.call(self.function).map_or(&upshot_ir::Callee::Direct(self.id), |c| &c.callee))
            {
                let from = self.operand(*pointer);
                self.graph.data(from, part);
            }
            let variable = self.variable(Variable::Cell(cell));
            let before = self.current[variable];
            let overwritten = call.externals.is_empty()
                && self.facts.scope == Scope::Inter
                && call.bodies.iter().all(|body| {
                    let writes = self.facts.memory.writes[body.index()].contains(cell.0);
                    writes && self.built[body.index()] && !self.survives.contains(&(*body, cell))
                });
            let value = if overwritten { part } else { self.join(cell, part, before) };
            self.write(variable, value, saved);
        }
    }
}
