//! Two states seen through a window: do they agree in all that matters to somebody?
//!
//! Whoever asks says which registers and which objects matter. States that agree at the same place of the program go on alike as far as those are concerned, under the same
//! conditions on their inputs.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::FxHasher;
use upshot_ir::{FuncId, Reg};

use crate::memory::Owner;
use crate::state::{Frame, State};

/// What matters of a state.
pub trait View {
    /// The registers that matter in an activation that is about to run the operation at `pc`; or, in a caller, will go on after it.
    fn registers(&self, function: FuncId, pc: u32, in_call: bool) -> Rc<[Reg]>;
    /// Whether the contents of such objects do.
    fn object(&self, owner: Owner) -> bool;
}

impl State {
    fn frames(&self) -> impl Iterator<Item = (&Frame, bool)> {
        std::iter::once((&self.frame, false)).chain(self.callers.iter().rev().map(|frame| (&**frame, true)))
    }

    /// Where each activation stands, innermost first: its function, and the operation it is at.
    pub fn positions(&self) -> impl Iterator<Item = (FuncId, u32)> {
        self.frames().map(|(frame, _)| (frame.function, frame.pc))
    }

    /// The same, with whether marks count in each.
    pub fn activations(&self) -> impl Iterator<Item = (FuncId, u32, bool)> {
        self.frames().map(|(frame, _)| (frame.function, frame.pc, frame.heeded))
    }

    /// Functions that will run when the stack is empty, as far as they are known: what is registered for the end, and what waits for its turn.
    pub fn awaited(&self) -> impl Iterator<Item = FuncId> {
        let handlers =
            self.ending.handlers.iter().filter_map(|&address| crate::memory::function_at(address).map(FuncId));
        handlers.chain(self.ending.pending.iter().map(|frame| frame.function))
    }

    /// Whether marks count in the innermost activation.
    pub fn heeds_marks(&self) -> bool {
        self.frame.heeded
    }

    /// A number that is equal for states that agree.
    pub fn fingerprint(&self, view: &dyn View) -> u64 {
        let mut hasher = FxHasher::default();
        self.sequence.hash.hash(&mut hasher);
        self.answers.hash(&mut hasher);
        for (frame, in_call) in self.frames() {
            (frame.function, frame.pc).hash(&mut hasher);
            for reg in view.registers(frame.function, frame.pc, in_call).iter() {
                frame.registers[reg.index()].hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Whether both states are at the same place after the same sequence of marks, and the same in all that matters.
    pub fn agrees(&self, other: &State, view: &dyn View) -> bool {
        self.sequence.hash == other.sequence.hash && self.goes_on_like(other, view)
    }

    /// The same, whatever marks they have come by.
    pub fn goes_on_like(&self, other: &State, view: &dyn View) -> bool {
        let same_frame = |((mine, in_call), (theirs, _)): ((&Frame, bool), (&Frame, bool))| {
            (mine.function, mine.pc, mine.heeded, mine.variadic.len())
                == (theirs.function, theirs.pc, theirs.heeded, theirs.variadic.len())
                && (mine.variadic.is_empty() || std::ptr::eq(mine, theirs))
                && view
                    .registers(mine.function, mine.pc, in_call)
                    .iter()
                    .all(|reg| mine.registers[reg.index()] == theirs.registers[reg.index()])
        };
        self.answers == other.answers
            && self.callers.len() == other.callers.len()
            && self.frames().zip(other.frames()).all(same_frame)
            && self.same_surroundings(other)
            && self.memory.agrees(&other.memory, &|owner| view.object(owner))
    }

    /// What no register and no object holds.
    fn same_surroundings(&self, other: &State) -> bool {
        let same_pointers = Rc::ptr_eq(&self.pointers, &other.pointers)
            || self.pointers.len() == other.pointers.len()
                && self
                    .pointers
                    .iter()
                    .zip(other.pointers.iter())
                    .all(|(a, b)| a.resolved == b.resolved && a.term == b.term);
        let same_ending = Rc::ptr_eq(&self.ending, &other.ending)
            || self.ending.handlers == other.ending.handlers
                && self.ending.pending.len() == other.ending.pending.len()
                && self.ending.destructors_done == other.ending.destructors_done
                && self.ending.status.is_none()
                && other.ending.status.is_none();
        same_pointers
            && same_ending
            && self.unknown_calls == other.unknown_calls
            && self.input_ended == other.input_ended
    }
}
