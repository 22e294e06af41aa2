//! Finding clang 19 and running it. One [`Compiler`] holds what every call of one build shares: the tool, the user's
//! flags and a scratch folder with our `klee/klee.h`. What clang writes to standard error is kept byte for byte, since
//! it is the user's own compiler speaking about the user's own code.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::FrontendError;

/// The `klee/klee.h` that programs are compiled with, for those who compile them by other means.
pub const KLEE_HEADER: &str = include_str!("../runtime/include/klee/klee.h");

/// No optimisation that hides errors, but none of the markings that forbid later ones either; names and lines kept. The
/// macro makes glibc's `<ctype.h>` call functions: they compare, where its own macros look things up in a table.
const DEFAULT_FLAGS: [&str; 7] =
    ["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-fno-discard-value-names", "-fwrapv", "-D__NO_CTYPE"];

/// The clang 19 to compile with: `$UPSHOT_CLANG`, else Debian's place for it, else `clang-19` on the PATH.
pub fn clang() -> Result<PathBuf, FrontendError> {
    if let Some(path) = std::env::var_os("UPSHOT_CLANG").filter(|value| !value.is_empty()) {
        return fit(PathBuf::from(path));
    }
    let usual = Path::new("/usr/lib/llvm-19/bin/clang");
    if usual.is_file() {
        return Ok(usual.to_path_buf());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join("clang-19"))
        .find(|path| path.is_file())
        .ok_or(FrontendError::ClangMissing)
}

/// A path that the user chose is asked for its version, because any other one writes bitcode we cannot read.
fn fit(path: PathBuf) -> Result<PathBuf, FrontendError> {
    let output = match Command::new(&path).arg("--version").stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return Err(FrontendError::ClangUnfit { path, problem: format!("not runnable ({error})") }),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split("clang version ").nth(1).and_then(|rest| rest.split(['.', ' ', '\n']).next());
    match version {
        Some("19") => Ok(path),
        Some(other) => {
            let problem = format!("clang {other}");
            Err(FrontendError::ClangUnfit { path, problem })
        }
        None => Err(FrontendError::ClangUnfit { path, problem: "no clang".into() }),
    }
}

/// A source file as clang shall see it: itself, or with a text after its end (the file on disk stays as it is).
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    /// Its own.
    pub(crate) flags: &'a [String],
    pub(crate) appended: Option<&'a str>,
}

/// What one run of clang left.
pub(crate) struct Ran {
    pub(crate) success: bool,
    pub(crate) stdout: Vec<u8>,
    pub(crate) diagnostics: String,
}

pub(crate) struct Compiler<'a> {
    clang: PathBuf,
    flags: &'a [String],
    scratch: tempfile::TempDir,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(flags: &'a [String]) -> Result<Self, FrontendError> {
        let clang = clang()?;
        let scratch = tempfile::Builder::new().prefix("upshot-").tempdir().map_err(FrontendError::Temporary)?;
        let folder = scratch.path().join("include/klee");
        std::fs::create_dir_all(&folder).map_err(FrontendError::Temporary)?;
        std::fs::write(folder.join("klee.h"), KLEE_HEADER).map_err(FrontendError::Temporary)?;
        Ok(Self { clang, flags, scratch })
    }

    /// Compiles one file to bitcode. `slot` names its scratch files, so that several can be under way at once.
    pub(crate) fn compile(&self, source: &Source<'_>, slot: usize, extra: &[&str]) -> Result<Bitcode, FrontendError> {
        let output = self.scratch.path().join(format!("{slot}.bc"));
        let mut command = self.command(source, slot)?;
        command.args(extra).args(["-emit-llvm", "-c", "-o"]).arg(&output).arg("--").arg(source.path);
        let ran = self.run(command)?;
        if !ran.success {
            let path = source.path.to_path_buf();
            return Err(FrontendError::Compile { path, diagnostics: ran.diagnostics });
        }
        let bytes = std::fs::read(&output).map_err(FrontendError::Temporary)?;
        Ok(Bitcode { bytes, diagnostics: ran.diagnostics })
    }

    /// Clang's syntax tree of the declarations whose name contains `name`, as a row of JSON objects.
    pub(crate) fn declarations(&self, source: &Source<'_>, name: &str) -> Result<Ran, FrontendError> {
        let mut command = self.command(source, 0)?;
        let filter = format!("-ast-dump-filter={name}");
        command.args(["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang"]).arg(filter).arg("--");
        command.arg(source.path);
        self.run(command)
    }

    fn command(&self, source: &Source<'_>, slot: usize) -> Result<Command, FrontendError> {
        let mut command = Command::new(&self.clang);
        command.args(DEFAULT_FLAGS).args(source.flags).args(self.flags);
        command.arg("-isystem").arg(self.scratch.path().join("include"));
        if let Some(appended) = source.appended {
            command.arg("-ivfsoverlay").arg(self.overlay(source.path, appended, slot)?);
        }
        Ok(command)
    }

    /// A file-system overlay in which `path` has `appended` after its end. Clang then names, finds and reports
    /// everything as if the user had written it there, which no copy under another name can do (includes, `__FILE__`,
    /// debug info).
    fn overlay(&self, path: &Path, appended: &str, slot: usize) -> Result<PathBuf, FrontendError> {
        let mut text = std::fs::read(path).map_err(|error| FrontendError::read(path, error))?;
        text.extend_from_slice(appended.as_bytes());
        let copy = self.scratch.path().join(format!("{slot}.c"));
        std::fs::write(&copy, text).map_err(FrontendError::Temporary)?;
        let original = std::path::absolute(path).map_err(FrontendError::Temporary)?;
        let entry = serde_json::json!({
            "version": 0,
            "use-external-names": false,
            "roots": [{ "type": "file", "name": original.to_string_lossy(), "external-contents": copy.to_string_lossy() }],
        });
        let overlay = self.scratch.path().join(format!("{slot}.yaml"));
        std::fs::write(&overlay, entry.to_string()).map_err(FrontendError::Temporary)?;
        Ok(overlay)
    }

    /// Lets clang read bitcode or IR in a process of its own, and says how that ended. LLVM's readers may crash, run
    /// away or end the process on damaged files; what they do there cannot harm us here.
    pub(crate) fn probe(&self, path: &Path, limit: Duration) -> Result<Ran, FrontendError> {
        let mut command = Command::new(&self.clang);
        let target = ["-target", "x86_64-pc-linux-gnu"];
        command.args(target).args(["-x", "ir", "-w", "-fno-crash-diagnostics", "-Xclang", "-disable-llvm-passes"]);
        command.args(["-emit-llvm", "-c", "-o"]).arg(self.scratch.path().join("probe.bc")).arg("--").arg(path);
        self.run_for(command, Some(limit))
    }

    fn run(&self, command: Command) -> Result<Ran, FrontendError> {
        self.run_for(command, None)
    }

    fn run_for(&self, mut command: Command, limit: Option<Duration>) -> Result<Ran, FrontendError> {
        tracing::debug!(arguments = %shown(&command), "running clang");
        let failed = |source| FrontendError::ClangRun { path: self.clang.clone(), source };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (status, stdout, stderr) = std::thread::scope(|scope| {
            let stdout = scope.spawn(move || drain(stdout));
            let stderr = scope.spawn(move || drain(stderr));
            let status = wait(&mut child, limit);
            (status, stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default())
        });
        let status = status.map_err(failed)?;
        let diagnostics = String::from_utf8_lossy(&stderr).into_owned();
        Ok(Ran { success: status.success(), stdout, diagnostics })
    }
}

pub(crate) struct Bitcode {
    pub(crate) bytes: Vec<u8>,
    pub(crate) diagnostics: String,
}

fn drain(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is still what clang said.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

fn wait(child: &mut Child, limit: Option<Duration>) -> std::io::Result<ExitStatus> {
    let Some(limit) = limit else { return child.wait() };
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.collect::<Vec<&OsStr>>().join(OsStr::new(" ")).to_string_lossy().into_owned()
}
