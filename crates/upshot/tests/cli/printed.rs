//! What is printed for people, by each command.

use crate::Workshop;
use crate::workshop::TWO_PATHS;

#[test]
fn the_verdict_is_the_first_line() {
    let shop = Workshop::with(TWO_PATHS);
    let ended = shop.upshot(&["run", "main.c", "-q"]);
    assert_eq!(ended.stdout, "no errors in 2 paths, all explored\n");
    let ended = shop.upshot(&["run", "main.c", "--max-paths", "1"]);
    assert_eq!(ended.code, Some(3));
    assert!(ended.stdout.starts_with("no errors so far in 1 path, not complete\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("--max-paths 1"), "{}", ended.stdout);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_program_without_symbolic_data() {
    let shop = Workshop::with("int main(void) { return 3; }\n");
    let ended = shop.upshot(&["run", "main.c"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.starts_with("no errors in 1 path, all explored\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("never decides anything on symbolic data"), "{}", ended.stdout);
}

#[test]
fn inputs_that_decide_nothing() {
    let shop = Workshop::with("int f(int n) { return n + 1; }\n");
    let ended = shop.upshot(&["run", "main.c", "--entry", "f"]);
    assert!(ended.stdout.contains("Nothing is decided by the inputs"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("--entry"), "{}", ended.stdout);
}

/// However many paths run through a call, what it says is printed once; `run.json` has it for each.
#[test]
fn what_the_program_says_is_printed() {
    let program = "#include <klee/klee.h>\nint main(void) {\n    int n = klee_int(\"n\");\n    klee_print_expr(\"sum\", n + 3);\n\
        if (n > 7)\n        klee_warning(\"large\");\n    return n == 2;\n}\n";
    let shop = Workshop::with(program);
    let ended = shop.upshot(&["run", "main.c"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("said: ")).collect();
    assert_eq!(said, ["said: main.c:4: sum: n + 3", "said: main.c:6: large"], "{}", ended.stdout);
    let text = std::fs::read_to_string(shop.path().join("upshot-out/run.json")).expect("there is a record");
    let run: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let of_paths: Vec<usize> = run["records"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|path| path["remarks"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(of_paths, [2, 1]);
}

/// What is executed twice, because a path was handed from one worker to another, is counted once.
#[test]
fn counts_do_not_depend_on_the_order_of_the_search() {
    let program = "#include <klee/klee.h>\nint main(void) {\n    int n = klee_int(\"n\"), count = 0;\n\
        for (int i = 0; i < 8; i++)\n        if (n >> i & 1)\n            count++;\n    return count;\n}\n";
    let shop = Workshop::with(program);
    let counts = |flags: &[&str]| {
        let mut arguments = vec!["run", "main.c", "--format", "json"];
        arguments.extend(flags);
        let run = shop.upshot(&arguments).json().expect("a run is reported");
        (run["paths"]["finished"].as_u64(), run["instructions"].as_u64(), run["queries"]["asked"].as_u64())
    };
    let first = counts(&["-j1"]);
    assert_eq!(first.0, Some(256));
    for search in ["dfs", "bfs", "random", "coverage"] {
        assert_eq!(counts(&["-j8", "--search", search]), first, "{search}");
    }
}

#[test]
fn a_long_stack_is_cut_in_the_middle() {
    let shop = Workshop::with("int f(int n) {\n    return f(n + 1) + 1;\n}\n");
    let ended = shop.upshot(&["run", "main.c", "--entry", "f"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stdout.starts_with("1 error in 1 path") && ended.stdout.contains("stack: main.c:2"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("more frames\n"), "{}", ended.stdout);
    assert!(ended.stdout.lines().count() < 50, "{}", ended.stdout);
    let note = std::fs::read_to_string(shop.path().join("upshot-out/test000001.stack.err")).expect("there is a note");
    assert!(note.contains("more frames\n") && note.lines().count() < 50, "{note}");
}

#[test]
fn null_arguments_are_grouped() {
    let program = "struct s { int a, b; };\n\
        int f(struct s *p, int *q) {\n    int sum = 0;\n    if (p->a > 3)\n        sum = p->b;\n    return sum + *q;\n}\n";
    let shop = Workshop::with(program);
    let ended = shop.upshot(&["run", "main.c", "--entry", "f"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!(ended.stdout.matches("--assume 'p != 0'").count(), 1, "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("--assume 'q != 0'").count(), 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("ptr: p of f may be null: dereferenced at main.c:4"), "{}", ended.stdout);
    let ended = shop.upshot(&["run", "main.c", "--entry", "f", "--assume", "p != 0", "--assume", "q != 0"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn tests_are_shown_by_their_c_names() {
    let program = "struct node { struct node *next; int value; };\n\
        int f(struct node *list, short n, const char *text) {\n\
        if (list && list->next && list->next->value == 70000 && n == -2)\n\
        if (text && text[0] == 'h' && text[1] == 'i')\n    return 1;\n    return 2;\n}\n";
    let shop = Workshop::with(program);
    let flags = ["run", "main.c", "--entry", "f", "--array-len", "2", "--pointer-depth", "2"];
    assert_eq!(shop.upshot(&flags).code, Some(0));
    let names = shop.names("upshot-out");
    let tests: Vec<String> =
        names.iter().filter(|name| name.ends_with(".ktest")).map(|name| format!("upshot-out/{name}")).collect();
    let mut arguments = vec!["show"];
    arguments.extend(tests.iter().map(String::as_str));
    let shown = shop.upshot(&arguments).stdout;
    for word in ["list->next", "value = 70000", "n: short = -2", "\"hi", "NULL"] {
        assert!(shown.contains(word), "no {word:?} in:\n{shown}");
    }
}

#[test]
fn replay_prints_what_happens() {
    let program = "#include <stdio.h>\nint f(int n) {\n    if (n == 5)\n        puts(\"five\");\n    return n;\n}\n";
    let shop = Workshop::with(program);
    assert_eq!(shop.upshot(&["run", "main.c", "--entry", "f"]).code, Some(0));
    let ended = shop.upshot(&["replay", "main.c", "upshot-out/test000001.ktest"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("returned 5") && ended.stdout.contains("five"), "{}", ended.stdout);
}

#[test]
fn replay_notices_another_program() {
    let shop = Workshop::with(TWO_PATHS);
    assert_eq!(shop.upshot(&["run", "main.c"]).code, Some(0));
    let tests = ["replay", "--check", "main.c", "upshot-out/test000001.ktest", "upshot-out/test000002.ktest"];
    assert_eq!(shop.upshot(&tests).code, Some(0));
    shop.file("main.c", TWO_PATHS.replace("n > 3", "n > 0x7ffffff0").replace("return 0", "return 9"));
    let ended = shop.upshot(&tests);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("2 of 2 tests"), "{}", ended.stdout);
}

#[test]
fn an_error_has_a_note_beside_its_test() {
    let shop = Workshop::with(
        "int table[3];\nint get(int at) {\n    return table[at];\n}\nint f(int at) {\n    return get(at);\n}\n",
    );
    assert_eq!(shop.upshot(&["run", "main.c", "--entry", "f"]).code, Some(1));
    let names = shop.names("upshot-out");
    let note = names.iter().find(|name| name.ends_with(".ptr.err")).expect("there is a note");
    let text = std::fs::read_to_string(shop.path().join("upshot-out").join(note)).expect("it can be read");
    for word in ["main.c", "Line: 3", "in get at main.c:3", "in f at main.c:6", "at: int"] {
        assert!(text.contains(word), "no {word:?} in:\n{text}");
    }
}

/// `NO_COLOR` and pipes mean plain text.
#[test]
fn colour_is_for_terminals() {
    let shop = Workshop::with(TWO_PATHS);
    assert!(!shop.upshot(&["run", "main.c"]).stdout.contains('\u{1b}'));
    assert!(shop.upshot(&["run", "main.c", "--color", "always"]).stdout.contains('\u{1b}'));
}
