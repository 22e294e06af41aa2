//! The state of one path: its call stack, its memory, and what it has told the world so far.
//!
//! A state does not know its path condition: what holds on a path, and whether a side of a branch exists, is the
//! business of whoever drives the executor. Cloning a state is cheap: callers and memory are shared until written.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use upshot_expr::{SymbolId, TermId};
use upshot_ir::{BlockId, CTypeId, FuncId, Scalar};

use crate::memory::Memory;
use crate::recording::{Event, Recording};
use crate::value::Value;
use crate::visited::Visited;
use crate::watch::Sequence;

/// An activation of a function.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    /// Index of the operation to execute; in a caller, that of its call.
    pub pc: u32,
    pub registers: Vec<Value>,
    /// Addresses of its stack objects, in the order they were made.
    pub objects: Vec<u64>,
    /// The variadic arguments it was called with.
    pub variadic: Vec<VariadicArgument>,
    /// Whether marks count in this activation.
    pub heeded: bool,
    /// Running number on the path, so that a saved jump knows whether its frame is still the same.
    pub serial: u32,
}

/// An argument after the named ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariadicArgument {
    pub value: Value,
    pub scalar: Scalar,
    /// The value points to a copy, of this size and alignment, that is the argument proper.
    pub by_value: Option<(u64, u32)>,
}

/// Bytes that the program made symbolic, or that nobody ever wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Unique on the path.
    pub name: String,
    pub symbol: SymbolId,
    pub size: u32,
    pub kind: InputKind,
    /// The C type, where the input comes from a declaration; of one element, for memory behind a pointer.
    pub ty: Option<CTypeId>,
}

/// The inputs of a path, in order. Names are kept by hash: a long path may meet thousands of values that nobody wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    list: Vec<Input>,
    /// Every name in use, with the last number that was put behind it to make another one.
    names: FxHashMap<String, u32>,
}

impl Inputs {
    /// The name itself if it is free, else with the first number behind it that makes it so.
    pub fn unique_name(&mut self, name: &str) -> String {
        let mut unique = name.to_string();
        let mut number = self.names.get(name).copied().unwrap_or(0);
        while self.names.contains_key(&unique) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        if let Some(last) = self.names.get_mut(name) {
            *last = number;
        }
        unique
    }

    pub fn push(&mut self, input: Input) {
        self.names.insert(input.name.clone(), 0);
        self.list.push(input);
    }
}

impl std::ops::Deref for Inputs {
    type Target = [Input];

    fn deref(&self) -> &[Input] {
        &self.list
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Part of the test.
    Given,
    /// Content of memory that was never written, or the result of a function that is not known: any value, not under
    /// the control of a test.
    Unknown,
    /// What a function that is not known left in memory.
    External,
}

/// A pointer that is an input: what it points to is decided when the program first looks.
#[derive(Clone, Debug)]
pub struct InputPointer {
    /// As a C expression: `p`, `p->next`.
    pub name: String,
    /// The pointer's own value, 64 bits.
    pub term: TermId,
    /// The input whose bytes hold it, and where.
    pub holder: usize,
    pub offset: u32,
    /// What it points to.
    pub target: CTypeId,
    /// How many pointers were followed to get to it.
    pub depth: u32,
    pub resolved: Option<PointerTarget>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerTarget {
    Null,
    /// The start of the object that input number `input` fills, at this address.
    Object {
        input: usize,
        address: u64,
    },
    /// A function that is not known; called, it returns unknown values.
    Function {
        address: u64,
    },
}

/// A piece of what was written to a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// One byte.
    Byte(TermId),
    /// A string conversion (such as `%s`, `%-8.3s`) of these bytes, up to the first that is zero.
    Text {
        conversion: String,
        bytes: Vec<TermId>,
    },
    /// A printf conversion (such as `%5d`, `%c`, `%.3f`) of a symbolic value of this width.
    Formatted {
        conversion: String,
        value: TermId,
    },
}

impl Piece {
    /// The terms that decide what is printed.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Piece::Bytes(_) => Vec::new(),
            Piece::Byte(term) | Piece::Formatted { value: term, .. } => vec![*term],
            Piece::Text { bytes, .. } => bytes.clone(),
        }
    }
}

/// Something written to stdout (1), stderr (2) or another descriptor.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub stream: u32,
    pub piece: Piece,
}

/// Which way the user's own branches went, as a number of branches and a hash over them. A native run that counts the same way can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Trace {
    pub branches: u64,
    pub hash: u64,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { branches: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Trace {
    /// One event: successor number `successor` of a block, in LLVM's order, of the function with this hash of its name.
    #[inline(always)]
    pub fn step(&mut self, function: u64, block: u32, successor: u32) {
        let event = function
            .wrapping_add(u64::from(block).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_add(u64::from(successor).wrapping_mul(0xC2B2_AE3D_27D4_EB4F));
        self.hash = (self.hash ^ event).wrapping_mul(0x0000_0100_0000_01b3);
        self.branches += 1;
    }
}

/// What happens when the last frame returns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending {
    /// Set once the program is on its way out: by return from main or by exit.
    pub status: Option<Exit>,
    /// Registered by atexit, last first.
    pub handlers: Vec<u64>,
    /// What is still to run in place of the last frame when that returns: static constructors, then the entry; next one last.
    pub pending: Vec<Frame>,
    pub destructors_done: usize,
    /// Functions whose result is an assumption about the inputs.
    pub assumptions: Vec<FuncId>,
    /// The trace before the assumption at hand: a native run does not evaluate assumptions.
    pub trace: Trace,
}

#[derive(Clone, Debug)]
pub(crate) enum Exit {
    Returned(Vec<Value>),
    Exited(Value),
}

#[derive(Clone, Debug)]
pub struct State {
    pub(crate) frame: Frame,
    pub(crate) callers: Vec<Rc<Frame>>,
    pub(crate) memory: Memory,
    /// The choices already made for the operation at hand, which runs again after each; and how many of them it has used.
    pub(crate) answers: Vec<u32>,
    pub(crate) cursor: usize,
    /// Instructions in the blocks that were left.
    pub(crate) instructions: u64,
    /// Instructions that another path has counted already.
    pub(crate) shared: u64,
    pub(crate) frames_made: u32,
    pub(crate) stack_bytes: u64,
    pub(crate) inputs: Rc<Inputs>,
    pub(crate) pointers: Rc<Vec<InputPointer>>,
    pub(crate) output: Rc<Vec<Output>>,
    pub(crate) preferences: Rc<Vec<TermId>>,
    pub(crate) ending: Rc<Ending>,
    pub(crate) entry: FuncId,
    /// Where the entry puts a struct that it returns.
    pub(crate) struct_return: Option<u64>,
    pub(crate) unknown_calls: u32,
    /// Calls of functions that are not known, in order.
    pub(crate) calls: Rc<Vec<crate::observe::ExternalCall>>,
    pub(crate) trace: Trace,
    /// Whether the path or its results may depend on where objects lie in memory.
    pub(crate) unspecified: bool,
    /// Conditions under which it does so, or otherwise used a result that the language leaves open.
    pub(crate) unspecified_if: Rc<Vec<TermId>>,
    /// Symbolic addresses that were followed to wherever they lead.
    pub(crate) followed: Rc<Vec<TermId>>,
    /// What the program told the one who runs it (`klee_print_expr`, `klee_warning`).
    pub(crate) remarks: Rc<Vec<String>>,
    /// Whether the program has read up to the end of its empty standard input.
    pub(crate) input_ended: bool,
    /// Whether a decision on symbolic data was ever needed.
    pub(crate) met_symbolic: bool,
    pub(crate) sequence: Sequence,
    pub(crate) visited: Visited,
    /// What happened, where somebody wants to know.
    pub(crate) recording: Option<Box<Recording>>,
}

impl State {
    /// Writes down what happens from now on; a state that has not run yet begins by entering its function.
    pub fn record(&mut self) {
        let mut recording = Recording::default();
        recording.push(Event::Enter { pc: u32::MAX, function: self.frame.function });
        recording.begin();
        self.recording = Some(Box::new(recording));
    }

    /// What has happened, if it was written down.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_deref()
    }

    /// Leaves a note of the driver's among the events.
    pub fn note_probe(&mut self, number: u32) {
        self.happened(Event::Probe(number));
    }

    #[inline(always)]
    pub(crate) fn happened(&mut self, event: Event) {
        if let Some(recording) = &mut self.recording {
            recording.push(event);
        }
    }

    /// The operation at hand reads or writes memory; `length` 0: any of the object.
    #[inline(always)]
    pub(crate) fn touched(&mut self, write: bool, base: u64, offset: u64, length: u64) {
        let pc = self.frame.pc;
        let Some(recording) = &mut self.recording else { return };
        let (offset, length) = match (u32::try_from(offset), u32::try_from(length)) {
            (Ok(offset), Ok(length)) => (offset, length),
            _ => (0, 0),
        };
        recording.push(match write {
            true => Event::Write { pc, base, offset, length },
            false => Event::Read { pc, base, offset, length },
        });
    }

    /// An operation that may ask begins.
    #[inline(always)]
    pub(crate) fn begin_operation(&mut self) {
        self.cursor = 0;
        if let Some(recording) = &mut self.recording {
            recording.begin();
        }
    }

    /// What the program took as input so far, in order.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn pointers(&self) -> &[InputPointer] {
        &self.pointers
    }

    pub fn output(&self) -> &[Output] {
        &self.output
    }

    /// Calls of functions that are not known, in order.
    pub fn external_calls(&self) -> &[crate::observe::ExternalCall] {
        &self.calls
    }

    /// Whether something is registered to run when the program ends.
    pub fn has_exit_handlers(&self) -> bool {
        !self.ending.handlers.is_empty()
    }

    /// Conditions that a test should satisfy if it can (`klee_prefer_cex`).
    pub fn preferences(&self) -> &[TermId] {
        &self.preferences
    }

    /// Whether the path or its results may depend on where objects lie in memory, which natively is elsewhere.
    pub fn unspecified(&self) -> bool {
        self.unspecified
    }

    /// Conditions under which the same holds.
    pub fn unspecified_conditions(&self) -> &[TermId] {
        &self.unspecified_if
    }

    /// The marks that the path has come by.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// Symbolic addresses that were followed. Where one is made of input bytes, not of addresses that the program stored, it means another object
    /// natively, or none.
    pub fn followed_addresses(&self) -> &[TermId] {
        &self.followed
    }

    /// What the program told the one who runs it, in order, each with its place.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    pub fn trace(&self) -> Trace {
        self.trace
    }

    /// Bytes of memory that the program holds.
    pub fn live_bytes(&self) -> u64 {
        self.memory.live_bytes
    }

    pub fn depth(&self) -> usize {
        self.callers.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_unique_by_the_first_free_number() {
        let mut inputs = Inputs::default();
        let mut terms = upshot_expr::Terms::new();
        let symbol = terms.symbol("x", 1);
        let mut add = |name: &str| {
            let name = inputs.unique_name(name);
            inputs.push(Input { name: name.clone(), symbol, size: 1, kind: InputKind::Given, ty: None });
            name
        };
        let given: Vec<String> = ["x", "x", "x_2", "x", "x_2", "y"].map(&mut add).to_vec();
        assert_eq!(given, ["x", "x_1", "x_2", "x_3", "x_2_1", "y"]);
    }
}
