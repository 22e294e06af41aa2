//! The C library that programs get. It is C of our own (see `runtime/`), compiled to bitcode when this crate is built
//! and carried inside the binary. Its definitions are weak in the linker's sense, so whatever the user's program
//! defines wins, and functions that nothing calls are not linked at all.

use inkwell::module::{Linkage, Module};
use inkwell::values::GlobalValue;

use crate::error::FrontendError;
use crate::llvm::Session;

static BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/upshot-runtime.bc"));

/// Every path in the runtime's debug info starts with this.
pub const RUNTIME_PATH: &str = "upshot-runtime/";

/// Links in what the program uses of the runtime.
pub(crate) fn add<'ctx>(session: &'ctx Session, program: &Module<'ctx>) -> Result<(), FrontendError> {
    let bug = |message| FrontendError::Internal(format!("the C runtime cannot be read: {message}"));
    let runtime = session.read_bitcode_lazily(BITCODE, "upshot-runtime").map_err(bug)?;
    let functions = runtime.get_functions().map(|function| function.as_global_value());
    for global in functions.chain(runtime.get_globals()) {
        if !global.is_declaration() && global.get_linkage() == Linkage::External {
            global.set_linkage(Linkage::LinkOnceODR);
        }
    }
    if !anything_wanted(program, &runtime) {
        return Ok(());
    }
    session.link(program, runtime).map_err(|message| FrontendError::LinkRuntime { message })
}

/// Whether the program declares something that the runtime defines. If not, linking would only add the debug info of a
/// compile unit without code.
fn anything_wanted(program: &Module<'_>, runtime: &Module<'_>) -> bool {
    let defined = |global: GlobalValue<'_>| !global.is_declaration();
    program.get_functions().filter(|function| function.count_basic_blocks() == 0).any(|function| {
        let name = function.get_name().to_string_lossy();
        runtime.get_function(&name).is_some_and(|function| defined(function.as_global_value()))
    })
}
