//! What the tests of this crate share: C compiled to bitcode.

use std::path::Path;
use std::process::Command;
use upshot_ir::Program;

/// Bitcode of a C file.
pub fn compile_file(path: &Path, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("out.bc");
    let clang = Command::new("clang-19")
        .args(["-c", "-emit-llvm", "-w", "-o"])
        .arg(&output)
        .args(flags)
        .arg(path)
        .output()
        .expect("clang-19 runs");
    let complaints = String::from_utf8_lossy(&clang.stderr);
    assert!(clang.status.success(), "clang on {} {flags:?}: {complaints}", path.display());
    std::fs::read(&output).expect("clang wrote its output")
}

/// Bitcode of C text.
#[allow(dead_code)]
pub fn compile(source: &str, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("test.c");
    std::fs::write(&path, source).expect("the temporary folder is writable");
    compile_file(&path, flags)
}

/// Loads bitcode that must be fine, and whose program must be sound.
#[allow(dead_code)]
pub fn load(bitcode: &[u8]) -> Program {
    let program = upshot_ir::load(bitcode).expect("valid bitcode loads");
    assert_sound(&program);
    program
}

#[allow(dead_code)]
pub fn assert_sound(program: &Program) {
    let defects = upshot_ir::validate(program);
    assert!(defects.is_empty(), "{} defects, first {:?}", defects.len(), defects[0]);
}
