//! Generated programs are defined C that ends: clang's sanitizers find nothing in them, on any input tried.

use std::fmt::Write;
use std::process::Command;
use upshot_generate::{Edit, Effect, Features, Options, Pair, inputs, pair};

const PAIRS: u64 = 120;

/// Calls every version of every pair with every input. A run that does not end soon is killed.
fn file(pairs: &[Pair]) -> String {
    let mut text = String::new();
    let mut main =
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    alarm(60);\n    long sum = 0;\n".to_string();
    for pair in pairs {
        for version in [&pair.old, &pair.new] {
            let renamed = if std::ptr::eq(version, &pair.new) { "new" } else { "old" };
            // Both versions in one file: every name that is seen outside of functions ends in the pair's tag.
            let tag = &pair.entry[1..];
            text += &version.replace(tag, &format!("{tag}_{renamed}"));
            for input in inputs(&pair.parameters, 30) {
                let list: Vec<String> = input.iter().map(ToString::to_string).collect();
                let _ = writeln!(main, "    sum += {}_{renamed}({});", pair.entry, list.join(", "));
            }
        }
    }
    text + &main + "    printf(\"%ld\\n\", sum);\n}\n"
}

#[test]
fn sanitizers_find_nothing() {
    let options = |seed: u64| Options { tag: format!("_{seed}_"), edits: 3, size: 5, ..Options::default() };
    let pairs: Vec<Pair> = (0..PAIRS).map(|seed| pair(seed, &options(seed))).collect();
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    std::fs::write(&source, file(&pairs)).unwrap();
    let clang = upshot_frontend::clang().unwrap();
    let compiled = Command::new(clang)
        .args(["-w", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(["-fsanitize-address-use-after-return=always", "-fno-sanitize=signed-integer-overflow,shift"])
        .args([source.as_os_str(), "-o".as_ref(), binary.as_os_str()])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&binary).output().unwrap();
    assert!(run.status.success(), "{:?}\n{}", run.status, String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_seed_gives_one_pair() {
    for seed in 0..50 {
        assert_eq!(pair(seed, &Options::default()), pair(seed, &Options::default()));
    }
    let different = (1..50).filter(|&seed| pair(seed, &Options::default()).old != pair(0, &Options::default()).old);
    assert_eq!(different.count(), 49);
}

#[test]
fn every_edit_is_made() {
    for kind in Edit::ALL {
        let options = Options { kinds: vec![kind], edits: 1, ..Options::default() };
        let made = (0..400).map(|seed| pair(seed, &options)).find(|pair| pair.edits == [kind]);
        let made = made.unwrap_or_else(|| panic!("no program could be edited by {kind:?}"));
        assert!(kind == Edit::Nothing || made.old != made.new, "{kind:?}:\n{}", made.old);
        assert!(!Edit::TEXT_ONLY.contains(&kind) || made.effect == Effect::None, "{kind:?}");
    }
}

#[test]
fn features_that_are_off_are_absent() {
    let options = Options { features: Features::NONE, kinds: vec![Edit::ChangeConstant], ..Options::default() };
    for seed in 0..50 {
        let text = pair(seed, &options).new;
        let body = &text[text.find("f(").unwrap()..];
        for word in ["while", "for (", "goto", "switch", "*p", "array[", "static", "h0", "/"] {
            assert!(!body.contains(word), "{word} in\n{text}");
        }
    }
}
