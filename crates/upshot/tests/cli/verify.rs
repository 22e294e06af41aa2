//! `upshot verify` and `upshot check`: verdicts, partitions, exit codes.

use serde_json::{Value, json};

use crate::Workshop;

/// Verifies two texts; the exit code and the JSON object.
fn verified(old: &str, new: &str, more: &[&str]) -> (Option<i32>, Value) {
    let shop = Workshop::new();
    shop.file("old.c", old);
    shop.file("new.c", new);
    let arguments: Vec<&str> = ["verify", "old.c", "new.c", "--format", "json"].iter().chain(more).copied().collect();
    let ended = shop.upshot(&arguments);
    let report = ended.json().unwrap_or_else(|why| panic!("{:?} {why}", ended.code));
    assert_eq!(report["schema"], "upshot.verify/1");
    (ended.code, report)
}

fn kinds(report: &Value) -> Vec<(String, String)> {
    let list = report["list"].as_array().unwrap();
    let conditions = |partition: &Value| {
        let texts: Vec<&str> = partition["condition"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        texts.join(" && ")
    };
    list.iter().map(|partition| (partition["kind"].as_str().unwrap().to_string(), conditions(partition))).collect()
}

/// The shape of ICSE'13, Fig. 2: tests that cover all paths of both versions, i = -1 and i = 1 say, miss i = 0.
#[test]
fn a_boundary_is_a_partition_of_its_own() {
    let old = "int f(int i) { int r; if (i > 0) r = i + 1; else r = -i; return r; }\n";
    let new = "int f(int i) { int r; if (i >= 0) r = i + 2; else r = 0 - i; return r; }\n";
    let (code, report) = verified(old, new, &["--entry", "f"]);
    assert_eq!((code, &report["verdict"], &report["complete"]), (Some(1), &json!("different"), &json!(true)));
    let pair = |kind: &str, condition: &str| (kind.to_string(), condition.to_string());
    let expected = [pair("different", "i >= 1"), pair("different", "i < 1 && i >= 0"), pair("equivalent", "i < 0")];
    assert_eq!(kinds(&report), expected);
    let confirmed = report["list"].as_array().unwrap().iter().filter(|partition| partition["confirmed"] == true);
    assert_eq!(confirmed.count(), 2);
    assert_eq!(report["verified_share"], json!({"value": 1.0, "error": 0.0}));
}

#[test]
fn writes_in_another_order_differ_where_pointers_are_the_same() {
    let old = "void f(int *p, int *q) { *p = 1; *q = 2; }\n";
    let new = "void f(int *p, int *q) { *q = 2; *p = 1; }\n";
    let (code, report) = verified(old, new, &["--entry", "f"]);
    assert_eq!(code, Some(1));
    let different: Vec<_> = kinds(&report).into_iter().filter(|(kind, _)| kind != "equivalent").collect();
    assert_eq!(different, [("different".to_string(), "p != NULL && q == p".to_string())]);
    assert_eq!(report["list"][0]["confirmed"], true);
}

#[test]
fn objects_that_lie_elsewhere_are_the_same_if_they_hold_the_same() {
    let old = "#include <stdlib.h>\nchar *f(char c) { char *r = malloc(2); r[0] = c; r[1] = 0; return r; }\n";
    let new =
        "#include <stdlib.h>\nchar *f(char c) { char *t = malloc(9), *r = calloc(2, 1); free(t); *r = c; return r; }\n";
    assert_eq!(verified(old, new, &["--entry", "f"]).0, Some(0));
    let other = new.replace("*r = c;", "*r = c + (c == 7);");
    let (code, report) = verified(old, &other, &["--entry", "f"]);
    assert_eq!((code, &report["partitions"]["different"]), (Some(1), &json!(1)));
}

#[test]
fn output_and_calls_of_unknown_functions_count() {
    let old = "#include <stdio.h>\nint e(int);\nint f(int x) { printf(\"%d\\n\", x); return e(x) + 1; }\n";
    let same = "#include <stdio.h>\nint e(int);\nint f(int x) { int r; printf(\"%d\", x); putchar('\\n'); r = e(x); return 1 + r; }\n";
    assert_eq!(verified(old, same, &["--entry", "f"]).0, Some(0));
    assert_eq!(verified(old, &same.replace("e(x)", "e(x + 1)"), &["--entry", "f"]).0, Some(1));
    assert_eq!(verified(old, &same.replace("%d", "%x"), &["--entry", "f", "--observe", "return,calls"]).0, Some(0));
    assert_eq!(verified(old, &same.replace("putchar('\\n')", "puts(\"\")"), &["--entry", "f"]).0, Some(0));
    assert_eq!(verified(old, &same.replace("'\\n'", "'-'"), &["--entry", "f"]).0, Some(1));
}

#[test]
fn a_new_error_is_a_regression_and_one_that_went_a_fix() {
    let old = "int f(int a, int b) { return b == 0 ? 0 : a / b; }\n";
    let new = "int f(int a, int b) { return a / b; }\n";
    let (_, report) = verified(old, new, &["--entry", "f"]);
    assert_eq!((&report["list"][0]["kind"], &report["list"][0]["confirmed"]), (&json!("regression"), &json!(true)));
    let (_, report) = verified(new, old, &["--entry", "f"]);
    assert_eq!((&report["list"][0]["kind"], &report["list"][0]["confirmed"]), (&json!("fix"), &json!(true)));
}

#[test]
fn what_depends_on_addresses_or_does_not_end_in_time_is_open() {
    let old = "int f(char *p, char *q) { return p < q; }\n";
    let (code, report) =
        verified(old, "int f(char *p, char *q) { return 1; }\n", &["--entry", "f", "--null-args", "no"]);
    assert_ne!(code, Some(0), "{report}");
    let old = "unsigned f(unsigned n) { unsigned s = 0; while (n) { s += n & 1; n >>= 1; } return s; }\n";
    let new = "unsigned f(unsigned n) { unsigned s = 0; for (; n; n &= n - 1) s++; return s; }\n";
    let (code, report) = verified(old, new, &["--entry", "f", "--max-depth", "3"]);
    assert_eq!((code, &report["verdict"], &report["complete"]), (Some(3), &json!("partial"), &json!(false)));
}

#[test]
fn what_comes_after_the_last_chance_to_meet_a_change_is_not_looked_at() {
    let old = "int g; int f(int n, int m) { if (m == 3) return n * 2; int s = 0; for (int i = 0; i < n; i++) s += i ^ m; g = s; return s; }\n";
    let new = old.replace("n * 2", "n << 1");
    let (code, report) = verified(old, &new, &["--entry", "f", "--without", "induction"]);
    assert_eq!((code, &report["verdict"], &report["list"][1]["by"]), (Some(0), &json!("equivalent"), &json!("impact")));
    let flags = ["--entry", "f", "--without", "impact", "--without", "induction", "--max-depth", "4"];
    assert_eq!(verified(old, &new, &flags).1["verdict"], "partial");
    // A change that the loop itself meets, directly or in what it calls, is met.
    for (from, to) in [("s += i", "s += 1 + i"), ("g = s", "g = s + (n == 3)"), ("int g;", "int g = 1;")] {
        let (_, report) = verified(old, &new.replace(from, to), &["--entry", "f", "--max-depth", "6"]);
        let by_impact = report["list"].as_array().unwrap().iter().filter(|partition| partition["by"] == "impact");
        assert_eq!(by_impact.count(), 0, "{to}");
    }
    let called = "int h(int x) { return x; } int f(int n) { return n > 5 ? 1 : h(n); }\n";
    let (_, report) = verified(called, &called.replace("return x", "return x + (x == 2)"), &["--entry", "f"]);
    assert_eq!((&report["verdict"], &report["list"][0]["confirmed"]), (&json!("different"), &json!(true)));
}

/// Pairs over loops and calls without any bound: the name, old and new, and whether they are the same by induction.
const UNBOUNDED: &[(&str, &str, &str, bool)] = &[
    (
        "a body written in another way",
        "int f(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * 2; return s; }",
        "int f(int *a, int n) { int s = 0; for (int i = 0; i < n; ++i) { int t = a[i]; s = (t << 1) + s; } return s; }",
        true,
    ),
    (
        "a loop of another kind",
        "char *f(char *s, char c) { for (; *s && *s != c; s++) ; return *s ? s : 0; }",
        "char *f(char *s, char c) { while (*s != 0) { if (*s == c) break; s = s + 1; } if (!*s) return 0; return s; }",
        true,
    ),
    (
        "nested loops and writes",
        "void f(int *a, unsigned n) { for (unsigned i = 0; i < n; i++) for (unsigned j = i; j > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } }",
        "static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; } void f(int *a, unsigned n) { unsigned i = 0; while (i < n) { for (unsigned j = i; j != 0; j--) swap(&a[j], &a[j - 1]); i++; } }",
        true,
    ),
    (
        "an extracted helper",
        "int f(int *a, unsigned n) { int m = 0; for (unsigned i = 0; i < n; i++) if (a[i] > m) m = a[i]; return m; }",
        "static int larger(int a, int b) { if (a > b) return a; return b; } int f(int *a, unsigned n) { int m = 0; for (unsigned i = 0; i < n; i++) m = larger(a[i], m); return m; }",
        true,
    ),
    (
        "recursion",
        "int f(int n) { if (n <= 0) return 0; return n * 2 + f(n - 1); }",
        "int f(int n) { return n > 0 ? n + n + f(n + -1) : 0; }",
        true,
    ),
    (
        "a heavy callee",
        "unsigned h(unsigned x) { for (unsigned i = 0; i < x; i++) x = x * 33 ^ i; return x; } unsigned f(unsigned x) { return h(x * 2) + 1; }",
        "unsigned h(unsigned x) { for (unsigned i = 0; i < x; i++) x = x * 33 ^ i; return x; } unsigned f(unsigned x) { return 1 + h(x + x); }",
        true,
    ),
    (
        "a bound that is off by one",
        "int f(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        "int f(int *a, int n) { int s = 0; for (int i = 0; i <= n; i++) s += a[i]; return s; }",
        false,
    ),
    (
        "a division that is gone",
        "int f(int n, int d) { int s = 0; for (int i = 0; i < n; i++) { int q = i / d; s += i; } return s; }",
        "int f(int n, int d) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
        false,
    ),
    (
        "a read that is gone",
        "int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { int q = p[i]; s += i; } return s; }",
        "int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
        false,
    ),
    (
        "what a loop starts with",
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
        "int f(int n) { int s = 0; for (int i = 1; i < n; i++) s += i; return s + (n == 70000); }",
        false,
    ),
    (
        "a value that was never written",
        "int f(int n) { int u, s = 0; for (int i = 0; i < n; i++) s += u & 1; return s; }",
        "int f(int n) { int u, s = 0; for (int i = 0; i < n; i++) s += u & 1, u = 0; return s; }",
        false,
    ),
    (
        "a global in between",
        "int g; int e(void); int f(int n) { int s = 0; for (int i = 0; i < n; i++) { s += g; e(); } return s; }",
        "int g; int e(void); int f(int n) { int s = 0, k = g; for (int i = 0; i < n; i++) { s += k; e(); } return s; }",
        false,
    ),
];

#[test]
fn loops_in_step_need_no_bound() {
    for (name, old, new, is_proved) in UNBOUNDED {
        let flags = ["--entry", "f", "--timeout", "2", "--max-depth", "12", "--max-paths", "30"];
        let (code, report) = verified(&format!("{old}\n"), &format!("{new}\n"), &flags);
        let by_induction = report["list"][0]["by"] == "induction";
        assert_eq!(by_induction, *is_proved, "{name}: {report}");
        assert_eq!(code == Some(0), *is_proved, "{name}: {report}");
    }
    let (_, old, new, _) = UNBOUNDED[5];
    let flags = ["--entry", "f", "--without", "induction", "--timeout", "2", "--max-depth", "6"];
    assert_eq!(verified(&format!("{old}\n"), &format!("{new}\n"), &flags).1["verdict"], "partial");
}

#[test]
fn a_loop_that_never_ends_is_a_regression() {
    let old = "int f(char *s, int n) { int c = 0; while (*s == 32) s++; for (int i = 0; i < n && i < 3; i++) c++; return c; }\n";
    for new in [old.replace("s++", ""), old.replace("i++) c++", ") c++, c--")] {
        let (code, report) = verified(old, &new, &["--entry", "f", "--until", "first-difference"]);
        let list = &report["list"];
        assert_eq!(
            (code, &list[0]["kind"], &list[0]["confirmed"]),
            (Some(1), &json!("regression"), &json!(true)),
            "{report}"
        );
        assert!(list[0]["new"]["outcome"].as_str().unwrap().starts_with("endless error at"), "{report}");
    }
    let both = |body: &str| format!("int f(int n) {{ while (n == 7) {{ {body} }} return n; }}\n");
    let (code, _) = verified(&both(";"), &both("n = 7;"), &["--entry", "f", "--without", "induction"]);
    assert_eq!(code, Some(0));
}

#[test]
fn another_solver_checks_what_was_proved() {
    let old = "int g; int f(int *a, unsigned char n, short k) { int s = 0; for (int i = 0; i < 3; i++) { s += a[i] * 6; if (n >> i & 1) g += k / 4; } return n == 9 ? s + 1 : s; }\n";
    let new = "int g; int f(int *a, unsigned char n, short k) { int s = 0; for (int i = 0; i < 3; i++) { s += (a[i] << 2) + a[i] + a[i]; if (n & 1 << i) g += (k + (k >> 15 & 3)) >> 2; } return s; }\n";
    let shop = Workshop::new();
    shop.file("old.c", old);
    shop.file("new.c", new);
    let ended = shop.upshot(&["verify", "old.c", "new.c", "--entry", "f", "--certify", "proofs", "--format", "json"]);
    let report = ended.json().unwrap();
    assert_eq!((ended.code, &report["complete"]), (Some(1), &json!(true)), "{report}");
    let files: Vec<String> = shop.names("proofs").into_iter().filter(|name| name.ends_with(".smt2")).collect();
    assert_eq!(files.len() as u64, report["partitions"]["equivalent"].as_u64().unwrap());
    let check = || {
        let run = std::process::Command::new("sh").arg("proofs/check.sh").current_dir(shop.path()).output().unwrap();
        (run.status.code(), String::from_utf8(run.stdout).unwrap())
    };
    assert_eq!(check(), (Some(0), "all proved\n".to_string()));
    // The script says so if one is no proof: here, without the last thing that is asserted to be the difference.
    let some = shop.path().join("proofs").join(&files[1]);
    let text = std::fs::read_to_string(&some).unwrap();
    let end = text.rfind("(assert").unwrap();
    std::fs::write(&some, format!("{}(check-sat)\n", &text[..end])).unwrap();
    assert_eq!(check(), (Some(1), format!("{}: sat\n", files[1])));
}

#[test]
fn check_lists_every_changed_function_worst_first() {
    let shop = Workshop::new();
    let old = "int same(int x) { return x * 2; }\nint off(int x) { return x + 1; }\nint kept(int x) { return x; }\nint bad(int *p) { return p ? *p : 0; }\n";
    let new = old.replace("x * 2", "x << 1").replace("x + 1", "x + 2").replace("p ? *p : 0", "*p");
    shop.file("old.c", old);
    shop.file("new.c", &new);
    let ended = shop.upshot(&["check", "old.c", "new.c", "--format", "json"]);
    let report = ended.json().unwrap();
    assert_eq!((ended.code, &report["schema"]), (Some(1), &json!("upshot.check/1")));
    let functions = report["functions"].as_array().unwrap();
    let listed: Vec<(&str, &str)> =
        functions.iter().map(|it| (it["entry"].as_str().unwrap(), it["worst"].as_str().unwrap())).collect();
    assert_eq!(listed, [("bad", "regression"), ("off", "different"), ("same", "equivalent")]);
    let bad = &functions[0];
    assert_eq!((&bad["new_errors"], &bad["diff"]["new"][0]["line"]), (&json!(1), &json!(4)), "{bad}");
    assert!(!bad["impact"]["lines"].as_array().unwrap().is_empty());
    assert_eq!(
        (&functions[1]["explained"][0]["line"], functions[2]["explained"].as_array().unwrap().len()),
        (&json!(2), 0)
    );
    assert_eq!(functions[1]["list"][0]["input"], "x = 0");
    let page = shop.upshot(&["check", "old.c", "new.c"]).stdout;
    let order = ["bad: different", "off: different", "same: equivalent", "3 changed functions: 1 regression"];
    let found: Vec<Option<usize>> = order.iter().map(|words| page.find(words)).collect();
    assert!(found.is_sorted() && found[0].is_some(), "{page}");
    let test = functions[1]["list"][0]["native_test"].as_str().unwrap();
    let printed = |flags: &[&str]| {
        let clang = upshot_frontend::clang().unwrap();
        let file = shop.path().join(test);
        let built = std::process::Command::new(clang).args(flags).arg("-w").arg(file).current_dir(shop.path()).status();
        assert!(built.unwrap().success());
        let run = std::process::Command::new(shop.path().join("a.out")).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let (old, new) = (printed(&["-DOLD"]), printed(&[]));
    assert!(old.starts_with("result: ") && old != new, "{old} {new}");
}

#[test]
fn check_assumes_where_an_assumption_can_be_compiled() {
    let shop = Workshop::new();
    let old = "int limit;\nstatic int half(int n) { return n / 2; }\nint g(unsigned m) { return m + 1; }\n\
               int use(int n) { return half(n) + limit; }\n";
    let new = old.replace("n / 2", "n >> 1").replace("m + 1", "m + 1u + (m > 9)");
    shop.file("old.c", old);
    shop.file("new.c", new.replace("+ limit", "+ (limit < 3 ? limit : 3)"));
    let checked = |assumptions: &[&str]| {
        let mut arguments = vec!["check", "old.c", "new.c", "--format", "json"];
        arguments.extend(assumptions.iter().flat_map(|it| ["--assume", it]));
        let report = shop.upshot(&arguments).json().unwrap();
        let functions = report["functions"].as_array().unwrap().clone();
        let told = functions.iter().map(|it| {
            let notes = it["notes"].as_array().unwrap().iter().filter_map(Value::as_str);
            let left_out: Vec<String> =
                notes.filter_map(|note| Some(note.split_once(" is not assumed here")?.0.to_string())).collect();
            let word = |field: &str| it[field].as_str().unwrap().to_string();
            (word("entry"), word("verdict"), left_out.join(", "))
        });
        let mut told: Vec<_> = told.collect();
        told.sort();
        told
    };
    let told = |rows: [[&str; 3]; 3]| rows.map(|[a, b, c]| (a.to_string(), b.to_string(), c.to_string())).to_vec();
    let expected = [["g", "different", "n >= 0"], ["half", "equivalent", ""], ["use", "different", ""]];
    assert_eq!(checked(&["n >= 0"]), told(expected));
    let expected = [["g", "equivalent", "n >= 0"], ["half", "equivalent", "m < 5"], ["use", "equivalent", "m < 5"]];
    assert_eq!(checked(&["n >= 0", "limit <= 3", "m < 5"]), told(expected));
    // A global that only the assumption speaks of is unknown as well.
    let expected = [["g", "different", ""], ["half", "different", ""], ["use", "different", ""]];
    assert_eq!(checked(&["limit > 1"]), told(expected));
    let said = shop.refused(&["check", "old.c", "new.c", "--assume", "n >= 0", "--assume", "zz > 1"]);
    assert!(said.contains("--assume 'zz > 1' applies to none of the functions that changed"), "{said}");
}

/// Tests of the old version say where to look first, and nothing else.
#[test]
fn paths_that_a_suite_takes_come_first_and_the_result_is_the_same() {
    let shop = Workshop::new();
    let old = "int f(unsigned bits) { int p = 0;\n\
               for (int i = 0; i < 7; i++) { if (bits >> i & 1) p |= 1 << i; }\n\
               if (p == 0x2a) return 1;\nreturn p; }\n";
    shop.file("old.c", old);
    shop.file("new.c", old.replace("return 1;", "return 2;"));
    let create = ["suite", "create", "old.c", "--entry", "f", "--suite", "suite"];
    let made = shop.upshot(&[&create[..], &["--assume", "(bits & 127) == 0x2a"]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let verified = |more: &[&str]| {
        let arguments = [&["verify", "old.c", "new.c", "--entry", "f", "--force", "--format", "json"], more].concat();
        shop.upshot(&arguments).json().unwrap()
    };
    let whole = |more: &[&str]| {
        let report = verified(more);
        ["verdict", "complete", "partitions", "list", "verified_share", "notes"].map(|field| report[field].clone())
    };
    let plain = whole(&["-j", "1"]);
    assert_eq!((&plain[1], &plain[2]["equivalent"]), (&json!(true), &json!(127)));
    for jobs in ["1", "3"] {
        assert_eq!(whole(&["-j", jobs, "--suite", "suite"]), plain, "-j {jobs}");
    }
    let first = |more: &[&str]| {
        let report = verified(&[&["--until", "first-difference"], more].concat());
        let count = |kind: &str| report["partitions"][kind].as_u64().unwrap();
        (count("different"), count("equivalent"))
    };
    assert_eq!(first(&["--suite", "suite"]), (1, 0));
    assert!(first(&[]).1 > 10);
    let said = shop.refused(&["verify", "old.c", "new.c", "--entry", "f", "--suite", "suite", "--out", "suite"]);
    assert!(said.contains("is the suite itself"), "{said}");
    assert!(shop.path().join("suite/run.json").exists());
}

/// Pairs that look alike, or do not: the name, old and new, and the verdict.
const HARD: &[(&str, &str, &str, &str)] = &[
    (
        "an operator at its boundary",
        "int f(int x) { return x < 1000 ? 1 : 2; }",
        "int f(int x) { return x <= 1000 ? 1 : 2; }",
        "different",
    ),
    (
        "the least integer divided by -1",
        "int f(int x, int y) { return y == 0 ? 0 : x / y; }",
        "int f(int x, int y) { return y == 0 || x == -2147483647 - 1 && y == -1 ? 0 : x / y; }",
        "different",
    ),
    (
        "a loop bound that counts down",
        "unsigned f(unsigned char n) { unsigned s = 0; for (unsigned i = 0; i < (n & 7); i++) s += i; return s; }",
        "unsigned f(unsigned char n) { unsigned s = 0; for (unsigned i = n & 7; i > 0; i--) s += i - 1; return s; }",
        "equivalent",
    ),
    ("a signed shift and a division", "int f(int x) { return x / 4; }", "int f(int x) { return x >> 2; }", "different"),
    (
        "side effects in order",
        "int g; int a(int x) { g = g * 3 + x; return x; } int f(int x, int y) { return a(x) + a(y); }",
        "int g; int a(int x) { g = g * 3 + x; return x; } int f(int x, int y) { int s = a(y); return s + a(x); }",
        "different",
    ),
    (
        "a copy that may overlap, in one direction",
        "#include <string.h>\nvoid f(char *p) { memmove(p, p + 1, 3); }",
        "void f(char *p) { for (int i = 0; i < 3; i++) p[i] = p[i + 1]; }",
        "equivalent",
    ),
    (
        "INT_MIN",
        "int f(int x) { return x < 0 ? -x : x; }",
        "int f(int x) { int m = x >> 31; return (x ^ m) - m; }",
        "equivalent",
    ),
    (
        "signed against unsigned",
        "int f(int a, unsigned b) { return a < b; }",
        "int f(int a, unsigned b) { return a < (int)b; }",
        "different",
    ),
    (
        "shift by the width",
        "unsigned f(unsigned x, unsigned n) { return x << (n & 31); }",
        "unsigned f(unsigned x, unsigned n) { return x << n; }",
        "different",
    ),
    (
        "short circuit",
        "int f(int *p, int a) { return a > 0 && (*p)++ > 3; }",
        "int f(int *p, int a) { int v = (*p)++ > 3; return a > 0 && v; }",
        "different",
    ),
    (
        "association",
        "float f(float a, float b, float c) { return (a + b) + c; }",
        "float f(float a, float b, float c) { return a + (b + c); }",
        "different",
    ),
    (
        "commutation",
        "float f(float a, float b) { return a + b; }",
        "float f(float a, float b) { return b + a; }",
        "equivalent",
    ),
    (
        "overlap",
        "#include <string.h>\nvoid f(char *p) { memmove(p + 1, p, 3); }",
        "void f(char *p) { for (int i = 0; i < 3; i++) p[i + 1] = p[i]; }",
        "different",
    ),
    (
        "recursion",
        "int f(int n) { return n < 0 || n > 6 ? 0 : n <= 1 ? 1 : n * f(n - 1); }",
        "int f(int n) { if (n < 0 || n > 6) return 0; int r = 1; for (; n > 1; n--) r *= n; return r; }",
        "equivalent",
    ),
    (
        "bit tricks",
        "int f(unsigned char x) { int c = 0; for (int i = 0; i < 8; i++) c += x >> i & 1; return c; }",
        "int f(unsigned char x) { x = (x & 0x55) + (x >> 1 & 0x55); x = (x & 0x33) + (x >> 2 & 0x33); return (x & 15) + (x >> 4); }",
        "equivalent",
    ),
    (
        "loop bound",
        "int f(int *a) { int s = 0; for (int i = 0; i < 4; i++) s += a[i]; return s; }",
        "int f(int *a) { int s = 0; for (int i = 0; i < 3; i++) s += a[i]; return s; }",
        "different",
    ),
    (
        "global",
        "int g; int f(int x) { g += x; g += 1; return g; }",
        "int g; int f(int x) { g = g + 1 + x; return g; }",
        "equivalent",
    ),
];

#[test]
fn what_was_never_written_is_the_same_unknown() {
    let old = "int f(int x) { int u; if (x > 3) u = x; return u; }\n";
    assert_eq!(verified(old, &old.replace("return u", "return 1 * u"), &["--entry", "f"]).0, Some(0));
    let (code, report) = verified(old, &old.replace("return u", "return u + (x == 2)"), &["--entry", "f"]);
    assert_eq!((code, &report["list"][0]["kind"]), (Some(1), &json!("different")), "{report}");
}

/// The shape of ICSE'13, Fig. 4: the change is reached where both conditions before it hold, whatever else happened on the way there.
#[test]
fn inputs_that_do_not_reach_the_change_are_equal() {
    let old = "int f(int i, unsigned char j) { int a = 0, b = 0; if (i > 0) a = 1; for (int c = 0; c < (j & 3); c++) b += c; int o = b; if (j & 3) if (a > 0) o = 7; return o; }\n";
    let (code, report) = verified(old, &old.replace("o = 7", "o = 8"), &["--entry", "f"]);
    assert_eq!((code, &report["complete"], &report["partitions"]["open"]), (Some(1), &json!(true), &json!(0)));
    let kinds = kinds(&report);
    let reaches = |condition: &str| condition.contains("i >= 1") || condition.contains("i > 0");
    for (kind, condition) in &kinds {
        let is_different = kind == "different";
        assert!(!is_different || reaches(condition), "{condition}");
    }
    assert_eq!(kinds.iter().filter(|(kind, _)| kind == "different").count(), 3);
    let list = report["list"].as_array().unwrap();
    let differing: f64 = list.iter().filter(|it| it["kind"] == "different").filter_map(|it| it["share"].as_f64()).sum();
    assert!((differing - 0.375).abs() < 0.05, "{differing}");
}

/// The shape of ICSE'13, Fig. 5: what was changed reaches a branch, which goes the same way all the same, so nothing of it reaches the output.
#[test]
fn a_change_that_does_not_get_to_the_output_is_equal() {
    let old = "int f(int i) { int y = i; int o = 0; if (y > 0) o = i; return o; }\n";
    let (code, report) = verified(old, &old.replace("y = i", "y = i + 5"), &["--entry", "f"]);
    assert_eq!((code, &report["complete"]), (Some(1), &json!(true)));
    // Input -9 changes y and nothing else; -2 goes another way; 2147483647 overflows.
    let list = report["list"].as_array().unwrap();
    let equal: Vec<_> = list.iter().filter(|partition| partition["kind"] == "equivalent").collect();
    assert!(!equal.is_empty());
    let lines = list.iter().find(|partition| partition["kind"] == "different").unwrap();
    assert!(lines["changed_lines"].as_array().unwrap().iter().any(|line| line["line"] == 1));
}

#[test]
fn what_varies_from_run_to_run_is_said() {
    let old =
        "#include <stdlib.h>\n#include <time.h>\nint f(int x) { return x + (rand() % 3 == 1) + (time(0) > 5); }\n";
    let (code, report) =
        verified(old, &old.replace("return x +", "return 1 * x +"), &["--entry", "f", "--without", "induction"]);
    assert_eq!(code, Some(0), "{report}");
    let notes = report["notes"].as_array().unwrap();
    assert!(
        ["rand", "time"].iter().all(|name| notes.iter().any(|note| note.as_str().unwrap().contains(name))),
        "{report}"
    );
    // The first number that the C library would give is not the only one.
    let (code, report) = verified(old, &old.replace("rand() % 3 == 1", "1804289383 % 3 == 1"), &["--entry", "f"]);
    assert_eq!(code, Some(1), "{report}");
}

#[test]
fn what_runs_before_main_counts() {
    let old = "int g; __attribute__((constructor)) static void before(void) { g = 1; }\n__attribute__((destructor)) static void after(void) { g = 5; }\nint main(void) { return g; }\n";
    assert_eq!(verified(old, &old.replace("return g", "return 0 + g"), &[]).0, Some(0));
    for (from, to) in [("g = 1", "g = 2"), ("g = 5", "g = 6"), ("__attribute__((constructor)) ", "")] {
        let (code, report) = verified(old, &old.replace(from, to), &[]);
        assert_eq!(code, Some(1), "{to}: {report}");
    }
}

#[test]
fn what_is_near_is_found_before_hard_questions_are_asked() {
    let old = "int f(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }\n";
    let new = old.replace("return a", "return a < 0 ? -a : a");
    let (code, report) = verified(old, &new, &["--entry", "f", "--timeout", "10", "--until", "first-difference"]);
    assert_eq!((code, &report["list"][0]["confirmed"]), (Some(1), &json!(true)), "{report}");
}

#[test]
fn hard_pairs_get_the_right_verdict() {
    for (name, old, new, verdict) in HARD {
        let (_, report) = verified(&format!("{old}\n"), &format!("{new}\n"), &["--entry", "f"]);
        assert_eq!(report["verdict"], *verdict, "{name}: {report}");
        let is_difference = |partition: &&Value| partition["kind"] != "equivalent";
        let mut differences = report["list"].as_array().unwrap().iter().filter(is_difference);
        assert!(differences.all(|partition| partition["confirmed"] == true), "{name}: {report}");
    }
}
