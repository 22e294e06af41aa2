//! What `build` makes of good files: modules as expected, names and places as the user wrote them.

mod workshop;

use std::path::Path;
use std::process::Command;

use upshot_frontend::{RUNTIME_PATH, Request, build};
use workshop::Workshop;

#[test]
fn one_file_becomes_a_module_with_its_lines() {
    let shop = Workshop::new();
    let file = shop.file("one.c", "int twice(int n) {\n  return 2 * n;\n}\n");
    let built = shop.build(&[&file]);
    assert_eq!(built.functions, ["twice"]);
    assert_eq!(built.diagnostics, "");
    let text = shop.text(&built.user);
    assert!(text.contains("define dso_local i32 @twice(i32 noundef %n)"), "{text}");
    assert!(text.contains(&format!("filename: \"{}\"", file.display())), "{text}");
    assert!(text.contains("line: 2"), "{text}");
    assert!(!text.contains("optnone"), "{text}");
}

#[test]
fn several_files_are_linked_and_statics_kept_apart() {
    let shop = Workshop::new();
    let files: Vec<_> = (0..5)
        .map(|n| {
            let next = if n < 4 { format!("int f{}(void); ", n + 1) } else { String::new() };
            let call = if n < 4 { format!("f{}()", n + 1) } else { "0".into() };
            shop.file(
                &format!("part{n}.c"),
                format!("{next}static int own(void) {{ return {n}; }}\nint f{n}(void) {{ return own() + {call}; }}\n"),
            )
        })
        .collect();
    let built = shop.build(&files.iter().collect::<Vec<_>>());
    let text = shop.text(&built.user);
    for n in 0..5 {
        assert!(text.contains(&format!("define dso_local i32 @f{n}()")), "{text}");
    }
    assert_eq!(text.matches("define internal i32 @own").count(), 5);
    let again = shop.build(&files.iter().collect::<Vec<_>>());
    assert_eq!(built.linked, again.linked, "the same request gives the same bytes");
}

#[test]
fn bitcode_text_and_source_mix() {
    let shop = Workshop::new();
    let source = shop
        .file("main.c", "int from_bc(int); int from_ll(int);\nint main(void) { return from_bc(1) + from_ll(2); }\n");
    let bc = shop.clang("lib.bc", "int from_bc(int x) { return x; }\n", &["-emit-llvm", "-c"]);
    let ll = shop.file("lib.ll", "define i32 @from_ll(i32 %x) {\n  ret i32 %x\n}\n");
    let built = shop.build(&[&source, &bc, &ll]);
    let mut functions = built.functions.clone();
    functions.sort();
    assert_eq!(functions, ["from_bc", "from_ll", "main"]);
    let alone = shop.build(&[&ll]);
    assert!(shop.text(&alone.user).contains("target triple = \"x86_64-pc-linux-gnu\""));
}

#[test]
fn flags_reach_clang_and_warnings_come_back() {
    let shop = Workshop::new();
    shop.file("include/size.h", "#define SIZE 7\n");
    let file =
        shop.file("main.c", "#include \"size.h\"\nint a[SIZE + MORE];\nint main(void) { int unused; return 0; }\n");
    let include = format!("-I{}", shop.path("include").display());
    let flags = vec![include, "-DMORE=3".into(), "-Wall".into(), "-O1".into()];
    let built = build(&Request { inputs: vec![file], flags, ..Default::default() }).unwrap();
    assert!(shop.text(&built.user).contains("[10 x i32]"));
    assert!(built.diagnostics.contains("main.c:3:22: warning: unused variable 'unused'"), "{}", built.diagnostics);
}

#[test]
fn a_neighbours_header_and_klee_h_are_found() {
    let shop = Workshop::new();
    shop.file("near.h", "#define NEAR 4\n");
    let file = shop.file(
        "main.c",
        "#include <klee/klee.h>\n#include \"near.h\"\n\
         int main(void) {\n  int x;\n  klee_make_symbolic(&x, sizeof x, \"x\");\n  klee_assume(x > NEAR);\n  klee_assert(x != 5);\n\
         return klee_range(0, 3, \"r\");\n}\n",
    );
    let built = shop.build(&[&file]);
    let text = shop.text(&built.linked);
    assert!(text.contains("declare void @klee_make_symbolic(ptr noundef, i64 noundef, ptr noundef)"), "{text}");
    assert!(text.contains("@__assert_fail"), "{text}");
}

#[test]
fn the_runtime_brings_only_what_is_called() {
    let shop = Workshop::new();
    let file = shop.file("main.c", "#include <string.h>\nint main(int c, char **v) { return strlen(v[0]); }\n");
    let built = shop.build(&[&file]);
    let text = shop.text(&built.linked);
    assert!(text.contains("define linkonce_odr dso_local i64 @strlen"), "{text}");
    assert!(!text.contains("@strtod"), "{text}");
    assert!(text.contains(&format!("filename: \"{RUNTIME_PATH}")), "{text}");
    assert!(!shop.text(&built.user).contains(RUNTIME_PATH));
}

#[test]
fn the_users_definition_wins_over_the_runtimes() {
    let shop = Workshop::new();
    let file = shop.file(
        "main.c",
        "#include <string.h>\nsize_t strlen(const char *s) { return 42; }\n\
         static int strcmp(const char *a, const char *b) { return 7; }\n\
         int main(int c, char **v) { return strlen(v[0]) + strcmp(\"\", \"\") + (strdup(v[0]) != 0); }\n",
    );
    let built = build(&Request { inputs: vec![file], flags: vec!["-w".into()], ..Default::default() }).unwrap_err();
    // The header's own declaration is not static; without it the file is fine.
    assert!(built.diagnostics().unwrap().contains("static declaration of 'strcmp'"));
    let file = shop.file(
        "main.c",
        "char *strdup(const char *s);\nunsigned long strlen(const char *s) { return 42; }\n\
         static int strcmp(const char *a, const char *b) { return 7; }\n\
         int main(int c, char **v) { return strlen(v[0]) + strcmp(\"\", \"\") + (strdup(v[0]) != 0); }\n",
    );
    let built = shop.build(&[&file]);
    let text = shop.text(&built.linked);
    assert!(text.contains("define dso_local i64 @strlen"), "{text}");
    assert!(text.contains("define internal i32 @strcmp"), "{text}");
    assert!(text.contains("define linkonce_odr dso_local ptr @strdup"), "{text}");
    assert!(!text.contains("linkonce_odr dso_local i64 @strlen"), "{text}");
}

#[test]
fn what_the_executor_models_is_left_to_it() {
    let shop = Workshop::new();
    let file = shop.file(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         int main(void) { char *p = malloc(4); memset(p, 0, 4); free(p); return printf(\"%d\\n\", 3); }\n",
    );
    let built = shop.build(&[&file]);
    assert_eq!(built.linked, built.user, "nothing of the runtime is needed");
}

#[test]
fn an_unused_static_entry_is_kept() {
    let shop = Workshop::new();
    for (text, linkage) in [
        ("static int f(int n) { return n; }\n", "internal"),
        ("static int f(int n) { return n; }\nint main(void) { return 0; }\n", "internal"),
        ("inline int f(int n) { return n; }\nint main(void) { return 0; }", "dso_local"),
        ("static inline int f(int n) { return n; }", "internal"),
    ] {
        let file = shop.file("entry.c", text);
        let other = shop.file("other.c", "int g(void) { return 1; }\n");
        let request = Request { inputs: vec![other, file.clone()], entry: Some("f".into()), ..Default::default() };
        let built = build(&request).unwrap();
        let text = shop.text(&built.linked);
        assert!(text.contains(&format!("define {linkage} i32 @f(i32 noundef %n)")), "{text}");
        assert!(!text.contains("__upshot_keep"), "{text}");
        assert!(text.contains(&format!("filename: \"{}\"", file.display())), "{text}");
    }
}

#[test]
fn assumptions_see_what_the_entry_sees() {
    let shop = Workshop::new();
    shop.file("near.h", "struct node { int value; struct node *next; };\n#define LIMIT 10\n");
    let file = shop.file(
        "entry.c",
        "#include \"near.h\"\ntypedef struct { int a; } pair;\nstatic int seen;\n\
         static int f(const struct node *n, int (*choose)(int), char name[4], pair p, unsigned long long k) {\n\
         return n->value + choose(seen) + name[0] + p.a + (int)k; }",
    );
    let assumptions: Vec<String> =
        ["n != 0 && n->value < LIMIT", "choose != 0", "name[0] == 'a' // first", "p.a > seen", "k % 2 == 0,\nk > 1"]
            .map(String::from)
            .to_vec();
    let request = Request { inputs: vec![file.clone()], entry: Some("f".into()), assumptions, ..Default::default() };
    let built = build(&request).unwrap();
    assert_eq!(built.assumption_functions.len(), 5);
    assert_eq!(built.functions, ["f"]);
    let text = shop.text(&built.linked);
    for name in &built.assumption_functions {
        assert!(
            text.contains(&format!("define dso_local zeroext i1 @{name}(ptr noundef %n, ptr noundef %choose")),
            "{text}"
        );
    }
    assert!(text.contains("filename: \"--assume\""), "{text}");
    assert!(text.contains(&format!("filename: \"{}\"", file.display())), "{text}");
}

#[test]
fn assumptions_without_an_entry_are_about_main() {
    let shop = Workshop::new();
    let file = shop.file("main.c", "int main(int argc, char **argv) { return argc; }\n");
    let request = Request { inputs: vec![file], assumptions: vec!["argc < 3".into()], ..Default::default() };
    let built = build(&request).unwrap();
    assert!(shop.text(&built.linked).contains("@__upshot_assume_0(i32 noundef %argc"));
}

#[test]
fn characters_are_classified_by_functions() {
    let shop = Workshop::new();
    let file = shop.file("main.c", "#include <ctype.h>\nint main(int c, char **v) { return isdigit(v[0][0]) && c; }\n");
    for level in ["-O0", "-O2"] {
        let flags = vec![level.to_string()];
        let built = build(&Request { inputs: vec![file.clone()], flags, ..Default::default() }).unwrap();
        assert!(!shop.text(&built.linked).contains("__ctype_b_loc"));
    }
}

/// Compiles for this machine, runs, and answers what was printed.
fn printed(shop: &Workshop, input: &Path, flags: &[&str]) -> String {
    let program = shop.path("program");
    let mut clang = Command::new(upshot_frontend::clang().unwrap());
    assert!(clang.args(flags).args(["-w", "-lm", "-o"]).arg(&program).arg(input).status().unwrap().success());
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_linked_module_is_the_same_program() {
    let shop = Workshop::new();
    let file = shop.file("main.c", include_str!("library.c"));
    let built = shop.build(&[&file]);
    let linked = shop.file("linked.bc", &built.linked);
    assert!(shop.text(&built.linked).contains("define linkonce_odr dso_local double @strtod"));
    let expected = printed(&shop, &file, &[]);
    assert!(expected.lines().count() > 5, "{expected}");
    assert_eq!(printed(&shop, &linked, &["-x", "ir"]), expected);
}

#[test]
fn the_library_may_be_fortified() {
    let shop = Workshop::new();
    let file = shop.file("main.c", include_str!("library.c"));
    let flags: Vec<String> = ["-O2", "-D_FORTIFY_SOURCE=2"].map(String::from).to_vec();
    let built = build(&Request { inputs: vec![file.clone()], flags, ..Default::default() }).unwrap();
    assert!(shop.text(&built.linked).contains("@__snprintf_chk"));
    let linked = shop.file("linked.bc", &built.linked);
    assert_eq!(printed(&shop, &linked, &["-x", "ir"]), printed(&shop, &file, &[]));
}

/// A program may replace any function of the library by something else, so none may count on another.
#[test]
fn public_functions_of_the_runtime_do_not_call_each_other() {
    let shop = Workshop::new();
    let text = shop.text(&std::fs::read(concat!(env!("OUT_DIR"), "/upshot-runtime.bc")).unwrap());
    let name = |line: &str| line.split('@').nth(1).and_then(|rest| rest.split('(').next()).map(str::to_string);
    let defined: Vec<String> =
        text.lines().filter(|line| line.starts_with("define dso_local")).filter_map(name).collect();
    assert!(defined.len() > 200, "{} functions", defined.len());
    for line in text.lines().filter(|line| line.contains(" call ")) {
        let callee = name(line).unwrap_or_default();
        assert!(!defined.contains(&callee), "{line}");
    }
}
