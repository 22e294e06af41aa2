//! `--entry f` without a harness: parameters, memory behind pointers, globals and results.

mod support;

use support::*;
use upshot_suite::{
    BuildKind::{Checked, Plain},
    EndKind, HexBytes, Limits, NativeEnd, PathEnd, PathRecord,
};

/// The result's bytes of a run that must come back.
fn result(case: &Case, objects: &[(&str, &[u8])]) -> Vec<u8> {
    let run = case.run(Plain, objects);
    assert_eq!(run.end, returned(0), "{}", run.end);
    run.returned.expect("a result")
}

#[test]
fn integers_of_every_size() {
    let case = entry(
        "#include <stdbool.h>\n\
         long mix(char a, unsigned char b, short c, int d, long e, bool f, enum { A, B } g) {\n\
           return a + b * 10 + c * 100 + d * 1000 + e + f + g; }",
        "mix",
    );
    let objects: &[(&str, &[u8])] = &[
        ("a", &[0xff]),
        ("b", &[0xff]),
        ("c", &[0xfe, 0xff]),
        ("d", &7i32.to_le_bytes()),
        ("e", &(1i64 << 40).to_le_bytes()),
        ("f", &[1]),
        ("g", &1u32.to_le_bytes()),
    ];
    let expected = -1 + 2550 - 200 + 7000 + (1i64 << 40) + 1 + 1;
    assert_eq!(result(&case, objects), expected.to_le_bytes());
    let wide = entry("__int128 f(__int128 x) { return x * 3; }", "f");
    assert_eq!(result(&wide, &[("x", &(1i128 << 100).to_le_bytes())]), (3i128 << 100).to_le_bytes());
    let truth = entry("#include <stdbool.h>\nbool f(int x) { return x > 2; }", "f");
    assert_eq!(result(&truth, &[("x", &[3, 0, 0, 0])]), [1]);
    let nothing = entry("int seen; void f(int x) { if (x) seen = 1; }", "f");
    let run = nothing.run(Plain, &[("x", &[1, 0, 0, 0])]);
    assert_eq!((run.end, run.returned, run.trace.branches), (returned(0), None, 1));
}

#[test]
fn floats_of_every_size() {
    let case = entry("double f(float a, double b, long double c) { return a + b * (double)c; }", "f");
    let three_halves = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f]; // x87: 1.5
    let objects: &[(&str, &[u8])] = &[("a", &0.25f32.to_le_bytes()), ("b", &2f64.to_le_bytes()), ("c", &three_halves)];
    assert_eq!(result(&case, objects), 3.25f64.to_le_bytes());
    let long = entry("long double f(int x) { return x * 1.5L; }", "f");
    assert_eq!(result(&long, &[("x", &[1, 0, 0, 0])]), three_halves);
}

#[test]
fn structs_by_value_in_registers_and_in_memory() {
    let source = r#"
        struct small { int a; char b; };
        struct mixed { double d; int i; };
        struct floats { float x, y, z; };
        struct odd { char c[3]; };
        struct large { long v[4]; };
        struct empty { };
        struct small f(struct small s, struct mixed m, struct floats g, struct odd o, struct large l, struct empty e, int last) {
          struct small r;
          r.a = s.a + m.i + (int)m.d + (int)(g.x + g.y + g.z) + o.c[2] + (int)l.v[3] + last;
          r.b = s.b;
          return r;
        }
        struct large g(struct large l) { l.v[0]++; return l; }
        struct mixed h(struct mixed m) { m.i++; m.d *= 2; return m; }
        struct floats k(struct floats f) { f.z = 9; return f; }"#;
    let mut small = 1i32.to_le_bytes().to_vec();
    small.extend([b'b', 0xaa, 0xbb, 0xcc]); // padding holds rubbish
    let mut mixed = 10f64.to_le_bytes().to_vec();
    mixed.extend([100, 0, 0, 0, 0xee, 0xee, 0xee, 0xee]);
    let floats: Vec<u8> = [1f32, 2.0, 3.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    let large: Vec<u8> = [1i64, 2, 3, 4].iter().flat_map(|v| v.to_le_bytes()).collect();
    let last = 1_000_000i32.to_le_bytes();
    let case = entry(source, "f");
    let objects: &[(&str, &[u8])] =
        &[("s", &small), ("m", &mixed), ("g", &floats), ("o", &[0, 0, 5]), ("l", &large), ("e", &[]), ("last", &last)];
    let mut expected = (1 + 100 + 10 + 6 + 5 + 4 + 1_000_000i32).to_le_bytes().to_vec();
    expected.extend([b'b', 0, 0, 0]);
    assert_eq!(result(&case, objects), expected, "padding is left out");
    let doubled: Vec<u8> = [2i64, 2, 3, 4].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(result(&entry(source, "g"), &[("l", &large)]), doubled, "through a hidden pointer");
    let mut expected = 20f64.to_le_bytes().to_vec();
    expected.extend([101, 0, 0, 0]);
    assert_eq!(result(&entry(source, "h"), &[("m", &mixed)]), expected, "two registers of two kinds");
    let nine: Vec<u8> = [1f32, 2.0, 9.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    assert_eq!(result(&entry(source, "k"), &[("f", &floats)]), nine, "two floats in one register");
}

const LIST: &str = r#"
#include <stddef.h>
struct node { int value; struct node *next; };
int sum(struct node *p) { int s = 0; while (p) { s += p->value; p = p->next; } return s; }
struct node *second(struct node *p) { return p ? p->next : 0; }
int past(int *a, int n) { int s = 0; for (int i = 0; i <= n; i++) s += a[i]; return s; }
"#;

/// Optimised code passes the same parameters, whatever it does with them.
#[test]
fn optimised_entries() {
    let source = "struct pair { double d; int i; char c; };\n\
                  double f(struct pair p, const int *a, int n) { double s = p.d * p.i + p.c; while (n--) s += a[n]; return s; }";
    for level in ["-O1", "-O2"] {
        let case = case_of(&[source], &[level], Some("f"));
        let mut pair = 0.5f64.to_le_bytes().to_vec();
        pair.extend([4, 0, 0, 0, 3, 0xee, 0xee, 0xee]);
        let mut test =
            ktest(&[("p", &pair), ("a", &[0; 8]), ("n", &[2, 0, 0, 0]), ("*a", &[10, 0, 0, 0, 20, 0, 0, 0])]);
        test.objects.push(pointers(&[[1, 0, 4, 0]]));
        let run = case.run_test(Checked, &test);
        assert_eq!((run.end, run.returned), (returned(0), Some(35f64.to_le_bytes().to_vec())), "{level}");
    }
}

fn node(value: i32) -> Vec<u8> {
    let mut bytes = value.to_le_bytes().to_vec();
    bytes.extend([0xcd; 12]); // padding, and a pointer that is replaced
    bytes
}

#[test]
fn lists_through_relocations() {
    let case = entry(LIST, "sum");
    let mut test = ktest(&[("p", &[0xff; 8]), ("*p", &node(5)), ("*p->next", &node(70))]);
    test.objects.push(pointers(&[[0, 0, 2, 0], [1, 8, 3, 0], [2, 8, 0, 0]]));
    let run = case.run_test(Checked, &test);
    assert_eq!((run.end, run.returned), (returned(0), Some(75i32.to_le_bytes().to_vec())));
    assert_eq!(run.trace.branches, 3);
    let null = ktest(&[("p", &[0; 8])]);
    assert_eq!(case.run_test(Plain, &null).returned, Some(vec![0; 4]));

    // An address is compared as null or not.
    let second = entry(LIST, "second");
    let record = |returned: &[u8]| PathRecord {
        returned: Some(HexBytes::from(returned)),
        end: PathEnd { kind: EndKind::Finished, ..PathEnd::default() },
        ..PathRecord::default()
    };
    let verify = |returned| second.replayer.verify(&test, &record(returned), Limits::default()).unwrap();
    assert!(verify(&[0, 0x10, 0, 0, 0, 0, 0, 0]).is_ok());
    assert!(verify(&[0; 8]).is_err());
}

#[test]
fn memory_has_exactly_the_recorded_size() {
    let case = entry(LIST, "past");
    let run = |n: i32| {
        let mut test = ktest(&[("a", &[0; 8]), ("n", &n.to_le_bytes()), ("*a", &[1; 12])]);
        test.objects.push(pointers(&[[0, 0, 3, 0]]));
        case.run_test(Checked, &test).end
    };
    assert_eq!(run(2), returned(0));
    assert_eq!(run(3), NativeEnd::Sanitizer { kind: "heap-buffer-overflow".into() });
}

#[test]
fn strings_globals_aliases_and_inner_pointers() {
    let case = entry(
        r#"
        #include <string.h>
        static int limit = 3;
        char mode;
        int *chosen;
        struct pair { char *a, *b; };
        int f(char *s, struct pair *p, struct pair q) {
          if (strlen(s) > (unsigned long)limit) return -1;
          if (p->a != s || p->b != s + 2) return -2;
          if (q.a != 0 || q.b != s) return -3;
          return (chosen ? *chosen : 100) + mode;
        }"#,
        "f",
    );
    let build = |limit: i32, more: &[[u32; 4]]| {
        let mut test = ktest(&[
            ("s", &[0; 8]),
            ("p", &[0; 8]),
            ("q", &[0; 16]),
            ("*s", b"hello\0"),
            ("*p", &[0; 16]),
            ("limit", &limit.to_le_bytes()),
            ("mode", &[7]),
            ("chosen", &[0; 8]),
            ("*chosen", &40i32.to_le_bytes()),
        ]);
        let mut list = vec![[0, 0, 4, 0], [1, 0, 5, 0], [4, 0, 4, 0], [4, 8, 4, 2], [2, 0, 0, 0], [2, 8, 4, 0]];
        list.extend(more);
        test.objects.push(pointers(&list));
        test
    };
    let value = |test| i32::from_le_bytes(case.run_test(Checked, &test).returned.unwrap().try_into().unwrap());
    assert_eq!(value(build(4, &[])), -1);
    assert_eq!(value(build(5, &[])), 107);
    assert_eq!(value(build(5, &[[7, 0, 9, 0]])), 47);
}

/// Globals may come before the parameters, even one that a parameter hides.
#[test]
fn globals_may_come_first() {
    let case = entry(
        "int x = 1, y = 2; static int *at(void) { return &x; }\nint f(int x) { return *at() * 100 + x * 10 + y; }",
        "f",
    );
    let number = |n: i32| n.to_le_bytes();
    let objects: &[(&str, &[u8])] = &[("x", &number(7)), ("y", &number(8)), ("x", &number(9))];
    assert_eq!(result(&case, &objects[1..]), number(100 + 90 + 8));
    // With the same number it is the parameter.
    assert_eq!(result(&case, &[("x", &number(9)), ("x", &number(7))]), number(790 + 2));
    let case = entry(
        "int a = 1, x = 2; static int *at(void) { return &x; }\nint f(int x) { return *at() * 100 + x * 10 + a; }",
        "f",
    );
    assert_eq!(result(&case, &[("a", &number(3)), ("x", &number(4)), ("x", &number(5))]), number(400 + 50 + 3));
}

#[test]
fn function_pointers_return_what_the_test_says() {
    let case = entry(
        r#"
        struct ops { int tag; double (*scale)(double, int); };
        double f(int (*next)(void), struct ops *ops) { int a = next(), b = next(), c = next(); return ops->scale(a, b) + c; }"#,
        "f",
    );
    let mut test = ktest(&[
        ("next", &[0; 8]),
        ("ops", &[0; 8]),
        ("*ops", &[0; 16]),
        ("next()#0", &[1, 0, 0, 0]),
        ("ops->scale()#0", &2.5f64.to_le_bytes()),
        ("next()#1", &[2, 0, 0, 0]),
        ("next()#2", &[3, 0, 0, 0]),
    ]);
    test.objects.push(pointers(&[[0, 0, u32::MAX, 4], [1, 0, 3, 0], [2, 8, u32::MAX, 5]]));
    assert_eq!(case.run_test(Checked, &test).returned, Some(5.5f64.to_le_bytes().to_vec()));
    // Without being told where the results are, they are found by name; the numbers only have to rise.
    let last = test.objects.len() - 1;
    test.objects[last] = pointers(&[[0, 0, u32::MAX, 0], [1, 0, 3, 0], [2, 8, u32::MAX, 0]]);
    for (object, name) in [(3, "next()#5"), (5, "next()#7"), (6, "next()#12")] {
        test.objects[object].name = name.to_string();
    }
    assert_eq!(case.run_test(Checked, &test).returned, Some(5.5f64.to_le_bytes().to_vec()));
    // Without results: zeros.
    let mut bare = ktest(&[("next", &[0; 8]), ("ops", &[0; 8]), ("*ops", &[0; 16])]);
    bare.objects.push(pointers(&[[0, 0, u32::MAX, 0], [1, 0, 3, 0], [2, 8, u32::MAX, 0]]));
    assert_eq!(case.run_test(Plain, &bare).returned, Some(0f64.to_le_bytes().to_vec()));
}

#[test]
fn static_entries_main_as_entry_and_harness_calls_inside() {
    let case = entry("static int twice(int x) { return 2 * x; }\nint main(void) { return twice(1); }", "twice");
    assert_eq!(result(&case, &[("x", &[21, 0, 0, 0])]), [42, 0, 0, 0]);
    let case = entry("int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 0; }", "main");
    let mut test = ktest(&[("argc", &[2, 0, 0, 0]), ("argv", &[0; 8]), ("*argv", &[0; 16]), ("*argv[1]", b"A\0")]);
    test.objects.push(pointers(&[[1, 0, 3, 0], [2, 8, 4, 0]]));
    assert_eq!(case.run_test(Checked, &test).returned, Some(vec![b'A', 0, 0, 0]));
    let case = entry("#include <klee/klee.h>\nint f(int x) { int y = klee_int(\"y\"); return x + y; }", "f");
    assert_eq!(result(&case, &[("x", &[1, 0, 0, 0]), ("y", &[2, 0, 0, 0])]), [3, 0, 0, 0]);
}

#[test]
fn tests_that_do_not_fit_the_entry() {
    let case = entry(LIST, "sum");
    let message = |test| match case.run_test(Plain, &test).end {
        NativeEnd::BadTest { message } => message,
        other => panic!("{other:?}"),
    };
    assert!(message(ktest(&[])).contains("parameter p"));
    assert!(message(ktest(&[("q", &[0; 8])])).contains("parameter p"));
    let with = |list: &[[u32; 4]]| {
        let mut test = ktest(&[("p", &[0; 8])]);
        test.objects.push(pointers(list));
        test
    };
    assert!(message(with(&[[9, 0, 0, 0]])).contains("lies in no object"));
    assert!(message(with(&[[0, 1, 0, 0]])).contains("lies in no object"));
    assert!(message(with(&[[0, 0, 9, 0]])).contains("leads to no object"));
}
