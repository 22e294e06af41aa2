//! An operation taken apart: what it does, and what it does it to.
//!
//! Registers and constants are numbered per function, so two operations that do the same thing rarely are equal as data. With every such number
//! taken out, they are; what was taken out is compared through the maps between the versions. The shape is a whole [`Op`], so that a field which
//! is added to an operation one day is compared from that day on.

use upshot_ir::{BlockId, Callee, Edge, FuncId, Intrinsic, Op, Operand, Reg};

/// An operation in parts.
pub(crate) struct Anatomy {
    /// The operation with all numbers that mean something only in its function or program set to zero.
    pub(crate) shape: Op,
    pub(crate) reads: Vec<Operand>,
    /// Slots that are read or reset; those that are written are among `writes`.
    pub(crate) slots: Vec<Reg>,
    pub(crate) writes: Vec<Reg>,
    pub(crate) callee: Option<FuncId>,
    pub(crate) edges: Vec<Edge>,
    /// Index into the program's list of things that are not supported.
    pub(crate) unsupported: Option<u32>,
}

impl Anatomy {
    pub(crate) fn of(op: &Op) -> Self {
        let mut anatomy = Anatomy {
            shape: op.clone(),
            reads: Vec::new(),
            slots: Vec::new(),
            writes: Vec::new(),
            callee: None,
            edges: Vec::new(),
            unsupported: None,
        };
        let mut shape = std::mem::replace(&mut anatomy.shape, Op::Unreachable);
        anatomy.take_apart(&mut shape);
        anatomy.shape = shape;
        anatomy
    }

    fn take_apart(&mut self, op: &mut Op) {
        match op {
            Op::Move { dst, src } => self.result(dst).read([src]),
            Op::SlotLoad { dst, slot, .. } => self.result(dst).slot(slot),
            Op::SlotReset { slot } => self.slot(slot),
            Op::Bin { dst, a, b, .. }
            | Op::Cmp { dst, a, b, .. }
            | Op::FloatBin { dst, a, b, .. }
            | Op::FloatCmp { dst, a, b, .. } => self.result(dst).read([a, b]),
            Op::ZExt { dst, a, .. }
            | Op::SExt { dst, a, .. }
            | Op::Trunc { dst, a, .. }
            | Op::FloatUn { dst, a, .. }
            | Op::FloatCast { dst, a, .. }
            | Op::FloatToInt { dst, a, .. }
            | Op::IntToFloat { dst, a, .. } => self.result(dst).read([a]),
            Op::Select { dst, cond, a, b, .. } => self.result(dst).read([cond, a, b]),
            Op::Displace { dst, base, .. } => self.result(dst).read([base]),
            Op::Offset(at) => {
                let at = &mut **at;
                self.result(&mut at.dst).read([&mut at.base, &mut at.index]);
            }
            Op::Alloca { dst, count, .. } => self.result(dst).read([count]),
            Op::Load { dst, ptr, .. } => self.result(dst).read([ptr]),
            Op::Store { value, ptr, .. } => self.read([value, ptr]),
            Op::AtomicRmw { dst, ptr, value, .. } => self.result(dst).read([ptr, value]),
            Op::CompareExchange { dst, ptr, expected, replacement, .. } => {
                self.results(dst, 2).read([ptr, expected, replacement]);
            }
            Op::Intrinsic { which, dst, args, .. } => self.results(dst, results_of(*which)).read(args.iter_mut()),
            Op::Call(call) => {
                let call = &mut **call;
                self.results(&mut call.dst, call.results.len() as u32);
                self.read(call.args.iter_mut().map(|argument| &mut argument.value));
                match &mut call.callee {
                    Callee::Direct(function) => self.callee = Some(std::mem::replace(function, FuncId(0))),
                    Callee::Indirect(pointer) => self.read([pointer]),
                }
            }
            Op::Jump(edge) => self.edge(edge),
            Op::Branch { cond, edges } => {
                self.read([cond]);
                self.edge(&mut edges.0);
                self.edge(&mut edges.1);
            }
            Op::Switch(switch) => {
                self.read([&mut switch.value]);
                switch.cases.iter_mut().for_each(|(_, edge)| self.edge(edge));
                self.edge(&mut switch.default);
            }
            Op::IndirectJump { address, edges } => {
                self.read([address]);
                edges.iter_mut().for_each(|edge| self.edge(edge));
            }
            Op::Return { values } => self.read(values.iter_mut()),
            Op::Unreachable | Op::Mark { .. } => {}
            Op::Unsupported { what } => self.unsupported = Some(std::mem::take(what)),
        }
    }

    fn result(&mut self, register: &mut Reg) -> &mut Self {
        self.results(register, 1)
    }

    fn results(&mut self, first: &mut Reg, count: u32) -> &mut Self {
        self.writes.extend((first.0..first.0 + count).map(Reg));
        *first = Reg(0);
        self
    }

    fn slot(&mut self, slot: &mut Reg) {
        self.slots.push(std::mem::replace(slot, Reg(0)));
    }

    fn read<'a>(&mut self, operands: impl IntoIterator<Item = &'a mut Operand>) {
        self.reads.extend(operands.into_iter().map(|operand| std::mem::replace(operand, Operand::reg(Reg(0)))));
    }

    fn edge(&mut self, edge: &mut Edge) {
        self.edges.push(std::mem::replace(edge, Edge { target: BlockId(0), moves: Vec::new() }));
    }
}

fn results_of(intrinsic: Intrinsic) -> u32 {
    match intrinsic {
        Intrinsic::AddOverflow { .. } | Intrinsic::SubOverflow { .. } | Intrinsic::MulOverflow { .. } => 2,
        _ => 1,
    }
}
