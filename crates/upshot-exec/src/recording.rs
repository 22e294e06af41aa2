//! What a path did, event by event, for whoever wants to know how its results came about.
//!
//! Recorded only when asked for ([`State::record`](crate::State::record)). Only what the program text does not say is written down: which way branches went, which memory was
//! touched, which functions were entered and left, where decisions were taken. Which register an operation reads and writes can be seen in the program, so a
//! reader who walks the program along these events knows every dependence of the path (see upshot-slice), at the price of one event per branch and access.

use upshot_ir::FuncId;

/// One thing that happened. Events come in the order in which operations ran; those of one operation in the order in which it did them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A function begins: called by the operation with this number, started in place of the last one, or run on the way out.
    Enter { pc: u32, function: FuncId },
    /// The innermost function returns.
    Leave,
    /// The block at hand is left by this edge, in the order of [`upshot_ir::edges`]. Not recorded for plain jumps.
    Edge(u32),
    /// The operation with this number takes the next decision of the path.
    Decision { pc: u32 },
    /// The operation with this number reads bytes of the object at `base`; `length` 0 stands for any or all of them.
    Read { pc: u32, base: u64, offset: u32, length: u32 },
    /// It writes bytes of the object at `base`; `length` 0: any of them, or none.
    Write { pc: u32, base: u64, offset: u32, length: u32 },
    /// It makes an object.
    Allocate { pc: u32, base: u64, size: u64 },
    /// Something of it goes to a stream.
    Output { pc: u32, stream: u32 },
    /// A long jump goes back to the frame with so many callers, which goes on at this operation.
    Jump { depth: u32, block: u32, pc: u32 },
    /// The driver has looked at something here, under this number.
    Probe(u32),
}

/// The events of one path.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    events: Vec<Event>,
    /// Where the operation at hand began. It runs again after each decision, and then says all it has to say again.
    begun: usize,
    /// There was no room for all that happened.
    is_cut: bool,
}

/// A path with more events than this is not recorded to its end: they would fill the memory, and so would what is made of them.
const MOST_EVENTS: usize = 8_000_000;

impl Recording {
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether there was no room for all that happened.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.is_cut = true;
        }
    }

    /// An operation that may need decisions begins.
    pub(crate) fn begin(&mut self) {
        self.begun = self.events.len();
    }

    /// The operation at hand has not happened yet.
    pub(crate) fn take_back(&mut self) {
        self.events.truncate(self.begun);
    }

    /// The operation at hand has got its answer.
    pub(crate) fn decided(&mut self, pc: u32) {
        self.push(Event::Decision { pc });
        self.begun = self.events.len();
    }
}
