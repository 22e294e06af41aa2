//! The executor: runs one path until it ends or needs a decision.
//!
//! The machine never asks whether a side of a branch is feasible. Where the program's next step depends on symbolic data it stops with a
//! [`Pause::Fork`] that lists the sides in one fixed order, each with the condition under which it is taken; whoever drives it picks,
//! with [`Machine::answer`], and goes on. The operation then runs again from its start and finds the answer waiting, so an operation
//! or a library model may ask as often as it needs in the middle of ordinary code, as long as it changes the state only
//! after its last question.

use std::rc::Rc;

use upshot_expr::{TermId, Terms};
use upshot_ir::{BlockId, Callee, FuncId, InstId, Location, Op, Program, Scalar};

use crate::coverage::Coverage;
use crate::error::{Bound, ErrorKind, PathEnd, PathError, StackEntry};
use crate::externals::Externals;
use crate::image::Image;
use crate::memory::Owner;
use crate::recording::Event;
use crate::state::{Ending, Exit, Frame, Input, InputKind, PointerTarget, State, Trace};
use crate::value::Value;
use crate::visited::Visited;
use crate::watch::Sequence;

/// What is checked and allowed while executing. Shape bounds are here too.
#[derive(Clone, Debug)]
pub struct Options {
    /// Signed overflow is an error.
    pub check_overflow: bool,
    /// Deciding on memory that was never written is an error.
    pub check_uninit: bool,
    /// malloc may return null.
    pub malloc_fail: bool,
    /// The largest allocation of symbolic size, in bytes.
    pub max_alloc: u64,
    /// Instructions per path.
    pub max_instructions: Option<u64>,
    /// Bytes of live memory of one path.
    pub max_path_memory: u64,
    /// Stack of the program, in bytes.
    pub stack_size: u64,
    /// Elements behind an input pointer.
    pub array_len: u64,
    /// What a call of a function without a body does.
    pub externals: Externals,
    /// How many pointers lead to new objects, one behind the other.
    pub pointer_depth: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check_overflow: false,
            check_uninit: false,
            malloc_fail: false,
            max_alloc: 4096,
            max_instructions: None,
            max_path_memory: 2 << 30,
            stack_size: 8 << 20,
            array_len: 4,
            externals: Externals::Stop,
            pointer_depth: 3,
        }
    }
}

/// The sides of a decision, in path order. Exactly one holds for any input.
#[derive(Clone, Debug)]
pub struct Fork {
    pub choices: Vec<TermId>,
    /// Where it is about what an input pointer points to: its number in [`State::pointers`], and what it is on each side.
    pub pointer: Option<(usize, Vec<PointerTarget>)>,
}

/// Why the machine stopped.
#[derive(Debug)]
pub enum Pause {
    Fork(Fork),
    /// The path goes on only where this holds. Answer 0 if it can, 1 if it never does.
    Assume(TermId),
    Ended(PathEnd),
    /// The path has come to a mark that it was to stop at.
    Mark(u32),
    /// A slice of work is done; nothing is decided. Call again.
    Yield,
}

/// What interrupts an operation.
pub(crate) enum Stop {
    Fork(Fork),
    Assume(TermId),
    End(PathEnd),
    /// At a mark, which is passed already.
    Mark(u32),
    /// The state has changed in the middle of the operation, which begins anew.
    Again,
}

/// One worker's executor: it owns the terms of all the states it runs.
pub struct Machine<'p> {
    pub(crate) image: &'p Image<'p>,
    pub terms: Terms,
    pub options: Options,
    pub(crate) coverage: Coverage,
}

impl<'p> Machine<'p> {
    pub fn new(image: &'p Image<'p>, options: Options) -> Self {
        let blocks = image.block_count();
        Machine { image, terms: Terms::new(), options, coverage: Coverage::new(blocks) }
    }

    pub fn program(&self) -> &'p Program {
        self.image.program
    }

    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// A state about to enter `entry`, with no arguments yet.
    pub(crate) fn blank_state(&self, entry: FuncId) -> State {
        State {
            frame: self.new_frame(entry, 0),
            callers: Vec::new(),
            memory: self.image.initial_memory(),
            answers: Vec::new(),
            cursor: 0,
            instructions: 0,
            shared: 0,
            frames_made: 1,
            stack_bytes: 0,
            inputs: Rc::default(),
            pointers: Rc::default(),
            output: Rc::default(),
            preferences: Rc::default(),
            ending: Rc::new(Ending::default()),
            entry,
            struct_return: None,
            unknown_calls: 0,
            calls: Rc::default(),
            trace: Trace::default(),
            unspecified: false,
            unspecified_if: Rc::default(),
            followed: Rc::default(),
            remarks: Rc::default(),
            input_ended: false,
            met_symbolic: false,
            sequence: Sequence::default(),
            visited: Visited::default(),
            recording: None,
        }
    }

    pub(crate) fn new_frame(&self, function: FuncId, serial: u32) -> Frame {
        let body = self.image.program.function(function);
        Frame {
            function,
            block: BlockId(0),
            pc: body.blocks.first().map_or(0, |block| block.start),
            registers: vec![Value::UNWRITTEN; body.registers as usize],
            objects: Vec::new(),
            variadic: Vec::new(),
            heeded: true,
            serial,
        }
    }

    /// Runs until a decision, the end, or the end of a slice.
    pub fn run(&mut self, state: &mut State) -> Pause {
        let ran = match state.recording {
            None => self.interpret::<false>(state),
            Some(_) => self.interpret::<true>(state),
        };
        if let (Err(Stop::Fork(_) | Stop::Assume(_) | Stop::Again), Some(recording)) = (&ran, &mut state.recording) {
            recording.take_back();
        }
        match ran {
            Ok(()) | Err(Stop::Again) => Pause::Yield,
            Err(Stop::Fork(fork)) => {
                state.met_symbolic = true;
                Pause::Fork(fork)
            }
            Err(Stop::Assume(condition)) => {
                state.met_symbolic = true;
                Pause::Assume(condition)
            }
            Err(Stop::Mark(mark)) => Pause::Mark(mark),
            Err(Stop::End(end)) => {
                self.cover_partial(state);
                Pause::Ended(end)
            }
        }
    }

    /// Gives the decision that the last pause asked for.
    pub fn answer(&mut self, state: &mut State, choice: u32) {
        state.answers.push(choice);
        let pc = state.frame.pc;
        if let Some(recording) = &mut state.recording {
            recording.decided(pc);
        }
    }

    /// Instructions that this state has executed, in all; a shared beginning included.
    pub fn path_instructions(&self, state: &State) -> u64 {
        state.instructions + self.frames(state).map(|frame| self.instructions_in_block(frame)).sum::<u64>()
    }

    /// Instructions since the state was split off.
    pub fn own_instructions(&self, state: &State) -> u64 {
        self.path_instructions(state).saturating_sub(state.shared)
    }

    /// Whatever was executed up to now is counted elsewhere.
    pub fn share_instructions(&self, state: &mut State) {
        state.shared = self.path_instructions(state);
    }

    /// How many of its instructions are counted elsewhere.
    pub fn shared_instructions(&self, state: &State) -> u64 {
        state.shared
    }

    /// The first so many are counted elsewhere; if it never gets that far, all of them.
    pub fn set_shared_instructions(&self, state: &mut State, count: u64) {
        state.shared = count;
    }

    /// Where the innermost frame of the user's own code is.
    pub fn location(&self, state: &State) -> Location {
        self.user_frame(state).map_or(Location::default(), |frame| frame.location(self.program()))
    }

    /// The scalars that the entry returns.
    pub fn result_scalars(&self, state: &State) -> &'p [Scalar] {
        &self.program().function(state.entry).results
    }

    /// The bytes of the struct that the entry returned through memory, as terms; `None` for those never written.
    pub fn returned_struct(&mut self, state: &State) -> Option<Vec<Option<TermId>>> {
        let object = state.memory.find(state.struct_return?)?;
        let byte = |offset| (!object.has_unwritten(offset, 1)).then(|| object.byte_term(&mut self.terms, offset));
        Some((0..object.size).map(byte).collect())
    }

    /// Where the entry puts a struct that it returns through memory.
    pub fn returned_struct_address(&self, state: &State) -> Option<u64> {
        state.struct_return
    }

    /// Ends the path for a reason that only the driver knows of; for coverage.
    pub fn abandon(&mut self, state: &State) {
        self.cover_partial(state);
    }

    /// The end of a path that comes back to a state that it was in.
    pub fn endless(&self, state: &State) -> PathEnd {
        match self.error(state, ErrorKind::Endless, "this loop never ends") {
            Stop::End(end) => end,
            _ => PathEnd::Infeasible,
        }
    }

    /// The blocks that the path has been in, those that it has not left included.
    pub fn visited(&self, state: &State) -> Visited {
        let mut visited = state.visited.clone();
        for frame in self.frames(state) {
            if frame.block.index() < self.program().function(frame.function).blocks.len() {
                visited.add(self.image.block_number(frame.function, frame.block));
            }
        }
        visited
    }

    /// Whether the state is in a block that no path has been through.
    pub fn at_new_code(&self, state: &State) -> bool {
        !self.coverage.blocks[self.image.block_number(state.frame.function, state.frame.block)]
    }

    pub fn met_symbolic(&self, state: &State) -> bool {
        state.met_symbolic
    }

    pub(crate) fn frames<'s>(&self, state: &'s State) -> impl Iterator<Item = &'s Frame> {
        std::iter::once(&state.frame).chain(state.callers.iter().rev().map(|frame| &**frame))
    }

    fn instructions_in_block(&self, frame: &Frame) -> u64 {
        let function = self.program().function(frame.function);
        match (function.blocks.get(frame.block.index()), self.current_inst(frame)) {
            (Some(block), Some(inst)) => u64::from(inst.0 - block.first_inst.0) + 1,
            _ => 0,
        }
    }

    pub(crate) fn current_inst(&self, frame: &Frame) -> Option<InstId> {
        self.program().function(frame.function).op_inst.get(frame.pc as usize).copied()
    }

    fn cover_partial(&mut self, state: &State) {
        let program = self.program();
        let mut covered = Vec::new();
        for frame in self.frames(state) {
            let function = program.function(frame.function);
            if let (Some(block), Some(inst)) = (function.blocks.get(frame.block.index()), self.current_inst(frame))
                && !self.coverage.blocks[self.image.block_number(frame.function, frame.block)]
            {
                covered.extend((block.first_inst.0..=inst.0).map(|inst| (frame.function, InstId(inst))));
            }
        }
        self.coverage.partial.extend(covered);
    }

    /// The innermost frame that is not in the C runtime.
    fn user_frame(&self, state: &State) -> Option<StackEntry> {
        let user = |frame: &&Frame| !self.program().function(frame.function).is_runtime;
        let frame = self.frames(state).find(user)?;
        Some(StackEntry { function: frame.function, inst: self.current_inst(frame)? })
    }

    // ---- what operations and models use ----

    /// Takes a side of a decision. Sides that are known to be impossible stay in the list, so that indices do not depend
    /// on what the simplifier can see; a side that is known to hold needs no decision.
    pub(crate) fn choose(&mut self, state: &mut State, choices: &[TermId]) -> Result<usize, Stop> {
        if let Some(certain) = choices.iter().position(|&choice| self.terms.is_true(choice)) {
            return Ok(certain);
        }
        for &choice in choices {
            self.settle_condition(state, choice)?;
        }
        self.pick(state, choices)
    }

    /// As [`Machine::choose`], with nothing to be settled before.
    pub(crate) fn pick(&mut self, state: &mut State, choices: &[TermId]) -> Result<usize, Stop> {
        match state.answers.get(state.cursor) {
            Some(&answer) => {
                state.cursor += 1;
                Ok(answer as usize)
            }
            None => Err(Stop::Fork(Fork { choices: choices.to_vec(), pointer: None })),
        }
    }

    /// Decides a condition: true before false.
    pub(crate) fn decide(&mut self, state: &mut State, condition: TermId) -> Result<bool, Stop> {
        let negated = self.terms.not(condition);
        Ok(self.choose(state, &[condition, negated])? == 0)
    }

    /// Goes on only where `condition` holds; false if it never does here.
    pub(crate) fn assume(&mut self, state: &mut State, condition: TermId) -> Result<bool, Stop> {
        if self.terms.is_true(condition) {
            return Ok(true);
        }
        if self.terms.is_false(condition) {
            return Ok(false);
        }
        self.settle_condition(state, condition)?;
        match state.answers.get(state.cursor) {
            Some(&answer) => {
                state.cursor += 1;
                Ok(answer == 0)
            }
            None => Err(Stop::Assume(condition)),
        }
    }

    pub(crate) fn error(&self, state: &State, kind: ErrorKind, message: impl Into<String>) -> Stop {
        self.error_from(state, kind, message, None)
    }

    pub(crate) fn error_from(
        &self,
        state: &State,
        kind: ErrorKind,
        message: impl Into<String>,
        null_input: Option<String>,
    ) -> Stop {
        let program = self.program();
        let stack = self
            .frames(state)
            .filter(|frame| !program.function(frame.function).is_runtime)
            .filter_map(|frame| Some(StackEntry { function: frame.function, inst: self.current_inst(frame)? }))
            .collect();
        let (function, location) = match self.user_frame(state) {
            Some(frame) => (frame.function, frame.location(program)),
            None => (state.frame.function, Location::default()),
        };
        let error = PathError { kind, message: message.into(), function, location, stack, null_input };
        Stop::End(PathEnd::Error(Box::new(error)))
    }

    pub(crate) fn unsupported(&self, state: &State, what: impl Into<String>) -> Stop {
        Stop::End(PathEnd::Unsupported { what: what.into(), location: self.location(state) })
    }

    /// A value that nobody knows: the same one each time this path is run.
    pub(crate) fn unknown(&mut self, state: &mut State, what: &str, width: u8) -> Value {
        let size = u32::from(width).div_ceil(8);
        let symbol = self.add_input(state, what, size, InputKind::Unknown, None);
        let term = self.symbol_term(symbol, 0, size);
        let term = self.terms.trunc(term, width);
        Value::of(&self.terms, term)
    }

    /// A new input, under a name of its own on this path.
    pub(crate) fn add_input(
        &mut self,
        state: &mut State,
        name: &str,
        size: u32,
        kind: InputKind,
        ty: Option<upshot_ir::CTypeId>,
    ) -> upshot_expr::SymbolId {
        let inputs = Rc::make_mut(&mut state.inputs);
        let name = inputs.unique_name(name);
        let symbol = self.terms.symbol(&name, size);
        if let Some(ty) = ty {
            let types = &self.image.program.types;
            self.terms.name_parts(symbol, || crate::parts::parts(types, ty, &name, size));
        }
        inputs.push(Input { name, symbol, size, kind, ty });
        symbol
    }

    /// `length` bytes of an input, little-endian, as one term.
    pub(crate) fn symbol_term(&mut self, symbol: upshot_expr::SymbolId, offset: u32, length: u32) -> TermId {
        let mut term = self.terms.byte(symbol, offset);
        for index in 1..length {
            let byte = self.terms.byte(symbol, offset + index);
            term = self.terms.concat(byte, term);
        }
        term
    }

    // ---- calls and returns ----

    /// Enters a function whose arguments are given as flattened scalars.
    pub(crate) fn enter(&mut self, state: &mut State, function: FuncId, arguments: &[Value]) -> Result<(), Stop> {
        let body = self.program().function(function);
        // Registers as stack bytes: about what -O0 code needs per frame on x86-64.
        let cost = 48 + 8 * u64::from(body.registers);
        if state.stack_bytes + cost > self.options.stack_size {
            return Err(self.error(state, ErrorKind::Stack, "the stack is exhausted (endless recursion?)"));
        }
        state.stack_bytes += cost;
        state.frames_made += 1;
        let mut frame = self.new_frame(function, state.frames_made);
        frame.heeded = self.heeds(&state.frame, function);
        let count = arguments.len().min(frame.registers.len());
        frame.registers[..count].copy_from_slice(&arguments[..count]);
        let caller = std::mem::replace(&mut state.frame, frame);
        let pc = caller.pc;
        state.callers.push(Rc::new(caller));
        state.happened(Event::Enter { pc, function });
        Ok(())
    }

    /// Whether the marks of a function count when it is called from here.
    fn heeds(&self, caller: &Frame, callee: FuncId) -> bool {
        let Some(watch) = &self.image.watch else { return false };
        let body = self.program().function(caller.function);
        let Some(inst) = self.current_inst(caller) else { return true };
        // What a library model calls back, or a pointer leads to, is not looked at closely.
        let is_direct =
            matches!(&body.ops[caller.pc as usize], Op::Call(call) if call.callee == Callee::Direct(callee));
        watch.always[callee.index()]
            || caller.heeded && (!is_direct || watch.calls.contains(&(caller.function, inst, callee)))
    }

    /// Whether the instruction at hand has a mark that counts.
    pub fn at_mark(&self, state: &State) -> bool {
        let Some(watch) = &self.image.watch else { return false };
        let function = self.program().function(state.frame.function);
        let Some(inst) = self.current_inst(&state.frame) else { return false };
        let first = function.insts[inst.index()].ops.start;
        state.frame.heeded
            && matches!(function.ops.get(first as usize), Some(Op::Mark { mark }) if watch.counts[*mark as usize])
    }

    /// Comes by a mark.
    pub(crate) fn pass(&mut self, state: &mut State, mark: u32) -> Result<(), Stop> {
        let Some(watch) = &self.image.watch else { return Ok(()) };
        if state.frame.heeded && watch.counts[mark as usize] {
            state.sequence.pass(mark);
        }
        if watch.pauses[mark as usize] {
            state.frame.pc += 1;
            return Err(Stop::Mark(mark));
        }
        Ok(())
    }

    /// Drops the innermost frame and what it had on the stack; false if it was the last.
    pub(crate) fn leave(&mut self, state: &mut State) -> bool {
        for address in std::mem::take(&mut state.frame.objects) {
            if let Some(object) = state.memory.find(address)
                && let Owner::Stack(_) = object.owner
            {
                state.stack_bytes = state.stack_bytes.saturating_sub(object.size);
            }
            state.memory.release(address);
        }
        let body = self.program().function(state.frame.function);
        state.stack_bytes = state.stack_bytes.saturating_sub(48 + 8 * u64::from(body.registers));
        match state.callers.pop() {
            Some(caller) => {
                state.frame = Rc::try_unwrap(caller).unwrap_or_else(|shared| (*shared).clone());
                true
            }
            None => false,
        }
    }

    /// The entry, a constructor or an exit handler is done, or `exit` was called: what is next?
    pub(crate) fn wind_down(&mut self, state: &mut State, exit: Exit) -> Result<(), Stop> {
        let ending = Rc::make_mut(&mut state.ending);
        if let (Exit::Returned(_), Some(frame)) = (&exit, ending.pending.pop()) {
            if ending.assumptions.contains(&state.frame.function) {
                state.trace = ending.trace;
            }
            ending.trace = state.trace;
            state.frame = frame;
            state.happened(Event::Enter { pc: u32::MAX, function: state.frame.function });
            return Ok(());
        }
        let status = ending.status.get_or_insert(exit).clone();
        let next = match ending.handlers.pop() {
            Some(address) => self.image.function_at(address),
            None => {
                let done = ending.destructors_done;
                ending.destructors_done += 1;
                self.image.program.destructors.get(done).copied()
            }
        };
        match next {
            Some(function) if !self.program().function(function).is_declaration => {
                let pc = state.frame.pc;
                state.callers.clear();
                state.frame = self.new_frame(function, state.frames_made);
                state.happened(Event::Enter { pc, function });
                Ok(())
            }
            _ => Err(Stop::End(match status {
                Exit::Returned(values) => PathEnd::Returned(values),
                Exit::Exited(code) => PathEnd::Exited(code),
            })),
        }
    }

    pub(crate) fn check_bounds(&self, state: &State) -> Result<(), Stop> {
        if self.options.max_instructions.is_some_and(|most| state.instructions > most) {
            return Err(Stop::End(PathEnd::Bound(Bound::Instructions)));
        }
        if state.memory.live_bytes > self.options.max_path_memory {
            return Err(Stop::End(PathEnd::Bound(Bound::Memory)));
        }
        Ok(())
    }
}
