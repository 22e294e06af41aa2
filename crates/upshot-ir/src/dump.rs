//! A program as text, for people and for tests. Not a format to be read back.

use crate::program::*;
use std::fmt::{self, Display, Formatter, Write};

impl Program {
    /// The functions with bodies and the globals, as text.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (number, global) in self.globals.iter().enumerate() {
            let ty = global.ty.map(|ty| format!(" {}", self.types.name(ty))).unwrap_or_default();
            let _ = writeln!(text, "global g{number} {}:{ty} {} bytes", global.name, global.size);
        }
        for function in self.functions.iter().filter(|function| !function.is_declaration) {
            text.push_str(&self.dump_function(function));
        }
        text
    }

    /// One function as text: blocks, and their operations with operands spelled out.
    pub fn dump_function(&self, function: &Function) -> String {
        let mut text = String::new();
        let parameters: Vec<String> = function.parameters.iter().map(|p| self.dump_parameter(p)).collect();
        let results: Vec<String> = function.results.iter().map(Scalar::to_string).collect();
        let _ = writeln!(text, "fn {}({}) -> ({})", function.name, parameters.join(", "), results.join(", "));
        for local in &function.locals {
            let place = local.slot.map_or_else(|| "memory".to_string(), |slot| format!("slot {slot}"));
            let _ = writeln!(text, "  local {}: {place}", local.name);
        }
        for (number, block) in function.blocks.iter().enumerate() {
            let _ = writeln!(text, "b{number}: ; {}", block.name);
            for op in &function.ops[block.start as usize..block.end as usize] {
                let _ = writeln!(text, "  {}", Shown { program: self, function, item: op });
            }
        }
        text
    }

    fn dump_parameter(&self, parameter: &Parameter) -> String {
        let ty = parameter.ty.map(|ty| format!("{}: ", self.types.name(ty))).unwrap_or_default();
        let scalars: Vec<String> = parameter.scalars.iter().map(|(at, scalar)| format!("{scalar}@{at}")).collect();
        let by_value = parameter.by_value.map(|(size, _)| format!(" byval {size}")).unwrap_or_default();
        format!("{}: {ty}{}{by_value}", parameter.name, scalars.join("+"))
    }
}

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(width) => write!(f, "i{width}"),
            Scalar::Float(format) => write!(f, "{format:?}"),
            Scalar::Pointer => f.write_str("ptr"),
        }
    }
}

/// Something of a function, to be shown with the names of what it refers to.
struct Shown<'a, T> {
    program: &'a Program,
    function: &'a Function,
    item: &'a T,
}

impl<'a, T> Shown<'a, T> {
    fn with<U>(&self, item: &'a U) -> Shown<'a, U> {
        Shown { program: self.program, function: self.function, item }
    }

    fn list(&self, operands: impl IntoIterator<Item = &'a Operand>) -> String {
        let shown: Vec<String> = operands.into_iter().map(|operand| self.with(operand).to_string()).collect();
        shown.join(", ")
    }
}

impl Display for Shown<'_, Operand> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.item.as_reg(), self.item.as_constant()) {
            (Some(reg), _) => reg.fmt(f),
            (_, Some(index)) => self.with(&self.function.constants[index]).fmt(f),
            _ => Ok(()),
        }
    }
}

impl Display for Shown<'_, Const> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.item {
            Const::Int { value, .. } => write!(f, "{value}"),
            Const::Global { global, offset } => write!(f, "@{}{offset:+}", self.program.global(*global).name),
            Const::Function(function) => write!(f, "@{}", self.program.function(*function).name),
            Const::Block(function, block) => write!(f, "@{}:b{}", self.program.function(*function).name, block.0),
            Const::Undef { .. } => f.write_str("undef"),
            Const::Expr { op, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.with(arg).to_string()).collect();
                write!(f, "{op:?}({})", args.join(", "))
            }
        }
    }
}

impl Display for Shown<'_, Edge> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.item.target.0)?;
        let moves: Vec<String> =
            self.item.moves.iter().map(|(dst, src)| format!("{dst} = {}", self.with(src))).collect();
        if moves.is_empty() { Ok(()) } else { write!(f, "({})", moves.join(", ")) }
    }
}

impl Display for Shown<'_, Call> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let call = self.item;
        if let Some(last) = call.results.len().checked_sub(1) {
            let last = Reg(call.dst.0 + last as u32);
            if last == call.dst { write!(f, "{} = ", call.dst)? } else { write!(f, "{}..{last} = ", call.dst)? }
        }
        match &call.callee {
            Callee::Direct(function) => write!(f, "call {}", self.program.function(*function).name)?,
            Callee::Indirect(callee) => write!(f, "call *{}", self.with(callee))?,
        }
        let args: Vec<String> = call
            .args
            .iter()
            .enumerate()
            .map(|(position, argument)| {
                let by_value = argument.by_value.map(|(size, _)| format!("byval {size} ")).unwrap_or_default();
                let extra = if position as u32 == call.fixed { "… " } else { "" };
                format!("{extra}{by_value}{} {}", argument.scalar, self.with(&argument.value))
            })
            .collect();
        write!(f, "({})", args.join(", "))
    }
}

impl Display for Shown<'_, Op> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let o = |operand| self.with(operand);
        match self.item {
            Op::Move { dst, src } => write!(f, "{dst} = {}", o(src)),
            Op::SlotLoad { dst, slot, width } => write!(f, "{dst} = slot{width} {slot}"),
            Op::SlotReset { slot } => write!(f, "reset {slot}"),
            Op::Bin { op, width, dst, a, b, .. } => {
                write!(f, "{dst} = {}{width} {}, {}", lower(op), self.with(a), self.with(b))
            }
            Op::Cmp { pred, width, dst, a, b } => write!(f, "{dst} = {}{width} {}, {}", lower(pred), o(a), o(b)),
            Op::ZExt { from, to, dst, a } => write!(f, "{dst} = zext {from}→{to} {}", o(a)),
            Op::SExt { from, to, dst, a } => write!(f, "{dst} = sext {from}→{to} {}", o(a)),
            Op::Trunc { from, to, dst, a } => write!(f, "{dst} = trunc {from}→{to} {}", o(a)),
            Op::FloatBin { op, format, dst, a, b } => write!(f, "{dst} = {op:?} {format:?} {}, {}", o(a), o(b)),
            Op::FloatUn { op, format, dst, a } => write!(f, "{dst} = {op:?} {format:?} {}", o(a)),
            Op::FloatCmp { pred, format, dst, a, b } => {
                write!(f, "{dst} = fcmp{} {format:?} {}, {}", pred.0, o(a), o(b))
            }
            Op::FloatCast { from, to, dst, a } => write!(f, "{dst} = fcast {from:?}→{to:?} {}", o(a)),
            Op::FloatToInt { from, to, signed, saturating, dst, a } => {
                let (sign, how) = (if *signed { 's' } else { 'u' }, if *saturating { " sat" } else { "" });
                write!(f, "{dst} = fto{sign}{how} {from:?}→{to} {}", o(a))
            }
            Op::IntToFloat { from, signed, to, dst, a } => {
                write!(f, "{dst} = {}tof {from}→{to:?} {}", if *signed { 's' } else { 'u' }, o(a))
            }
            Op::Select { width, dst, cond, a, b } => {
                write!(f, "{dst} = select{width} {}, {}, {}", o(cond), o(a), o(b))
            }
            Op::Displace { dst, base, disp } => write!(f, "{dst} = {} {disp:+}", o(base)),
            Op::Offset(at) => {
                let (base, index) = (o(&at.base), o(&at.index));
                write!(f, "{} = {base} + sext{} {index} * {} {:+}", at.dst, at.index_width, at.scale, at.disp)
            }
            Op::Alloca { dst, size, count, align, .. } => {
                write!(f, "{dst} = alloca {size} * {} align {align}", o(count))
            }
            Op::Load { dst, ptr, disp, scalar } => write!(f, "{dst} = load {scalar} [{}+{disp}]", o(ptr)),
            Op::Store { value, ptr, disp, scalar } => write!(f, "store {scalar} [{}+{disp}] = {}", o(ptr), o(value)),
            Op::AtomicRmw { op, scalar, dst, ptr, value } => {
                write!(f, "{dst} = atomic {op:?} {scalar} [{}], {}", o(ptr), o(value))
            }
            Op::CompareExchange { scalar, dst, ptr, expected, replacement } => {
                let next = Reg(dst.0 + 1);
                write!(f, "{dst}, {next} = cmpxchg {scalar} [{}], {}, {}", o(ptr), o(expected), o(replacement))
            }
            Op::Intrinsic { which, width, dst, args } => {
                write!(f, "{dst} = {which:?} {width} ({})", self.list(args.iter()))
            }
            Op::Call(call) => self.with(&**call).fmt(f),
            Op::Jump(edge) => write!(f, "jump {}", self.with(&**edge)),
            Op::Branch { cond, edges } => {
                write!(f, "branch {}, {}, {}", o(cond), self.with(&edges.0), self.with(&edges.1))
            }
            Op::Switch(switch) => {
                write!(f, "switch{} {} [", switch.width, o(&switch.value))?;
                for (value, edge) in &switch.cases {
                    write!(f, "{value}: {}, ", self.with(edge))?;
                }
                write!(f, "else {}]", self.with(&switch.default))
            }
            Op::IndirectJump { address, edges } => {
                let edges: Vec<String> = edges.iter().map(|edge| self.with(edge).to_string()).collect();
                write!(f, "goto *{} [{}]", o(address), edges.join(", "))
            }
            Op::Return { values } => write!(f, "return {}", self.list(values.iter())),
            Op::Unreachable => f.write_str("unreachable"),
            Op::Mark { mark } => write!(f, "mark {mark}"),
            Op::Unsupported { what } => write!(f, "unsupported: {}", self.program.unsupported[*what as usize]),
        }
    }
}

fn lower(op: &impl fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}
