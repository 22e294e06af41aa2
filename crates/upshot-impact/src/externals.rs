//! What functions without a body do: the models of the executor, and the C library as far as people know it.
//!
//! A function that is not in the table is *unknown*: it may read and write whatever has escaped to it, call back any function whose address
//! has, keep a history, and never return. Whatever is in the table does less, and each entry says how much.

/// What a function without a body does, beyond reading its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct External {
    /// The result is a new object.
    pub(crate) allocates: bool,
    /// This argument's object is gone afterwards.
    pub(crate) frees: Option<u8>,
    /// The result may be this argument.
    pub(crate) returns: Option<u8>,
    /// Arguments whose memory is read, as bits.
    pub(crate) reads: u8,
    /// Arguments whose memory is written, as bits.
    pub(crate) writes: u8,
    /// The memory of the second argument is copied to that of the first.
    pub(crate) copies: bool,
    /// Reads what earlier calls have left, and leaves something for later ones.
    pub(crate) history: bool,
    /// May not return: an error, an exit, a condition on the path.
    pub(crate) may_end: bool,
    /// Never returns.
    pub(crate) ends: bool,
    /// May do anything to all that has escaped.
    pub(crate) unknown: bool,
}

const NOTHING: External = External {
    allocates: false,
    frees: None,
    returns: None,
    reads: 0,
    writes: 0,
    copies: false,
    history: false,
    may_end: false,
    ends: false,
    unknown: false,
};

const ALL: u8 = !0;

/// Bits for some arguments.
const fn arguments(list: &[u8]) -> u8 {
    let mut bits = 0;
    let mut at = 0;
    while at < list.len() {
        bits |= 1 << list[at];
        at += 1;
    }
    bits
}

/// The effects of the function of this name, which has no body.
pub(crate) fn external(name: &str) -> External {
    let checks = External { may_end: true, ..NOTHING };
    match name {
        // Room is made, or the path ends; how much is its argument's business, which flows into the result.
        "malloc" | "calloc" | "aligned_alloc" | "memalign" | "valloc" => External { allocates: true, ..checks },
        "realloc" | "reallocarray" => {
            External { allocates: true, frees: Some(0), returns: Some(0), copies: false, reads: 1, ..checks }
        }
        "posix_memalign" => External { allocates: true, writes: 1, ..checks },
        "free" | "cfree" => External { frees: Some(0), ..checks },
        "malloc_usable_size" | "klee_get_obj_size" | "klee_check_memory_access" => checks,
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" | "mempcpy" => {
            External { returns: Some(0), reads: arguments(&[1]), writes: arguments(&[0]), copies: true, ..checks }
        }
        "memset" | "__memset_chk" => External { returns: Some(0), writes: arguments(&[0]), ..checks },
        "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "abort"
        | "__assert_fail"
        | "__assert"
        | "__assert_rtn"
        | "__stack_chk_fail"
        | "__chk_fail"
        | "__upshot_unsupported"
        | "klee_silent_exit"
        | "klee_abort"
        | "klee_report_error" => External { may_end: true, ends: true, ..NOTHING },
        "klee_assume" => checks,
        "klee_make_symbolic" => External { writes: arguments(&[0]), history: true, ..checks },
        "klee_range" | "klee_int" | "klee_choose" => External { history: true, ..checks },
        "klee_get_valuef" | "klee_get_valued" | "klee_get_valuel" | "klee_get_valuell" | "klee_get_value_i32"
        | "klee_get_value_i64" => External { may_end: true, returns: Some(0), ..NOTHING },
        "klee_prefer_cex"
        | "klee_posix_prefer_cex"
        | "klee_is_symbolic"
        | "klee_is_replay"
        | "klee_print_expr"
        | "klee_print_range"
        | "klee_warning"
        | "klee_warning_once"
        | "klee_mark_global"
        | "klee_set_forking"
        | "klee_open_merge"
        | "klee_close_merge"
        | "klee_merge"
        | "klee_stack_trace" => NOTHING,
        // What goes out comes back to nobody. Reading the text may run over the end of it.
        "printf" | "__printf_chk" | "vprintf" | "puts" => External { reads: ALL, ..checks },
        "putchar" | "putchar_unlocked" => NOTHING,
        "fprintf" | "__fprintf_chk" | "vfprintf" | "dprintf" | "fputs" | "fputc" | "putc" | "_IO_putc" | "fwrite"
        | "write" => External { reads: ALL, history: true, ..checks },
        "fflush" | "setvbuf" | "setbuf" | "fclose" | "feof" | "ferror" => External { history: true, ..checks },
        "getchar" | "getc" | "fgetc" | "ungetc" => External { history: true, ..checks },
        "fgets" => External { history: true, returns: Some(0), writes: arguments(&[0]), ..checks },
        _ if is_mathematics(name) => NOTHING,
        _ if is_system_call(name) => External { history: true, reads: ALL, writes: ALL, ..checks },
        _ => External { history: true, reads: ALL, writes: ALL, unknown: true, ..checks },
    }
}

/// Whether the function of this name, which has no body, may write to a stream.
pub(crate) fn prints(name: &str) -> bool {
    let effects = external(name);
    let is_plain = matches!(name, "printf" | "__printf_chk" | "vprintf" | "puts" | "putchar" | "putchar_unlocked");
    is_plain || effects.history || effects.unknown
}

/// Calls of the system that read and fill the memory they are given, but keep no pointers and call nobody back.
#[rustfmt::skip]
const SYSTEM_CALLS: &[&str] = &[
    "access", "chdir", "chmod", "chown", "clearerr", "clock", "clock_gettime", "close", "dup", "dup2", "fchmod",
    "fchown", "fcntl", "fdatasync", "fileno", "fread", "fseek", "fseeko", "fstat", "fsync", "ftell", "ftello",
    "ftruncate", "getegid", "geteuid", "getgid", "getpagesize", "getpid", "getppid", "gettimeofday", "getuid",
    "ioctl", "isatty", "lseek", "lstat", "mkdir", "nanosleep", "open", "pipe", "posix_fallocate", "pread",
    "pthread_equal", "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock",
    "pthread_mutex_unlock", "pthread_mutexattr_destroy", "pthread_mutexattr_init", "pthread_mutexattr_settype",
    "pthread_self", "pwrite", "read", "readlink", "remove", "rename", "rewind", "rmdir", "sched_yield", "sleep",
    "stat", "sysconf", "time", "truncate", "umask", "unlink", "usleep", "utimes",
];

fn is_system_call(name: &str) -> bool {
    SYSTEM_CALLS.contains(&name.strip_suffix("64").unwrap_or(name))
}

/// Functions of numbers alone.
fn is_mathematics(name: &str) -> bool {
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    let known = |name: &str| {
        matches!(
            name,
            "sin"
                | "cos"
                | "tan"
                | "asin"
                | "acos"
                | "atan"
                | "atan2"
                | "sinh"
                | "cosh"
                | "tanh"
                | "exp"
                | "exp2"
                | "expm1"
                | "log"
                | "log2"
                | "log10"
                | "log1p"
                | "pow"
                | "sqrt"
                | "cbrt"
                | "hypot"
                | "floor"
                | "ceil"
                | "round"
                | "trunc"
                | "rint"
                | "nearbyint"
                | "fabs"
                | "fmod"
                | "fmin"
                | "fmax"
                | "fdim"
                | "copysign"
                | "fma"
                | "ldexp"
                | "lround"
                | "llround"
                | "lrint"
                | "llrint"
        )
    };
    known(name) || known(base)
}
