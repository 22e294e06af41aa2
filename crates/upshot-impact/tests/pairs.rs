//! Pairs of C files in `tests/impact`: the new version says beside each line whether it is changed or impacted.
//!
//! Lines without a word are untouched. `// scope: intra` in the new version asks for the papers' per-procedure analysis. With `UPSHOT_BLESS=1` the words are rewritten to what was found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use upshot_diff::{Sources, Version, diff};
use upshot_impact::{Impact, Rule, Scope, analyse};
use upshot_ir::Program;

fn pairs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/impact")
}

fn load(file: &Path) -> Program {
    let request = upshot_frontend::Request { inputs: vec![file.to_path_buf()], ..Default::default() };
    let built = upshot_frontend::build(&request).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    upshot_ir::load_trusted(&built.linked).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

struct Analysed {
    new: Program,
    impact: Impact,
}

fn analysed(folder: &Path, scope: Scope) -> Analysed {
    let (old, new) = (load(&folder.join("old.c")), load(&folder.join("new.c")));
    let (old_text, new_text) = (Sources::read(&old), Sources::read(&new));
    let changes = diff(Version { program: &old, sources: &old_text }, Version { program: &new, sources: &new_text });
    let impact = analyse(&old, &new, &changes, scope);
    Analysed { new, impact }
}

/// The lines of the pair's own file that are changed, and those that are impacted.
fn lines(analysed: &Analysed) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut changed, mut impacted) = (BTreeSet::new(), BTreeSet::new());
    for (function, reasons) in analysed.new.functions.iter().zip(&analysed.impact.new) {
        for (inst, reason) in function.insts.iter().zip(reasons) {
            let (Some(reason), true) = (reason, inst.location.is_known() && !function.is_runtime) else { continue };
            match reason.rule {
                Rule::Changed => changed.insert(inst.location.line),
                _ => impacted.insert(inst.location.line),
            };
        }
    }
    let impacted = impacted.difference(&changed).copied().collect();
    (changed, impacted)
}

/// The text without its words, with those that were found.
fn annotated(text: &str, changed: &BTreeSet<u32>, impacted: &BTreeSet<u32>) -> String {
    let mut result = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let plain = line.strip_suffix("// changed").or_else(|| line.strip_suffix("// impacted"));
        result.push_str(plain.map_or(line, str::trim_end));
        if changed.contains(&number) {
            result.push_str(" // changed");
        } else if impacted.contains(&number) {
            result.push_str(" // impacted");
        }
        result.push('\n');
    }
    result
}

#[test]
fn pairs_are_impacted_as_they_say() {
    let bless = std::env::var_os("UPSHOT_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(pairs()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let file = folder.join("new.c");
        let text = std::fs::read_to_string(&file).unwrap();
        let scope = if text.contains("// scope: intra") { Scope::Intra } else { Scope::Inter };
        let (changed, impacted) = lines(&analysed(&folder, scope));
        let found = annotated(&text, &changed, &impacted);
        if found != text && bless {
            std::fs::write(&file, found).unwrap();
        } else if found != text {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let differ = text.lines().zip(found.lines()).filter(|(said, found)| said != found);
            let list: Vec<String> = differ.map(|(said, found)| format!("  says  {said}\n  found {found}")).collect();
            wrong.push(format!("{name}:\n{}", list.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}\n(UPSHOT_BLESS=1 rewrites the words)", wrong.join("\n"));
}

/// TOSEM'14 Fig. 6 and the text below it: n1-n4 by rule (1), then n5, n10, n12 by rule (2), then n11, n13, n14 by rule (1).
#[test]
fn the_papers_example_is_found_in_the_papers_order() {
    let analysed = analysed(&pairs().join("wheel-brake"), Scope::Inter);
    let update = analysed.new.function_named("update").unwrap();
    let function = analysed.new.function(update);
    let mut seen = BTreeSet::new();
    let mut steps: Vec<(u32, BTreeSet<u32>)> = Vec::new();
    for &(id, inst) in &analysed.impact.order {
        let line = function.insts[inst.index()].location.line;
        let reason = analysed.impact.new[id.index()][inst.index()].unwrap();
        if id != update || line == 0 || !seen.insert(line) {
            continue;
        }
        let rule = reason.rule.number();
        match steps.last_mut() {
            Some((last, lines)) if *last == rule => {
                lines.insert(line);
            }
            _ => steps.push((rule, BTreeSet::from([line]))),
        }
    }
    // Node n0 is line 6, n1 line 7, n2 line 8, n3 line 9, n4 line 11, n5 line 12, n10 to n14 lines 17, 18, 19, 20 and 22.
    let expected = [(0, vec![6]), (1, vec![7, 8, 9, 11]), (2, vec![12, 17, 19]), (1, vec![18, 20, 22])];
    let expected = expected.map(|(rule, lines)| (rule, BTreeSet::from_iter(lines)));
    assert_eq!(steps, expected);
}
