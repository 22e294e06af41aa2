//! Constants: LLVM's, split into scalars, with addresses left symbolic until memory is laid out.
//!
//! They are read through LLVM's C API, never through llvm-ir, which cuts wide integers and forgets the bits of
//! most float formats. Constant arithmetic over addresses folds into an offset where it can and stays a
//! [`Const::Expr`] where only the layout of memory can tell.

use crate::capi::{ConstantKind, Linkage, Opcode, Value};
use crate::layout::{Shape, TypeId};
use crate::lower::{Context, Lowered, Unsupported};
use crate::program::{BinOp, BlockId, Const, ConstOp, Initializer, Scalar};

impl<'m> Context<'m> {
    /// The scalars of a constant, in the order of its type's leaves.
    pub(crate) fn constant(&mut self, value: Value<'m>) -> Lowered<(TypeId, Vec<Const>)> {
        let ty = self.layouts.id(value.ty());
        let mut scalars = Vec::new();
        self.flatten(value, ty, &mut scalars)?;
        Ok((ty, scalars))
    }

    fn flatten(&mut self, value: Value<'m>, ty: TypeId, into: &mut Vec<Const>) -> Lowered<()> {
        let layout = self.layouts.get(ty);
        if let Shape::Scalar(scalar) = layout.shape {
            into.push(self.scalar_constant(value, scalar)?);
            return Ok(());
        }
        let Some(leaves) = layout.leaves.clone() else {
            return Err(Unsupported(format!("a value of type {}", self.layouts.describe(ty))));
        };
        match value.constant_kind() {
            ConstantKind::Integer => {
                let bytes = value.integer_bytes().ok_or_else(|| unreadable(value))?;
                for (limb, leaf) in bytes.chunks(8).zip(leaves.iter()) {
                    let bits = limb.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
                    into.push(integer(leaf.scalar.width(), bits));
                }
            }
            ConstantKind::Zero => into.extend(leaves.iter().map(|leaf| zero(leaf.scalar))),
            ConstantKind::Undef => {
                into.extend(leaves.iter().map(|leaf| Const::Undef { width: leaf.scalar.width() }));
            }
            ConstantKind::Bytes(bytes) => into.extend(bytes.iter().map(|&byte| integer(8, u128::from(byte)))),
            ConstantKind::Aggregate => {
                for index in 0..self.element_count(ty) {
                    let element = value.element(index).ok_or_else(|| unreadable(value))?;
                    let inner = self.layouts.id(element.ty());
                    self.flatten(element, inner, into)?;
                }
            }
            ConstantKind::Expression(opcode) => into.extend(self.aggregate_expression(value, opcode)?),
            _ => return Err(unreadable(value)),
        }
        Ok(())
    }

    fn element_count(&self, ty: TypeId) -> u32 {
        match &self.layouts.get(ty).shape {
            Shape::Struct { fields } => fields.len() as u32,
            Shape::Array { count, .. } => u32::try_from(*count).unwrap_or(u32::MAX),
            Shape::Vector { count, .. } => *count,
            _ => 0,
        }
    }

    fn scalar_constant(&mut self, value: Value<'m>, scalar: Scalar) -> Lowered<Const> {
        let width = scalar.width();
        Ok(match value.constant_kind() {
            ConstantKind::Integer => integer(width, value.integer().ok_or_else(|| unreadable(value))?),
            ConstantKind::Float => integer(width, value.float_bits().ok_or_else(|| unreadable(value))?),
            ConstantKind::Null | ConstantKind::Zero => integer(width, 0),
            ConstantKind::Undef => Const::Undef { width },
            ConstantKind::Function => Const::Function(*self.functions.get(&value).ok_or_else(|| unreadable(value))?),
            // A weak reference that nobody defined is null.
            ConstantKind::Global if value.linkage() == Linkage::LLVMExternalWeakLinkage => integer(width, 0),
            ConstantKind::Global => {
                let global = *self.globals.get(&value).ok_or_else(|| unreadable(value))?;
                Const::Global { global, offset: 0 }
            }
            ConstantKind::Alias(target) => self.scalar_constant(target, scalar)?,
            ConstantKind::BlockAddress(function, block) => {
                let position = function.blocks().iter().position(|&b| b == block).ok_or_else(|| unreadable(value))?;
                let function = *self.functions.get(&function).ok_or_else(|| unreadable(value))?;
                Const::Block(function, BlockId(position as u32))
            }
            ConstantKind::Expression(opcode) => self.expression(value, opcode, width)?,
            ConstantKind::Bytes(_) | ConstantKind::Aggregate | ConstantKind::Other => return Err(unreadable(value)),
        })
    }

    fn expression(&mut self, value: Value<'m>, opcode: Opcode, width: u8) -> Lowered<Const> {
        use Opcode::*;
        match opcode {
            LLVMGetElementPtr => self.constant_gep(value, 0),
            LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMTrunc | LLVMZExt => {
                let (from, inner) = self.scalar_operand(value, 0)?;
                Ok(resize(inner, from, width))
            }
            LLVMAdd => self.binary(value, BinOp::Add, width),
            LLVMSub => self.binary(value, BinOp::Sub, width),
            LLVMMul => self.binary(value, BinOp::Mul, width),
            LLVMShl => self.binary(value, BinOp::Shl, width),
            LLVMXor => self.binary(value, BinOp::Xor, width),
            LLVMExtractElement => self.aggregate_expression(value, opcode)?.pop().ok_or_else(|| unreadable(value)),
            _ => Err(unreadable(value)),
        }
    }

    /// Constant expressions that move whole lanes.
    fn aggregate_expression(&mut self, value: Value<'m>, opcode: Opcode) -> Lowered<Vec<Const>> {
        if opcode == Opcode::LLVMGetElementPtr {
            let ty = self.layouts.id(value.ty());
            return (0..self.element_count(ty) as usize).map(|lane| self.constant_gep(value, lane)).collect();
        }
        let operand = |index| value.constant_operand(index).ok_or_else(|| unreadable(value));
        let lane = |index| -> Lowered<usize> {
            operand(index)?.integer().and_then(|i| usize::try_from(i).ok()).ok_or_else(|| unreadable(value))
        };
        let (_, mut lanes) = self.constant(operand(0)?)?;
        match opcode {
            Opcode::LLVMExtractElement => Ok(vec![lanes.get(lane(1)?).cloned().ok_or_else(|| unreadable(value))?]),
            Opcode::LLVMInsertElement => {
                let (_, inserted) = self.constant(operand(1)?)?;
                let place = lanes.get_mut(lane(2)?).ok_or_else(|| unreadable(value))?;
                *place = inserted.into_iter().next().ok_or_else(|| unreadable(value))?;
                Ok(lanes)
            }
            _ => Err(unreadable(value)),
        }
    }

    fn scalar_operand(&mut self, value: Value<'m>, index: u32) -> Lowered<(u8, Const)> {
        let operand = value.constant_operand(index).ok_or_else(|| unreadable(value))?;
        let (ty, mut scalars) = self.constant(operand)?;
        match (&self.layouts.get(ty).shape, scalars.pop()) {
            (Shape::Scalar(scalar), Some(constant)) => Ok((scalar.width(), constant)),
            _ => Err(unreadable(value)),
        }
    }

    fn binary(&mut self, value: Value<'m>, op: BinOp, width: u8) -> Lowered<Const> {
        let (_, a) = self.scalar_operand(value, 0)?;
        let (_, b) = self.scalar_operand(value, 1)?;
        Ok(fold(op, width, a, b))
    }

    /// The operand itself where it is a scalar, else one lane of it.
    fn lane_operand(&mut self, value: Value<'m>, index: u32, lane: usize) -> Lowered<(u8, Const)> {
        let operand = value.constant_operand(index).ok_or_else(|| unreadable(value))?;
        let (ty, mut scalars) = self.constant(operand)?;
        if !matches!(self.layouts.get(ty).shape, Shape::Vector { .. }) {
            return self.scalar_operand(value, index);
        }
        let leaves = self.layouts.get(ty).leaves.clone().ok_or_else(|| unreadable(value))?;
        match leaves.get(lane) {
            Some(leaf) if lane < scalars.len() => Ok((leaf.scalar.width(), scalars.swap_remove(lane))),
            _ => Err(unreadable(value)),
        }
    }

    /// The address that a constant `getelementptr` computes; of vectors, in one lane.
    fn constant_gep(&mut self, value: Value<'m>, lane: usize) -> Lowered<Const> {
        let (_, mut address) = self.lane_operand(value, 0, lane)?;
        let source = value.gep_source_type().ok_or_else(|| unreadable(value))?;
        let mut at = self.layouts.id(source);
        let mut offset: i64 = 0;
        for index in 1..value.constant_operand_count() {
            let (width, index_value) = self.lane_operand(value, index, lane)?;
            let scale = match (index, &self.layouts.get(at).shape) {
                (1, _) => self.layouts.get(at).size,
                (_, Shape::Struct { .. }) => {
                    let Const::Int { value: field, .. } = index_value else { return Err(unreadable(value)) };
                    let (next, place) = self.layouts.step(at, field as u64).ok_or_else(|| unreadable(value))?;
                    at = next;
                    offset = offset.wrapping_add(place as i64);
                    continue;
                }
                _ => {
                    let (next, _) = self.layouts.step(at, 0).ok_or_else(|| unreadable(value))?;
                    at = next;
                    self.layouts.get(at).size
                }
            };
            match index_value {
                Const::Int { value: steps, .. } => {
                    let steps = sign_extend(steps, width);
                    offset = offset.wrapping_add((steps as i64).wrapping_mul(scale as i64));
                }
                other => {
                    let steps = if width < 64 {
                        Const::Expr { op: ConstOp::SExt { from: width }, width: 64, args: vec![other] }
                    } else {
                        resize(other, width, 64)
                    };
                    let bytes = fold(BinOp::Mul, 64, steps, integer(64, u128::from(scale)));
                    address = fold(BinOp::Add, 64, address, bytes);
                }
            }
        }
        Ok(fold(BinOp::Add, 64, address, integer(64, u128::from(offset as u64))))
    }
}

/// Global initializers.
impl<'m> Context<'m> {
    /// The bytes of a global's initializer; padding and undefined parts are zero, as the linker leaves them.
    pub(crate) fn initializer(&mut self, value: Value<'m>, size: u64) -> Lowered<Initializer> {
        let mut initializer = Initializer { bytes: vec![0; size as usize], relocations: Vec::new() };
        self.write(value, 0, &mut initializer)?;
        Ok(initializer)
    }

    fn write(&mut self, value: Value<'m>, offset: u64, into: &mut Initializer) -> Lowered<()> {
        match value.constant_kind() {
            ConstantKind::Zero | ConstantKind::Undef | ConstantKind::Null => return Ok(()),
            ConstantKind::Bytes(bytes) => return put(into, offset, bytes),
            ConstantKind::Integer if value.integer().is_none() => {
                let bytes = value.integer_bytes().ok_or_else(|| unreadable(value))?;
                return put(into, offset, &bytes);
            }
            _ => {}
        }
        let ty = self.layouts.id(value.ty());
        let layout = self.layouts.get(ty);
        if let Shape::Scalar(scalar) = layout.shape {
            let constant = self.scalar_constant(value, scalar)?;
            return match constant {
                Const::Int { value, .. } => put(into, offset, &value.to_le_bytes()[..scalar.store_size() as usize]),
                Const::Undef { .. } => Ok(()),
                address => {
                    into.relocations.push((offset, scalar.width(), address));
                    Ok(())
                }
            };
        }
        if layout.bit_packed {
            return self.write_packed(value, offset, into);
        }
        for index in 0..self.element_count(ty) {
            let element = value.element(index).ok_or_else(|| unreadable(value))?;
            let place = match &self.layouts.get(ty).shape {
                Shape::Vector { element, .. } => u64::from(index) * (self.layouts.get(*element).bits / 8),
                _ => self.layouts.step(ty, u64::from(index)).ok_or_else(|| unreadable(value))?.1,
            };
            self.write(element, offset + place, into)?;
        }
        Ok(())
    }

    fn write_packed(&mut self, value: Value<'m>, offset: u64, into: &mut Initializer) -> Lowered<()> {
        let (_, lanes) = self.constant(value)?;
        let mut bits: Vec<bool> = Vec::new();
        for lane in lanes {
            let (width, value) = match lane {
                Const::Int { width, value } => (width, value),
                Const::Undef { width } => (width, 0),
                _ => return Err(unreadable_text("an address in a vector of bits")),
            };
            bits.extend((0..width).map(|bit| value >> bit & 1 != 0));
        }
        let byte = |chunk: &[bool]| chunk.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
        put(into, offset, &bytes)
    }
}

fn put(into: &mut Initializer, offset: u64, bytes: &[u8]) -> Lowered<()> {
    let start = offset as usize;
    let place = into.bytes.get_mut(start..start + bytes.len());
    place.ok_or_else(|| unreadable_text("an initializer larger than its global"))?.copy_from_slice(bytes);
    Ok(())
}

fn unreadable(value: Value<'_>) -> Unsupported {
    let mut text = value.describe();
    if let Some((cut, _)) = text.char_indices().nth(120) {
        text.truncate(cut);
        text.push('…');
    }
    Unsupported(format!("the constant {text}"))
}

fn unreadable_text(what: &str) -> Unsupported {
    Unsupported(what.to_string())
}

pub(crate) fn integer(width: u8, value: u128) -> Const {
    Const::Int { width, value: mask(value, width) }
}

fn zero(scalar: Scalar) -> Const {
    integer(scalar.width(), 0)
}

pub(crate) fn mask(value: u128, width: u8) -> u128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

fn sign_extend(value: u128, width: u8) -> i128 {
    let unused = 128 - u32::from(width);
    ((value << unused) as i128) >> unused
}

fn resize(constant: Const, from: u8, to: u8) -> Const {
    match constant {
        Const::Int { value, .. } => integer(to, value),
        Const::Undef { .. } => Const::Undef { width: to },
        other if from == to => other,
        other => {
            let op = if from < to { ConstOp::ZExt } else { ConstOp::Trunc };
            Const::Expr { op, width: to, args: vec![other] }
        }
    }
}

fn fold(op: BinOp, width: u8, a: Const, b: Const) -> Const {
    use Const::{Global, Int};
    match (op, &a, &b) {
        (BinOp::Add | BinOp::Sub, _, Int { value: 0, .. }) => a,
        (BinOp::Add, Int { value: 0, .. }, _) => b,
        (BinOp::Add, Int { value: x, .. }, Int { value: y, .. }) => integer(width, x.wrapping_add(*y)),
        (BinOp::Sub, Int { value: x, .. }, Int { value: y, .. }) => integer(width, x.wrapping_sub(*y)),
        (BinOp::Mul, Int { value: x, .. }, Int { value: y, .. }) => integer(width, x.wrapping_mul(*y)),
        (BinOp::Xor, Int { value: x, .. }, Int { value: y, .. }) => integer(width, x ^ y),
        (BinOp::Shl, Int { value: x, .. }, Int { value: y, .. }) if *y < u128::from(width) => integer(width, x << *y),
        (BinOp::Add, Global { global, offset }, Int { value, .. })
        | (BinOp::Add, Int { value, .. }, Global { global, offset })
            if width == 64 =>
        {
            Global { global: *global, offset: offset.wrapping_add(*value as u64 as i64) }
        }
        (BinOp::Sub, Global { global, offset }, Int { value, .. }) if width == 64 => {
            Global { global: *global, offset: offset.wrapping_sub(*value as u64 as i64) }
        }
        (BinOp::Sub, Global { global: g, offset: x }, Global { global: h, offset: y }) if g == h && width == 64 => {
            integer(64, u128::from(x.wrapping_sub(*y) as u64))
        }
        _ => Const::Expr { op: ConstOp::Bin(op), width, args: vec![a, b] },
    }
}
