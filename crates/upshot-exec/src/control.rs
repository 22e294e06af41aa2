//! Calls, returns, and whatever else moves the program counter by itself.

use upshot_ir::{BlockId, Call, Callee, FuncId, Intrinsic, Op, Operand, Reg, Scalar};

use crate::error::{ErrorKind, PathEnd};
use crate::externals::Externals;
use crate::machine::{Machine, Stop};
use crate::memory::Owner;
use crate::models::{CallSite, Reply};
use crate::recording::Event;
use crate::state::{Exit, InputPointer, PointerTarget, State, VariadicArgument};
use crate::value::Value;

impl<'p> Machine<'p> {
    /// Executes a call, a return, an intrinsic or `unreachable`, and moves on.
    pub(crate) fn control(&mut self, state: &mut State, op: &'p Op) -> Result<(), Stop> {
        match op {
            Op::Call(call) => self.call(state, call),
            Op::Return { values } => self.give_back(state, values),
            Op::Intrinsic { which, width, dst, args } => {
                self.intrinsic(state, *which, *width, *dst, args)?;
                // A long jump has put the program counter where it belongs.
                if *which != Intrinsic::LongJmp {
                    state.frame.pc += 1;
                }
                Ok(())
            }
            _ => Err(self.error(state, ErrorKind::Unreachable, "code that was promised to be unreachable")),
        }
    }

    fn call(&mut self, state: &mut State, call: &'p Call) -> Result<(), Stop> {
        let mut arguments = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            let constants = &self.image.constants[state.frame.function.index()];
            // Handing on a value that was never written is no use of it.
            arguments.push(crate::interpret::read(&state.frame.registers, constants, argument.value));
        }
        let function = match &call.callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(target) => match self.callee(state, *target)? {
                Target::Function(function) => {
                    self.fits(state, call, function)?;
                    function
                }
                Target::Unknown(name) => {
                    return self.unknown_call(state, &name, call, &arguments);
                }
            },
        };
        if self.program().function(function).is_declaration {
            for (index, argument) in call.args.iter().enumerate() {
                arguments[index] = self.operand(state, argument.value, argument.scalar.width())?;
            }
            return self.call_model(state, function, call, &arguments);
        }
        let copies = self.copy_by_value(state, call, &mut arguments)?;
        let fixed = (call.fixed as usize).min(arguments.len());
        let is_variadic = self.program().function(function).is_variadic;
        let passed = if is_variadic { &arguments[..fixed] } else { &arguments[..] };
        self.enter(state, function, passed)?;
        state.frame.objects = copies;
        if is_variadic {
            let extra = arguments[fixed..].iter().zip(&call.args[fixed..]);
            state.frame.variadic = extra
                .map(|(&value, arg)| VariadicArgument { value, scalar: arg.scalar, by_value: arg.by_value })
                .collect();
        }
        Ok(())
    }

    /// A call through a pointer may meet a function of another type. What it gets then is not defined, and its registers are not made for it.
    fn fits(&self, state: &State, call: &Call, function: FuncId) -> Result<(), Stop> {
        let body = self.program().function(function);
        if body.is_declaration {
            return Ok(());
        }
        let hidden = body.struct_return.map(|_| 64);
        let scalars = body.parameters.iter().flat_map(|parameter| &parameter.scalars);
        let wanted = hidden.into_iter().chain(scalars.map(|(_, scalar)| scalar.width()));
        let given = call.args.iter().map(|argument| argument.scalar.width());
        let takes = wanted.zip(given).all(|(wanted, given)| wanted == given);
        let gives = call.results.len() <= body.results.len()
            && call.results.iter().zip(&body.results).all(|(wanted, given)| wanted.width() == given.width());
        if takes && gives {
            return Ok(());
        }
        let name = &body.source_name;
        Err(self.unsupported(state, format!("a call of `{name}` through a pointer to functions of another type")))
    }

    /// `byval` arguments are copies that belong to the callee.
    fn copy_by_value(&mut self, state: &mut State, call: &Call, arguments: &mut [Value]) -> Result<Vec<u64>, Stop> {
        let mut places = Vec::new();
        for (index, argument) in call.args.iter().enumerate() {
            if let Some((size, align)) = argument.by_value {
                places.push((index, size, align, self.place(state, arguments[index], size, false)?));
            }
        }
        let mut copies = Vec::new();
        for (index, size, align, place) in places {
            let bytes = self.read_run(state, place, size);
            let copy = self.allocate(state, size, u64::from(align), Owner::Stack(state.frame.function))?;
            self.write_run(state, crate::access::Place { base: copy, offset: crate::access::Offset::Known(0) }, &bytes);
            arguments[index] = Value::int(copy);
            copies.push(copy);
        }
        Ok(copies)
    }

    fn callee(&mut self, state: &mut State, target: Operand) -> Result<Target, Stop> {
        let pointer = self.operand(state, target, 64)?;
        let pointer = self.dereferenced(state, pointer)?;
        let address = match pointer.as_concrete(64) {
            Some(address) => address as u64,
            None => {
                let known = (0..self.program().functions.len() as u32).map(FuncId);
                let functions: Vec<u64> = known.map(|id| self.image.function_address(id)).collect();
                match self.choose_target(state, pointer, &functions)? {
                    Some(index) => functions[index],
                    None => {
                        return Err(self.error(
                            state,
                            ErrorKind::Ptr,
                            "call through a pointer that need not be a function",
                        ));
                    }
                }
            }
        };
        if let Some(function) = self.image.function_at(address) {
            return Ok(Target::Function(function));
        }
        let is_it = |pointer: &&InputPointer| pointer.resolved == Some(PointerTarget::Function { address });
        match state.pointers.iter().find(is_it) {
            Some(pointer) => Ok(Target::Unknown(pointer.name.clone())),
            _ if address == 0 => Err(self.error(state, ErrorKind::Ptr, "call through a null pointer")),
            _ => Err(self.error(
                state,
                ErrorKind::Ptr,
                format!("call of address {address:#x}, where there is no function"),
            )),
        }
    }

    fn call_model(
        &mut self,
        state: &mut State,
        function: FuncId,
        call: &'p Call,
        arguments: &[Value],
    ) -> Result<(), Stop> {
        let Some(model) = self.image.models[function.index()] else {
            if self.options.externals == Externals::Uninterpreted {
                return self.call_external(state, function, call, arguments);
            }
            let name = &self.program().function(function).name;
            return Err(self.unsupported(state, format!("call of {name}, which has no body here and no model")));
        };
        let scalars: Vec<Scalar> = call.args.iter().map(|argument| argument.scalar).collect();
        let site = CallSite { function, arguments, scalars: &scalars };
        match model(self, state, &site)? {
            Reply::Value(value) => {
                if !call.results.is_empty() {
                    self.set(state, call.dst, value);
                }
                state.frame.pc += 1;
            }
            Reply::Values(values) => {
                for (index, value) in values.into_iter().take(call.results.len()).enumerate() {
                    self.set(state, Reg(call.dst.0 + index as u32), value);
                }
                state.frame.pc += 1;
            }
            Reply::Nothing => state.frame.pc += 1,
            Reply::Entered => {}
        }
        Ok(())
    }

    fn give_back(&mut self, state: &mut State, values: &[Operand]) -> Result<(), Stop> {
        let constants = &self.image.constants[state.frame.function.index()];
        let values: Vec<Value> =
            values.iter().map(|&value| crate::interpret::read(&state.frame.registers, constants, value)).collect();
        if state.callers.is_empty() {
            if state.ending.assumptions.contains(&state.frame.function) && !state.ending.pending.is_empty() {
                self.assume_result(state, values.first().copied())?;
            }
            self.leave_block(state);
            self.leave(state);
            state.happened(Event::Leave);
            // The frame is done; its last block is counted.
            state.frame.pc = u32::MAX;
            return self.wind_down(state, Exit::Returned(values));
        }
        self.leave_block(state);
        self.leave(state);
        state.happened(Event::Leave);
        let caller = self.program().function(state.frame.function);
        if let Op::Call(call) = &caller.ops[state.frame.pc as usize] {
            for (index, value) in values.into_iter().take(call.results.len()).enumerate() {
                self.set(state, Reg(call.dst.0 + index as u32), value);
            }
        }
        state.frame.pc += 1;
        Ok(())
    }

    /// An `--assume` function has returned: only inputs for which it said yes are inputs.
    fn assume_result(&mut self, state: &mut State, value: Option<Value>) -> Result<(), Stop> {
        let Some(value) = value else { return Ok(()) };
        let value = self.written(state, value, 1)?;
        let holds = value.to_term(&mut self.terms, 1);
        if self.assume(state, holds)? { Ok(()) } else { Err(Stop::End(PathEnd::Infeasible)) }
    }

    /// Goes back to where `setjmp` was called with this buffer, or with one that it is a copy of.
    pub(crate) fn jump_back(&mut self, state: &mut State, buffer: Value, value: Value) -> Result<(), Stop> {
        let mut words = [0; 2];
        for (index, word) in words.iter_mut().enumerate() {
            let place = self.displaced(buffer, JUMP_OFFSET + 8 * index as u64);
            let found = self.load(state, place, Scalar::Int(64))?;
            *word = found.as_concrete(64).unwrap_or(0) as u64 ^ JUMP_MARK;
        }
        let (serial, depth) = (words[0] as u32, (words[0] >> 32) as usize);
        let (block, pc) = (BlockId(words[1] as u32), (words[1] >> 32) as u32);
        let frame = match depth.cmp(&state.callers.len()) {
            std::cmp::Ordering::Equal => Some(&state.frame),
            _ => state.callers.get(depth).map(|frame| &**frame),
        };
        let dst = frame.filter(|frame| frame.serial == serial).and_then(|frame| {
            match self.program().function(frame.function).ops.get(pc as usize) {
                Some(Op::Intrinsic { which: Intrinsic::SetJmp, dst, .. }) => Some(*dst),
                _ => None,
            }
        });
        let Some(dst) = dst else {
            let message = "longjmp to a function that has returned, or without setjmp";
            return Err(self.error(state, ErrorKind::Ptr, message));
        };
        while state.callers.len() > depth {
            self.leave(state);
        }
        self.go_to(state, block, pc + 1);
        state.happened(Event::Jump { depth: depth as u32, block: block.0, pc: pc + 1 });
        self.set(state, dst, value);
        Ok(())
    }

    /// Writes into the buffer itself where execution is, so that the buffer may be copied like any other memory.
    pub(crate) fn save_jump(&mut self, state: &mut State, buffer: Value) -> Result<(), Stop> {
        let frame = u64::from(state.frame.serial) | (state.callers.len() as u64) << 32;
        let place = u64::from(state.frame.block.0) | u64::from(state.frame.pc) << 32;
        for (index, word) in [frame, place].into_iter().enumerate() {
            let at = self.displaced(buffer, JUMP_OFFSET + 8 * index as u64);
            self.store(state, at, Scalar::Int(64), Value::int(word ^ JUMP_MARK))?;
        }
        Ok(())
    }
}

/// Where in a jump buffer our words are: past those in which clang itself saves the frame and the stack for `__builtin_setjmp`.
const JUMP_OFFSET: u64 = 24;
/// Makes memory that no `setjmp` has filled unlikely to look as if one had.
const JUMP_MARK: u64 = 0x9b5c_21f3_6e08_d7a4;

enum Target {
    Function(FuncId),
    /// An input pointer to a function, by its name.
    Unknown(String),
}
