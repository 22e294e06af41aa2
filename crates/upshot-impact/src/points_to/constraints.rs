//! From operations to inclusions between sets of places.

use super::inputs::pointers_in;
use super::objects::{ObjectId, ObjectKind, Objects};
use super::{NodeId, Registers, shared_registers};
use rustc_hash::FxHashMap;
use upshot_ir::{BinOp, Call, Callee, Const, FuncId, Function, GlobalId, InstId, Intrinsic, Op, Operand, Program, Reg};

/// What happens with each place that a node turns out to hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// What is stored there flows to `to`.
    Load {
        to: NodeId,
        offset: u32,
        size: u32,
    },
    Store {
        from: NodeId,
        offset: u32,
        size: u32,
    },
    /// The place moved by a constant.
    Displace {
        to: NodeId,
        by: i64,
    },
    /// Anywhere in the same object.
    Anywhere {
        to: NodeId,
    },
    /// The node is the target or the source of copy number `copy`.
    CopyTo {
        copy: u32,
    },
    CopyFrom {
        copy: u32,
    },
    /// The node is what indirect call number `call` calls.
    Call {
        call: u32,
    },
    /// The node is the set of what has escaped.
    Escape,
    /// The pointer of a va_list: it leads to the arguments after the named ones.
    VariadicList {
        arguments: u32,
    },
}

/// A copy of memory, of `length` bytes where that is constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryCopy {
    pub(super) to: NodeId,
    pub(super) from: NodeId,
    pub(super) length: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub(super) function: FuncId,
    pub(super) inst: InstId,
    pub(super) arguments: Vec<NodeId>,
    /// Bytes behind an argument that is passed by value.
    pub(super) by_value: Vec<Option<u64>>,
    pub(super) results: Vec<NodeId>,
    pub(super) fixed: usize,
}

/// The inclusions of a program.
pub(super) struct Problem {
    pub(super) objects: Objects,
    pub(super) registers: Registers,
    pub(super) constants: FxHashMap<(FuncId, usize), NodeId>,
    pub(super) nodes: u32,
    pub(super) initial: Vec<(NodeId, u32)>,
    /// What objects hold from the start: (object, offset, place).
    pub(super) contents: Vec<(ObjectId, Option<u32>, u32)>,
    pub(super) copies: Vec<(NodeId, NodeId)>,
    pub(super) rules: Vec<(NodeId, Rule)>,
    pub(super) memory_copies: Vec<MemoryCopy>,
    pub(super) calls: Vec<CallSite>,
    /// Calls whose target is known: (call, target).
    pub(super) direct: Vec<(u32, FuncId)>,
    /// What each function returns.
    pub(super) returns: Vec<Vec<NodeId>>,
    pub(super) escaped: NodeId,
    separate: Vec<bool>,
    input_types: FxHashMap<String, ObjectId>,
}

pub(super) fn generate(program: &Program, separate: &[bool]) -> Problem {
    let mut problem = Problem {
        objects: Objects::default(),
        registers: Registers::default(),
        constants: FxHashMap::default(),
        // Node 0 points nowhere, node 1 is what has escaped.
        nodes: 2,
        initial: Vec::new(),
        contents: Vec::new(),
        copies: Vec::new(),
        rules: vec![(NodeId(1), Rule::Escape)],
        memory_copies: Vec::new(),
        calls: Vec::new(),
        direct: Vec::new(),
        returns: Vec::new(),
        escaped: NodeId(1),
        separate: separate.to_vec(),
        input_types: FxHashMap::default(),
    };
    problem.objects.object(ObjectKind::World, None);
    for function in &program.functions {
        problem.registers.base.push(problem.nodes);
        problem.nodes += function.registers.max(1);
        problem.registers.shared.push(shared_registers(function));
        let returns = function.results.iter().map(|_| problem.node()).collect();
        problem.returns.push(returns);
    }
    problem.globals(program);
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        problem.inputs(program, id, function);
        problem.body(program, id, function);
    }
    problem
}

impl Problem {
    pub(super) fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    /// The object that holds a global's bytes.
    pub(super) fn global_object(&mut self, program: &Program, id: GlobalId) -> ObjectId {
        let global = program.global(id);
        let plain = global.initializer.as_ref().is_some_and(|initializer| initializer.relocations.is_empty());
        if global.is_constant && plain && !self.separate.get(id.index()).copied().unwrap_or(false) {
            return self.objects.object(ObjectKind::Literals, None);
        }
        self.objects.object(ObjectKind::Global(id), Some(global.size))
    }

    fn globals(&mut self, program: &Program) {
        for (id, global) in (0..).map(GlobalId).zip(&program.globals) {
            let object = self.global_object(program, id);
            for (offset, _, value) in global.initializer.iter().flat_map(|initializer| &initializer.relocations) {
                for place in self.constant_places(program, value) {
                    self.contents.push((object, u32::try_from(*offset).ok(), place));
                }
            }
            if let Some(ty) = global.ty.filter(|_| !global.is_constant && !global.is_runtime) {
                for (offset, target) in pointers_in(&program.types, ty) {
                    let place = self.input(program, Some(target));
                    self.contents.push((object, offset, place));
                }
            }
        }
    }

    /// The start of what input pointers to a type lead to.
    fn input(&mut self, program: &Program, ty: Option<upshot_ir::CTypeId>) -> u32 {
        let ty = ty.map(|ty| program.types.resolve(ty));
        let name = ty.map_or(String::new(), |ty| program.types.name(ty));
        if let Some(&object) = self.input_types.get(&name) {
            return self.objects.place(object, Some(0));
        }
        let object = self.objects.object(ObjectKind::Input(ty), None);
        self.input_types.insert(name, object);
        match ty.map(|ty| pointers_in(&program.types, ty)) {
            Some(pointers) => {
                for (offset, target) in pointers {
                    let place = self.input(program, Some(target));
                    self.contents.push((object, offset, place));
                }
            }
            None => {
                let place = self.objects.place(object, None);
                self.contents.push((object, None, place));
            }
        }
        self.objects.place(object, Some(0))
    }

    /// Parameters that may come from outside: of functions that others can call, or nobody here does.
    fn inputs(&mut self, program: &Program, id: FuncId, function: &Function) {
        if function.is_declaration || function.is_runtime {
            return;
        }
        let base = self.registers.base[id.index()];
        let mut register = u32::from(function.struct_return.is_some());
        if register == 1 {
            let place = self.input(program, None);
            self.initial.push((NodeId(base), place));
        }
        for parameter in &function.parameters {
            let pointers = parameter.ty.map(|ty| pointers_in(&program.types, ty)).unwrap_or_default();
            for (offset, scalar) in &parameter.scalars {
                let node = NodeId(base + register);
                let number = register;
                register += 1;
                if let Some((size, _)) = parameter.by_value {
                    let object = self.objects.object(ObjectKind::ByValue(id, number), Some(size));
                    let place = self.objects.place(object, Some(0));
                    self.initial.push((node, place));
                    for &(offset, target) in pointers.iter().filter(|_| !function.is_local) {
                        let place = self.input(program, Some(target));
                        self.contents.push((object, offset, place));
                    }
                    continue;
                }
                if function.is_local || scalar.width() != 64 {
                    continue;
                }
                let here =
                    pointers.iter().filter(|(at, _)| at.is_none_or(|at| at == *offset)).map(|(_, target)| *target);
                for target in here.collect::<Vec<_>>() {
                    let place = self.input(program, Some(target));
                    self.initial.push((node, place));
                }
                if pointers.is_empty() && *scalar == upshot_ir::Scalar::Pointer {
                    let place = self.input(program, None);
                    self.initial.push((node, place));
                }
            }
        }
    }

    fn constant_places(&mut self, program: &Program, constant: &Const) -> Vec<u32> {
        match constant {
            Const::Global { global, offset } => {
                let object = self.global_object(program, *global);
                vec![self.objects.place(object, Some(*offset))]
            }
            Const::Function(function) => {
                let object = self.objects.object(ObjectKind::Function(*function), Some(0));
                vec![self.objects.place(object, Some(0))]
            }
            Const::Expr { args, .. } => {
                let places: Vec<u32> = args.iter().flat_map(|arg| self.constant_places(program, arg)).collect();
                let anywhere = |place: u32| {
                    let object = self.objects.at(place).object;
                    self.objects.place(object, None)
                };
                places.into_iter().map(anywhere).collect()
            }
            Const::Int { .. } | Const::Block(..) | Const::Undef { .. } => Vec::new(),
        }
    }

    fn body(&mut self, program: &Program, id: FuncId, function: &Function) {
        for (index, constant) in function.constants.iter().enumerate() {
            let places = self.constant_places(program, constant);
            if !places.is_empty() {
                let node = self.node();
                self.constants.insert((id, index), node);
                self.initial.extend(places.into_iter().map(|place| (node, place)));
            }
        }
        self.temporaries(id, function);
        let cyclic = cyclic_steps(function);
        let mut writers: FxHashMap<Reg, Vec<u32>> = FxHashMap::default();
        for (number, op) in (0..).zip(&function.ops) {
            upshot_ir::accesses(op).0.into_iter().for_each(|reg| writers.entry(reg).or_default().push(number));
        }
        for (op, cyclic) in cyclic.into_iter().enumerate() {
            Body { writers: &writers, problem: self, function, id, op }.operation(cyclic);
        }
    }

    fn temporaries(&mut self, id: FuncId, function: &Function) {
        let shared = &self.registers.shared[id.index()];
        if !shared.contains(&true) {
            return;
        }
        let shared = shared.clone();
        for (number, op) in (0..).zip(&function.ops) {
            for reg in upshot_ir::accesses(op).0.into_iter().filter(|reg| shared[reg.index()]) {
                let node = self.node();
                self.registers.temporaries.insert((id, number, reg), node);
            }
        }
    }
}

/// Steps of a pointer along itself (`p++` in a loop), by operation: their offsets have no end.
fn cyclic_steps(function: &Function) -> Vec<bool> {
    let mut flows = vec![Vec::new(); function.registers as usize];
    let mut steps = Vec::new();
    for (number, op) in function.ops.iter().enumerate() {
        let mut flow = |from: Operand, to: Reg| {
            if let Some(from) = from.as_reg() {
                flows[from.index()].push(to.0);
            }
        };
        match op {
            Op::Move { dst, src } => flow(*src, *dst),
            Op::SlotLoad { dst, slot, .. } => flow(Operand::reg(*slot), *dst),
            Op::Select { dst, a, b, .. } => {
                flow(*a, *dst);
                flow(*b, *dst);
            }
            Op::Displace { dst, base, .. } => {
                flow(*base, *dst);
                steps.push((number, *base, *dst));
            }
            _ => {}
        }
        for &(to, from) in upshot_ir::edges(op).iter().flat_map(|edge| &edge.moves) {
            flow(from, to);
        }
    }
    let (component, _) = upshot_ir::components(&flows);
    let mut cyclic = vec![false; function.ops.len()];
    for (number, base, dst) in steps {
        let same = |base: Reg| component[base.index()] == component[dst.index()];
        cyclic[number] = base.as_reg().is_some_and(same);
    }
    cyclic
}

/// How far the value of a small store is traced back.
const DEEPEST_PIECE: u32 = 8;

/// One operation of one function.
struct Body<'p, 'f> {
    /// The operations that write each register.
    writers: &'p FxHashMap<Reg, Vec<u32>>,
    problem: &'p mut Problem,
    function: &'f Function,
    id: FuncId,
    op: usize,
}

impl Body<'_, '_> {
    fn read(&self, operand: Operand) -> NodeId {
        match (operand.as_reg(), operand.as_constant()) {
            (Some(reg), _) => self.problem.registers.node(self.function, self.id, self.op, reg),
            (_, Some(index)) => self.problem.constants.get(&(self.id, index)).copied().unwrap_or(NodeId(0)),
            _ => NodeId(0),
        }
    }

    fn write(&self, reg: Reg) -> NodeId {
        self.problem.registers.written(self.id, self.op, reg)
    }

    fn copy(&mut self, from: Operand, to: Reg) {
        let (from, to) = (self.read(from), self.write(to));
        self.problem.copies.push((from, to));
    }

    fn rule(&mut self, on: Operand, rule: Rule) {
        let node = self.read(on);
        if node != NodeId(0) {
            self.problem.rules.push((node, rule));
        }
    }

    fn anywhere(&mut self, from: Operand, to: Reg) {
        let to = self.write(to);
        self.rule(from, Rule::Anywhere { to });
    }

    fn operation(&mut self, cyclic: bool) {
        let function = self.function;
        match &function.ops[self.op] {
            Op::Move { dst, src } => self.copy(*src, *dst),
            Op::SlotLoad { dst, slot, .. } => self.copy(Operand::reg(*slot), *dst),
            Op::Trunc { to: 64.., dst, a, .. } | Op::ZExt { from: 64.., dst, a, .. } => self.copy(*a, *dst),
            Op::Bin { op, width, dst, a, b, .. } if *width >= 64 => self.arithmetic(*op, *dst, *a, *b),
            Op::Select { dst, a, b, .. } => {
                self.copy(*a, *dst);
                self.copy(*b, *dst);
            }
            Op::Displace { dst, base, .. } if cyclic => self.anywhere(*base, *dst),
            Op::Displace { dst, base, disp } => {
                let to = self.write(*dst);
                self.rule(*base, Rule::Displace { to, by: *disp });
            }
            Op::Offset(offset) => {
                self.anywhere(offset.base, offset.dst);
                if offset.base.as_constant().is_some() && offset.scale == 1 && offset.index_width == 64 {
                    self.anywhere(offset.index, offset.dst);
                }
            }
            Op::Alloca { dst, size, count, .. } => self.alloca(*dst, *size, *count),
            Op::Load { scalar, .. } if scalar.width() < 64 => {}
            Op::Store { value, ptr, scalar, .. } if scalar.width() < 64 => self.piece(*value, *ptr),
            Op::Load { dst, ptr, disp, scalar } => {
                let to = self.write(*dst);
                self.rule(*ptr, Rule::Load { to, offset: *disp, size: scalar.store_size() });
            }
            Op::Store { value, ptr, disp, scalar } => {
                let from = self.read(*value);
                self.rule(*ptr, Rule::Store { from, offset: *disp, size: scalar.store_size() });
            }
            Op::AtomicRmw { dst, ptr, value, scalar, .. } => {
                let (to, from, size) = (self.write(*dst), self.read(*value), scalar.store_size());
                self.rule(*ptr, Rule::Load { to, offset: 0, size });
                self.rule(*ptr, Rule::Store { from, offset: 0, size });
            }
            Op::CompareExchange { dst, ptr, replacement, scalar, .. } => {
                let (to, from, size) = (self.write(*dst), self.read(*replacement), scalar.store_size());
                self.rule(*ptr, Rule::Load { to, offset: 0, size });
                self.rule(*ptr, Rule::Store { from, offset: 0, size });
            }
            Op::Intrinsic { which, dst, args, .. } => self.intrinsic(*which, *dst, args),
            Op::Call(call) => self.call(call),
            Op::Return { values } => {
                for (position, value) in values.iter().enumerate() {
                    let from = self.read(*value);
                    if let Some(&to) = self.problem.returns[self.id.index()].get(position) {
                        self.problem.copies.push((from, to));
                    }
                }
            }
            other => {
                for &(to, from) in upshot_ir::edges(other).iter().flat_map(|edge| &edge.moves) {
                    let (from, to) = (self.read(from), NodeId(self.problem.registers.base[self.id.index()] + to.0));
                    self.problem.copies.push((from, to));
                }
            }
        }
    }

    /// A store of less than a pointer: part of one, if it was loaded in the same way, or cut off from one.
    fn piece(&mut self, value: Operand, target: Operand) {
        let mut pending: Vec<(Operand, u32)> = vec![(value, 0)];
        let mut seen = Vec::new();
        while let Some((value, depth)) = pending.pop() {
            let Some(reg) = value.as_reg().filter(|reg| depth < DEEPEST_PIECE && !seen.contains(reg)) else { continue };
            seen.push(reg);
            for &op in self.writers.get(&reg).map_or(&[][..], |ops| ops) {
                match &self.function.ops[op as usize] {
                    Op::Move { src, .. } => pending.push((*src, depth + 1)),
                    Op::SlotLoad { slot, .. } => pending.push((Operand::reg(*slot), depth + 1)),
                    Op::Trunc { from: 64.., a, .. } => {
                        let from = self.read(*a);
                        self.rule(target, Rule::Store { from, offset: 0, size: 8 });
                    }
                    Op::Trunc { a, .. } | Op::ZExt { a, .. } | Op::SExt { a, .. } => pending.push((*a, depth + 1)),
                    Op::Load { ptr, .. } => self.memory_copy(target, *ptr, None),
                    _ => {}
                }
            }
        }
    }

    fn arithmetic(&mut self, op: BinOp, dst: Reg, a: Operand, b: Operand) {
        match op {
            BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {}
            BinOp::Sub => self.anywhere(a, dst),
            _ => {
                self.anywhere(a, dst);
                self.anywhere(b, dst);
            }
        }
    }

    fn alloca(&mut self, dst: Reg, size: u64, count: Operand) {
        let count = count.as_constant().and_then(|index| match self.function.constants.get(index) {
            Some(Const::Int { value, .. }) => u64::try_from(*value).ok(),
            _ => None,
        });
        let kind = ObjectKind::Stack(self.id, self.function.op_inst[self.op]);
        let object = self.problem.objects.object(kind, count.and_then(|count| count.checked_mul(size)));
        let place = self.problem.objects.place(object, Some(0));
        let node = self.write(dst);
        self.problem.initial.push((node, place));
    }

    fn memory_copy(&mut self, to: Operand, from: Operand, length: Option<u64>) {
        let (to, from) = (self.read(to), self.read(from));
        self.problem.memory_copy(MemoryCopy { to, from, length });
    }

    fn intrinsic(&mut self, which: Intrinsic, dst: Reg, args: &[Operand]) {
        match (which, args) {
            (Intrinsic::MemCpy | Intrinsic::MemMove, [to, from, length]) => {
                let length = length.as_constant().and_then(|index| match self.function.constants.get(index) {
                    Some(Const::Int { value, .. }) => u64::try_from(*value).ok(),
                    _ => None,
                });
                self.memory_copy(*to, *from, length);
            }
            (Intrinsic::VaCopy, [to, from]) => self.memory_copy(*to, *from, None),
            (Intrinsic::VaStart, [list]) => {
                let object = self.problem.objects.object(ObjectKind::Variadic(self.id), None);
                let arguments = self.problem.objects.place(object, None);
                self.rule(*list, Rule::VariadicList { arguments });
            }
            (Intrinsic::FunnelShl | Intrinsic::FunnelShr, [a, b, _]) => {
                self.anywhere(*a, dst);
                self.anywhere(*b, dst);
            }
            (Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax, [a, b]) => {
                self.anywhere(*a, dst);
                self.anywhere(*b, dst);
            }
            (Intrinsic::ByteSwap | Intrinsic::BitReverse, [a]) => self.anywhere(*a, dst),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let site = CallSite {
            function: self.id,
            inst: self.function.op_inst[self.op],
            arguments: call.args.iter().map(|argument| self.read(argument.value)).collect(),
            by_value: call.args.iter().map(|argument| argument.by_value.map(|(size, _)| size)).collect(),
            results: (0..call.results.len() as u32).map(|i| self.write(Reg(call.dst.0 + i))).collect(),
            fixed: call.fixed as usize,
        };
        let number = self.problem.calls.len() as u32;
        self.problem.calls.push(site);
        match call.callee {
            Callee::Direct(target) => self.problem.direct.push((number, target)),
            Callee::Indirect(pointer) => self.rule(pointer, Rule::Call { call: number }),
        }
    }
}

impl Problem {
    pub(super) fn memory_copy(&mut self, copy: MemoryCopy) {
        let number = self.memory_copies.len() as u32;
        self.memory_copies.push(copy);
        self.rules.push((copy.to, Rule::CopyTo { copy: number }));
        self.rules.push((copy.from, Rule::CopyFrom { copy: number }));
    }
}
