//! Where a local variable is while its function is at a mark.

use upshot_ir::{Local, Op, Reg};

use crate::machine::Machine;
use crate::state::State;
use crate::value::Value;

/// A local variable of the innermost function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalPlace {
    Register(Reg, Value),
    /// The address of its object.
    Memory(u64),
    /// It is not there yet.
    Nowhere,
}

impl Machine<'_> {
    /// Where the variable is.
    pub fn local_place(&self, state: &State, local: &Local) -> LocalPlace {
        let function = self.program().function(state.frame.function);
        if let Some(slot) = local.slot {
            let value = state.frame.registers[slot.index()];
            return if value.is_unwritten() { LocalPlace::Nowhere } else { LocalPlace::Register(slot, value) };
        }
        let Some(inst) = local.alloca else { return LocalPlace::Nowhere };
        let ops = function.insts[inst.index()].ops.clone();
        let made = function.ops[ops.start as usize..ops.end as usize].iter().find_map(|op| match op {
            Op::Alloca { dst, .. } => Some(state.frame.registers[dst.index()]),
            _ => None,
        });
        match made.filter(|value| value.is_concrete() && state.memory.find(value.low()).is_some()) {
            Some(address) => LocalPlace::Memory(address.low()),
            None => LocalPlace::Nowhere,
        }
    }
}
