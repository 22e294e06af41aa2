//! Debug records: which variable lives in which alloca or value.
//!
//! LLVM 19's C API cannot read the records themselves, only the calls of `llvm.dbg.*` that stand for them in the older
//! form. So the module is put into that form, read, and put back; what is kept are values and metadata that both forms share.

use super::{Instruction, Metadata, Module, Opcode, Value};
use llvm_sys::core::{LLVMGetIntrinsicID, LLVMLookupIntrinsicID, LLVMSetIsNewDbgInfoFormat};

/// A `#dbg_declare`, `#dbg_value` or `#dbg_assign`.
#[derive(Clone, Copy)]
pub(crate) struct DebugRecord<'m> {
    /// It says where the variable lives, not what it is worth from here on.
    pub(crate) is_declare: bool,
    /// The address or value, if it is a single one.
    pub(crate) value: Option<Value<'m>>,
    pub(crate) variable: Metadata<'m>,
    pub(crate) expression: Option<Metadata<'m>>,
    /// The variable belongs to a function that was inlined here.
    pub(crate) inlined: bool,
    /// In the entry block.
    pub(crate) at_entry: bool,
}

impl Module {
    /// The records of every function, in the order of [`Module::functions`].
    pub(crate) fn debug_records(&self) -> Vec<Vec<DebugRecord<'_>>> {
        let reader = Reader {
            declare: intrinsic_id("llvm.dbg.declare"),
            value: intrinsic_id("llvm.dbg.value"),
            assign: intrinsic_id("llvm.dbg.assign"),
            module: self,
        };
        // SAFETY: a live module. Views held by the caller stay valid: only records and the calls that stand for them are
        // made and dropped, and no view of such a call leaves this function.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module, 0) };
        let records = self.functions().into_iter().map(|function| reader.function(function)).collect();
        // SAFETY: as above.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module, 1) };
        records
    }

    /// Puts debug records into the form in which they are no instructions, whatever the bitcode had.
    pub(super) fn hide_debug_records(&self) {
        // SAFETY: as above.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module, 1) };
    }
}

struct Reader<'m> {
    declare: u32,
    value: u32,
    assign: u32,
    module: &'m Module,
}

impl<'m> Reader<'m> {
    fn function(&self, function: Value<'m>) -> Vec<DebugRecord<'m>> {
        let mut records = Vec::new();
        for (number, block) in function.blocks().into_iter().enumerate() {
            for call in block.instructions() {
                records.extend(self.record(call, number == 0));
            }
        }
        records
    }

    fn record(&self, call: Instruction<'m>, at_entry: bool) -> Option<DebugRecord<'m>> {
        if call.opcode() != Opcode::LLVMCall {
            return None;
        }
        let callee = call.called_value().filter(|callee| callee.is_function())?;
        // SAFETY: a function.
        let id = unsafe { LLVMGetIntrinsicID(callee.raw()) };
        // In optimised code an assignment names the memory that the variable lives in as well.
        let (is_declare, place) = match id {
            0 => return None,
            id if id == self.declare => (true, 0),
            id if id == self.value => (false, 0),
            id if id == self.assign => (true, 4),
            _ => return None,
        };
        let argument = |index| call.operand(index).and_then(|operand| operand.as_metadata());
        let inlined = call.debug_location().and_then(|node| node.location()).is_some_and(|(.., outer)| outer.is_some());
        Some(DebugRecord {
            is_declare,
            value: argument(place).and_then(|value| value.wrapped_value(self.module)),
            variable: argument(1)?,
            expression: argument(2),
            inlined,
            at_entry,
        })
    }
}

fn intrinsic_id(name: &str) -> u32 {
    // SAFETY: a string of the given length.
    unsafe { LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()) }
}
