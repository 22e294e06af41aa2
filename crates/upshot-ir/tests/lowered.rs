//! Every `tests/lowered/*.c`, compiled with the flags in its first line, lowers to exactly what stands in the `.lowered` beside it.
//!
//! `UPSHOT_BLESS=1 cargo test -p upshot-ir --test lowered` writes these files anew; read the difference before you commit it.

mod workshop;

use std::path::Path;

#[test]
fn c_files_lower_as_written_beside_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowered");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    assert!(!files.is_empty());
    let bless = std::env::var_os("UPSHOT_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let flags = source.lines().next().and_then(|line| line.strip_prefix("// clang:"));
        let flags: Vec<&str> = flags.expect("the first line says `// clang: FLAGS`").split_whitespace().collect();
        let program = workshop::load(&workshop::compile_file(&path, &flags));
        let lowered = program.dump();
        let expected = path.with_extension("lowered");
        if bless {
            std::fs::write(&expected, &lowered).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != lowered {
            wrong.push(format!("{}:\n{lowered}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "lowered differently now:\n{}", wrong.join("\n"));
}
