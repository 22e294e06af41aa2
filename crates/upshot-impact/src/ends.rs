//! Which operations may end a path, and which values decide it.
//!
//! A division, a shift, an access to memory, an assumption: what follows runs only if they pass, so they are branches in disguise. The cost of that
//! is kept down here, where an operation provably cannot fail: a constant divisor other than 0 and -1, a shift by less than the width,
//! an access to a variable within its bounds, at a constant place or at an index whose range is known.

use crate::extents::Extent;
use upshot_ir::{BinOp, Const, Function, Intrinsic, Op, Operand, Program, Reg};

/// Whether operations may fail, and loops and recursions may not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failures {
    Possible,
    /// Only what the program says ends a path: `exit`, `abort`, an assumption.
    RuledOut,
}

/// The one operation that computes each register, where there is but one.
pub(crate) struct Definitions {
    writer: Vec<Option<u32>>,
    /// What is behind parameters, where that is known.
    pub(crate) parameters: Vec<(Reg, Extent)>,
}

impl Definitions {
    pub(crate) fn new(function: &Function) -> Self {
        let mut writer = vec![None; function.registers as usize];
        let mut several = vec![false; function.registers as usize];
        for (number, op) in (0..).zip(&function.ops) {
            let moved = upshot_ir::edges(op).into_iter().flat_map(|edge| edge.moves.iter().map(|(reg, _)| *reg));
            for reg in upshot_ir::accesses(op).0.into_iter().chain(moved) {
                several[reg.index()] |= writer[reg.index()].is_some();
                writer[reg.index()] = Some(number);
            }
        }
        for (writer, several) in writer.iter_mut().zip(several) {
            if several {
                *writer = None;
            }
        }
        Definitions { writer, parameters: Vec::new() }
    }

    /// The value of a slot that is written once, in the first block of the function, before anything else can read it.
    fn first_value(&self, function: &Function, slot: Reg) -> Option<Operand> {
        let number = self.writer[slot.index()]?;
        let first = function.blocks.first()?;
        match &function.ops[number as usize] {
            Op::Move { src, .. } if number < first.end => {
                let reads = |op: &Op| upshot_ir::accesses(op).1.contains(&Operand::reg(slot));
                let before = &function.ops[first.start as usize..number as usize];
                (!before.iter().any(reads)).then_some(*src)
            }
            _ => None,
        }
    }

    fn op<'f>(&self, function: &'f Function, reg: Reg) -> Option<&'f Op> {
        self.writer[reg.index()].map(|op| &function.ops[op as usize])
    }
}

/// Looks at one function.
pub(crate) struct Ends<'a> {
    pub(crate) program: &'a Program,
    pub(crate) function: &'a Function,
    pub(crate) definitions: &'a Definitions,
    pub(crate) failures: Failures,
}

/// How deep a computation is followed.
pub(crate) const DEEPEST: u32 = 12;

impl Ends<'_> {
    /// The operands that decide whether the operation ends the path; `None` where it cannot. Calls are decided elsewhere.
    pub(crate) fn deciders(&self, op: &Op) -> Option<Vec<Operand>> {
        if self.failures == Failures::RuledOut && !ends_on_purpose(op) {
            return None;
        }
        match op {
            Op::Bin { op, width, a, b, .. } => self.arithmetic(*op, *width, *a, *b),
            Op::Load { ptr, disp, scalar, .. } => {
                (!self.within(*ptr, *disp, scalar.store_size(), false)).then(|| vec![*ptr])
            }
            Op::Store { ptr, disp, scalar, .. } => {
                (!self.within(*ptr, *disp, scalar.store_size(), true)).then(|| vec![*ptr])
            }
            Op::AtomicRmw { ptr, scalar, .. } | Op::CompareExchange { ptr, scalar, .. } => {
                (!self.within(*ptr, 0, scalar.store_size(), true)).then(|| vec![*ptr])
            }
            Op::Alloca { count, .. } => self.constant(*count).is_none().then(|| vec![*count]),
            Op::Intrinsic { which, args, .. } => self.intrinsic(*which, args),
            Op::IndirectJump { address, .. } => Some(vec![*address]),
            Op::Unsupported { .. } => Some(Vec::new()),
            _ => None,
        }
    }

    fn arithmetic(&self, op: BinOp, width: u8, a: Operand, b: Operand) -> Option<Vec<Operand>> {
        let least = self.range(b, DEEPEST).0;
        match op {
            BinOp::UDiv | BinOp::URem => (least == 0).then(|| vec![b]),
            BinOp::SDiv | BinOp::SRem => {
                let most = self.range(b, DEEPEST).1;
                let safe = least > 0 && most < all_ones(width);
                (!safe).then(|| vec![a, b])
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => (self.range(b, DEEPEST).1 >= u128::from(width)).then(|| vec![b]),
            _ => None,
        }
    }

    fn intrinsic(&self, which: Intrinsic, args: &[Operand]) -> Option<Vec<Operand>> {
        match (which, args) {
            (Intrinsic::MemCpy | Intrinsic::MemMove | Intrinsic::MemSet, [to, from, length]) => {
                let bytes = self.constant(*length).and_then(|length| u32::try_from(length).ok());
                let source = which == Intrinsic::MemSet;
                let safe = bytes.is_some_and(|bytes| {
                    bytes == 0 || self.within(*to, 0, bytes, true) && (source || self.within(*from, 0, bytes, false))
                });
                (!safe).then(|| if source { vec![*to, *length] } else { vec![*to, *from, *length] })
            }
            (Intrinsic::Assume, [condition]) => Some(vec![*condition]),
            (Intrinsic::VaStart | Intrinsic::VaEnd, [list]) => (!self.within(*list, 0, 24, true)).then(|| vec![*list]),
            (Intrinsic::VaCopy, [to, from]) => Some(vec![*to, *from]),
            (Intrinsic::Trap, _) => Some(Vec::new()),
            (Intrinsic::LongJmp | Intrinsic::SetJmp, _) => Some(args.to_vec()),
            (Intrinsic::StackRestore, [token]) => Some(vec![*token]),
            _ => None,
        }
    }

    fn constant(&self, operand: Operand) -> Option<u128> {
        match self.function.constants.get(operand.as_constant()?)? {
            Const::Int { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Whether an access is to a variable that is there, within its bounds.
    pub(crate) fn within(&self, pointer: Operand, offset: u32, size: u32, write: bool) -> bool {
        let Some(base) = self.base(pointer, DEEPEST) else { return false };
        let (low, high) = (base.low + i128::from(offset), base.high + i128::from(offset) + i128::from(size));
        low >= 0 && high <= i128::from(base.size) && !(write && base.constant)
    }

    /// The variable that an address points into, and where.
    pub(crate) fn base(&self, pointer: Operand, depth: u32) -> Option<Base> {
        if let Some(index) = pointer.as_constant() {
            let Some(Const::Global { global, offset }) = self.function.constants.get(index) else { return None };
            let global = self.program.global(*global);
            let at = i128::from(*offset);
            return Some(Base { size: global.size, constant: global.is_constant, low: at, high: at });
        }
        let depth = depth.checked_sub(1)?;
        let reg = pointer.as_reg()?;
        if let Some((_, extent)) = self.definitions.parameters.iter().find(|(parameter, _)| *parameter == reg) {
            return Some(Base { size: extent.size, constant: extent.constant, low: 0, high: 0 });
        }
        match self.definitions.op(self.function, reg)? {
            Op::SlotLoad { slot, .. } if !self.definitions.parameters.is_empty() => {
                self.base(self.definitions.first_value(self.function, *slot)?, depth)
            }
            Op::Move { src, .. } => self.base(*src, depth),
            Op::Alloca { size, count, .. } => {
                let count = u64::try_from(self.constant(*count)?).ok()?;
                Some(Base { size: size.checked_mul(count)?, constant: false, low: 0, high: 0 })
            }
            Op::Displace { base, disp, .. } => {
                let base = self.base(*base, depth)?;
                Some(Base { low: base.low + i128::from(*disp), high: base.high + i128::from(*disp), ..base })
            }
            Op::Offset(step) => {
                let base = self.base(step.base, depth)?;
                let (least, most) = self.range(step.index, depth);
                let negative = u128::from(most >= 1 << (u32::from(step.index_width) - 1).min(126));
                if negative != 0 || step.scale < 0 || most > 1 << 40 {
                    return None;
                }
                let at = |index: u128| index as i128 * i128::from(step.scale) + i128::from(step.disp);
                Some(Base { low: base.low + at(least), high: base.high + at(most), ..base })
            }
            _ => None,
        }
    }

    /// The least and greatest value of an operand, as an unsigned number.
    fn range(&self, operand: Operand, depth: u32) -> (u128, u128) {
        const ANY: (u128, u128) = (0, u128::MAX);
        if let Some(value) = self.constant(operand) {
            return (value, value);
        }
        let (Some(reg), Some(depth)) = (operand.as_reg(), depth.checked_sub(1)) else { return ANY };
        let Some(op) = self.definitions.op(self.function, reg) else { return ANY };
        match op {
            Op::Move { src, .. } => self.range(*src, depth),
            Op::ZExt { from, a, .. } => {
                let (least, most) = self.range(*a, depth);
                (least, most.min(all_ones(*from)))
            }
            Op::SExt { from, a, .. } => {
                let (least, most) = self.range(*a, depth);
                if most <= all_ones(*from) >> 1 { (least, most) } else { ANY }
            }
            Op::Bin { op: BinOp::And, a, b, .. } => (0, self.range(*a, depth).1.min(self.range(*b, depth).1)),
            Op::Bin { op: BinOp::Add, width, a, b, .. } => {
                let (a, b) = (self.range(*a, depth), self.range(*b, depth));
                match a.1.checked_add(b.1) {
                    Some(most) if most <= all_ones(*width) => (a.0 + b.0, most),
                    _ => ANY,
                }
            }
            Op::Bin { op: BinOp::Mul, width, a, b, .. } => {
                let (a, b) = (self.range(*a, depth), self.range(*b, depth));
                match a.1.checked_mul(b.1) {
                    Some(most) if most <= all_ones(*width) => (a.0 * b.0, most),
                    _ => ANY,
                }
            }
            Op::Bin { op: BinOp::Or, a, b, .. } => {
                let (a, b) = (self.range(*a, depth), self.range(*b, depth));
                (a.0.max(b.0), up_to_ones(a.1 | b.1))
            }
            Op::Bin { op: BinOp::Xor, a, b, .. } => (0, up_to_ones(self.range(*a, depth).1 | self.range(*b, depth).1)),
            Op::Trunc { to, a, .. } => {
                let (least, most) = self.range(*a, depth);
                if most <= all_ones(*to) { (least, most) } else { (0, all_ones(*to)) }
            }
            Op::Bin { op: BinOp::URem, a, b, .. } => {
                let (most, divisor) = (self.range(*a, depth).1, self.range(*b, depth));
                if divisor.0 == 0 { ANY } else { (0, most.min(divisor.1 - 1)) }
            }
            Op::Bin { op: BinOp::LShr, width, b, .. } => {
                let by = u32::try_from(self.range(*b, depth).0).unwrap_or(0).min(127);
                (0, all_ones(*width) >> by)
            }
            Op::Cmp { .. } | Op::FloatCmp { .. } => (0, 1),
            Op::Select { a, b, .. } => {
                let (a, b) = (self.range(*a, depth), self.range(*b, depth));
                (a.0.min(b.0), a.1.max(b.1))
            }
            _ => ANY,
        }
    }
}

/// Whether the program asks for the path to end, or not to go on here.
fn ends_on_purpose(op: &Op) -> bool {
    use Intrinsic::{Assume, LongJmp, SetJmp, Trap};
    matches!(op, Op::Intrinsic { which: Assume | Trap | LongJmp | SetJmp, .. } | Op::Unsupported { .. })
}

#[derive(Clone, Copy)]
pub(crate) struct Base {
    pub(crate) size: u64,
    pub(crate) constant: bool,
    /// The address is between these offsets.
    pub(crate) low: i128,
    pub(crate) high: i128,
}

/// The least number of ones only that is not less.
fn up_to_ones(value: u128) -> u128 {
    all_ones((128 - value.leading_zeros()) as u8)
}

fn all_ones(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}
