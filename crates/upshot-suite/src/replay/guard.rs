//! Room before the first global.
//!
//! AddressSanitizer keeps a guarded zone behind each global, which is the zone before the next; before the first of a section there is
//! whatever the linker put there, and an access below the first global goes unnoticed. So globals of our own come first. They are large,
//! since the zone behind a global grows with its size.

use inkwell::context::Context;
use inkwell::module::{Linkage, Module};

use super::ReplayError;

const SIZE: u32 = 4096;

/// The module with a global of ours at the front of each section that globals go to.
pub(super) fn put_first<'ctx>(context: &'ctx Context, program: Module<'ctx>) -> Result<Module<'ctx>, ReplayError> {
    let guarded = context.create_module("guarded");
    guarded.set_triple(&program.get_triple());
    guarded.set_data_layout(&program.get_data_layout());
    let bytes = context.i8_type().array_type(SIZE);
    let mut content = vec![context.i8_type().const_zero(); SIZE as usize];
    content[0] = context.i8_type().const_int(1, false);
    let written = context.i8_type().const_array(&content);
    let zeroed = guarded.add_global(bytes, None, "upshot.guard.zeroed");
    zeroed.set_initializer(&bytes.const_zero());
    zeroed.set_linkage(Linkage::Internal);
    let addresses = context.ptr_type(Default::default()).const_array(&[zeroed.as_pointer_value(); SIZE as usize / 8]);
    for (name, is_constant) in [("upshot.guard.written", false), ("upshot.guard.constant", true)] {
        let global = guarded.add_global(bytes, None, name);
        global.set_initializer(&written);
        global.set_constant(is_constant);
        global.set_linkage(Linkage::Internal);
    }
    let constant_addresses = guarded.add_global(addresses.get_type(), None, "upshot.guard.addresses");
    constant_addresses.set_initializer(&addresses);
    constant_addresses.set_constant(true);
    constant_addresses.set_linkage(Linkage::Internal);
    guarded.link_in_module(program).map_err(|message| {
        ReplayError::Internal(format!("the guarded bitcode cannot be made: {}", message.to_string_lossy()))
    })?;
    Ok(guarded)
}
