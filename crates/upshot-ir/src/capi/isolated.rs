//! Checks bitcode in a process of its own.
//!
//! LLVM's reader trusts what it reads: about one in ten single-bit changes of a small file makes it read wild
//! pointers or call `abort`, before it has a chance to report an error. A child process that does nothing but read and verify
//! takes that blow. Bytes that it survives are read the same way by the parent, whose memory the child started as.

use super::Module;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::Mutex;

/// Why a check failed.
pub(crate) enum CheckFailure {
    /// The reader's complaint.
    Unreadable(String),
    /// The verifier's complaint.
    Invalid(String),
    /// LLVM crashed on it.
    Crashed,
    /// There is no child process to be had.
    NoProcess(std::io::Error),
}

/// More than any honest file needs, in seconds of work: a damaged one can make the reader loop.
const CPU_LIMIT: libc::rlim_t = 120;
/// And in seconds on the clock, should the child wait for a lock that another thread of the parent held.
const PATIENCE: libc::c_uint = 300;

const FINE: u8 = 0;
const UNREADABLE: u8 = 1;
const INVALID: u8 = 2;

/// One check at a time: no other thread may be inside LLVM's reader, holding one of its locks, when the child is split off.
static ALONE: Mutex<()> = Mutex::new(());

/// Reads and verifies the bitcode where a crash does no harm.
pub(crate) fn check(bitcode: &[u8]) -> Result<(), CheckFailure> {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let verdict = in_child(|| match Module::parse(bitcode) {
        Err(reason) => (UNREADABLE, reason),
        Ok(module) => match module.verify() {
            Err(reason) => (INVALID, reason),
            Ok(()) => (FINE, String::new()),
        },
    });
    match verdict.map_err(CheckFailure::NoProcess)? {
        Some((FINE, _)) => Ok(()),
        Some((UNREADABLE, reason)) => Err(CheckFailure::Unreadable(reason)),
        Some((_, reason)) => Err(CheckFailure::Invalid(reason)),
        None => Err(CheckFailure::Crashed),
    }
}

/// Runs `work` in a child process; `None` if that ended without an answer.
fn in_child(work: impl FnOnce() -> (u8, String)) -> std::io::Result<Option<(u8, String)>> {
    let mut ends = [0; 2];
    // SAFETY: two descriptors for two places.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptors are new and owned by nobody else.
    let (mut reader, writer) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
    // SAFETY: the child runs `work` on its own copy of memory and leaves by `_exit`, so that nothing of the parent's is
    // torn down twice. It uses the allocator, which glibc keeps usable across fork, and LLVM's reader, which `ALONE` keeps
    // other threads out of.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        0 => answer_and_leave(work, writer),
        child => {
            drop(writer);
            let mut answer = Vec::new();
            let received = reader.read_to_end(&mut answer);
            let mut status = 0;
            // SAFETY: our own child, waited for once; repeated only while interrupted.
            while unsafe { libc::waitpid(child, &mut status, 0) } == -1
                && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
            {}
            received?;
            let (tag, text) = match answer.split_first() {
                Some((tag, text)) => (*tag, String::from_utf8_lossy(text).into_owned()),
                None => return Ok(None),
            };
            Ok(Some((tag, text)))
        }
    }
}

/// The child's part.
fn answer_and_leave(work: impl FnOnce() -> (u8, String), mut writer: File) -> ! {
    // SAFETY: plain system calls in a process that only checks one file. LLVM writes its last words to stderr, which
    // belong to nobody here.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if nowhere >= 0 {
            libc::dup2(nowhere, libc::STDERR_FILENO);
        }
        for (what, limit) in [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_CPU, CPU_LIMIT)] {
            libc::setrlimit(what, &libc::rlimit { rlim_cur: limit, rlim_max: limit });
        }
        libc::alarm(PATIENCE);
        for signal in [libc::SIGALRM, libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    if let Ok((tag, reason)) = outcome {
        let mut answer = vec![tag];
        answer.extend(reason.bytes());
        let _ = writer.write_all(&answer);
    }
    // SAFETY: ends this process at once, without destructors.
    unsafe { libc::_exit(0) }
}
