//! The way in: bitcode checked by LLVM itself, then read twice and lowered.

use crate::capi::{self, CheckFailure};
use crate::lower::{Misaligned, Refused, lower_module};
use crate::program::Program;
use std::cell::Cell;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::panic::AssertUnwindSafe;
use std::sync::Once;

/// Why bitcode was not loaded. All but [`LoadError::Internal`] are about the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("the file is empty")]
    Empty,
    #[error("not LLVM bitcode (it does not start with \"BC\\xC0\\xDE\")")]
    NotBitcode,
    #[error("bitcode of {producer}, which this build cannot read (it reads up to LLVM 19): {reason}")]
    OtherVersion { producer: String, reason: String },
    #[error("the bitcode is truncated or damaged: {0}")]
    Damaged(String),
    #[error("the bitcode is not valid: {0}")]
    Invalid(String),
    #[error("bitcode for target \"{triple}\"; only x86-64 Linux is supported")]
    WrongTarget { triple: String },
    #[error("global \"{name}\" has {size} bytes, more than the 4 GiB that are supported")]
    TooLarge { name: String, size: u64 },
    #[error("cannot set up the reading of bitcode: {0}")]
    System(#[from] std::io::Error),
    #[error("a bug in upshot, not in the input: {0}")]
    Internal(String),
}

/// Reads bitcode of any origin, checks it, and lowers it to a [`Program`].
///
/// ```no_run
/// let bitcode = std::fs::read("program.bc")?;
/// let program = upshot_ir::load(&bitcode)?;
/// let main = program.function_named("main").expect("a program has a main");
/// println!("main has {} instructions", program.function(main).insts.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(bitcode: &[u8]) -> Result<Program, LoadError> {
    check(bitcode)?;
    load_trusted(bitcode)
}

/// Whether LLVM can read the bitcode and its verifier accepts it. Damaged input does no harm: LLVM, which
/// crashes on much of it, meets it first in a short-lived child process.
pub fn check(bitcode: &[u8]) -> Result<(), LoadError> {
    const RAW: [u8; 4] = [b'B', b'C', 0xC0, 0xDE];
    const WRAPPED: [u8; 4] = [0xDE, 0xC0, 0x17, 0x0B];
    if bitcode.is_empty() {
        return Err(LoadError::Empty);
    }
    if !bitcode.starts_with(&RAW) && !bitcode.starts_with(&WRAPPED) {
        return Err(LoadError::NotBitcode);
    }
    capi::check(bitcode).map_err(|failure| match failure {
        CheckFailure::Unreadable(reason) => explain(bitcode, &reason),
        CheckFailure::Invalid(reason) => LoadError::Invalid(one_line(&reason)),
        CheckFailure::Crashed => explain(bitcode, "LLVM's reader crashes on it"),
        CheckFailure::NoProcess(error) => LoadError::System(error),
    })
}

/// [`load`] for bitcode that LLVM itself has written or [`check`] has passed: neither checked again nor verified.
/// Anything else may crash the process.
pub fn load_trusted(bitcode: &[u8]) -> Result<Program, LoadError> {
    let module = capi::Module::parse(bitcode).map_err(|reason| explain(bitcode, &reason))?;
    let triple = module.triple();
    let right_target = triple.starts_with("x86_64") && triple.contains("linux") && module.is_little_endian_64();
    if !right_target {
        return Err(LoadError::WrongTarget { triple });
    }
    let source = read_structure(bitcode)?;
    let program = lower_module(&module, &source).map_err(|refused| match refused {
        Refused::Misaligned(Misaligned(what)) => LoadError::Internal(what),
        Refused::TooLarge { name, size } => LoadError::TooLarge { name, size },
    })?;
    tracing::debug!(
        functions = program.functions.len(),
        globals = program.globals.len(),
        unsupported = ?program.unsupported,
        "loaded {} bytes of bitcode",
        bitcode.len()
    );
    Ok(program)
}

/// What LLVM has against the bitcode, and whose doing that is.
fn explain(bitcode: &[u8], reason: &str) -> LoadError {
    // LLVM adds "(Producer: 'LLVM22.1.0' Reader: 'LLVM 19.1.7')" to some of its complaints.
    let reason = one_line(reason.split(" (Producer:").next().unwrap_or(reason));
    match producer(bitcode) {
        Some((producer, version)) if version != 19 => LoadError::OtherVersion { producer, reason },
        _ => LoadError::Damaged(reason),
    }
}

/// Who wrote the bitcode, and the major version. The name stands in the first block, as an array of 6-bit characters.
fn producer(bitcode: &[u8]) -> Option<(String, u32)> {
    const CHARACTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bits = bitcode.len().min(128) * 8;
    let character = |at: usize| {
        let code = (0..6).map(|bit| (bitcode[(at + bit) / 8] >> ((at + bit) % 8) & 1) << bit).sum::<u8>();
        char::from(CHARACTERS[usize::from(code)])
    };
    let text = |at: usize| (at..bits.saturating_sub(5)).step_by(6).map(character);
    let start = (0..bits).find(|&at| text(at).take(4).eq("LLVM".chars()))?;
    let version: String = text(start + 4 * 6).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let major = version.split('.').next()?.parse().ok()?;
    Some((format!("LLVM {version}"), major))
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given").to_string()
}

/// The instructions, by llvm-ir, which reads files only: so the bytes go into one that exists in memory alone.
fn read_structure(bitcode: &[u8]) -> Result<llvm_ir::Module, LoadError> {
    let descriptor =
        rustix::fs::memfd_create("bitcode", rustix::fs::MemfdFlags::CLOEXEC).map_err(std::io::Error::from)?;
    let mut file = std::fs::File::from(descriptor);
    file.write_all(bitcode)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match without_panic(|| llvm_ir::Module::from_bc_path(&path)) {
        Some(Ok(module)) => Ok(module),
        Some(Err(reason)) => Err(LoadError::Damaged(one_line(&reason))),
        None => Err(LoadError::Invalid("it holds something that llvm-ir cannot represent".to_string())),
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs llvm-ir, which panics on what it does not know (such as names that are not UTF-8), without its message.
fn without_panic<T>(read: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    outcome.ok()
}
