//! A folder of its own for each test, with the programs that it needs, in which the tool runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tool::{self, Ended};

/// Two paths.
pub const TWO_PATHS: &str = "#include <klee/klee.h>\n\
    int main(void) {\n    int n;\n    klee_make_symbolic(&n, sizeof n, \"n\");\n    if (n > 3)\n        return 1;\n    return 0;\n}\n";

/// More paths than anybody can wait for, each of them short.
pub const ENDLESS: &str = "#include <klee/klee.h>\n\
    int main(void) {\n    unsigned long bits;\n    int count = 0;\n    klee_make_symbolic(&bits, sizeof bits, \"bits\");\n\
    for (int i = 0; i < 60; i++)\n        if (bits >> i & 1)\n            count++;\n    return count;\n}\n";

pub struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    pub fn new() -> Self {
        Workshop { folder: tempfile::tempdir().expect("there is room for a folder") }
    }

    /// A workshop that holds `main.c`.
    pub fn with(program: &str) -> Self {
        let shop = Workshop::new();
        shop.file("main.c", program);
        shop
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path
    }

    /// The tool, about to be run here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tool::upshot();
        command.current_dir(self.path()).args(arguments);
        command
    }

    /// Runs the tool here.
    pub fn upshot(&self, arguments: &[&str]) -> Ended {
        tool::end(&mut self.command(arguments))
    }

    /// Runs the tool, which must refuse: exit code 2, nothing on stdout, one line by the tool itself, no panic. Gives what it said.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let ended = self.upshot(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.stdout, "", "{arguments:?}");
        let own = |line: &&str| line.starts_with("upshot: ") || line.starts_with("error: ");
        assert_eq!(ended.stderr.lines().filter(own).count(), 1, "{arguments:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked") && !ended.stderr.contains("RUST_BACKTRACE"), "{}", ended.stderr);
        ended.stderr
    }

    /// Clang's output for a program.
    pub fn clang(&self, name: &str, program: &str, flags: &[&str]) -> PathBuf {
        let source = self.file("made.c", program);
        let out = self.path().join(name);
        let include = tool::root().join("crates/upshot-frontend/runtime/include");
        let status = Command::new("/usr/lib/llvm-19/bin/clang")
            .args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-I"])
            .arg(include)
            .args(flags)
            .arg("-o")
            .args([&out, &source])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "clang runs");
        out
    }

    /// The names of the files in a folder of the workshop, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
