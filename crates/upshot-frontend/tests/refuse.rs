//! What `build` says to bad files: a typed error, one clear line, and never the end of this process.

mod workshop;

use upshot_frontend::{FrontendError, Request, build};
use workshop::Workshop;

/// The error's message, which is one line.
fn line(error: &FrontendError) -> String {
    let message = error.to_string();
    assert!(!message.contains('\n'), "more than one line: {message}");
    message
}

#[test]
fn paths_that_are_no_files() {
    let shop = Workshop::new();
    let error = shop.refuse(&[&shop.path("none.c")]);
    assert!(matches!(error, FrontendError::Missing { .. }), "{error}");
    assert!(line(&error).ends_with("none.c: no such file"));
    std::fs::create_dir(shop.path("folder.c")).unwrap();
    let error = shop.refuse(&[&shop.path("folder.c")]);
    assert!(matches!(error, FrontendError::NoSources { .. }), "{error}");
    let error = shop.refuse(&[&shop.file("program.txt", "hello")]);
    assert!(matches!(error, FrontendError::UnknownKind { .. }), "{error}");
    assert!(matches!(shop.refuse(&[]), FrontendError::NoInputs));
}

#[test]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Workshop::new();
    let file = shop.file("secret.c", "int main(void) { return 0; }\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&file).is_ok() {
        return; // root reads everything
    }
    let error = shop.refuse(&[&file]);
    assert!(matches!(error, FrontendError::Unreadable { .. }), "{error}");
}

#[test]
fn empty_files() {
    let shop = Workshop::new();
    for name in ["empty.c", "empty.bc", "empty.ll"] {
        let error = shop.refuse(&[&shop.file(name, "")]);
        assert!(matches!(error, FrontendError::Empty { .. }), "{error}");
        line(&error);
    }
}

#[test]
fn c_that_does_not_compile() {
    let shop = Workshop::new();
    let good = shop.file("good.c", "int g;\n");
    let bad = shop.file("bad.c", "int main(void) {\n  return x;\n}\n");
    let error = shop.refuse(&[&good, &bad]);
    let FrontendError::Compile { path, diagnostics } = &error else { panic!("{error}") };
    assert_eq!(path, &bad);
    assert!(diagnostics.starts_with(&format!("{}:2:10: error: use of undeclared identifier 'x'", bad.display())));
    line(&error);
}

#[test]
fn bitcode_that_is_none() {
    let shop = Workshop::new();
    let error = shop.refuse(&[&shop.file("text.bc", "int main(void) { return 0; }\n")]);
    assert!(matches!(error, FrontendError::NotBitcode { .. }), "{error}");
    let mut garbage = b"BC\xC0\xDE".to_vec();
    garbage.extend((0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8));
    let error = shop.refuse(&[&shop.file("garbage.bc", garbage)]);
    assert!(matches!(error, FrontendError::Truncated { .. } | FrontendError::BadBitcode { .. }), "{error}");
    line(&error);
}

#[test]
fn bitcode_cut_anywhere() {
    let shop = Workshop::new();
    let whole = shop.clang("whole.bc", "int main(void) { return 3; }\n", &["-g", "-emit-llvm", "-c"]);
    let bytes = std::fs::read(&whole).unwrap();
    for cut in (1..bytes.len()).step_by(bytes.len() / 40) {
        let error = shop.refuse(&[&shop.file("cut.bc", &bytes[..cut])]);
        let expected = if cut < 4 { "not LLVM bitcode" } else { "cut short" };
        assert!(line(&error).contains(expected), "cut at {cut}: {error}");
    }
}

/// Flips bits all over a module. Some results are still modules, most are not; none may end this process.
#[test]
fn damaged_bitcode_is_refused_in_words() {
    let shop = Workshop::new();
    let whole = shop.clang(
        "whole.bc",
        "int a[3]; int main(int c, char **v) { a[1] = c; return a[c]; }\n",
        &["-g", "-emit-llvm", "-c"],
    );
    let bytes = std::fs::read(&whole).unwrap();
    let mut refused = 0;
    for round in 0..60usize {
        let mut damaged = bytes.clone();
        for spot in 0..3 {
            let bit = (round * 7919 + spot * 104_729 + 1_299_709) % (bytes.len() * 8);
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        let file = shop.file("damaged.bc", &damaged);
        let request = Request { inputs: vec![file], ..Default::default() };
        if let Err(error) = build(&request) {
            assert!(!matches!(error, FrontendError::Internal(_)), "{error}");
            line(&error);
            refused += 1;
        }
    }
    assert!(refused > 30, "only {refused} refused");
}

/// A file that another LLVM wrote and ours cannot read: the name is that of a newer one, and the module is damaged. The
/// name stands in six bits for each letter, of which `1` and `9` are 53 and 61.
#[test]
fn bitcode_of_another_llvm() {
    let shop = Workshop::new();
    let whole = shop.clang("whole.bc", "int main(void) { return 3; }\n", &["-emit-llvm", "-c"]);
    let mut bytes = std::fs::read(&whole).unwrap();
    let bit = |bytes: &[u8], at: usize| bytes[at / 8] >> (at % 8) & 1;
    let letters = |bytes: &[u8], at: usize| (0..12).fold(0, |sum, n| sum | u32::from(bit(bytes, at + n)) << n);
    let place =
        (0..800).find(|at| letters(&bytes, *at) == 53 | 61 << 6).expect("the name LLVM19 is in the first bytes");
    for n in 0..12 {
        let wanted = (54 | 54 << 6) >> n & 1;
        let at = place + n;
        bytes[at / 8] = bytes[at / 8] & !(1 << (at % 8)) | (wanted as u8) << (at % 8);
    }
    let length = bytes.len();
    bytes[length / 4..length / 2].fill(0x5a);
    let error = shop.refuse(&[&shop.file("other.bc", &bytes)]);
    let FrontendError::OtherLlvm { producer, .. } = &error else { panic!("{error}") };
    assert!(producer.starts_with("LLVM22."), "{producer}");
    line(&error);
}

#[test]
fn ir_text_with_a_mistake() {
    let shop = Workshop::new();
    let file = shop.file("bad.ll", "define i32 @main() {\n  ret i64 0\n}\n");
    let error = shop.refuse(&[&file]);
    assert!(matches!(error, FrontendError::BadIr { .. }), "{error}");
    assert!(line(&error).starts_with(&format!("{}:2:7: ", file.display())), "{error}");
    let file = shop.file(
        "broken.ll",
        "define i32 @f(i32 %a) {\nx:\n  %b = add i32 %c, 1\n  %c = add i32 %a, 1\n  ret i32 %b\n}\n",
    );
    let error = shop.refuse(&[&file]);
    assert!(line(&error).contains("Instruction does not dominate all uses"), "{error}");
}

#[test]
fn another_machine() {
    let shop = Workshop::new();
    let file =
        shop.file("arm.ll", "target triple = \"aarch64-unknown-linux-gnu\"\ndefine i32 @main() {\n  ret i32 0\n}\n");
    let error = shop.refuse(&[&file]);
    assert!(matches!(error, FrontendError::WrongTarget { .. }), "{error}");
    assert!(line(&error).contains("aarch64-unknown-linux-gnu"));
    let file = shop.file("small.c", "int main(void) { return 0; }\n");
    let error = build(&Request { inputs: vec![file], flags: vec!["-m32".into()], ..Default::default() }).unwrap_err();
    assert!(matches!(error, FrontendError::WrongTarget { .. }), "{error}");
}

#[test]
fn a_symbol_defined_twice() {
    let shop = Workshop::new();
    let first = shop.file("first.c", "int both(void) { return 1; }\nint main(void) { return both(); }\n");
    let second = shop.file("second.c", "int both(void) { return 2; }\n");
    let error = shop.refuse(&[&first, &second]);
    let FrontendError::DuplicateSymbol { symbol, .. } = &error else { panic!("{error}") };
    assert_eq!(symbol, "both");
    assert!(line(&error).contains("first.c") && line(&error).contains("second.c"), "{error}");
    let again = shop.refuse(&[&first, &first]);
    assert!(matches!(again, FrontendError::DuplicateSymbol { .. }), "{again}");
}

#[test]
fn an_entry_that_does_not_exist() {
    let shop = Workshop::new();
    let file = shop.file("main.c", "static int compute(int n) { return n; }\nint main(void) { return 0; }\n");
    for entry in ["compyte", "int x; //", ""] {
        let request = Request { inputs: vec![file.clone()], entry: Some(entry.into()), ..Default::default() };
        let error = build(&request).unwrap_err();
        let FrontendError::NoSuchEntry { defined, .. } = &error else { panic!("{error}") };
        assert_eq!(defined, &["compute", "main"]);
    }
}

#[test]
fn an_entry_that_is_two() {
    let shop = Workshop::new();
    let first = shop.file("first.c", "static int f(int n) { return n; }\nint main(void) { return 0; }\n");
    let second = shop.file("second.c", "static int f(int n) { return n + 1; }\n");
    let request = Request { inputs: vec![first, second], entry: Some("f".into()), ..Default::default() };
    let error = build(&request).unwrap_err();
    assert!(matches!(error, FrontendError::AmbiguousEntry { .. }), "{error}");
}

#[test]
fn an_assumption_with_a_mistake() {
    let shop = Workshop::new();
    let file = shop.file("entry.c", "int f(int n) { return n; }\n");
    for (expressions, blamed, said) in [
        (vec!["n > 0", "m > 1"], "m > 1", "--assume:2:1: error: use of undeclared identifier 'm'"),
        (vec!["n >"], "n >", "--assume:1:"),
        (vec!["(n > 0"], "(n > 0", "--assume:"),
        (vec!["n; return 1"], "n; return 1", "--assume:1:"),
    ] {
        let assumptions = expressions.iter().map(|text| text.to_string()).collect();
        let request =
            Request { inputs: vec![file.clone()], entry: Some("f".into()), assumptions, ..Default::default() };
        let error = build(&request).unwrap_err();
        let FrontendError::Assume { expression, diagnostics, .. } = &error else { panic!("{error}") };
        assert_eq!(expression, blamed);
        assert!(diagnostics.contains(said), "{diagnostics}");
        line(&error);
    }
}

#[test]
fn an_assumption_without_source() {
    let shop = Workshop::new();
    let file = shop.file("lib.ll", "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n");
    let assumptions = vec!["x > 0".to_string()];
    let request = Request { inputs: vec![file], entry: Some("f".into()), assumptions, ..Default::default() };
    let error = build(&request).unwrap_err();
    assert!(matches!(error, FrontendError::AssumeWithoutSource { .. }), "{error}");
}
