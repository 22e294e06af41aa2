//! Bitcode with a note on some of its instructions, as metadata that other LLVM tools keep and show.

use inkwell::values::InstructionValue;

use crate::error::FrontendError;
use crate::llvm::Session;

/// Attaches `!kind !{!"note"}` to the instructions that `note` has something to say about. It is asked with the linkage name
/// of each function and the number of each instruction in it (debug intrinsics not counted).
pub fn annotate(
    bitcode: &[u8],
    kind: &str,
    note: impl Fn(&str, usize) -> Option<String>,
) -> Result<Vec<u8>, FrontendError> {
    let session = Session::new();
    let internal = |message: String| FrontendError::Internal(format!("annotating bitcode: {message}"));
    let module = session.read_bitcode(bitcode, "annotated").map_err(internal)?;
    let context = module.get_context();
    let kind = context.get_kind_id(kind);
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        let blocks = function.get_basic_blocks();
        let instructions = blocks.iter().flat_map(|block| block.get_instructions()).filter(|inst| !is_debug(*inst));
        for (number, instruction) in instructions.enumerate() {
            let Some(text) = note(&name, number) else { continue };
            let node = context.metadata_node(&[context.metadata_string(&text).into()]);
            instruction.set_metadata(node, kind).map_err(|error| internal(error.to_string()))?;
        }
    }
    module.verify().map_err(|message| internal(message.to_string()))?;
    Ok(crate::bytes(&module))
}

/// A call of `llvm.dbg.*`, which old bitcode may hold instead of debug records.
fn is_debug(instruction: InstructionValue<'_>) -> bool {
    let Ok(call) = inkwell::values::CallSiteValue::try_from(instruction) else { return false };
    call.get_called_fn_value().is_some_and(|callee| callee.get_name().to_bytes().starts_with(b"llvm.dbg."))
}
