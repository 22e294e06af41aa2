//! A scratch folder in which tests write C files, build them and look at the result.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use upshot_frontend::{Built, FrontendError, Request, build};

pub struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Compiles C with flags of the test's own into the file `name`.
    pub fn clang(&self, name: &str, text: &str, flags: &[&str]) -> PathBuf {
        let source = self.file(&format!("{name}.source.c"), text);
        let output = self.path(name);
        let clang = upshot_frontend::clang().unwrap();
        let status = Command::new(clang).args(flags).arg(source).arg("-o").arg(&output).status().unwrap();
        assert!(status.success());
        output
    }

    pub fn build(&self, inputs: &[&PathBuf]) -> Built {
        build(&request(inputs)).unwrap_or_else(|error| panic!("{error}\n{}", error.diagnostics().unwrap_or_default()))
    }

    pub fn refuse(&self, inputs: &[&PathBuf]) -> FrontendError {
        build(&request(inputs)).expect_err("this must not build")
    }

    /// A module as LLVM prints it.
    pub fn text(&self, bitcode: &[u8]) -> String {
        let path = self.file("shown.bc", bitcode);
        disassemble(&path)
    }
}

fn request(inputs: &[&PathBuf]) -> Request {
    Request { inputs: inputs.iter().map(|path| (*path).clone()).collect(), ..Default::default() }
}

fn disassemble(path: &Path) -> String {
    let clang = upshot_frontend::clang().unwrap();
    let flags =
        ["-x", "ir", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-S", "-emit-llvm", "-o", "-"];
    let output = Command::new(clang).args(flags).arg(path).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
