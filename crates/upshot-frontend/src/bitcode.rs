//! Reading the user's `.bc` and `.ll` files. LLVM's readers are not made for damaged input: they may crash or end the
//! process. So the outer structure is checked here, then clang reads the file in a process of its own, and only a file
//! that passed both is read in this one.

use std::path::Path;
use std::time::Duration;

use inkwell::module::Module;

use crate::bitstream::{self, Outer};
use crate::clang::Compiler;
use crate::error::FrontendError;
use crate::llvm::{Session, set_target};

/// Reading takes well under a second for millions of instructions; a reader that is still busy then runs in circles.
const PROBE_LIMIT: Duration = Duration::from_secs(120);

const TRIPLE: &std::ffi::CStr = c"x86_64-pc-linux-gnu";
const LAYOUT: &std::ffi::CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

pub(crate) fn read_bitcode<'ctx>(
    session: &'ctx Session,
    compiler: &Compiler<'_>,
    path: &Path,
    bytes: &[u8],
) -> Result<Module<'ctx>, FrontendError> {
    let owned = || path.to_path_buf();
    match bitstream::outer_structure(bytes) {
        Outer::Whole => {}
        Outer::Truncated => return Err(FrontendError::Truncated { path: owned() }),
        Outer::Foreign => return Err(FrontendError::NotBitcode { path: owned() }),
    }
    let producer = bitstream::producer(bytes).filter(|producer| !producer.starts_with("LLVM19."));
    let refuse = |message: String| {
        let message = without_producer(&message);
        match producer.clone() {
            Some(producer) => FrontendError::OtherLlvm { path: owned(), producer, message },
            None => FrontendError::BadBitcode { path: owned(), message },
        }
    };
    probe(compiler, path).map_err(&refuse)?;
    let module = session.read_bitcode(bytes, &path.to_string_lossy()).map_err(&refuse)?;
    accept(module, path, refuse)
}

pub(crate) fn read_text<'ctx>(
    session: &'ctx Session,
    compiler: &Compiler<'_>,
    path: &Path,
    bytes: &[u8],
) -> Result<Module<'ctx>, FrontendError> {
    let refuse = |message: String| {
        let named = path.display().to_string();
        let message = if message.contains(&named) { message } else { format!("{named}: {message}") };
        FrontendError::BadIr { path: path.to_path_buf(), message }
    };
    probe(compiler, path).map_err(refuse)?;
    let module = session.read_text(bytes, &path.to_string_lossy()).map_err(|message| refuse(first_line(&message)))?;
    accept(module, path, refuse)
}

fn accept<'ctx>(
    module: Module<'ctx>,
    path: &Path,
    refuse: impl Fn(String) -> FrontendError,
) -> Result<Module<'ctx>, FrontendError> {
    check_target(&module, path)?;
    if let Err(message) = module.verify() {
        return Err(refuse(first_line(&message.to_string_lossy())));
    }
    Ok(module)
}

/// Only x86_64 with the System V conventions can be run: layouts and `va_list` depend on it. A layout that leaves out
/// some of ours (hand-written, or of an older LLVM) is completed; one that says anything else is refused.
pub(crate) fn check_target(module: &Module<'_>, path: &Path) -> Result<(), FrontendError> {
    let refuse = |target: &str| Err(FrontendError::WrongTarget { path: path.to_path_buf(), target: target.into() });
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    let layout = module.get_data_layout().as_str().to_string_lossy().into_owned();
    let foreign = ["windows", "x32", "darwin", "macos"].iter().any(|system| triple.contains(system));
    if foreign || !(triple.is_empty() || triple.starts_with("x86_64-")) {
        return refuse(&triple);
    }
    let ours: Vec<&[u8]> = LAYOUT.to_bytes().split(|byte| *byte == b'-').collect();
    if !layout.is_empty() && !layout.split('-').all(|part| ours.contains(&part.as_bytes())) {
        return refuse(&layout);
    }
    set_target(module, TRIPLE, LAYOUT);
    Ok(())
}

/// Reads the file in another process; the error is the reader's own message.
fn probe(compiler: &Compiler<'_>, path: &Path) -> Result<(), String> {
    let ran = compiler.probe(path, PROBE_LIMIT).map_err(|error| error.to_string())?;
    if ran.success {
        // With warnings off, only the check of the debug info still speaks, and then LLVM drops all of it.
        let damage = ran.diagnostics.lines().next();
        return damage.map_or(Ok(()), |line| Err(format!("its debug info is damaged ({})", line.trim())));
    }
    let error = ran.diagnostics.lines().find_map(|line| line.split_once("error: "));
    Err(match error {
        // The verifier's reason comes before its verdict.
        Some((_, text)) if text.contains("Broken module found") => first_line(&ran.diagnostics),
        Some((_, text)) if text.contains("command failed") => "LLVM's reader crashed on it".into(),
        Some((place, text)) if place.ends_with(": ") && !place.starts_with("clang") => format!("{place}{text}"),
        Some((_, text)) => text.into(),
        None => "LLVM's reader crashed on it".into(),
    })
}

fn first_line(message: &str) -> String {
    message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given").to_string()
}

/// Takes ` (Producer: 'LLVM20.1.0' Reader: 'LLVM 19.1.7')` off the end of a message; the error type says it better.
fn without_producer(message: &str) -> String {
    message.split(" (Producer: '").next().unwrap_or_default().to_string()
}
