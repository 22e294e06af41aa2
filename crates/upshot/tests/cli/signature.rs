//! `upshot signature`, `upshot explain` and `upshot minimize`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Workshop;

/// The shape of FSE'11, Fig. 1: eight paths, three ways to compute the result.
const THREE_OF_EIGHT: &str = "#include <stdio.h>\n\
    int f(int x, int y, int z) {\n    int result, larger, kept = 2;\n    if (x - y > 0)\n        larger = x;\n    else\n        larger = y;\n\
    if (x + y > 10)\n        kept = larger;\n    if (z * z > 3)\n        printf(\"far\\n\");\n    else\n        printf(\"near\\n\");\n\
    result = kept;\n    return result;\n}\n";

fn signature(program: &str, more: &[&str]) -> Value {
    let shop = Workshop::with(program);
    let arguments: Vec<&str> =
        ["signature", "main.c", "--no-tests", "--format", "json"].iter().chain(more).copied().collect();
    let ended = shop.upshot(&arguments);
    let report = ended.json().unwrap_or_else(|why| panic!("{:?} {why}", ended.code));
    assert_eq!(report["schema"], "upshot.signature/1");
    report
}

/// Condition and value of an output, case by case.
fn ways(report: &Value, output: &str) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_string();
    let condition = |case: &Value| {
        let parts: Vec<String> = case["condition"].as_array().unwrap().iter().map(text).collect();
        parts.join(" && ")
    };
    report["cases"].as_array().unwrap().iter().map(|case| (condition(case), text(&case["outputs"][output]))).collect()
}

fn expected(list: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    list.iter().map(|(condition, value)| (condition.to_string(), value.to_string())).collect()
}

#[test]
fn three_ways_where_there_are_eight_paths() {
    let report = signature(THREE_OF_EIGHT, &["--entry", "f", "--output", "RETURN", "--count-paths"]);
    let three = expected(&[
        ("(x + y) < 11", "2"),
        ("(x + y) >= 11 && (x - y) >= 1", "x"),
        ("(x + y) >= 11 && (x - y) < 1", "y"),
    ]);
    assert_eq!(ways(&report, "return"), three);
    // As in the paper's Table 2: three inputs are run, and every one is a new case.
    assert_eq!(
        (&report["paths_explored"], &report["paths_full"], &report["complete"]),
        (&json!(3), &json!(8), &json!(true))
    );
    // The branch on z is in no slice; what is not taken but could have been is.
    let lines: Vec<BTreeSet<u64>> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["lines"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect())
        .collect();
    assert!(lines.iter().all(|lines| lines.contains(&8) && !lines.contains(&10)), "{lines:?}");
    // With what goes to stdout, z matters.
    let report = signature(THREE_OF_EIGHT, &["--entry", "f", "--output", "RETURN,stdout"]);
    assert_eq!(report["cases"].as_array().unwrap().len(), 6);
    let report = signature(THREE_OF_EIGHT, &["--entry", "f", "--output", "stdout"]);
    assert_eq!(ways(&report, "stdout"), expected(&[("(z * z) < 4", "\"near\\n\""), ("(z * z) >= 4", "\"far\\n\"")]));
}

/// The shape of FSE'11, Fig. 2: what is computed before a branch counts in its condition.
#[test]
fn a_condition_is_over_inputs() {
    let program = "int f(int x) {\n    int a = 0;\n    x = x - 1;\n    if (x > 0)\n        a = 1;\n    return a;\n}\n";
    let report = signature(program, &["--entry", "f"]);
    assert_eq!(ways(&report, "return"), expected(&[("(x - 1) < 1", "0"), ("(x - 1) >= 1", "1")]));
}

/// The shape of the program in FSE'11, section 5.1, that its implementation lost cases of, since it took the index for a constant.
#[test]
fn a_symbolic_index_loses_no_case() {
    let program = "#include <stdio.h>\nint f(int x, int y) {\n    int a[2] = {0, 1}, out;\n    if (x > 0)\n        printf(\"positive\\n\");\n\
        if (a[x] > 0) {\n        if (y > 0)\n            out = 1;\n        else\n            out = -1;\n    } else {\n        out = 0;\n    }\n    return out;\n}\n";
    let report = signature(program, &["--entry", "f", "--output", "RETURN"]);
    let values: BTreeSet<String> = ways(&report, "return").into_iter().map(|(_, value)| value).collect();
    let all: BTreeSet<String> = ["0", "1", "-1", "not computed"].into_iter().map(str::to_string).collect();
    assert_eq!((values, &report["complete"]), (all, &json!(true)));
    let errors: Vec<&Value> =
        report["cases"].as_array().unwrap().iter().filter(|case| !case["error"].is_null()).collect();
    assert_eq!((errors.len(), &errors[0]["error"]["kind"]), (1, &json!("ptr")));
}

/// Whatever may keep the output from being computed belongs to the condition: failures, exits, loops without an end.
#[test]
fn what_may_end_the_program_is_not_irrelevant() {
    let fails = "int f(int x, int y) { int t = 0; if (x > 3) t = 10 / y; (void)t; return 7; }\n";
    let report = signature(fails, &["--entry", "f"]);
    assert_eq!(report["cases"].as_array().unwrap().len(), 3);
    let exits = "#include <stdlib.h>\nint f(int x) { if (x == 5) exit(3); return 7; }\n";
    let report = signature(exits, &["--entry", "f", "--output", "RETURN"]);
    assert_eq!(ways(&report, "return").len(), 2);
    let counted = "int n; int f(int x, int y) { if (x > 3) for (int i = 0; i < 10; i++) n += i; return y; }\n";
    let report = signature(counted, &["--entry", "f", "--output", "RETURN"]);
    assert_eq!(ways(&report, "return"), expected(&[("", "y")]));
    let endless = "int n; int f(int x, int y) { if (x > 3) while (n != x) n += 2; return y; }\n";
    let report =
        signature(endless, &["--entry", "f", "--output", "RETURN", "--max-depth", "20", "--max-instructions", "3000"]);
    assert_eq!(report["complete"], false);
    assert!(ways(&report, "return").iter().all(|(condition, _)| condition.contains('x')));
}

/// Here the last relevant decision of a path is one that earlier paths do not have: reordered whole, its condition would not begin with the prefix that it was run for.
#[test]
fn a_new_pivot_loses_no_case() {
    let program = "int f(int x, int y, int z, int w) {\n    int flag = 0, a = 0, t = 0, u = 0;\n    if (x > 0)\n        a = 1;\n    if (y > 0)\n        flag = 1;\n\
        if (a && z > 0)\n        t = 1;\n    if (flag) {\n        if (w > 0)\n            u = 10;\n    }\n    return t + u;\n}\n";
    let report = signature(program, &["--entry", "f"]);
    let found = ways(&report, "return");
    // Three ways to compute t, three to compute u.
    assert_eq!((found.len(), &report["complete"]), (9, &json!(true)), "{found:?}");
    assert!(found.iter().any(|(condition, value)| condition.contains("w < 1") && value == "1"));
}

#[test]
fn outputs_are_globals_memory_and_variables_too() {
    let program = "struct s { int a, b; };\nint total;\nint f(struct s *p, int n) {\n    int twice = 2 * n;\n    if (!p)\n        return -1;\n\
        if (n > 3)\n        total = twice;\n    p->b = p->a + 1;\n    return 0;\n}\n";
    let report = signature(program, &["--entry", "f", "--output", "total", "--array-len", "1"]);
    assert_eq!(ways(&report, "total").len(), 3);
    let report = signature(program, &["--entry", "f", "--output", "memory", "--array-len", "1"]);
    assert_eq!(ways(&report, "p->b"), expected(&[("p == NULL", "-"), ("p != NULL", "p->a + 1")]));
    let report = signature(program, &["--entry", "f", "--output", "7:twice", "--array-len", "1"]);
    let found = ways(&report, "7:twice");
    assert_eq!(found, expected(&[("p == NULL", "not computed"), ("p != NULL", "n << 1")]));
}

#[test]
fn an_output_that_is_not_there_is_refused() {
    let shop = Workshop::with(
        "int total;\nint f(int x) {\n    int y = x;\n    total = y;\n    return y;\n}\nvoid g(void) {}\n",
    );
    let refused =
        |output: &str| shop.refused(&["signature", "main.c", "--entry", "f", "--no-tests", "--output", output]);
    assert!(refused("totl").contains("RETURN") && refused("totl").contains("total"));
    assert!(refused("4:z").contains("there is no variable z") && refused("4:z").contains("x, y"));
    assert!(refused("99:y").contains("no code on line 99"));
    assert!(refused("four:y").contains("no line number"));
    let said = shop.refused(&["signature", "main.c", "--entry", "g", "--no-tests", "--output", "RETURN"]);
    assert!(said.contains("returns nothing"), "{said}");
}

#[test]
fn tables_and_pages_hold_every_case() {
    let shop = Workshop::with(THREE_OF_EIGHT);
    let arguments = ["signature", "main.c", "--entry", "f", "--output", "RETURN", "--no-tests"];
    let table = shop.upshot(&[&arguments[..], &["--table"]].concat()).stdout;
    assert!(table.contains("condition") && table.lines().count() == 7, "{table}");
    let page = shop.upshot(&[&arguments[..], &["--format", "html"]].concat()).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert_eq!(page.matches("<tr>").count(), 4);
    assert!(page.contains("(x - y) &gt;= 1") && !page.contains("http"), "{page}");
}

#[test]
fn each_case_has_a_test_that_replays() {
    let shop = Workshop::with(THREE_OF_EIGHT);
    let ended = shop.upshot(&["signature", "main.c", "--entry", "f", "--output", "RETURN", "--out", "tests"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let tests: Vec<String> = (1..=3).map(|number| format!("tests/test{number:06}.ktest")).collect();
    let mut arguments = vec!["replay", "main.c", "--entry", "f", "--format", "json"];
    arguments.extend(tests.iter().map(String::as_str));
    let report = shop.upshot(&arguments).json().unwrap();
    assert_eq!(report["tests"].as_array().unwrap().len(), 3);
}

#[test]
fn signatures_of_two_versions_are_put_side_by_side() {
    let shop = Workshop::new();
    shop.file("old.c", "int f(int x) { if (x < 0) return 0; if (x < 10) return 1; return 2; }\n");
    shop.file("new.c", "int f(int x) { if (x < 0) return 0; if (x <= 10) return 1; return 3 - 1; }\n");
    shop.file("other.c", "int f(int x) { if (x < 0) return 0; if (x < 10) return 5; return 2; }\n");
    let compare = |new: &str| {
        let ended =
            shop.upshot(&["signature", new, "--entry", "f", "--diff", "old.c", "--no-tests", "--format", "json"]);
        let report = ended.json().unwrap();
        let mut fates: Vec<(String, bool)> = report["compared"]
            .as_array()
            .unwrap()
            .iter()
            .map(|case| (case["fate"].as_str().unwrap().to_string(), !case["differs_for"].is_null()))
            .collect();
        fates.sort();
        (ended.code, fates)
    };
    let fates =
        |list: &[(&str, bool)]| list.iter().map(|(fate, differs)| (fate.to_string(), *differs)).collect::<Vec<_>>();
    assert_eq!(compare("old.c"), (Some(0), fates(&[("same", false), ("same", false), ("same", false)])));
    assert_eq!(compare("other.c"), (Some(1), fates(&[("changed", true), ("same", false), ("same", false)])));
    let moved = fates(&[("gone", false), ("gone", true), ("new", false), ("new", true), ("same", false)]);
    assert_eq!(compare("new.c"), (Some(1), moved));
}

/// A function with a seeded fault, and what must be among the lines that are told.
#[test]
fn an_explanation_names_the_line_behind_a_difference() {
    let old = "int f(int speed, int load, int mode) {\n    int limit = 100, extra = 0;\n    if (mode == 2)\n        limit = 80;\n\
        if (load > 50)\n        limit = limit - 20;\n    if (speed % 7 == 3)\n        extra = 5;\n    if (speed > limit)\n        return 2 + extra;\n\
        if (speed > limit - 10)\n        return 1;\n    return 0;\n}\n";
    let faults = [
        ("load > 50", "load >= 50", 5),
        ("limit = 80", "limit = 90", 4),
        ("return 1;", "return 3;", 12),
        ("limit - 20", "limit - 30", 6),
        ("extra = 5", "extra = 6", 8),
        ("mode == 2", "mode == 3", 3),
        ("        limit = limit - 20;\n", "        ;\n", 6),
    ];
    for (before, after, line) in faults {
        let shop = Workshop::new();
        shop.file("old.c", old);
        shop.file("new.c", old.replace(before, after));
        let ended = shop.upshot(&["explain", "old.c", "new.c", "--entry", "f", "--format", "json"]);
        let report = ended.json().unwrap();
        assert_eq!(
            (ended.code, &report["schema"], &report["differs"]),
            (Some(1), &json!("upshot.explain/1"), &json!(true))
        );
        let locations = report["locations"].as_array().unwrap();
        assert!((1..=5).contains(&locations.len()), "{before}: {report:#}");
        let names_it = |location: &Value| {
            let behind = location["changed_lines"].as_array().unwrap().iter().map(|line| &line["line"]);
            std::iter::once(&location["line"]).chain(behind).any(|told| *told == json!(line))
        };
        assert!(locations.iter().any(names_it), "{before}: {report:#}");
        let agreeing = locations.iter().filter(|location| location["agrees"] == true);
        assert!(agreeing.clone().all(|location| location["neighbour"].is_string()));
    }
}

#[test]
fn a_test_that_does_not_differ_needs_no_explanation() {
    let shop = Workshop::new();
    shop.file("old.c", "int f(int x) { return x > 3 ? 1 : 0; }\n");
    shop.file("new.c", "int f(int x) { return x >= 3 ? 1 : 0; }\n");
    let run = shop.upshot(&["run", "old.c", "--entry", "f", "--out", "tests"]);
    assert_eq!(run.code, Some(0));
    let ended = shop.upshot(&["explain", "old.c", "new.c", "--entry", "f", "--test", "tests/test000001.ktest"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
    assert!(ended.stdout.contains("the same in both versions"), "{}", ended.stdout);
    let ended = shop.upshot(&["explain", "old.c", "old.c", "--entry", "f"]);
    assert_eq!((ended.code, ended.stdout.contains("the same for all inputs")), (Some(0), true), "{}", ended.stdout);
    let said = shop.refused(&["explain", "old.c", "new.c", "--entry", "f", "--test", "none.ktest"]);
    assert!(said.contains("none.ktest"));
    shop.file("bad.ktest", "no test");
    shop.refused(&["explain", "old.c", "new.c", "--entry", "f", "--test", "bad.ktest"]);
    shop.refused(&["explain", "old.c", "new.c"]);
}

#[test]
fn a_suite_keeps_one_test_for_each_way() {
    let shop = Workshop::with(THREE_OF_EIGHT);
    assert_eq!(shop.upshot(&["run", "main.c", "--entry", "f", "--out", "suite"]).code, Some(0));
    let minimize = ["minimize", "main.c", "--suite", "suite", "--output", "RETURN", "--format", "json"];
    let ended = shop.upshot(&[&minimize[..], &["--out", "small"]].concat());
    let report = ended.json().unwrap();
    assert_eq!(
        (ended.code, &report["schema"], &report["complete"]),
        (Some(0), &json!("upshot.minimize/1"), &json!(true))
    );
    let kept: BTreeSet<&str> =
        report["kept"].as_array().unwrap().iter().map(|kept| kept["test"].as_str().unwrap()).collect();
    let removed = report["removed"].as_array().unwrap();
    assert_eq!((kept.len(), removed.len()), (3, 5));
    assert!(removed.iter().all(|removed| kept.contains(removed["represented_by"].as_str().unwrap())));
    let tests = |folder: &str| {
        let names = std::fs::read_dir(shop.path().join(folder)).unwrap().flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|end| end == "ktest")).count()
    };
    assert_eq!((tests("small"), tests("suite")), (3, 8));
    assert!(shop.refused(&[&minimize[..], &["--out", "suite", "--force"]].concat()).contains("the suite itself"));
    shop.refused(&["minimize", "main.c", "--suite", "nowhere"]);
}
