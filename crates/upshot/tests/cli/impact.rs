//! `upshot impact`: what it prints, what it writes, how it ends.

use std::process::Command;

use serde_json::{Value, json};

use crate::Workshop;

const OLD: &str = "int state;\n\
    static int scale(int n) {\n    return n * 2;\n}\n\
    int untouched(int n) {\n    return n - 1;\n}\n\
    int step(int n) {\n    if (n == 3)\n        state = 1;\n    return scale(state);\n}\n";

fn pair() -> Workshop {
    let shop = Workshop::new();
    shop.file("old.c", OLD);
    shop.file("new.c", OLD.replace("n == 3", "n <= 3"));
    shop
}

fn function<'a>(report: &'a Value, name: &str) -> &'a Value {
    let functions = report["functions"].as_array().expect("a list");
    functions.iter().find(|function| function["name"] == name).expect("the function is listed")
}

#[test]
fn functions_and_lines_are_told_with_their_reasons() {
    let shop = pair();
    let ended = shop.upshot(&["impact", "old.c", "new.c", "--format", "json"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let report = ended.json().unwrap();
    assert_eq!((&report["schema"], &report["complete"]), (&json!("upshot.impact/1"), &json!(true)));
    let step = function(&report, "step");
    assert_eq!(step["status"], "changed");
    assert_eq!(step["changed_lines"], json!({"old": [9], "new": [9]}));
    assert_eq!(step["impacted_lines"], json!([9, 10, 11]));
    let scale = function(&report, "scale");
    assert_eq!((&scale["status"], &scale["impacted_lines"]), (&json!("impacted"), &json!([3])));
    let untouched = function(&report, "untouched");
    assert_eq!((&untouched["status"], &untouched["impacted_instructions"]), (&json!("unchanged"), &json!(0)));
    assert_eq!(report["calls"], json!([{"caller": "step", "line": 11, "callee": "scale"}]));

    let text = shop.upshot(&["impact", "old.c", "new.c"]).stdout;
    assert!(text.starts_with("impact: "), "{text}");
    for words in [
        "runs as line 9 decides (rule 1) <- line 9 changed",
        "reads state written at line 10 (rule 2) <- … <- line 9 changed",
        "gets n from line 11 (rule 2) <- … <- line 9 changed",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let verbose = shop.upshot(&["impact", "old.c", "new.c", "-v"]).stdout;
    assert!(
        verbose.contains("gets n from line 11 (rule 2) <- line 11 reads state written at line 10 (rule 2)"),
        "{verbose}"
    );
    assert!(verbose.contains("points-to") && verbose.contains("rule 1 adds"), "{verbose}");
}

#[test]
fn one_procedure_or_one_function() {
    let shop = pair();
    let report = shop.upshot(&["impact", "old.c", "new.c", "--scope", "intra", "--format", "json"]).json().unwrap();
    assert_eq!(function(&report, "scale")["status"], "unchanged");
    assert_eq!(function(&report, "step")["impacted_lines"], json!([9, 10, 11]));
    let report = shop.upshot(&["impact", "old.c", "new.c", "--function", "scale", "--format", "json"]).json().unwrap();
    assert_eq!(report["functions"].as_array().map(Vec::len), Some(1));
    let said = shop.refused(&["impact", "old.c", "new.c", "--function", "steq"]);
    assert!(said.contains("did you mean `step`?"), "{said}");
}

#[test]
fn what_has_no_effect_has_no_impact() {
    let shop = pair();
    let renamed = OLD.replace("(int n)", "(int count)").replace("n * 2", "count * 2 /* doubled */");
    shop.file("renamed.c", renamed.replace("n - 1", "count - 1").replace("n == 3", "count == 3"));
    shop.file("declared.c", format!("extern int elsewhere;\nint other(int);\n{OLD}"));
    for other in ["old.c", "renamed.c", "declared.c"] {
        let ended = shop.upshot(&["impact", "old.c", other, "--format", "json"]);
        assert_eq!(ended.code, Some(0), "{other}: {}", ended.stdout);
        assert_eq!(ended.json().unwrap()["impacted"], false, "{other}");
    }
    assert!(shop.upshot(&["impact", "old.c", "renamed.c"]).stdout.starts_with("no difference"));
}

#[test]
fn dead_code_has_no_impact() {
    let shop = Workshop::new();
    let text = "int f(int n) {\n    return n;\ndead:\n    n = n + 1;\n    goto dead;\n}\n";
    shop.file("old.c", text);
    shop.file("new.c", text.replace("n + 1", "n + 2"));
    let ended = shop.upshot(&["impact", "old.c", "new.c"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
    assert!(ended.stdout.starts_with("no "), "{}", ended.stdout);
}

#[test]
fn bitcode_carries_the_marks() {
    let shop = pair();
    let ended = shop.upshot(&["impact", "old.c", "new.c", "--emit-bc", "marked.bc", "--format", "json"]);
    let report = ended.json().unwrap();
    let functions = report["functions"].as_array().unwrap();
    let impacted: u64 = functions.iter().filter_map(|function| function["impacted_instructions"].as_u64()).sum();
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(format!("/usr/lib/llvm-19/bin/{name}"));
        let output = command.current_dir(shop.path()).args(arguments).output().expect("LLVM's tools are there");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    tool("opt", &["-passes=verify", "-disable-output", "marked.bc"]);
    let text = tool("llvm-dis", &["marked.bc", "-o", "-"]);
    let marked = text.lines().filter(|line| line.starts_with("  ") && line.contains("!upshot.impact ")).count();
    assert_eq!(marked as u64, impacted, "{text}");
    assert!(text.contains("!\"changed\"") && text.contains("!\"rule 2\""), "{text}");
    let said = shop.refused(&["impact", "old.c", "new.c", "--emit-bc", "no/such/folder.bc"]);
    assert!(said.contains("no/such"), "{said}");
}

#[test]
fn versions_that_cannot_be_compared() {
    let shop = pair();
    shop.file("other.c", "double unrelated(double x) {\n    return x * x;\n}\n");
    shop.file("broken.c", "int f( {\n");
    std::fs::create_dir(shop.path().join("empty")).unwrap();
    for (arguments, words) in [
        (["impact", "old.c", "other.c"], "no function in common"),
        (["impact", "old.c", "broken.c"], "does not compile"),
        (["impact", "old.c", "empty"], "no C files"),
        (["impact", "missing.c", "new.c"], "no such file"),
    ] {
        let said = shop.refused(&arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn without_debug_information_instructions_are_matched_by_position() {
    let shop = pair();
    shop.clang("old.bc", OLD, &["-g0", "-c", "-emit-llvm"]);
    shop.clang("new.bc", &OLD.replace("n == 3", "n <= 3"), &["-g0", "-c", "-emit-llvm"]);
    let ended = shop.upshot(&["impact", "old.bc", "new.bc", "--format", "json"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("-g"), "{}", ended.stderr);
    let report = ended.json().unwrap();
    assert_eq!(report["matched_by"], "position");
    assert!(function(&report, "step")["impacted_instructions"].as_u64() > Some(0));
    assert_eq!(function(&report, "untouched")["impacted_instructions"], 0);
}
