//! Input that cannot be run: one clear line, exit code 2, nothing written.

use crate::Workshop;
use crate::workshop::TWO_PATHS;

#[track_caller]
fn refused(shop: &Workshop, arguments: &[&str], words: &[&str]) {
    let said = shop.refused(arguments);
    for word in words {
        assert!(said.contains(word), "{arguments:?} does not say {word:?} but: {said}");
    }
    assert!(!shop.path().join("upshot-out").exists(), "an output folder was made for {arguments:?}");
}

#[test]
fn files_that_are_no_programs() {
    let shop = Workshop::with(TWO_PATHS);
    shop.file("empty.c", "");
    shop.file("text.bc", "hello\n");
    shop.file("notes.txt", "hello\n");
    shop.file("bad.ll", "define i32 @main() {\n  ret i64 0\n}\n");
    refused(&shop, &["run", "empty.c"], &["empty.c", "empty"]);
    refused(&shop, &["run", "missing.c"], &["missing.c", "no such file"]);
    std::fs::create_dir(shop.path().join("folder")).expect("a folder can be made");
    refused(&shop, &["run", "folder"], &["folder", "directory", "no C files"]);
    refused(&shop, &["run", "text.bc"], &["text.bc", "not LLVM bitcode"]);
    refused(&shop, &["run", "notes.txt"], &["notes.txt", ".c"]);
    refused(&shop, &["run", "bad.ll"], &["bad.ll:2"]);
    refused(&shop, &["run", "main.c", "main.c"], &["`main`", "twice"]);
}

#[test]
fn what_clang_says_is_shown() {
    let shop = Workshop::with("int main(void) {\n    return count;\n}\n");
    refused(&shop, &["run", "main.c"], &["main.c:2:12: error:", "count", "main.c: does not compile"]);
    shop.file("include.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n");
    refused(&shop, &["run", "include.c"], &["include.c:1", "nowhere.h"]);
}

#[test]
fn warnings_of_clang_are_shown_and_change_nothing() {
    let shop = Workshop::with(
        "int main(void) {\n    int x = 300 + sizeof(char[300]);\n    char c = 1000;\n    return c + x;\n}\n",
    );
    let ended = shop.upshot(&["run", "main.c", "-Wconstant-conversion"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("main.c:3:14: warning:"), "{}", ended.stderr);
}

#[test]
fn bitcode_that_cannot_be_read() {
    let shop = Workshop::new();
    let whole = std::fs::read(shop.clang("whole.bc", TWO_PATHS, &["-c", "-emit-llvm"])).expect("clang wrote it");
    shop.file("cut.bc", &whole[..whole.len() / 2]);
    refused(&shop, &["run", "cut.bc"], &["cut.bc", "cut short"]);
    let mut garbage = whole[..4].to_vec();
    garbage.extend((0..4000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8));
    shop.file("garbage.bc", garbage);
    refused(&shop, &["run", "garbage.bc"], &["garbage.bc"]);
    shop.file("other.bc", renamed(&whole));
    refused(&shop, &["run", "other.bc"], &["other.bc", "LLVM22"]);
}

/// As if a newer LLVM had written it: its name says so, and the rest cannot be read. The name is stored in six bits for
/// each letter, of which `1`, `2` and `9` are 53, 54 and 61.
fn renamed(whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let bit = |at: usize| whole[at / 8] >> (at % 8) & 1;
    let two_letters = |at: usize| (0..12).fold(0, |sum, n| sum | u32::from(bit(at + n)) << n);
    let place = (0..800).find(|&at| two_letters(at) == 53 | 61 << 6).expect("LLVM19 is in the first bytes");
    for n in 0..12 {
        let wanted = (54u32 | 54 << 6) >> n & 1;
        let at = place + n;
        bytes[at / 8] = bytes[at / 8] & !(1 << (at % 8)) | (wanted as u8) << (at % 8);
    }
    let length = bytes.len();
    bytes[length / 4..length / 2].fill(0x5a);
    bytes
}

/// Bits flipped all over a file: it runs or is refused, but never in another way.
#[test]
fn damaged_bitcode_does_no_harm() {
    let shop = Workshop::new();
    let whole = std::fs::read(shop.clang("whole.bc", TWO_PATHS, &["-c", "-emit-llvm"])).expect("clang wrote it");
    for round in 0..24usize {
        let mut damaged = whole.clone();
        let bit = (round * 104_729 + 7919) % (whole.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        shop.file("damaged.bc", &damaged);
        let ended = shop.upshot(&["run", "damaged.bc", "--force", "--max-instructions", "10000"]);
        assert!(matches!(ended.code, Some(0..=3)), "bit {bit}: {:?} {}", ended.code, ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "bit {bit}: {}", ended.stderr);
    }
}

#[test]
fn where_to_start() {
    let shop = Workshop::with("int compute(int n) { return n > 3; }\nint other(void) { return 1; }\n");
    refused(&shop, &["run", "main.c"], &["no main", "--entry", "`compute`"]);
    refused(&shop, &["run", "main.c", "--entry", "comptue"], &["`comptue`", "did you mean `compute`?"]);
    refused(&shop, &["run", "main.c", "--entry", "something_else"], &["`compute`", "`other`"]);
}

#[test]
fn assumptions_that_do_not_compile() {
    let shop = Workshop::with("int compute(int n) { return n > 3; }\n");
    refused(&shop, &["run", "main.c", "--entry", "compute", "--assume", "m > 3"], &["--assume", "'m'"]);
    refused(&shop, &["run", "main.c", "--entry", "compute", "--assume", "n >"], &["--assume", "expected expression"]);
}

#[test]
fn flags_that_do_not_exist_or_fit() {
    let shop = Workshop::with(TWO_PATHS);
    for (flags, words) in [
        (["--frobnicate"].as_slice(), ["--frobnicate"].as_slice()),
        (&["--search", "sideways"], &["sideways", "dfs, bfs, random, coverage"]),
        (&["--jobs", "0"], &["--jobs"]),
        (&["--max-paths", "0"], &["--max-paths"]),
        (&["--max-depth", "deep"], &["--max-depth", "deep"]),
        (&["--timeout", "soon"], &["--timeout", "soon"]),
        (&["--timeout", "nan"], &["--timeout"]),
        (&["--without-layer", "cake"], &["cake", "bits"]),
        (&["--symbolic-globals"], &["--entry"]),
        (&["--format", "yaml"], &["yaml", "json"]),
    ] {
        let mut arguments = vec!["run", "main.c"];
        arguments.extend(flags);
        refused(&shop, &arguments, words);
    }
    refused(&shop, &["run"], &["PROGRAM"]);
    refused(&shop, &["ran"], &["ran", "run"]);
}

#[test]
fn names_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let shop = Workshop::new();
    let mut command = shop.command(&["run"]);
    let ended = crate::tool::end(command.arg(std::ffi::OsStr::from_bytes(b"main\xff.c")));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.starts_with("upshot: the argument main"), "{}", ended.stderr);
}

#[test]
fn tests_that_are_none() {
    let shop = Workshop::with(TWO_PATHS);
    shop.file("bad.ktest", "not a test");
    shop.file("cut.ktest", b"KTEST\0\0\0\x03\0\0\0\x01\0\0");
    refused(&shop, &["show", "missing.ktest"], &["missing.ktest"]);
    refused(&shop, &["show", "bad.ktest"], &["bad.ktest"]);
    refused(&shop, &["show", "cut.ktest"], &["cut.ktest"]);
    refused(&shop, &["replay", "main.c"], &["no test"]);
    refused(&shop, &["replay", "main.c", "bad.ktest"], &["bad.ktest"]);
    refused(&shop, &["replay", "--check", "main.c", "cut.ktest"], &["run.json"]);
    shop.file("run.json", "{\"schema\": 3");
    refused(&shop, &["replay", "--check", "main.c", "cut.ktest"], &["run.json"]);
}
