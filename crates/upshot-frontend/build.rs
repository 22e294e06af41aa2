//! Compiles the C runtime to bitcode, which `src/runtime.rs` embeds. One translation unit includes every file of it, so
//! one call of clang does it all, and no linker is needed to join the parts.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=runtime");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=UPSHOT_CLANG");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("runtime");
    let output = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("upshot-runtime.bc");
    let usual = PathBuf::from("/usr/lib/llvm-19/bin/clang");
    let clang = match std::env::var_os("UPSHOT_CLANG") {
        Some(path) => PathBuf::from(path),
        None if usual.is_file() => usual,
        None => PathBuf::from("clang-19"),
    };
    let status = Command::new(&clang)
        .args(["-target", "x86_64-pc-linux-gnu", "-std=c11", "-O0", "-Xclang", "-disable-O0-optnone", "-g"])
        .args(["-fno-discard-value-names", "-fwrapv", "-ffreestanding", "-fno-builtin", "-fno-math-errno"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wno-bitwise-instead-of-logical", "-fdebug-compilation-dir=."])
        .arg(format!("-ffile-prefix-map={}=upshot-runtime", root.display()))
        .args(["-emit-llvm", "-c", "-o"])
        .arg(&output)
        .arg(root.join("runtime.c"))
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{} could not compile the C runtime ({status})", clang.display())),
        Err(error) => fail(&format!("{} could not be run ({error}); run scripts/setup", clang.display())),
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1)
}
