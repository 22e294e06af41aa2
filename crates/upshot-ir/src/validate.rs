//! What holds of every [`Program`] that [`load`](crate::load) returns, as a check that can be run.

use crate::cfg::edges;
use crate::program::*;

/// A rule that a program breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    pub function: String,
    /// Index into [`Function::ops`], where the defect is in an operation.
    pub op: Option<u32>,
    pub what: String,
}

/// Every defect of the program; empty for a sound one.
///
/// Registers, constants, blocks, functions and globals that are referred to exist; the blocks' operations
/// and instructions partition the function's, in order; every block ends in its only terminator. An
/// [`Op::Unsupported`] ends paths but not blocks: what follows it is never run.
pub fn validate(program: &Program) -> Vec<Defect> {
    let mut defects = Vec::new();
    for function in &program.functions {
        let mut check = Check { program, function, op: None, defects: &mut defects };
        check.shape();
        for (position, op) in function.ops.iter().enumerate() {
            check.op = Some(position as u32);
            check.operation(op);
        }
        check.op = None;
        function.constants.iter().for_each(|constant| check.constant(constant));
    }
    for global in &program.globals {
        if let Some(initializer) = &global.initializer
            && let Some(what) = initializer_defect(program, global, initializer)
        {
            defects.push(Defect { function: global.name.clone(), op: None, what });
        }
    }
    defects
}

fn initializer_defect(program: &Program, global: &Global, initializer: &Initializer) -> Option<String> {
    if initializer.bytes.len() as u64 != global.size {
        return Some(format!("{} bytes of initializer for {} bytes", initializer.bytes.len(), global.size));
    }
    for (offset, width, constant) in &initializer.relocations {
        if offset + u64::from(width.div_ceil(8)) > global.size {
            return Some(format!("relocation at {offset} is outside"));
        }
        if let Some(what) = constant_defect(program, constant) {
            return Some(what);
        }
    }
    None
}

fn constant_defect(program: &Program, constant: &Const) -> Option<String> {
    let missing = |what: &str| Some(format!("a constant refers to a {what} that is not there"));
    match constant {
        Const::Int { width, value } => {
            let fits = matches!(width, 1..=128) && (*width == 128 || value >> width == 0);
            (!fits).then(|| format!("a constant of width {width} holds {value:#x}"))
        }
        Const::Undef { width } => (!matches!(width, 1..=128)).then(|| format!("undef of width {width}")),
        Const::Global { global, .. } if global.index() >= program.globals.len() => missing("global"),
        Const::Function(function) if function.index() >= program.functions.len() => missing("function"),
        Const::Block(function, block) => {
            let blocks = program.functions.get(function.index()).map_or(0, |f| f.blocks.len());
            if block.index() >= blocks { missing("block") } else { None }
        }
        Const::Expr { args, .. } => args.iter().find_map(|arg| constant_defect(program, arg)),
        Const::Global { .. } | Const::Function(_) => None,
    }
}

struct Check<'a> {
    program: &'a Program,
    function: &'a Function,
    op: Option<u32>,
    defects: &'a mut Vec<Defect>,
}

impl Check<'_> {
    fn fail(&mut self, what: impl Into<String>) {
        self.defects.push(Defect { function: self.function.name.clone(), op: self.op, what: what.into() });
    }

    fn require(&mut self, holds: bool, what: &str) {
        if !holds {
            self.fail(what);
        }
    }

    fn constant(&mut self, constant: &Const) {
        if let Some(what) = constant_defect(self.program, constant) {
            self.fail(what);
        }
    }

    /// Blocks, instructions and parameters.
    fn shape(&mut self) {
        let f = self.function;
        self.require(f.op_inst.len() == f.ops.len(), "op_inst is not parallel to ops");
        self.require(f.is_declaration == f.blocks.is_empty(), "a body where there should be none, or none");
        let (mut next_op, mut next_inst) = (0, 0);
        for (number, block) in f.blocks.iter().enumerate() {
            self.require(block.start == next_op && block.end > block.start, "blocks do not partition the operations");
            self.require(block.first_inst.0 == next_inst, "blocks do not partition the instructions");
            self.require(block.last_inst >= block.first_inst, "a block without instructions");
            for inst in block.first_inst.0..=block.last_inst.0 {
                let Some(inst) = f.insts.get(inst as usize) else {
                    self.fail("a block's instruction is not there");
                    return;
                };
                self.require(inst.block.index() == number, "an instruction is in another block");
                self.require(inst.ops.start == next_op, "instructions do not partition the operations");
                next_op = inst.ops.end;
            }
            self.require(next_op == block.end, "a block's instructions do not cover it");
            next_inst = block.last_inst.0 + 1;
            for position in block.start..block.end {
                self.op = Some(position);
                self.terminator(block, position);
            }
            self.op = None;
        }
        self.require(next_op as usize == f.ops.len(), "operations outside any block");
        self.require(next_inst as usize == f.insts.len(), "instructions outside any block");
        for (position, inst) in f.op_inst.iter().enumerate() {
            let within = f.insts.get(inst.index()).is_some_and(|inst| inst.ops.contains(&(position as u32)));
            self.require(within, "op_inst names another instruction");
        }
        self.parameters();
    }

    fn parameters(&mut self) {
        let f = self.function;
        let scalars: usize = f.parameters.iter().map(|parameter| parameter.scalars.len()).sum();
        let hidden = usize::from(f.struct_return.is_some());
        self.require(f.is_declaration || scalars + hidden <= f.registers as usize, "more parameters than registers");
        let files = self.program.files.len() as u32;
        let place = |location: Location| !location.is_known() || location.file < files;
        let known = f.insts.iter().all(|i| place(i.location) && i.inlined_at.iter().all(|at| place(at.location)));
        self.require(known && place(f.location), "a location in a file that is not there");
        for local in &f.locals {
            let slot = local.slot.is_none_or(|slot| slot.0 < f.registers);
            let alloca = local.alloca.is_none_or(|inst| inst.index() < f.insts.len());
            self.require(slot && alloca, "a local that is nowhere");
        }
    }

    fn terminator(&mut self, block: &Block, position: u32) {
        let Some(op) = self.function.ops.get(position as usize) else { return };
        let last = position + 1 == block.end;
        let ends = is_terminator(op);
        self.require(!ends || last, "a terminator inside a block");
        self.require(ends || !last || matches!(op, Op::Unsupported { .. }), "a block without a terminator");
    }

    fn register(&mut self, reg: Reg) {
        self.require(reg.0 < self.function.registers, "a register out of range");
    }

    fn operand(&mut self, operand: Operand) {
        if let Some(reg) = operand.as_reg() {
            self.register(reg);
        } else if operand.as_constant().is_none_or(|index| index >= self.function.constants.len()) {
            self.fail("a constant out of range");
        }
    }

    fn edge(&mut self, edge: &Edge) {
        self.require(edge.target.index() < self.function.blocks.len(), "a jump to no block");
        for (dst, src) in &edge.moves {
            self.register(*dst);
            self.operand(*src);
        }
    }

    fn operation(&mut self, op: &Op) {
        let (written, read) = accesses(op);
        written.into_iter().for_each(|reg| self.register(reg));
        read.into_iter().for_each(|operand| self.operand(operand));
        edges(op).into_iter().for_each(|edge| self.edge(edge));
        match op {
            Op::Unsupported { what } => {
                self.require((*what as usize) < self.program.unsupported.len(), "an unsupported thing without words");
            }
            Op::Call(call) => {
                self.require(call.fixed as usize <= call.args.len(), "more fixed arguments than arguments");
                if let Callee::Direct(function) = call.callee {
                    self.require(function.index() < self.program.functions.len(), "a call of no function");
                }
            }
            Op::Return { values } => {
                self.require(values.len() == self.function.results.len(), "a return of another shape");
            }
            Op::Trunc { from, to, .. } => self.require(to < from && *from <= 128, "a truncation that widens"),
            Op::ZExt { from, to, .. } | Op::SExt { from, to, .. } => {
                self.require(from < to && *to <= 128, "an extension that narrows");
            }
            _ => {}
        }
    }
}

pub(crate) fn is_terminator(op: &Op) -> bool {
    matches!(
        op,
        Op::Jump(_) | Op::Branch { .. } | Op::Switch(_) | Op::IndirectJump { .. } | Op::Return { .. } | Op::Unreachable
    )
}

/// The registers an operation writes and the operands it reads; edges apart. Resetting a slot writes it.
pub fn accesses(op: &Op) -> (Vec<Reg>, Vec<Operand>) {
    match op {
        Op::Move { dst, src } => (vec![*dst], vec![*src]),
        Op::SlotLoad { dst, slot, .. } => (vec![*dst], vec![Operand::reg(*slot)]),
        Op::SlotReset { slot } => (vec![*slot], vec![]),
        Op::Bin { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::FloatBin { dst, a, b, .. }
        | Op::FloatCmp { dst, a, b, .. } => (vec![*dst], vec![*a, *b]),
        Op::ZExt { dst, a, .. }
        | Op::SExt { dst, a, .. }
        | Op::Trunc { dst, a, .. }
        | Op::FloatUn { dst, a, .. }
        | Op::FloatCast { dst, a, .. }
        | Op::FloatToInt { dst, a, .. }
        | Op::IntToFloat { dst, a, .. } => (vec![*dst], vec![*a]),
        Op::Select { dst, cond, a, b, .. } => (vec![*dst], vec![*cond, *a, *b]),
        Op::Displace { dst, base, .. } => (vec![*dst], vec![*base]),
        Op::Offset(offset) => (vec![offset.dst], vec![offset.base, offset.index]),
        Op::Alloca { dst, count, .. } => (vec![*dst], vec![*count]),
        Op::Load { dst, ptr, .. } => (vec![*dst], vec![*ptr]),
        Op::Store { value, ptr, .. } => (vec![], vec![*value, *ptr]),
        Op::AtomicRmw { dst, ptr, value, .. } => (vec![*dst], vec![*ptr, *value]),
        Op::CompareExchange { dst, ptr, expected, replacement, .. } => {
            (vec![*dst, Reg(dst.0 + 1)], vec![*ptr, *expected, *replacement])
        }
        Op::Intrinsic { which, dst, args, .. } => {
            let results = match which {
                Intrinsic::AddOverflow { .. } | Intrinsic::SubOverflow { .. } | Intrinsic::MulOverflow { .. } => 2,
                _ => 1,
            };
            ((dst.0..dst.0 + results).map(Reg).collect(), args.to_vec())
        }
        Op::Call(call) => {
            let written = (call.dst.0..call.dst.0 + call.results.len() as u32).map(Reg).collect();
            let mut read: Vec<Operand> = call.args.iter().map(|argument| argument.value).collect();
            if let Callee::Indirect(callee) = call.callee {
                read.push(callee);
            }
            (written, read)
        }
        Op::Branch { cond, .. } => (vec![], vec![*cond]),
        Op::Switch(switch) => (vec![], vec![switch.value]),
        Op::IndirectJump { address, .. } => (vec![], vec![*address]),
        Op::Return { values } => (vec![], values.to_vec()),
        Op::Jump(_) | Op::Unreachable | Op::Mark { .. } | Op::Unsupported { .. } => (vec![], vec![]),
    }
}
