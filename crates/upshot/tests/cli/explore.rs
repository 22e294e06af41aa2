//! `upshot explore`: which paths it finds, what it writes, how it ends.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{Workshop, tool};

fn pair(folder: &str) -> (String, String) {
    let folder: PathBuf = tool::root().join("tests").join(folder);
    let file = |name: &str| folder.join(name).display().to_string();
    (file("old.c"), file("new.c"))
}

/// Explores a pair; the JSON object.
fn explored(shop: &Workshop, (old, new): &(String, String), more: &[&str]) -> Value {
    let arguments: Vec<&str> = ["explore", old, new, "--format", "json"].iter().chain(more).copied().collect();
    let ended = shop.upshot(&arguments);
    assert!(matches!(ended.code, Some(0 | 1)), "{arguments:?}: {:?} {}", ended.code, ended.stderr);
    let report = ended.json().unwrap();
    assert_eq!((&report["schema"], &report["complete"]), (&json!("upshot.explore/1"), &json!(true)), "{report}");
    report
}

fn sequences(report: &Value) -> BTreeSet<String> {
    let paths = report["paths"].as_array().unwrap();
    paths.iter().map(|path| path["sequence"].as_str().unwrap().to_string()).collect()
}

/// The papers print 21 and 7 paths; with C's integers it is 24 and 8, which trying all values of a small domain shows.
#[test]
fn the_wheel_brake_has_eight_affected_paths() {
    let shop = Workshop::new();
    let pair = pair("impact/wheel-brake");
    let entry = ["--entry", "update"];
    let sound = explored(&shop, &pair, &entry);
    assert_eq!(sound["affected_paths"], 8);
    let all = explored(&shop, &pair, &[&entry[..], &["--prune", "off"]].concat());
    assert_eq!(all["affected_paths"], 24);
    assert_eq!(sequences(&all), sequences(&sound));
    let paper = explored(&shop, &pair, &[&entry[..], &["--prune", "paper"]].concat());
    assert_eq!(sequences(&paper), sequences(&sound));

    let mut impacted = BTreeSet::new();
    let mut every = BTreeSet::new();
    for (pos, switch, cmd) in (-2..5).flat_map(|a| (-1..3).flat_map(move |b| (-3..5).map(move |c| (a, b, c)))) {
        let first = if pos <= 0 { 0 } else { 1 + i32::from(pos != 1) };
        let after = [cmd + 1, cmd + 2, pos][first as usize] + 1;
        let last = if after == 2 { 0 } else { 1 + i32::from(after != 3) };
        impacted.insert((first, last));
        every.insert((first, if switch == 0 { 0 } else { 1 + i32::from(switch != 1) }, last));
    }
    assert_eq!((impacted.len(), every.len()), (8, 24));
}

/// TOSEM'14 Table I, by lines: n0 is line 6, n1 7, n2 8, n3 9, n4 11, n5 12, n6 13, n7 14, n8 15, n10 17, n11 18, n12 19, n13 20, n14 22.
#[test]
fn the_papers_rows_are_those_of_the_papers() {
    let shop = Workshop::new();
    let (old, new) = pair("impact/wheel-brake");
    let text = shop.upshot(&["explore", &old, &new, "--entry", "update", "--prune", "paper", "-v"]).stdout;
    let rows = "\
  1  |  | 6 7 8 9 11 12 17 18 19 20 22
  2 6 | 6 | 7 8 9 11 12 17 18 19 20 22
  3 6 7 | 6 7 | 8 9 11 12 17 18 19 20 22
  4 6 7 12 | 6 7 12 | 8 9 11 17 18 19 20 22
  5 6 7 12 13 14 17 | 6 7 12 17 | 8 9 11 18 19 20 22
  6 6 7 12 13 14 17 18 | 6 7 12 17 18 | 8 9 11 19 20 22
  7 6 7 12 13 14 17 19 | 6 7 12 17 18 19 | 8 9 11 20 22
  8 6 7 12 13 14 17 19 20 | 6 7 12 17 18 19 20 | 8 9 11 22
  9 6 7 12 13 14 17 19 22 | 6 7 12 17 18 19 20 22 | 8 9 11
 10 6 7 12 13 15 (no path) | 6 7 12 17 18 19 20 22 | 8 9 11
 11 6 8 | 6 7 8 | 9 11 12 17 18 19 20 22
";
    assert!(text.contains(rows), "{text}");
}

#[test]
fn a_sequence_that_the_papers_algorithm_loses_is_kept() {
    let shop = Workshop::new();
    let pair = pair("explore/lost-sequence");
    let sound = explored(&shop, &pair, &["--entry", "compare"]);
    let paper = explored(&shop, &pair, &["--entry", "compare", "--prune", "paper"]);
    let all = explored(&shop, &pair, &["--entry", "compare", "--prune", "off"]);
    assert_eq!(sequences(&sound), sequences(&all));
    assert_eq!((sequences(&all).len(), sequences(&paper).len()), (4, 3));
}

#[test]
fn workers_and_orders_change_nothing() {
    let shop = Workshop::new();
    for (folder, entry) in [("impact/wheel-brake", "update"), ("explore/lost-sequence", "compare")] {
        let pair = pair(folder);
        let mut before: Option<(Value, Vec<Vec<u8>>)> = None;
        for more in
            [&["-j1"][..], &["-j2"], &["-j8"], &["-j2", "--order", "random", "--seed", "7"], &["--order", "greedy"]]
        {
            let report = explored(&shop, &pair, &[&["--entry", entry], more].concat());
            let names: Vec<String> = shop.names("upshot-out").into_iter().filter(|n| n.ends_with(".ktest")).collect();
            let read = |name: &String| std::fs::read(shop.path().join("upshot-out").join(name)).unwrap();
            let found = (report["paths"].clone(), names.iter().map(read).collect::<Vec<_>>());
            assert_eq!(before.get_or_insert_with(|| found.clone()), &found, "{folder} {more:?}");
        }
        let ended = shop.upshot(&["replay", "--check", "upshot-out/test000001.ktest", "upshot-out/test000003.ktest"]);
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    }
}

const DIVIDES: &str = "int ratio(int a, int b, int mode) {\n    if (b == 7)\n        return a / (b - 7);\n    if (mode > 2)\n        return a + 1;\n    return a;\n}\n";

#[test]
fn new_errors_are_told_from_old_ones() {
    let shop = Workshop::new();
    shop.file("old.c", DIVIDES);
    shop.file(
        "new.c",
        DIVIDES.replace("a + 1", "a / b").replace("int mode) {", "int mode) {\n    mode = mode + b - b + 1;"),
    );
    let report = explored(&shop, &("old.c".into(), "new.c".into()), &["--entry", "ratio"]);
    let errors = report["errors"].as_array().unwrap();
    let found: BTreeSet<(u64, &str)> =
        errors.iter().map(|error| (error["line"].as_u64().unwrap(), error["status"].as_str().unwrap())).collect();
    assert!(found.contains(&(6, "new")), "{found:?}");
    assert!(!found.contains(&(4, "new")), "{found:?}");
    assert_eq!(shop.upshot(&["explore", "old.c", "new.c", "--entry", "ratio"]).code, Some(1));
}

#[test]
fn tests_of_the_old_version_are_selected() {
    let shop = Workshop::new();
    let text = "int f(int a, int b) {\n    int r = 0;\n    if (a > 3)\n        r = 1;\n    if (b > 9)\n        r += 2;\n    return r;\n}\n";
    shop.file("old.c", text);
    shop.file(
        "new.c",
        text.replace("r = 1;", "{\n            r = 5;\n            if (a > 50)\n                r = 7;\n        }"),
    );
    assert_eq!(shop.upshot(&["run", "old.c", "--entry", "f", "--out", "suite"]).code, Some(0));
    let report = explored(&shop, &("old.c".into(), "new.c".into()), &["--entry", "f", "--suite", "suite"]);
    let statuses: BTreeSet<(&str, bool)> = report["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| (path["status"].as_str().unwrap(), path["test"].is_string()))
        .collect();
    assert!(statuses.contains(&("selected", true)) && statuses.contains(&("added", true)), "{report}");
    assert!(statuses.iter().all(|(_, has_test)| *has_test), "{report}");
}

#[test]
fn nothing_to_explore_and_what_is_wrong() {
    let shop = Workshop::new();
    shop.file("old.c", DIVIDES);
    shop.file("same.c", DIVIDES.replace("return a;", "return a; // as before"));
    shop.file("other.c", DIVIDES.replace("ratio", "quotient").replace("a + 1", "a + 2"));
    let ended = shop.upshot(&["explore", "old.c", "same.c", "--entry", "ratio", "--format", "json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let report = ended.json().unwrap();
    assert_eq!((&report["affected_paths"], &report["queries"]["asked"]), (&json!(0), &json!(0)));
    let said = shop.refused(&["explore", "old.c", "other.c", "--entry", "ratio"]);
    assert!(said.contains("other.c") && said.contains("ratio"), "{said}");
    let said = shop.refused(&["explore", "old.c", "same.c", "--entry", "ration"]);
    assert!(said.contains("did you mean `ratio`?"), "{said}");
    shop.file("new.c", DIVIDES.replace("a + 1", "a + 2"));
    std::fs::create_dir(shop.path().join("empty")).unwrap();
    let said = shop.refused(&["explore", "old.c", "new.c", "--entry", "ratio", "--suite", "empty"]);
    assert!(said.contains("no tests"), "{said}");
}

#[test]
fn a_bound_makes_the_result_incomplete() {
    let shop = Workshop::new();
    let text = "int sum(unsigned n) {\n    int s = 0;\n    for (unsigned i = 0; i < n; i++)\n        s += 1;\n    return s;\n}\n";
    shop.file("old.c", text);
    shop.file("new.c", text.replace("s += 1", "s += 2"));
    let ended = shop.upshot(&["explore", "old.c", "new.c", "--entry", "sum", "--max-depth", "5", "--format", "json"]);
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    let report = ended.json().unwrap();
    assert_eq!(report["complete"], false);
    assert!(report["paths"].as_array().is_some_and(|paths| paths.len() > 3), "{report}");
}
