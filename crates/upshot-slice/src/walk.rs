//! From the events of a path to its dynamic dependences: data, control, potential (FSE'11, Definitions 3 and 4).
//!
//! The walk runs through the program along the recorded events, with nodes in the place of values. *Data*: a result depends on the operands and bytes that it was computed
//! from. *Control*: on the innermost branch whose region is open, across calls; the chain of regions is the instruction's execution index. *Potential*: when a region
//! closes, all that its code could have defined depends on the branch as well.
//!
//! Besides its values a path has its *life*: it could have ended in an error, in `exit`, or not at all. Whatever decides this (a decision inside an operation, a check that passed, a branch with a side
//! that may end the path) belongs to every slice of an output, since without it there would be none, and to the slice of every later decision.

use rustc_hash::FxHashMap;
use upshot_exec::{Event, Machine};
use upshot_impact::Target;
use upshot_ir::{BlockId, Callee, Edge, FuncId, InstId, Intrinsic, Op, Operand, Program, Reg};

use crate::cells::Cells;
use crate::graph::{Graph, Node};
use crate::regions::Bodies;
use crate::sets::SetId;

/// A decision of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    /// The same decision has the same index on every path.
    pub index: u64,
    /// The decisions in its relevant slice, itself apart.
    pub slice: SetId,
    pub node: Node,
}

/// What a driver has looked at when it left a note.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    Register(Reg),
    Memory { base: u64, offset: u32, length: u32 },
    Nothing,
}

/// The dependences of a path that has ended.
pub(crate) struct Walked {
    pub graph: Graph,
    pub decided: Vec<Decided>,
    /// What the entry returned.
    pub returned: Vec<Node>,
    pub cells: Cells,
    pub streams: Node,
    /// Files, and calls of functions that are not known.
    pub world: Node,
    pub probes: FxHashMap<u32, Node>,
    /// Whether the path ended as it did.
    pub life: SetId,
    /// What it ended at.
    pub end: Node,
}

/// A walk that has lost the program; nothing is known of the path's dependences then.
#[derive(Debug, thiserror::Error)]
#[error(
    "the path cannot be followed beyond operation {pc} of {function}: it is too long, or its events do not fit the program"
)]
pub struct Lost {
    function: String,
    pc: u32,
}

/// A branch whose region is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: Node,
    block: BlockId,
    join: Option<BlockId>,
    index: u64,
}

#[derive(Debug)]
struct Frame {
    function: FuncId,
    block: BlockId,
    pc: u32,
    registers: Vec<Node>,
    open: Vec<Open>,
    /// What the call depends on.
    base: Node,
    index: u64,
    variadic: Vec<Node>,
    objects: Vec<u64>,
}

impl Frame {
    fn control(&self) -> Node {
        self.open.last().map_or(self.base, |open| open.node)
    }

    fn index(&self) -> u64 {
        self.open.last().map_or(self.index, |open| open.index)
    }
}

/// Dependences of a path beyond this would fill the memory.
const MOST_NODES: usize = 30_000_000;

/// Whether a function begins because this operation called it.
fn is_from(event: &Event, pc: u32) -> bool {
    matches!(event, Event::Enter { pc: from, .. } if *from == pc)
}

/// The next number of an execution index.
fn mixed(index: u64, function: FuncId, pc: u32) -> u64 {
    let event = u64::from(function.0) << 32 | u64::from(pc);
    let mut mixed = (index ^ event.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^= mixed >> 29;
    mixed.wrapping_mul(0x94D0_49BB_1331_11EB) ^ mixed >> 32
}

pub(crate) struct Walk<'a, 'p> {
    program: &'p Program,
    bodies: &'a Bodies<'p>,
    events: &'a [Event],
    at: usize,
    is_cut: bool,
    /// What the driver has looked at, in order; and how many of these notes were met.
    looks: &'a [(u32, Look)],
    looked: usize,
    entry: FuncId,
    frames: Vec<Frame>,
    /// Where the path ended: its innermost function and operation, and how many frames there were.
    end: Option<(FuncId, u32)>,
    depth: usize,
    result: Walked,
    /// The decisions of the operation at hand.
    asked: Vec<Node>,
    scratch: Vec<Node>,
}

impl<'a, 'p> Walk<'a, 'p> {
    /// The dependences of a path that a machine has run to its end.
    pub(crate) fn along(
        machine: &Machine<'p>,
        state: &'a upshot_exec::State,
        bodies: &'a Bodies<'p>,
        entry: FuncId,
        looks: &'a [(u32, Look)],
    ) -> Result<Walked, Lost> {
        let program = machine.program();
        let globals = (0..).map(upshot_ir::GlobalId).zip(&program.globals);
        let globals = globals.map(|(id, global)| (machine.global_address(id), id, global.size));
        let result = Walked {
            graph: Graph::default(),
            decided: Vec::new(),
            returned: Vec::new(),
            cells: Cells::new(globals.filter(|(base, ..)| *base != 0)),
            streams: Node::NONE,
            world: Node::NONE,
            probes: FxHashMap::default(),
            life: SetId::EMPTY,
            end: Node::NONE,
        };
        let events = state.recording().map_or(&[][..], |recording| recording.events());
        let mut walk = Walk {
            program,
            bodies,
            events,
            at: 0,
            is_cut: state.recording().is_none_or(upshot_exec::Recording::is_cut),
            looks,
            looked: 0,
            entry,
            frames: Vec::new(),
            end: state.positions().next(),
            depth: state.depth(),
            result,
            asked: Vec::new(),
            scratch: Vec::new(),
        };
        walk.run()?;
        Ok(walk.result)
    }

    fn lost(&self) -> Lost {
        let frame = self.frames.last();
        let function = frame.map_or(self.entry, |frame| frame.function);
        Lost { function: self.program.function(function).name.clone(), pc: frame.map_or(0, |frame| frame.pc) }
    }

    fn next(&self) -> Option<Event> {
        self.events.get(self.at).copied()
    }

    fn run(&mut self) -> Result<(), Lost> {
        if self.is_cut {
            return Err(self.lost());
        }
        let Some(Event::Enter { function: first, .. }) = self.next() else { return Err(self.lost()) };
        self.at += 1;
        self.start(first, Node::NONE, 0);
        loop {
            if self.frames.is_empty() {
                match self.next() {
                    Some(Event::Enter { function, .. }) => {
                        self.at += 1;
                        let number = u64::from(function.0) + 1;
                        self.start(function, Node::NONE, number);
                    }
                    None => return Ok(()),
                    Some(_) => return Err(self.lost()),
                }
            }
            let Some(frame) = self.frames.last() else { return Err(self.lost()) };
            let (function, pc) = (frame.function, frame.pc);
            if self.result.graph.len() > MOST_NODES {
                return Err(self.lost());
            }
            self.take_decisions(pc);
            let is_last = self.end == Some((function, pc)) && self.frames.len() == self.depth;
            if is_last && self.ends_here(pc) {
                self.finish();
                return Ok(());
            }
            self.operation(function, pc)?;
        }
    }

    /// Whether what is left of the events belongs to the operation that the path ended in.
    fn ends_here(&self, pc: u32) -> bool {
        self.events[self.at..].iter().all(|event| match event {
            Event::Read { pc: at, .. } | Event::Write { pc: at, .. } => *at == pc,
            Event::Allocate { pc: at, .. } | Event::Output { pc: at, .. } => *at == pc,
            _ => false,
        })
    }

    /// The path ends in the operation at hand: by a failure, or because it says so.
    fn finish(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let (function, pc) = (frame.function, frame.pc);
        let control = frame.control();
        let inst = self.program.function(function).op_inst[pc as usize];
        let mut parents = self.operands(function, pc);
        self.memory_read(pc, &mut parents);
        parents.push(control);
        parents.extend(&self.asked);
        let node = self.result.graph.node((function, inst), &parents);
        self.result.end = node;
        self.live_by(node);
    }

    fn start(&mut self, function: FuncId, base: Node, index: u64) {
        let body = self.program.function(function);
        self.frames.push(Frame {
            function,
            block: BlockId(0),
            pc: body.blocks.first().map_or(0, |block| block.start),
            registers: vec![Node::NONE; body.registers as usize],
            open: Vec::new(),
            base,
            index: mixed(index, function, u32::MAX),
            variadic: Vec::new(),
            objects: Vec::new(),
        });
    }

    /// The life of the path hangs on this.
    fn live_by(&mut self, node: Node) {
        let set = self.result.graph.set(node);
        self.result.life = self.result.graph.sets.union(self.result.life, set);
    }

    /// The decisions that the operation at hand took.
    fn take_decisions(&mut self, pc: u32) {
        self.asked.clear();
        while self.next() == Some(Event::Decision { pc }) {
            self.at += 1;
            let Some(frame) = self.frames.last() else { return };
            let (function, control) = (frame.function, frame.control());
            let index = mixed(frame.index(), function, pc).wrapping_add(self.asked.len() as u64);
            let inst = self.program.function(function).op_inst[pc as usize];
            let mut parents = self.operands(function, pc);
            let reads = self.at;
            self.peek_reads(reads, pc, &mut parents);
            parents.push(control);
            parents.extend(&self.asked);
            let graph = &mut self.result.graph;
            let node = graph.node((function, inst), &parents);
            let slice = graph.sets.union(graph.set(node), self.result.life);
            let number = self.result.decided.len();
            let set = graph.sets.with(slice, number);
            graph.extend(node, set);
            self.result.decided.push(Decided { index, slice, node });
            self.asked.push(node);
        }
    }

    fn operand(&self, operand: Operand) -> Node {
        match (operand.as_reg(), self.frames.last()) {
            (Some(reg), Some(frame)) => frame.registers[reg.index()],
            _ => Node::NONE,
        }
    }

    fn operands(&self, function: FuncId, pc: u32) -> Vec<Node> {
        let accesses = &self.bodies.body(function).accesses[pc as usize];
        accesses.read.iter().map(|&operand| self.operand(operand)).collect()
    }

    /// What the operation reads from memory, as its events say; they stay where they are.
    fn peek_reads(&mut self, from: usize, pc: u32, found: &mut Vec<Node>) {
        let events = self.events;
        for event in &events[from..] {
            match *event {
                Event::Decision { pc: at } if at == pc => {}
                Event::Read { pc: at, base, offset, length } if at == pc => {
                    self.result.cells.read(base, offset, length, found);
                }
                Event::Write { pc: at, .. } | Event::Allocate { pc: at, .. } | Event::Output { pc: at, .. }
                    if at == pc => {}
                _ => break,
            }
        }
    }

    fn memory_read(&mut self, pc: u32, found: &mut Vec<Node>) {
        self.peek_reads(self.at, pc, found);
    }

    fn operation(&mut self, function: FuncId, pc: u32) -> Result<(), Lost> {
        let body = self.program.function(function);
        match &body.ops[pc as usize] {
            Op::Jump(edge) => self.follow(edge),
            op @ (Op::Branch { .. } | Op::Switch(_) | Op::IndirectJump { .. }) => self.branch(function, pc, op)?,
            Op::Return { values } => self.give_back(values)?,
            Op::Call(call) => self.call(function, pc, call)?,
            Op::Unreachable | Op::Unsupported { .. } => return Err(self.lost()),
            Op::Mark { .. } => {
                while let Some(Event::Probe(_)) = self.next() {
                    self.at += 1;
                    self.probe(function, pc);
                }
                self.step();
            }
            op => self.plain(function, pc, op)?,
        }
        Ok(())
    }

    fn step(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc += 1;
        }
    }

    fn probe(&mut self, function: FuncId, pc: u32) {
        let Some(&(number, look)) = self.looks.get(self.looked) else { return };
        self.looked += 1;
        let Some(frame) = self.frames.last() else { return };
        let mut parents = vec![frame.control()];
        match look {
            Look::Register(reg) => parents.push(frame.registers[reg.index()]),
            Look::Memory { base, offset, length } => self.result.cells.read(base, offset, length, &mut parents),
            Look::Nothing => {}
        }
        let inst = self.program.function(function).op_inst[pc as usize];
        let node = self.result.graph.node((function, inst), &parents);
        self.result.probes.insert(number, node);
    }

    /// An operation that goes on to the next: its results depend on what it reads and on control.
    fn plain(&mut self, function: FuncId, pc: u32, op: &Op) -> Result<(), Lost> {
        let node = self.computed(function, pc, op, &[]);
        if let Some(Event::Jump { depth, block, pc }) = self.next()
            && matches!(op, Op::Intrinsic { which: Intrinsic::LongJmp, .. })
        {
            self.at += 1;
            return self.jump_back(node, depth, BlockId(block), pc);
        }
        self.step();
        Ok(())
    }

    /// The node for what an operation computes, put into the registers and the memory that it writes.
    fn computed(&mut self, function: FuncId, pc: u32, op: &Op, more: &[Node]) -> Node {
        let inst = self.program.function(function).op_inst[pc as usize];
        let mut parents = std::mem::take(&mut self.scratch);
        parents.clear();
        let bodies = self.bodies;
        let accesses = &bodies.body(function).accesses[pc as usize];
        parents.extend(accesses.read.iter().map(|&operand| self.operand(operand)));
        parents.extend(more);
        if let Some(frame) = self.frames.last() {
            parents.push(frame.control());
            if matches!(op, Op::Intrinsic { which: Intrinsic::VaStart, .. }) {
                parents.extend(&frame.variadic);
            }
        }
        self.memory_read(pc, &mut parents);
        parents.extend(&self.asked);
        let node = self.result.graph.node((function, inst), &parents);
        self.scratch = parents;
        self.take_effects((function, inst), pc, op, node);
        if !self.asked.is_empty() || bodies.effects().may_fail(function, pc) {
            self.live_by(node);
        }
        if let Some(frame) = self.frames.last_mut() {
            accesses.written.iter().for_each(|reg| frame.registers[reg.index()] = node);
        }
        node
    }

    /// The events of the operation at hand, but for what it reads.
    fn take_effects(&mut self, at: (FuncId, InstId), pc: u32, op: &Op, node: Node) {
        while let Some(event) = self.next() {
            let result = &mut self.result;
            match event {
                Event::Read { pc: other, .. } if other == pc => {}
                Event::Write { pc: other, base, offset, length } if other == pc => {
                    result.cells.write(base, offset, length, node, &mut result.graph, at);
                }
                Event::Allocate { pc: other, base, size } if other == pc => {
                    let target = match op {
                        Op::Alloca { .. } => Target::Local(at.0, at.1),
                        Op::Call(call) if !self.enters(&call.callee) => Target::Heap(at.0, at.1),
                        _ => Target::Passed,
                    };
                    self.result.cells.allocate(base, size, target);
                    if !matches!(target, Target::Heap(..))
                        && let Some(frame) = self.frames.last_mut()
                    {
                        frame.objects.push(base);
                    }
                }
                Event::Output { pc: other, .. } if other == pc => {
                    result.streams = result.graph.node(at, &[result.streams, node]);
                }
                _ => break,
            }
            self.at += 1;
        }
    }

    fn enters(&self, callee: &Callee) -> bool {
        matches!(callee, Callee::Direct(id) if !self.program.function(*id).is_declaration)
    }

    fn call(&mut self, function: FuncId, pc: u32, call: &upshot_ir::Call) -> Result<(), Lost> {
        let op = &self.program.function(function).ops[pc as usize];
        let inst = self.program.function(function).op_inst[pc as usize];
        let remembers = self.bodies.effects().remembers(function, inst);
        let world = self.result.world;
        let node = self.computed(function, pc, op, if remembers { std::slice::from_ref(&world) } else { &[] });
        let Some(Event::Enter { function: callee, .. }) = self.next().filter(|event| is_from(event, pc)) else {
            if remembers {
                self.result.world = node;
            }
            self.step();
            return Ok(());
        };
        self.at += 1;
        let Some(frame) = self.frames.last() else { return Err(self.lost()) };
        let index = mixed(frame.index(), function, pc);
        let is_call = matches!(call.callee, Callee::Direct(id) if id == callee)
            || matches!(call.callee, Callee::Indirect(_)) && !self.program.function(callee).is_declaration;
        if !is_call {
            // On the way out: what is registered for the end runs instead of everything else.
            self.frames.clear();
            self.start(callee, node, index);
            return Ok(());
        }
        let control = frame.control();
        let mut parents = vec![control];
        if let Callee::Indirect(target) = call.callee {
            parents.push(self.operand(target));
        }
        parents.extend(&self.asked);
        // The call itself is in the slice of whatever its callee does, and of what it hands over.
        let base = self.result.graph.node((function, inst), &parents);
        let mut arguments = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            let value = self.operand(argument.value);
            arguments.push(match argument.by_value {
                Some(_) => node,
                None => self.result.graph.node((function, inst), &[value]),
            });
        }
        self.start(callee, base, index);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let is_variadic = self.program.function(callee).is_variadic;
        let fixed = if is_variadic { (call.fixed as usize).min(arguments.len()) } else { arguments.len() };
        for (register, &argument) in frame.registers.iter_mut().zip(&arguments[..fixed]) {
            *register = argument;
        }
        frame.variadic = arguments[fixed..].to_vec();
        Ok(())
    }

    fn give_back(&mut self, values: &[Operand]) -> Result<(), Lost> {
        let Some(Event::Leave) = self.next() else { return Err(self.lost()) };
        self.at += 1;
        let values: Vec<Node> = values.iter().map(|&value| self.operand(value)).collect();
        let Some(frame) = self.frames.last() else { return Err(self.lost()) };
        let (function, pc, control) = (frame.function, frame.pc, frame.control());
        let inst = self.program.function(function).op_inst[pc as usize];
        let results: Vec<Node> =
            values.into_iter().map(|value| self.result.graph.node((function, inst), &[value, control])).collect();
        for &asked in &self.asked.clone() {
            self.live_by(asked);
        }
        while self.frames.last().is_some_and(|frame| !frame.open.is_empty()) {
            self.close();
        }
        let Some(frame) = self.frames.pop() else { return Err(self.lost()) };
        self.result.cells.forget(&frame.objects);
        let Some(caller) = self.frames.last_mut() else {
            if function == self.entry {
                self.result.returned = results;
            }
            return Ok(());
        };
        if let Op::Call(call) = &self.program.function(caller.function).ops[caller.pc as usize] {
            for (number, result) in results.into_iter().take(call.results.len()).enumerate() {
                caller.registers[call.dst.index() + number] = result;
            }
        }
        caller.pc += 1;
        Ok(())
    }

    fn branch(&mut self, function: FuncId, pc: u32, op: &Op) -> Result<(), Lost> {
        let Some(Event::Edge(taken)) = self.next() else { return Err(self.lost()) };
        self.at += 1;
        let edges = upshot_ir::edges(op);
        let Some(edge) = edges.get(taken as usize) else { return Err(self.lost()) };
        let Some(frame) = self.frames.last() else { return Err(self.lost()) };
        let (block, control) = (frame.block, frame.control());
        let index = mixed(frame.index(), function, pc);
        let inst = self.program.function(function).op_inst[pc as usize];
        let node = match self.asked.last() {
            Some(&asked) => asked,
            None => {
                let mut parents = self.operands(function, pc);
                parents.push(control);
                self.result.graph.node((function, inst), &parents)
            }
        };
        let bodies = self.bodies;
        if let Some(region) = &bodies.body(function).regions[block.index()] {
            if region.may_end || bodies.effects().may_fail(function, pc) {
                self.live_by(node);
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.open.push(Open { node, block, join: region.join, index });
            }
        }
        self.follow(edge);
        Ok(())
    }

    /// Leaves a block by an edge.
    fn follow(&mut self, edge: &Edge) {
        let Some(frame) = self.frames.last() else { return };
        let (function, control) = (frame.function, frame.control());
        let inst = self.program.function(function).op_inst[frame.pc as usize];
        let moved: Vec<(Reg, Node)> = edge
            .moves
            .iter()
            .map(|(reg, operand)| (*reg, self.result.graph.node((function, inst), &[self.operand(*operand), control])))
            .collect();
        let Some(frame) = self.frames.last_mut() else { return };
        for (reg, node) in moved {
            frame.registers[reg.index()] = node;
        }
        frame.block = edge.target;
        frame.pc = self.program.function(function).blocks[edge.target.index()].start;
        let target = Some(edge.target);
        let Some(first) = frame.open.iter().position(|open| open.join == target) else { return };
        while self.frames.last().is_some_and(|frame| frame.open.len() > first) {
            self.close();
        }
    }

    /// The region of the innermost branch ends: what it could have defined depends on the branch. Further instances of the same branch below it, those of earlier rounds of a loop, depend on
    /// less.
    fn close(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(open) = frame.open.pop() else { return };
        while frame.open.last().is_some_and(|below| below.block == open.block && below.join == open.join) {
            frame.open.pop();
        }
        if self.result.graph.set(open.node) == SetId::EMPTY {
            return;
        }
        let (bodies, function) = (self.bodies, frame.function);
        let Some(region) = &bodies.body(function).regions[open.block.index()] else { return };
        let inst = self.program.function(function).blocks[open.block.index()].last_inst;
        let (at, result) = ((function, inst), &mut self.result);
        for reg in &region.registers {
            let old = frame.registers[reg.index()];
            frame.registers[reg.index()] = result.graph.weakened(at, old, open.node);
        }
        for &number in &region.writes {
            let write = bodies.effects().write(number);
            match write.target {
                Target::Stream => result.streams = result.graph.weakened(at, result.streams, open.node),
                Target::World => result.world = result.graph.weakened(at, result.world, open.node),
                _ => result.cells.weaken(write, open.node, &mut result.graph, at),
            }
        }
        for &probe in &region.probes {
            let old = result.probes.get(&probe).copied().unwrap_or(Node::NONE);
            let new = result.graph.weakened(at, old, open.node);
            result.probes.insert(probe, new);
        }
    }

    /// A long jump: frames are left, and what follows depends on it.
    fn jump_back(&mut self, node: Node, depth: u32, block: BlockId, pc: u32) -> Result<(), Lost> {
        self.live_by(node);
        while self.frames.len() > depth as usize + 1 {
            while self.frames.last().is_some_and(|frame| !frame.open.is_empty()) {
                self.close();
            }
            if let Some(frame) = self.frames.pop() {
                self.result.cells.forget(&frame.objects);
            }
        }
        let index = self.frames.last().map_or(0, Frame::index);
        let Some(frame) = self.frames.last_mut() else { return Err(self.lost()) };
        frame.open.push(Open { node, block, join: None, index: mixed(index, frame.function, pc) });
        frame.block = block;
        frame.pc = pc;
        let function = frame.function;
        if let Some(Op::Intrinsic { dst, .. }) = self.program.function(function).ops.get(pc as usize - 1) {
            frame.registers[dst.index()] = node;
        }
        Ok(())
    }
}
