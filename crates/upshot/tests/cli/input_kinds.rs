//! A program as C, as bitcode and as IR text is the same program.

use crate::Workshop;

const PROGRAM: &str = "#include <assert.h>\n#include <klee/klee.h>\n#include <string.h>\n\
    int main(void) {\n    char text[3];\n    klee_make_symbolic(text, sizeof text, \"text\");\n    text[2] = 0;\n\
    assert(strcmp(text, \"no\") != 0);\n    return text[0] > text[1];\n}\n";

#[test]
fn the_same_tests_from_every_kind() {
    let shop = Workshop::with(PROGRAM);
    shop.clang("main.bc", PROGRAM, &["-c", "-emit-llvm"]);
    shop.clang("main.ll", PROGRAM, &["-S", "-emit-llvm"]);
    let mut found = Vec::new();
    for kind in ["c", "bc", "ll"] {
        let (file, out) = (format!("main.{kind}"), format!("out-{kind}"));
        let ended = shop.upshot(&["run", &file, "--out", &out, "--format", "json"]);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        let run = ended.json().expect("json");
        assert_eq!(run["errors"][0]["line"], 8);
        let names = shop.names(&out);
        let tests: Vec<String> = names.iter().filter(|name| name.ends_with(".ktest")).cloned().collect();
        let bytes: Vec<Vec<u8>> =
            tests.iter().map(|name| std::fs::read(shop.path().join(&out).join(name)).expect("it is there")).collect();
        found.push((run["paths"].clone(), names, bytes));
        let mut arguments = vec!["replay", "--check"];
        let paths: Vec<String> = tests.iter().map(|name| format!("{out}/{name}")).collect();
        arguments.extend(paths.iter().map(String::as_str));
        let replayed = shop.upshot(&arguments);
        assert_eq!(replayed.code, Some(0), "{kind}: {}{}", replayed.stdout, replayed.stderr);
    }
    assert!(found[0] == found[1] && found[1] == found[2]);
}

#[test]
fn kinds_can_be_mixed() {
    let shop = Workshop::with("int part(int n);\nint entry(int n) { return part(n) > 2; }\n");
    shop.clang("part.bc", "int part(int n) { return n == 7 ? 0 : n / 2; }\n", &["-c", "-emit-llvm"]);
    let ended = shop.upshot(&["run", "main.c", "part.bc", "--entry", "entry", "--format", "json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.json().expect("json")["paths"]["finished"], 2);
}

#[test]
fn flags_of_clang_are_passed_on() {
    let shop = Workshop::with("#include \"limit.h\"\nint f(int n) { return n > LIMIT ? EXTRA : 0; }\n");
    std::fs::create_dir(shop.path().join("include")).expect("a folder can be made");
    shop.file("include/limit.h", "#define LIMIT 10\n");
    let flags = ["run", "main.c", "--entry", "f", "-I", "include", "-DEXTRA=5", "-std=c99", "-O1", "--format", "json"];
    let ended = shop.upshot(&flags);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let replayed = shop.upshot(&["replay", "--check", "upshot-out/test000001.ktest"]);
    assert_eq!(replayed.code, Some(0), "the flags are recorded: {}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn two_files_are_one_file_however_they_are_named() {
    let shop = Workshop::with("int n;\nint f(void) { return n; }\n");
    let copy = shop.file("copy.c", "int n;\nint f(void) { return n; /* as before */ }\n");
    for old in [shop.path().join("main.c").display().to_string(), "./main.c".to_string()] {
        let ended = shop.upshot(&["diff", &old, &copy.display().to_string()]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(!ended.stdout.contains("moved"), "{old}: {}", ended.stdout);
    }
}
