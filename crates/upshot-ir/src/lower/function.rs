//! One function: registers for every value first (phis look ahead), then the operations, block by block.

use super::slots::promotable;
use super::{Context, Lowered, Unsupported};
use crate::capi;
use crate::debuginfo::Origin;
use crate::layout::{Leaf, TypeId};
use crate::program::*;
use llvm_ir::{Instruction, Name};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The scalars of a value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: TypeId,
    pub(super) parts: Vec<Operand>,
}

/// The consecutive registers of an SSA value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) first: Reg,
    pub(super) ty: TypeId,
}

/// A promoted local.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) reg: Reg,
    pub(super) scalar: Scalar,
}

/// A phi: where its value goes, and which instruction it is.
struct Phi<'a, 'm> {
    bound: Option<Bound>,
    source: &'a llvm_ir::instruction::Phi,
    raw: capi::Instruction<'m>,
}

/// The two readings of the module disagree: a bug of ours or of a reader, not of the input.
#[derive(Debug)]
pub(crate) struct Misaligned(pub(crate) String);

/// An alloca: its slot if it was promoted, and the instruction it was.
pub(super) struct AllocaPlace<'m> {
    pub(super) value: capi::Value<'m>,
    pub(super) slot: Option<Reg>,
    pub(super) inst: InstId,
}

/// What lowering a body yields.
pub(super) struct Body<'m> {
    pub(super) registers: u32,
    pub(super) constants: Vec<Const>,
    pub(super) ops: Vec<Op>,
    pub(super) op_inst: Vec<InstId>,
    pub(super) blocks: Vec<Block>,
    pub(super) insts: Vec<Inst>,
    pub(super) allocas: Vec<AllocaPlace<'m>>,
}

/// The state of lowering one function.
pub(super) struct FunctionLowering<'c, 'a, 'm> {
    pub(super) context: &'c mut Context<'m>,
    values: FxHashMap<&'a Name, Bound>,
    slots: FxHashMap<&'a Name, Slot>,
    block_ids: FxHashMap<&'a Name, BlockId>,
    phis: Vec<Phi<'a, 'm>>,
    /// For an edge (from, to): the phis of `to`, each with the position of the value that comes along this edge.
    incoming: FxHashMap<(BlockId, BlockId), Vec<(usize, u32)>>,
    next_register: u32,
    /// Temporaries live within one instruction only, so all instructions share the registers past the values'.
    temporaries: u32,
    most_temporaries: u32,
    constants: Vec<Const>,
    constant_ids: FxHashMap<Const, u32>,
    ops: Vec<Op>,
    op_inst: Vec<InstId>,
    insts: Vec<Inst>,
    allocas: Vec<AllocaPlace<'m>>,
    /// Optimised code may compute what is never used: there an oversized shift is no error of the program.
    pub(super) is_optimized: bool,
    /// The instruction being lowered, the block it is in, and its result.
    pub(super) raw: Option<capi::Instruction<'m>>,
    block: BlockId,
    result: Option<Bound>,
}

/// Lowers the body of `source`, which is `raw` as LLVM itself has it. Whether it was optimised may be known.
pub(super) fn lower_body<'a, 'm>(
    context: &mut Context<'m>,
    source: &'a llvm_ir::Function,
    raw: capi::Value<'m>,
    optimized: Option<bool>,
) -> Result<Body<'m>, Misaligned> {
    let raw_blocks: Vec<Vec<capi::Instruction<'m>>> = raw.blocks().into_iter().map(|b| b.instructions()).collect();
    check_alignment(source, &raw_blocks)?;
    let mut lowering = FunctionLowering {
        context,
        values: FxHashMap::default(),
        slots: FxHashMap::default(),
        block_ids: source.basic_blocks.iter().zip(0..).map(|(block, id)| (&block.name, BlockId(id))).collect(),
        phis: Vec::new(),
        incoming: FxHashMap::default(),
        next_register: 0,
        temporaries: 0,
        most_temporaries: 0,
        constants: Vec::new(),
        constant_ids: FxHashMap::default(),
        ops: Vec::new(),
        op_inst: Vec::new(),
        insts: Vec::new(),
        allocas: Vec::new(),
        is_optimized: false,
        raw: None,
        block: BlockId(0),
        result: None,
    };
    if lowering.block_ids.len() != source.basic_blocks.len() {
        return Err(Misaligned(format!("two blocks of one name in {}", source.name)));
    }
    lowering.assign_registers(source, raw, &raw_blocks)?;
    // Any optimisation begins with taking such locals out of memory.
    lowering.is_optimized = optimized.unwrap_or(lowering.slots.is_empty());
    Ok(lowering.lower_blocks(source, &raw_blocks))
}

fn check_alignment(source: &llvm_ir::Function, raw: &[Vec<capi::Instruction<'_>>]) -> Result<(), Misaligned> {
    let same = source.basic_blocks.len() == raw.len()
        && source.basic_blocks.iter().zip(raw).all(|(block, raw)| block.instrs.len() + 1 == raw.len());
    if same { Ok(()) } else { Err(Misaligned(format!("instructions of {} counted twice differ", source.name))) }
}

impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    fn assign_registers(
        &mut self,
        source: &'a llvm_ir::Function,
        raw: capi::Value<'m>,
        raw_blocks: &[Vec<capi::Instruction<'m>>],
    ) -> Result<(), Misaligned> {
        for (parameter, value) in source.parameters.iter().zip(raw.parameters()) {
            self.bind(&parameter.name, value.ty())?;
        }
        for (position, (block, raw_block)) in source.basic_blocks.iter().zip(raw_blocks).enumerate() {
            let id = BlockId(position as u32);
            for (instruction, &raw) in block.instrs.iter().zip(raw_block) {
                match instruction {
                    Instruction::Alloca(alloca) if position == 0 => {
                        if let Some(scalar) = promotable(&mut self.context.layouts, raw) {
                            let slot = Slot { reg: self.take_registers(1), scalar };
                            self.slots.insert(&alloca.dest, slot);
                            continue;
                        }
                        self.bind(&alloca.dest, raw.ty())?;
                    }
                    Instruction::Phi(phi) => {
                        let bound = self.bind(&phi.dest, raw.ty())?;
                        self.register_phi(id, Phi { bound, source: phi, raw })?;
                    }
                    _ => {
                        if let Some(name) = instruction.try_get_result() {
                            self.bind(name, raw.ty())?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn register_phi(&mut self, block: BlockId, phi: Phi<'a, 'm>) -> Result<(), Misaligned> {
        let number = self.phis.len();
        for (position, (_, from)) in (0..).zip(&phi.source.incoming_values) {
            let from = self.block_ids.get(from).ok_or_else(|| Misaligned("a phi names no block".to_string()))?;
            let along = self.incoming.entry((*from, block)).or_default();
            // A switch with several cases to one block has several entries, all with the same value.
            if along.last().is_none_or(|&(last, _)| last != number) {
                along.push((number, position));
            }
        }
        self.phis.push(phi);
        Ok(())
    }

    fn bind(&mut self, name: &'a Name, ty: capi::Type<'m>) -> Result<Option<Bound>, Misaligned> {
        let ty = self.context.layouts.id(ty);
        let Some(count) = self.context.layouts.get(ty).leaves.as_ref().map(|leaves| leaves.len()) else {
            return Ok(None);
        };
        let bound = Bound { first: self.take_registers(count as u32), ty };
        if self.values.insert(name, bound).is_some() {
            return Err(Misaligned(format!("two values of one name, {name}")));
        }
        Ok(Some(bound))
    }

    fn take_registers(&mut self, count: u32) -> Reg {
        let first = Reg(self.next_register);
        self.next_register += count;
        first
    }

    fn lower_blocks(mut self, source: &'a llvm_ir::Function, raw_blocks: &[Vec<capi::Instruction<'m>>]) -> Body<'m> {
        let mut blocks = Vec::with_capacity(raw_blocks.len());
        for (position, (block, raw_block)) in source.basic_blocks.iter().zip(raw_blocks).enumerate() {
            self.block = BlockId(position as u32);
            let start = self.ops.len() as u32;
            let first_inst = InstId(self.insts.len() as u32);
            for (instruction, &raw) in block.instrs.iter().zip(raw_block) {
                self.result = instruction.try_get_result().and_then(|name| self.values.get(name).copied());
                self.lower_one(raw, opcode_name(instruction), |this| this.instruction(instruction));
            }
            if let Some(&raw) = raw_block.last() {
                self.result = None;
                self.lower_one(raw, super::terminator::opcode_name(&block.term), |this| this.terminator(&block.term));
            }
            let name = match &block.name {
                Name::Name(name) => name.as_str().into(),
                Name::Number(number) => number.to_string().into(),
            };
            let last_inst = InstId(self.insts.len() as u32 - 1);
            blocks.push(Block { start, end: self.ops.len() as u32, first_inst, last_inst, name });
        }
        Body {
            // An operation without a result still names a register, so there is always one.
            registers: (self.next_register + self.most_temporaries).max(1),
            constants: self.constants,
            ops: self.ops,
            op_inst: self.op_inst,
            blocks,
            insts: self.insts,
            allocas: self.allocas,
        }
    }

    /// Lowers one instruction; if that fails, what it has emitted gives way to an `Unsupported`.
    fn lower_one(
        &mut self,
        raw: capi::Instruction<'m>,
        opcode: &'static str,
        lower: impl FnOnce(&mut Self) -> Lowered<()>,
    ) {
        self.raw = Some(raw);
        self.temporaries = 0;
        let start = self.ops.len();
        let Origin { location, inlined_function, inlined_at } = self.context.debug.origin(raw);
        let ops = start as u32..start as u32;
        let result = self.result_registers();
        self.insts.push(Inst { location, inlined_function, inlined_at, block: self.block, ops, result, opcode });
        if let Err(what) = lower(self) {
            self.ops.truncate(start);
            self.op_inst.truncate(start);
            let what = self.context.unsupported(what);
            self.emit(Op::Unsupported { what });
        }
        let end = self.ops.len() as u32;
        if let Some(inst) = self.insts.last_mut() {
            inst.ops.end = end;
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        use Instruction::*;
        match instruction {
            Add(_) | Sub(_) | Mul(_) | UDiv(_) | SDiv(_) | URem(_) | SRem(_) | And(_) | Or(_) | Xor(_) | Shl(_)
            | LShr(_) | AShr(_) => self.integer_binary(instruction),
            FAdd(_) | FSub(_) | FMul(_) | FDiv(_) | FRem(_) => self.float_binary(instruction),
            FNeg(i) => self.float_negate(i),
            ICmp(i) => self.integer_compare(i),
            FCmp(i) => self.float_compare(i),
            Select(i) => self.select(i),
            Freeze(i) => self.copy(&i.operand),
            Trunc(i) => self.truncate(&i.operand),
            ZExt(i) => self.zero_extend(&i.operand),
            SExt(i) => self.sign_extend(&i.operand),
            FPTrunc(i) => self.float_cast(&i.operand),
            FPExt(i) => self.float_cast(&i.operand),
            FPToUI(i) => self.float_to_integer(&i.operand, false, false),
            FPToSI(i) => self.float_to_integer(&i.operand, true, false),
            UIToFP(i) => self.integer_to_float(&i.operand, false),
            SIToFP(i) => self.integer_to_float(&i.operand, true),
            PtrToInt(i) => self.resize(&i.operand),
            IntToPtr(i) => self.resize(&i.operand),
            BitCast(i) => self.bit_cast(&i.operand),
            AddrSpaceCast(_) => Err(Unsupported("addrspacecast".to_string())),
            ExtractElement(i) => self.extract_element(i),
            InsertElement(i) => self.insert_element(i),
            ShuffleVector(i) => self.shuffle_vector(i),
            ExtractValue(i) => self.extract_value(i),
            InsertValue(i) => self.insert_value(i),
            Alloca(i) => self.alloca(i),
            Load(i) => self.load(i),
            Store(i) => self.store(i),
            Fence(_) => Ok(()),
            CmpXchg(i) => self.compare_exchange(i),
            AtomicRMW(i) => self.atomic_rmw(i),
            GetElementPtr(i) => self.gep(i),
            Phi(_) => self.result().map(|_| ()),
            Call(i) => self.call(i),
            VAArg(_) => Err(Unsupported("the va_arg instruction".to_string())),
            LandingPad(_) | CatchPad(_) | CleanupPad(_) => Err(Unsupported("exception handling".to_string())),
        }
    }
}

/// What the lowering of each instruction is written with.
impl<'a, 'm> FunctionLowering<'_, 'a, 'm> {
    pub(super) fn emit(&mut self, op: Op) {
        self.ops.push(op);
        self.op_inst.push(InstId(self.insts.len() as u32 - 1));
    }

    pub(super) fn temporary(&mut self) -> Reg {
        self.temporary_run(1)
    }

    /// Consecutive temporaries.
    pub(super) fn temporary_run(&mut self, count: u32) -> Reg {
        let register = Reg(self.next_register + self.temporaries);
        self.temporaries += count;
        self.most_temporaries = self.most_temporaries.max(self.temporaries);
        register
    }

    pub(super) fn constant(&mut self, constant: Const) -> Operand {
        let constants = &mut self.constants;
        let id = *self.constant_ids.entry(constant).or_insert_with_key(|constant| {
            constants.push(constant.clone());
            constants.len() as u32 - 1
        });
        Operand::constant(id as usize)
    }

    pub(super) fn int(&mut self, width: u8, value: u128) -> Operand {
        self.constant(crate::constant::integer(width, value))
    }

    /// The number that an operand is, if it is a constant one.
    pub(super) fn known(&self, operand: Operand) -> Option<u128> {
        match self.constants.get(operand.as_constant()?)? {
            Const::Int { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The function that an operand is the address of.
    pub(super) fn function_at(&self, operand: Operand) -> Option<FuncId> {
        match self.constants.get(operand.as_constant()?)? {
            Const::Function(function) => Some(*function),
            _ => None,
        }
    }

    /// Operand `index` of the current instruction, in LLVM's own numbering.
    pub(super) fn raw_operand(&self, index: u32) -> Lowered<capi::Value<'m>> {
        self.raw.and_then(|raw| raw.operand(index)).ok_or_else(|| Unsupported("an operand that is missing".to_string()))
    }

    /// The scalars of an operand. `index` is its position among LLVM's operands, where constants are read from.
    ///
    /// Each of the scalars is a value of its own: a wide integer is refused, lest its limbs be taken for lanes.
    pub(super) fn value(&mut self, operand: &llvm_ir::Operand, index: u32) -> Lowered<Value> {
        let value = self.any_value(operand, index)?;
        self.refuse_limbs(value.ty)?;
        Ok(value)
    }

    fn refuse_limbs(&self, ty: TypeId) -> Lowered<()> {
        if self.context.layouts.get(ty).has_limbs {
            return Err(Unsupported(format!("this operation on {}", self.context.layouts.describe(ty))));
        }
        Ok(())
    }

    /// [`Self::value`] for operations that only move scalars, or that know of limbs.
    pub(super) fn any_value(&mut self, operand: &llvm_ir::Operand, index: u32) -> Lowered<Value> {
        match operand {
            llvm_ir::Operand::LocalOperand { name, .. } => self.local(name, index),
            llvm_ir::Operand::ConstantOperand(_) => {
                let constant = self.raw_operand(index)?;
                self.constant_value(constant)
            }
            llvm_ir::Operand::MetadataOperand => Err(Unsupported("metadata as an operand".to_string())),
        }
    }

    fn local(&mut self, name: &Name, index: u32) -> Lowered<Value> {
        if let Some(&Bound { first, ty }) = self.values.get(name) {
            let count = self.leaves(ty)?.len() as u32;
            return Ok(Value { ty, parts: (0..count).map(|i| Operand::reg(Reg(first.0 + i))).collect() });
        }
        let ty = self.raw_operand(index)?.ty();
        Err(Unsupported(format!("a value of type {}", ty.describe())))
    }

    pub(super) fn constant_value(&mut self, constant: capi::Value<'m>) -> Lowered<Value> {
        let (ty, scalars) = self.context.constant(constant)?;
        Ok(Value { ty, parts: scalars.into_iter().map(|scalar| self.constant(scalar)).collect() })
    }

    /// The operand, which must be a single scalar.
    pub(super) fn scalar(&mut self, operand: &llvm_ir::Operand, index: u32) -> Lowered<(Operand, Scalar)> {
        let value = self.value(operand, index)?;
        let leaves = self.leaves(value.ty)?;
        match (value.parts.as_slice(), &leaves[..]) {
            ([part], [leaf]) => Ok((*part, leaf.scalar)),
            _ => Err(Unsupported(format!("a value of type {} here", self.context.layouts.describe(value.ty)))),
        }
    }

    /// The slot that a pointer operand stands for, if it is a promoted local.
    pub(super) fn slot(&self, operand: &llvm_ir::Operand) -> Option<Slot> {
        match operand {
            llvm_ir::Operand::LocalOperand { name, .. } => self.slots.get(name).copied(),
            _ => None,
        }
    }

    pub(super) fn slot_of(&self, name: &Name) -> Option<Slot> {
        self.slots.get(name).copied()
    }

    fn result_registers(&self) -> std::ops::Range<u32> {
        let Some(Bound { first, ty }) = self.result else { return 0..0 };
        let count = self.context.layouts.get(ty).leaves.as_ref().map_or(0, |leaves| leaves.len());
        first.0..first.0 + count as u32
    }

    pub(super) fn note_alloca(&mut self, slot: Option<Reg>) {
        if let (Some(slot), Some(inst)) = (slot, self.insts.last_mut()) {
            inst.result = slot.0..slot.0 + 1;
        }
        if let Some(raw) = self.raw {
            let inst = InstId(self.insts.len() as u32 - 1);
            self.allocas.push(AllocaPlace { value: raw.value(), slot, inst });
        }
    }

    pub(super) fn leaves(&self, ty: TypeId) -> Lowered<Rc<[Leaf]>> {
        let leaves = self.context.layouts.get(ty).leaves.clone();
        leaves.ok_or_else(|| Unsupported(format!("a value of type {}", self.context.layouts.describe(ty))))
    }

    /// Where the result of the current instruction goes.
    pub(super) fn result(&self) -> Lowered<Bound> {
        self.result.ok_or_else(|| {
            let ty = self.raw.map(|raw| raw.ty().describe()).unwrap_or_default();
            Unsupported(format!("a value of type {ty}"))
        })
    }

    /// The result's registers with their scalars, each a value of its own.
    pub(super) fn result_lanes(&self) -> Lowered<Vec<(Reg, Scalar)>> {
        self.refuse_limbs(self.result()?.ty)?;
        self.any_result_lanes()
    }

    /// [`Self::result_lanes`] for operations that only move scalars, or that know of limbs.
    pub(super) fn any_result_lanes(&self) -> Lowered<Vec<(Reg, Scalar)>> {
        let Bound { first, ty } = self.result()?;
        Ok((first.0..).zip(self.leaves(ty)?.iter()).map(|(reg, leaf)| (Reg(reg), leaf.scalar)).collect())
    }

    /// Moves each operand into the result's register of the same position.
    pub(super) fn move_to_result(&mut self, parts: &[Operand]) -> Lowered<()> {
        let lanes = self.any_result_lanes()?;
        if lanes.len() != parts.len() {
            return Err(Unsupported("values of unequal shape".to_string()));
        }
        for ((dst, _), &src) in lanes.into_iter().zip(parts) {
            self.emit(Op::Move { dst, src });
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, operand: &llvm_ir::Operand) -> Lowered<()> {
        let value = self.any_value(operand, 0)?;
        self.move_to_result(&value.parts)
    }

    pub(super) fn block_named(&self, name: &Name) -> Lowered<BlockId> {
        self.block_ids.get(name).copied().ok_or_else(|| Unsupported("a jump to no block".to_string()))
    }

    /// The jump from the current block, with the moves that the target's phis make of it.
    pub(super) fn edge(&mut self, target: &Name) -> Lowered<Edge> {
        let target = self.block_named(target)?;
        let mut moves = Vec::new();
        for (number, position) in self.incoming.get(&(self.block, target)).cloned().unwrap_or_default() {
            let (bound, raw, source) = {
                let phi = &self.phis[number];
                (phi.bound, phi.raw, phi.source)
            };
            // A phi whose type cannot be expressed ends the path in its own block.
            let Some(bound) = bound else { continue };
            let value = match &source.incoming_values[position as usize].0 {
                llvm_ir::Operand::LocalOperand { name, .. } => self.local(name, 0)?,
                _ => {
                    let constant = raw.incoming(position);
                    let missing = || Unsupported("a phi without a value".to_string());
                    self.constant_value(constant.ok_or_else(missing)?)?
                }
            };
            moves.extend((bound.first.0..).zip(value.parts).map(|(reg, part)| (Reg(reg), part)));
        }
        Ok(Edge { target, moves })
    }
}

macro_rules! names {
    ($value:expr, $($variant:ident => $name:literal),* $(,)?) => {
        match $value { $(Instruction::$variant(_) => $name),* }
    };
}

fn opcode_name(instruction: &Instruction) -> &'static str {
    names!(instruction,
        Add => "add", Sub => "sub", Mul => "mul", UDiv => "udiv", SDiv => "sdiv", URem => "urem", SRem => "srem",
        And => "and", Or => "or", Xor => "xor", Shl => "shl", LShr => "lshr", AShr => "ashr",
        FAdd => "fadd", FSub => "fsub", FMul => "fmul", FDiv => "fdiv", FRem => "frem", FNeg => "fneg",
        ExtractElement => "extractelement", InsertElement => "insertelement", ShuffleVector => "shufflevector",
        ExtractValue => "extractvalue", InsertValue => "insertvalue",
        Alloca => "alloca", Load => "load", Store => "store", Fence => "fence", CmpXchg => "cmpxchg",
        AtomicRMW => "atomicrmw", GetElementPtr => "getelementptr",
        Trunc => "trunc", ZExt => "zext", SExt => "sext", FPTrunc => "fptrunc", FPExt => "fpext",
        FPToUI => "fptoui", FPToSI => "fptosi", UIToFP => "uitofp", SIToFP => "sitofp",
        PtrToInt => "ptrtoint", IntToPtr => "inttoptr", BitCast => "bitcast", AddrSpaceCast => "addrspacecast",
        ICmp => "icmp", FCmp => "fcmp", Phi => "phi", Select => "select", Freeze => "freeze", Call => "call",
        VAArg => "va_arg", LandingPad => "landingpad", CatchPad => "catchpad", CleanupPad => "cleanuppad",
    )
}
