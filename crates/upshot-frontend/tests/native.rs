//! The C runtime against the system's C library. The runtime is compiled for the machine with a prefix on each of its
//! names, and linked with the C tests in `native/`, which call both on many inputs and compare. Once with checks for
//! undefined behaviour; and once with checks for bad memory accesses, whose own versions of library functions are no
//! reference.

mod workshop;

use std::path::{Path, PathBuf};
use std::process::Command;

use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use workshop::Workshop;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Macros that put `up_` before every name that the runtime defines.
fn renames() -> String {
    let context = Context::create();
    let bitcode = Path::new(env!("OUT_DIR")).join("upshot-runtime.bc");
    let module = Module::parse_bitcode_from_path(bitcode, &context).unwrap();
    let functions = module.get_functions().map(|function| function.as_global_value());
    functions
        .chain(module.get_globals())
        .filter(|global| !global.is_declaration() && global.get_linkage() == Linkage::External)
        .map(|global| global.get_name().to_string_lossy().into_owned())
        .map(|name| format!("#define {name} up_{name}\n"))
        .collect()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
}

/// Builds the tests with the runtime under the given sanitizer.
fn compile(shop: &Workshop, sanitizer: &str) -> PathBuf {
    let clang = upshot_frontend::clang().unwrap();
    let renames = shop.file("renames.h", renames());
    let (object, program) = (shop.path("runtime.o"), shop.path("native"));
    let mut runtime = Command::new(&clang);
    runtime.args(["-std=c11", "-O1", "-g", "-fwrapv", "-ffreestanding", "-fno-builtin", "-fno-math-errno", "-c"]);
    runtime.args([sanitizer, "-fno-sanitize-recover=all", "-include"]).arg(renames);
    run(runtime.arg(root().join("runtime/runtime.c")).arg("-o").arg(&object));
    let mut tests: Vec<PathBuf> = std::fs::read_dir(root().join("tests/native"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    tests.sort();
    let mut link = Command::new(&clang);
    link.args(["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fno-builtin", "-w", sanitizer]);
    // Only the runtime is looked at; the tests call the system with what it may do what it likes with.
    let without = if sanitizer.contains("address") { "-fno-sanitize=address" } else { "-fno-sanitize=undefined" };
    for (index, test) in tests.iter().enumerate() {
        let part = shop.path(&format!("{index}.o"));
        let mut compile = Command::new(&clang);
        compile.args(["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fno-builtin", "-w", without, "-c"]);
        run(compile.arg(test).arg("-o").arg(&part));
        link.arg(part);
    }
    run(link.arg(object).arg("-lm").arg("-o").arg(&program));
    program
}

#[test]
fn the_runtime_does_what_the_systems_library_does() {
    let shop = Workshop::new();
    let program = compile(&shop, "-fsanitize=undefined");
    run(&mut Command::new(program));
}

#[test]
fn the_runtime_stays_within_its_memory() {
    let shop = Workshop::new();
    let program = compile(&shop, "-fsanitize=address");
    run(Command::new(program).env("NATIVE_MEMORY_ONLY", "1").env("ASAN_OPTIONS", "check_printf=0:replace_str=0"));
}
