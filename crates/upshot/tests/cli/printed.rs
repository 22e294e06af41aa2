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
fn null_arguments_are_grouped() {
    let program = "struct s { int a, b; };\n\
        int f(struct s *p, int *q) {\n    int sum = 0;\n    if (p->a > 3)\n        sum = p->b;\n    return sum + *q;\n}\n";
    let shop = Workshop::with(program);
    let ended = shop.upshot(&["run", "main.c", "--entry", "f"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!(ended.stdout.matches("--assume 'p != 0'").count(), 1, "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("--assume 'q != 0'").count(), 1, "{}", ended.stdout);
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
