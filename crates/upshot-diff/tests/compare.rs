//! Small edits, and what they change.

use upshot_diff::{Changes, Sources, Status, Version, diff};
use upshot_ir::Program;

fn load(folder: &std::path::Path, name: &str, text: &str) -> Program {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let request = upshot_frontend::Request { inputs: vec![file], ..Default::default() };
    upshot_ir::load(&upshot_frontend::build(&request).unwrap().linked).unwrap()
}

/// The changes, and both programs.
fn changes(old: &str, new: &str) -> (Changes, Program, Program) {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (load(folder.path(), "old.c", old), load(folder.path(), "new.c", new));
    let (text_of_old, text_of_new) = (Sources::read(&old), Sources::read(&new));
    let changes =
        diff(Version { program: &old, sources: &text_of_old }, Version { program: &new, sources: &text_of_new });
    (changes, old, new)
}

/// The status of the new version's function, and its changed lines in both.
fn function(old: &str, new: &str, name: &str) -> (Status, Vec<u32>, Vec<u32>) {
    let (changes, _, program) = changes(old, new);
    let id = program.function_named(name).unwrap();
    let found = changes.functions.iter().find(|function| function.new == Some(id)).unwrap();
    let lines = |lines: &[(upshot_ir::FileId, u32)]| lines.iter().map(|(_, line)| *line).collect();
    (found.status, lines(&found.changed_lines.old), lines(&found.changed_lines.new))
}

const F: &str = "int f(int x, int y) {\n  int sum = x + y;\n  if (sum > 10)\n    sum = 10;\n  return sum;\n}\n";

#[test]
fn comments_and_names_change_nothing() {
    let new = "/* f */ int f(int a, int b)\n{\n  int s = a + b; // sum\n\n  if (s > 10) s = 10;\n  return s;\n}\n";
    assert_eq!(function(F, new, "f"), (Status::Unchanged, vec![], vec![]));
}

#[test]
fn a_constant_changes_its_line() {
    assert_eq!(function(F, &F.replace("> 10", "> 11"), "f"), (Status::Changed, vec![3], vec![3]));
}

#[test]
fn an_inserted_statement_is_an_added_line() {
    let new = F.replace("  if", "  x++;\n  if");
    assert_eq!(function(F, &new, "f"), (Status::Changed, vec![], vec![3]));
}

#[test]
fn a_string_inserted_leaves_others_alone() {
    let old = "int puts(const char *);\nvoid f(void) {\n  puts(\"b\");\n}\n";
    let new = old.replace("  puts", "  puts(\"a\");\n  puts");
    assert_eq!(function(old, &new, "f"), (Status::Changed, vec![], vec![3]));
}

/// Lines of the old version whose code is not in step with the new one.
fn out_of_step(old: &str, new: &str) -> Vec<u32> {
    let (changes, old, new) = changes(old, new);
    let lockstep = upshot_diff::Lockstep::new(&old, &new, &changes);
    let mut lines = std::collections::BTreeSet::new();
    for (function, partners) in old.functions.iter().zip(&lockstep.to_new) {
        for inst in function.insts.iter().filter(|inst| partners[inst.block.index()].is_none()) {
            lines.insert(inst.location.line);
        }
    }
    lines.into_iter().collect()
}

#[test]
fn blocks_without_a_change_run_in_step() {
    assert_eq!(out_of_step(F, &F.replace("= 10", "= 11")), [4]);
    assert_eq!(out_of_step(F, &F.replace("  if", "  // text\n  if")), [0u32; 0]);
    // What is added where nothing was: the way into it is another one.
    assert_eq!(out_of_step(F, &F.replace("    sum = 10;", "    { sum = 10; if (x) y = 3; }")), [4]);
    assert_eq!(out_of_step(F, &F.replace("  int sum", "  int more;\n  int sum")), [0u32; 0]);
}

#[test]
fn what_reads_another_initial_value_is_out_of_step() {
    let old = "static int limit = 3;\nstatic int *where = &limit;\nint f(int x) {\n  if (x)\n    return *where;\n  return x;\n}\n";
    assert_eq!(out_of_step(old, &old.replace("= 3", "= 4")), [5]);
    assert_eq!(out_of_step(old, &old.replace("= 3", "=  3")), [0u32; 0]);
}
