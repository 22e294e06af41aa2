//! What can go wrong between the user's files and one linked module. Every variant is the fault of one thing the user
//! can name (a file, a symbol, an expression, a missing tool), and its message is one line that says what to do about
//! it. Clang's own diagnostics are kept apart from the message, so that they can be shown as clang wrote them.

use std::path::{Path, PathBuf};

/// Why [`build`](crate::build) gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontendError {
    #[error(
        "no clang 19 found (looked at $UPSHOT_CLANG, /usr/lib/llvm-19/bin/clang, clang-19 on the PATH); run scripts/setup"
    )]
    ClangMissing,
    #[error("$UPSHOT_CLANG is {}, which is {problem}; point it at clang 19 or unset it", .path.display())]
    ClangUnfit { path: PathBuf, problem: String },
    #[error("clang could not be run ({}): {source}", .path.display())]
    ClangRun { path: PathBuf, source: std::io::Error },
    #[error("no program given; name at least one .c, .bc or .ll file")]
    NoInputs,
    #[error("{}: no such file", .path.display())]
    Missing { path: PathBuf },
    #[error("{}: the directory holds no C files; name one with .c files in it, or a .c, .bc or .ll file", .path.display())]
    NoSources { path: PathBuf },
    #[error("{}: {problem}", .path.display())]
    Database { path: PathBuf, problem: String },
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: not a kind of file that can be run; name a .c, .i, .bc or .ll file", .path.display())]
    UnknownKind { path: PathBuf },
    #[error("{}: the file is empty", .path.display())]
    Empty { path: PathBuf },
    #[error("{}: not LLVM bitcode (the first bytes are not its signature)", .path.display())]
    NotBitcode { path: PathBuf },
    #[error("{}: the bitcode is cut short; write the file again", .path.display())]
    Truncated { path: PathBuf },
    #[error("{}: written by {producer}, which LLVM 19 cannot read ({message}); compile it with clang 19", .path.display())]
    OtherLlvm { path: PathBuf, producer: String, message: String },
    #[error("{}: not valid LLVM bitcode: {message}", .path.display())]
    BadBitcode { path: PathBuf, message: String },
    #[error("{message}: not valid LLVM IR for LLVM 19")]
    BadIr { path: PathBuf, message: String },
    #[error("{}: compiled for {target}, but only x86_64 Linux programs can be run; compile it with -target x86_64-pc-linux-gnu", .path.display())]
    WrongTarget { path: PathBuf, target: String },
    #[error("{}: does not compile", .path.display())]
    Compile { path: PathBuf, diagnostics: String },
    #[error("`{symbol}` is defined twice, in {} and in {}", .first.display(), .second.display())]
    DuplicateSymbol { symbol: String, first: PathBuf, second: PathBuf },
    #[error("{}: cannot be linked with the other files: {message}", .path.display())]
    Link { path: PathBuf, message: String },
    #[error("the program cannot be linked with the C runtime: {message}; compile it with other flags")]
    LinkRuntime { message: String },
    #[error("no function `{entry}` in the program")]
    NoSuchEntry {
        entry: String,
        /// The functions that do exist, static ones too, so that the nearest name can be suggested.
        defined: Vec<String>,
    },
    #[error("several files define a static function `{entry}` ({}); name only one of them", list(.files))]
    AmbiguousEntry { entry: String, files: Vec<PathBuf> },
    #[error("--assume needs the source of `{entry}`, but {} is not a C file", .path.display())]
    AssumeWithoutSource { entry: String, path: PathBuf },
    #[error("--assume '{expression}': not a C expression over the parameters of `{entry}` and the globals of its file")]
    Assume { entry: String, expression: String, diagnostics: String },
    #[error("--assume: parameter `{parameter}` of `{entry}` has a type without a name ({type_name})")]
    AssumeUnnamedType { entry: String, parameter: String, type_name: String },
    #[error("a temporary file could not be used: {0}")]
    Temporary(#[source] std::io::Error),
    #[error("this is a bug in upshot: {0}")]
    Internal(String),
}

impl FrontendError {
    /// What clang wrote, unchanged, where clang is the one who objected.
    pub fn diagnostics(&self) -> Option<&str> {
        match self {
            Self::Compile { diagnostics, .. } | Self::Assume { diagnostics, .. } => Some(diagnostics),
            _ => None,
        }
    }

    pub(crate) fn read(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Unreadable { path, source },
        }
    }
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}
