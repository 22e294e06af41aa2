//! Making native executables: instrumented bitcode and the runtime, put together by clang.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use super::checks::{self, Checks};
use super::guard;
use super::instrument::{Calls, drop_promises, lead_allocations, make_local, trace_branches, user_functions};
use super::missing::{self, undefined_symbols};
use super::plan::Plan;
use super::shape::ObjectShape;
use super::start;
use super::{BuildKind, ReplayError};
use crate::trace::function_name_hash;

const RUNTIME: &str = concat!(
    include_str!("runtime/control.c"),
    include_str!("runtime/test.c"),
    include_str!("runtime/klee.c"),
    include_str!("runtime/entry.c"),
    include_str!("runtime/allocate.c")
);

/// An executable, and what its traces and results look like.
#[derive(Debug)]
pub(super) struct Build {
    pub(super) program: PathBuf,
    /// The user's functions by the hash of their names.
    pub(super) functions: HashMap<u64, String>,
    pub(super) result: ObjectShape,
}

/// What all builds of one program share.
#[derive(Debug)]
pub(super) struct Workshop {
    pub(super) clang: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) bitcode: Vec<u8>,
    pub(super) plan: Plan,
}

impl Workshop {
    /// That everything named exists, before anything is built.
    pub(super) fn check(&self) -> Result<(), ReplayError> {
        let context = Context::create();
        let module = self.read(&context)?;
        let calls = Calls::new(&module);
        match &self.plan.entry {
            None if start::defined(&calls, "main").is_none() => Err(ReplayError::NoMain),
            Some(entry) if start::defined(&calls, &entry.function).is_none() => {
                Err(ReplayError::NoEntry { name: entry.function.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The compiled runtime. It is the same for every program, so it is compiled once per process.
    pub(super) fn runtime(&self) -> Result<PathBuf, ReplayError> {
        static COMPILED: OnceLock<Vec<u8>> = OnceLock::new();
        let object = self.folder.join("runtime.o");
        if let Some(bytes) = COMPILED.get() {
            fs::write(&object, bytes).map_err(|e| ReplayError::io("write", &object, e))?;
            return Ok(object);
        }
        self.compile_runtime(&object)?;
        let bytes = fs::read(&object).map_err(|e| ReplayError::io("read", &object, e))?;
        let _ = COMPILED.set(bytes);
        Ok(object)
    }

    fn compile_runtime(&self, object: &Path) -> Result<(), ReplayError> {
        let source = self.folder.join("runtime.c");
        fs::write(&source, RUNTIME).map_err(|e| ReplayError::io("write", &source, e))?;
        let mut command = self.clang();
        command.args(["-c", "-O1", "-fPIE", "-w", "-fno-stack-protector", "-fwrapv", "-o"]).arg(object).arg(&source);
        let output = run(&mut command)?;
        if !output.status.success() {
            return Err(ReplayError::Compile { diagnostics: String::from_utf8_lossy(&output.stderr).into_owned() });
        }
        Ok(())
    }

    /// Builds the program. Where the linker misses definitions, they are made up and it is asked once more.
    pub(super) fn build(&self, kind: BuildKind, runtime: &Path) -> Result<Build, ReplayError> {
        let mut missing = BTreeSet::new();
        loop {
            let (build, bitcode, defined) = self.instrument(kind, &missing)?;
            let output = run(self.link(kind, &bitcode, runtime).arg("-o").arg(&build.program))?;
            let _ = fs::remove_file(&bitcode);
            if output.status.success() {
                return Ok(build);
            }
            let diagnostics = String::from_utf8_lossy(&output.stderr).into_owned();
            let mut wanted = undefined_symbols(&diagnostics);
            wanted.extend(missing.iter().cloned());
            if wanted.len() == missing.len() || defined < missing.len() {
                return Err(ReplayError::Compile { diagnostics });
            }
            tracing::debug!(?wanted, "definitions are made up for a native build");
            missing = wanted;
        }
    }

    /// Writes the instrumented bitcode. Also returns how many missing symbols it could define.
    fn instrument(&self, kind: BuildKind, missing: &BTreeSet<String>) -> Result<(Build, PathBuf, usize), ReplayError> {
        let context = Context::create();
        let mut module = self.read(&context)?;
        module.strip_debug_info();
        if kind != BuildKind::Plain {
            module = guard::put_first(&context, module)?;
        }
        let calls = Calls::new(&module);
        let functions = user_functions(&module, &self.plan);
        let names = functions.iter().map(|f| f.get_name());
        let names = names.map(|n| (function_name_hash(n.to_bytes()), n.to_string_lossy().into_owned())).collect();
        trace_branches(&calls, &functions)?;
        let checks = Checks { errors: kind != BuildKind::Plain, overflow: kind == BuildKind::Overflow };
        checks::insert(&calls, &functions, checks)?;
        drop_promises(&functions);
        make_local(&module, &functions);
        lead_allocations(&module);
        let result = start::add(&calls, &self.plan)?;
        let defined = missing::define(&calls, missing)?;
        if let Err(message) = module.verify() {
            return Err(ReplayError::Internal(format!(
                "instrumented bitcode is not valid: {}",
                message.to_string_lossy()
            )));
        }
        let name = format!("{kind:?}").to_lowercase();
        let bitcode = self.folder.join(format!("{name}.bc"));
        if !module.write_bitcode_to_path(&bitcode) {
            return Err(ReplayError::io("write", &bitcode, std::io::Error::other("LLVM could not write it")));
        }
        Ok((Build { program: self.folder.join(name), functions: names, result }, bitcode, defined))
    }

    fn read<'ctx>(&self, context: &'ctx Context) -> Result<Module<'ctx>, ReplayError> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&self.bitcode, "program");
        Module::parse_bitcode_from_buffer(&buffer, context)
            .map_err(|message| ReplayError::Bitcode { message: message.to_string_lossy().into_owned() })
    }

    fn link(&self, kind: BuildKind, bitcode: &Path, runtime: &Path) -> Command {
        let mut command = self.clang();
        command.args(["-O0", "-fPIE", "-pie", "-w", "-Wl,-z,relro,-z,now", "-fwrapv"]);
        if kind != BuildKind::Plain {
            // Use after scope is no error for the executor, for which an object lives as long as its frame.
            command.args(["-fsanitize=address", "-fsanitize-address-use-after-return=always"]);
            command.arg("-fno-sanitize-address-use-after-scope");
        }
        command.args(["-x", "ir"]).arg(bitcode).args(["-x", "none"]).arg(runtime);
        command.args(["-Wl,--no-as-needed", "-lm"]);
        command
    }

    fn clang(&self) -> Command {
        let mut command = Command::new(&self.clang);
        // Messages are read, so they must not be translated.
        command.env("LC_ALL", "C").current_dir(&self.folder).stdin(Stdio::null());
        command
    }
}

fn run(command: &mut Command) -> Result<Output, ReplayError> {
    let program = PathBuf::from(command.get_program());
    command.output().map_err(|e| ReplayError::io("run", &program, e))
}
