//! The interpreter loop. Operations on concrete values are done right here; whatever is symbolic, faults or calls goes to the
//! slow path, one function per family.

use upshot_expr::fold;
use upshot_ir::{BinOp, BlockId, Edge, IntPredicate, Op, Operand};

use crate::layout::{computes_with_addresses, orders_addresses};
use crate::machine::{Machine, Stop};
use crate::memory::may_be_address;
use crate::recording::Event;
use crate::state::State;
use crate::value::Value;

/// Block ends between two looks at the world outside.
const SLICE: u32 = 20_000;

#[inline(always)]
pub(crate) fn read(registers: &[Value], constants: &[Value], operand: Operand) -> Value {
    match operand.as_reg() {
        Some(reg) => registers[reg.index()],
        None => constants[operand.as_constant().unwrap_or(0)],
    }
}

#[inline(always)]
fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

#[inline(always)]
fn signed(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width);
    ((value << shift) as i64) >> shift
}

/// The operations that cannot fault, on concrete values of at most 64 bits.
#[inline(always)]
fn quick_bin(op: BinOp, width: u8, a: u64, b: u64) -> Option<u64> {
    Some(match op {
        BinOp::Add => a.wrapping_add(b) & mask(width),
        BinOp::Sub => a.wrapping_sub(b) & mask(width),
        BinOp::Mul => a.wrapping_mul(b) & mask(width),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b < u64::from(width) => (a << b) & mask(width),
        BinOp::LShr if b < u64::from(width) => a >> b,
        BinOp::AShr if b < u64::from(width) => (signed(a, width) >> b) as u64 & mask(width),
        BinOp::UDiv if b != 0 => a / b,
        BinOp::URem if b != 0 => a % b,
        BinOp::SDiv if b != 0 && b != mask(width) => (signed(a, width) / signed(b, width)) as u64 & mask(width),
        BinOp::SRem if b != 0 && b != mask(width) => (signed(a, width) % signed(b, width)) as u64 & mask(width),
        _ => return None,
    })
}

#[inline(always)]
fn quick_compare(pred: IntPredicate, width: u8, a: u64, b: u64) -> bool {
    match pred {
        IntPredicate::Eq => a == b,
        IntPredicate::Ne => a != b,
        IntPredicate::Ult => a < b,
        IntPredicate::Ule => a <= b,
        IntPredicate::Ugt => a > b,
        IntPredicate::Uge => a >= b,
        IntPredicate::Slt => signed(a, width) < signed(b, width),
        IntPredicate::Sle => signed(a, width) <= signed(b, width),
        IntPredicate::Sgt => signed(a, width) > signed(b, width),
        IntPredicate::Sge => signed(a, width) >= signed(b, width),
    }
}

impl<'p> Machine<'p> {
    /// Runs for a slice.
    pub(crate) fn interpret<const RECORD: bool>(&mut self, state: &mut State) -> Result<(), Stop> {
        let image = self.image;
        let mut ends_left = SLICE;
        self.check_bounds(state)?;
        'frame: loop {
            let function = state.frame.function;
            let body = image.program.function(function);
            let ops: &'p [Op] = &body.ops;
            let constants: &'p [Value] = &image.constants[function.index()];
            let trace_name = image.trace_names[function.index()];
            loop {
                let frame = &mut state.frame;
                let registers = &mut frame.registers[..];
                let op = &ops[frame.pc as usize];
                match op {
                    Op::Move { dst, src } => registers[dst.index()] = read(registers, constants, *src),
                    Op::SlotLoad { dst, slot, .. } if !registers[slot.index()].is_unwritten() => {
                        registers[dst.index()] = registers[slot.index()];
                    }
                    Op::Bin { op, width, flags, dst, a, b } if *width <= 64 => {
                        let (a, b) = (read(registers, constants, *a), read(registers, constants, *b));
                        let checked = self.options.check_overflow && flags.nsw();
                        if computes_with_addresses(*op, *width, a.low(), b.low()) && a.both_concrete(b) {
                            state.note_arithmetic(*op, a, b);
                        }
                        let registers = &mut state.frame.registers[..];
                        match quick_bin(*op, *width, a.low(), b.low()) {
                            Some(value) if a.both_concrete(b) && !checked => registers[dst.index()] = Value::int(value),
                            _ => self.slow(state)?,
                        }
                    }
                    Op::Cmp { pred, width, dst, a, b } if *width <= 64 => {
                        let (a, b) = (read(registers, constants, *a), read(registers, constants, *b));
                        if a.both_concrete(b) {
                            if orders_addresses(*pred, *width, a.low(), b.low()) {
                                state.note_order(a, b);
                            }
                            let registers = &mut state.frame.registers[..];
                            registers[dst.index()] = Value::bool(quick_compare(*pred, *width, a.low(), b.low()));
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::ZExt { from, dst, a, .. } if *from <= 64 => {
                        let a = read(registers, constants, *a);
                        if a.is_concrete() {
                            registers[dst.index()] = Value::int(a.low());
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::SExt { from, to, dst, a } if *to <= 64 => {
                        let a = read(registers, constants, *a);
                        if a.is_concrete() {
                            registers[dst.index()] = Value::int(signed(a.low(), *from) as u64 & mask(*to));
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::Trunc { to, dst, a, .. } if *to <= 64 => {
                        let a = read(registers, constants, *a);
                        if a.is_concrete() {
                            if may_be_address(a.low()) {
                                state.note_truncation(*to, a);
                            }
                            let registers = &mut state.frame.registers[..];
                            registers[dst.index()] = Value::int(a.low() & mask(*to));
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::Displace { dst, base, disp } => {
                        let base = read(registers, constants, *base);
                        if base.is_concrete() {
                            registers[dst.index()] = Value::int(base.low().wrapping_add_signed(*disp));
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::Offset(offset) => {
                        let base = read(registers, constants, offset.base);
                        let index = read(registers, constants, offset.index);
                        if base.both_concrete(index) && offset.index_width <= 64 {
                            let step = signed(index.low(), offset.index_width).wrapping_mul(offset.scale);
                            let address = base.low().wrapping_add_signed(step).wrapping_add_signed(offset.disp);
                            registers[offset.dst.index()] = Value::int(address);
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::Load { dst, ptr, disp, scalar } => {
                        let pointer = read(registers, constants, *ptr);
                        let length = scalar.store_size();
                        let address = pointer.low().wrapping_add(u64::from(*disp));
                        let width = scalar.width();
                        match state.memory.find(address) {
                            Some(object)
                                if pointer.is_concrete()
                                    && length <= 8
                                    && width % 8 == 0
                                    && address.wrapping_sub(object.base)
                                        <= object.size.wrapping_sub(u64::from(length))
                                    && object.size >= u64::from(length)
                                    && object.symbolic_size.is_none()
                                    && object.is_concrete(address - object.base, u64::from(length)) =>
                            {
                                let value = object.read_concrete(address - object.base, length);
                                if RECORD {
                                    let (base, length) = (object.base, u64::from(length));
                                    state.touched(false, base, address - base, length);
                                }
                                let registers = &mut state.frame.registers[..];
                                registers[dst.index()] = Value::int(value);
                            }
                            _ => self.slow(state)?,
                        }
                    }
                    Op::Store { value, ptr, disp, scalar } => {
                        let pointer = read(registers, constants, *ptr);
                        let value = read(registers, constants, *value);
                        let length = scalar.store_size();
                        let address = pointer.low().wrapping_add(u64::from(*disp));
                        match state.memory.find_mut(address) {
                            Some(object)
                                if pointer.both_concrete(value)
                                    && length <= 8
                                    && address.wrapping_sub(object.base)
                                        <= object.size.wrapping_sub(u64::from(length))
                                    && object.size >= u64::from(length)
                                    && !object.read_only
                                    && object.symbolic_size.is_none() =>
                            {
                                object.write_concrete(address - object.base, length, value.low());
                                if RECORD {
                                    let (base, length) = (object.base, u64::from(length));
                                    state.touched(true, base, address - base, length);
                                }
                            }
                            _ => self.slow(state)?,
                        }
                    }
                    Op::Select { dst, cond, a, b, .. } => {
                        let cond = read(registers, constants, *cond);
                        if cond.is_concrete() {
                            let chosen = if cond.low() & 1 != 0 { a } else { b };
                            registers[dst.index()] = read(registers, constants, *chosen);
                        } else {
                            self.slow(state)?;
                        }
                    }
                    Op::Jump(edge) => {
                        self.follow(state, constants, edge);
                        ends_left -= 1;
                        if ends_left == 0 {
                            return Ok(());
                        }
                        continue;
                    }
                    Op::Branch { cond, edges } => {
                        let cond = read(registers, constants, *cond);
                        let taken =
                            if cond.is_concrete() { cond.low() & 1 != 0 } else { self.slow_branch(state, cond)? };
                        if trace_name != 0 {
                            state.trace.step(trace_name, state.frame.block.0, u32::from(!taken));
                        }
                        self.cover_edge(state, u32::from(!taken));
                        if RECORD {
                            state.happened(Event::Edge(u32::from(!taken)));
                        }
                        self.follow(state, constants, if taken { &edges.0 } else { &edges.1 });
                        ends_left -= 1;
                        if ends_left == 0 {
                            return Ok(());
                        }
                        continue;
                    }
                    Op::Switch(_) | Op::IndirectJump { .. } => {
                        let (successor, edge) = self.slow_switch(state, op)?;
                        if trace_name != 0 {
                            state.trace.step(trace_name, state.frame.block.0, successor);
                        }
                        self.cover_edge(state, successor);
                        if RECORD {
                            let position = upshot_ir::edges(op).iter().position(|other| std::ptr::eq(*other, edge));
                            state.happened(Event::Edge(position.unwrap_or(0) as u32));
                        }
                        self.follow(state, constants, edge);
                        ends_left -= 1;
                        if ends_left == 0 {
                            return Ok(());
                        }
                        continue;
                    }
                    Op::Mark { mark } => self.pass(state, *mark)?,
                    Op::Call(_) | Op::Return { .. } | Op::Unreachable | Op::Intrinsic { .. } => {
                        // These move the program counter themselves, and may change the frame.
                        state.begin_operation();
                        self.control(state, op)?;
                        state.answers.clear();
                        ends_left = ends_left.saturating_sub(1);
                        if ends_left == 0 {
                            return Ok(());
                        }
                        continue 'frame;
                    }
                    _ => self.slow(state)?,
                }
                state.frame.pc += 1;
            }
        }
    }

    /// Leaves the block: counts it, makes the phi moves in parallel, goes to the target.
    #[inline(always)]
    fn follow(&mut self, state: &mut State, constants: &[Value], edge: &Edge) {
        let body = self.image.program.function(state.frame.function);
        self.leave_block(state);
        let registers = &mut state.frame.registers;
        match &edge.moves[..] {
            [] => {}
            [(dst, src)] => registers[dst.index()] = read(registers, constants, *src),
            moves => {
                let values: Vec<Value> = moves.iter().map(|(_, src)| read(registers, constants, *src)).collect();
                for ((dst, _), value) in moves.iter().zip(values) {
                    registers[dst.index()] = value;
                }
            }
        }
        state.frame.block = edge.target;
        state.frame.pc = body.blocks[edge.target.index()].start;
    }

    /// The block at hand was executed to its end.
    #[inline(always)]
    pub(crate) fn leave_block(&mut self, state: &mut State) {
        let body = self.image.program.function(state.frame.function);
        let block = &body.blocks[state.frame.block.index()];
        state.instructions += u64::from(block.last_inst.0 - block.first_inst.0) + 1;
        let number = self.image.block_number(state.frame.function, state.frame.block);
        self.coverage.blocks[number] = true;
        state.visited.add(number);
        if !state.answers.is_empty() {
            state.answers.clear();
        }
    }

    #[inline(always)]
    fn cover_edge(&mut self, state: &State, successor: u32) {
        let number = self.image.block_number(state.frame.function, state.frame.block);
        self.coverage.edges[number] |= 1 << successor.min(63);
    }

    #[cold]
    #[inline(never)]
    fn slow_branch(&mut self, state: &mut State, cond: Value) -> Result<bool, Stop> {
        state.begin_operation();
        let cond = self.written(state, cond, 1)?;
        match cond.as_term() {
            None => Ok(cond.low() & 1 != 0),
            Some(term) => self.decide(state, term),
        }
    }

    /// The slow path of an operation that only computes or touches memory.
    #[inline(never)]
    fn slow(&mut self, state: &mut State) -> Result<(), Stop> {
        let op = &self.image.program.function(state.frame.function).ops[state.frame.pc as usize];
        state.begin_operation();
        self.compute(state, op)?;
        if !state.answers.is_empty() {
            state.answers.clear();
        }
        Ok(())
    }

    /// Which edge a switch or computed goto takes, and its number in LLVM's order (default first): that of the first edge to the
    /// same block, since on symbolic data cases that share a block are one.
    #[inline(never)]
    fn slow_switch(&mut self, state: &mut State, op: &'p Op) -> Result<(u32, &'p Edge), Stop> {
        state.begin_operation();
        match op {
            Op::Switch(switch) => {
                let value = self.operand(state, switch.value, switch.width)?;
                let chosen = match value.as_concrete(switch.width) {
                    Some(value) => switch.cases.iter().position(|(case, _)| *case == value),
                    None => self.choose_case(state, switch, value)?,
                };
                let edge = chosen.map_or(&switch.default, |index| &switch.cases[index].1);
                let same = |other: &Edge| other.target == edge.target;
                let successor = if same(&switch.default) {
                    0
                } else {
                    switch.cases.iter().position(|(_, other)| same(other)).map_or(0, |index| index as u32 + 1)
                };
                Ok((successor, edge))
            }
            Op::IndirectJump { address, edges } => {
                let address = self.operand(state, *address, 64)?;
                let function = state.frame.function.0;
                let targets: Vec<u64> =
                    edges.iter().map(|edge| crate::memory::block_address(function, edge.target.0)).collect();
                let chosen = match address.as_concrete(64) {
                    Some(address) => targets.iter().position(|&target| u128::from(target) == address),
                    None => self.choose_target(state, address, &targets)?,
                };
                match chosen {
                    Some(index) => Ok((index as u32, &edges[index])),
                    None => {
                        Err(self.error(state, crate::ErrorKind::Ptr, "computed goto to something that is no label"))
                    }
                }
            }
            _ => Err(self.unsupported(state, "a terminator that is neither switch nor computed goto")),
        }
    }

    /// One side per distinct target, in the order of the cases, the default last; the sides of cases that share a target are one.
    fn choose_case(
        &mut self,
        state: &mut State,
        switch: &upshot_ir::Switch,
        value: Value,
    ) -> Result<Option<usize>, Stop> {
        let value = value.to_term(&mut self.terms, switch.width);
        let mut sides: Vec<(&Edge, upshot_expr::TermId, usize)> = Vec::new();
        for (index, (case, edge)) in switch.cases.iter().enumerate() {
            let case = self.terms.constant(switch.width, *case);
            let is_case = self.terms.eq(value, case);
            if *edge == switch.default {
                continue;
            }
            match sides.iter_mut().find(|(other, ..)| *other == edge) {
                Some((_, condition, _)) => *condition = self.terms.or(*condition, is_case),
                None => sides.push((edge, is_case, index)),
            }
        }
        // Cases that go where the default goes are part of the default.
        let mut default = self.terms.bool(true);
        for (_, condition, _) in &sides {
            let not = self.terms.not(*condition);
            default = self.terms.and(default, not);
        }
        let choices: Vec<_> = sides.iter().map(|(_, condition, _)| *condition).chain([default]).collect();
        let chosen = self.choose(state, &choices)?;
        Ok(sides.get(chosen).map(|(.., index)| *index))
    }

    /// Like a switch over addresses; none of them last.
    pub(crate) fn choose_target(
        &mut self,
        state: &mut State,
        value: Value,
        targets: &[u64],
    ) -> Result<Option<usize>, Stop> {
        let value = value.to_term(&mut self.terms, 64);
        let mut choices = Vec::new();
        let mut none = self.terms.bool(true);
        for &target in targets {
            let target = self.terms.constant(64, u128::from(target));
            let is_target = self.terms.eq(value, target);
            let is_not = self.terms.not(is_target);
            none = self.terms.and(none, is_not);
            choices.push(is_target);
        }
        choices.push(none);
        let chosen = self.choose(state, &choices)?;
        Ok((chosen < targets.len()).then_some(chosen))
    }

    /// Reads an operand; a register that was never written becomes an unknown value first.
    pub(crate) fn operand(&mut self, state: &mut State, operand: Operand, width: u8) -> Result<Value, Stop> {
        let constants = &self.image.constants[state.frame.function.index()];
        let value = read(&state.frame.registers, constants, operand);
        if !value.is_unwritten() {
            return Ok(value);
        }
        let value = self.written(state, value, width)?;
        // Kept, so that the operation finds the same unknown when it runs again after a decision.
        if let Some(register) = operand.as_reg() {
            self.set(state, register, value);
        }
        Ok(value)
    }

    pub(crate) fn set(&mut self, state: &mut State, register: upshot_ir::Reg, value: Value) {
        state.frame.registers[register.index()] = value;
    }

    pub(crate) fn go_to(&mut self, state: &mut State, block: BlockId, pc: u32) {
        state.frame.block = block;
        state.frame.pc = pc;
    }
}

/// Concrete value of an operation that may be wide; `None` where it would fault or is out of range for its kind.
pub(crate) fn fold_bin(op: BinOp, width: u8, a: u128, b: u128) -> Option<u128> {
    let faults = match op {
        BinOp::UDiv | BinOp::URem => b == 0,
        BinOp::SDiv | BinOp::SRem => b == 0 || (b == fold::mask(width) && a == 1u128 << (width - 1)),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => b >= u128::from(width),
        _ => false,
    };
    (!faults).then(|| fold::bin(op, width, a, b))
}
