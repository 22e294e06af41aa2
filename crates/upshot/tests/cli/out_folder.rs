//! The output folder: whose it may be, and what it holds.

use std::process::Command;

use crate::Workshop;
use crate::workshop::TWO_PATHS;

#[test]
fn a_folder_that_cannot_be_written() {
    let shop = Workshop::with(TWO_PATHS);
    shop.file("file", "mine");
    for (out, word) in [("/proc/upshot", "/proc/upshot"), ("file", "not a folder"), ("file/below", "file/below")] {
        let said = shop.refused(&["run", "main.c", "--out", out]);
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn a_folder_that_holds_something_else() {
    let shop = Workshop::with(TWO_PATHS);
    std::fs::create_dir(shop.path().join("work")).expect("a folder can be made");
    shop.file("work/thesis.tex", "years");
    let said = shop.refused(&["run", "main.c", "--out", "work"]);
    assert!(said.contains("thesis.tex") && said.contains("--force"), "{said}");
    assert_eq!(shop.names("work"), ["thesis.tex"]);
    assert_eq!(shop.upshot(&["run", "main.c", "--out", "work", "--force"]).code, Some(0));
    assert_eq!(shop.names("work"), [".upshot", "run.json", "test000001.ktest", "test000002.ktest", "thesis.tex"]);
}

#[test]
fn a_folder_of_an_earlier_run_is_taken_over() {
    let shop = Workshop::with(TWO_PATHS);
    assert_eq!(shop.upshot(&["run", "main.c"]).code, Some(0));
    assert_eq!(shop.names("upshot-out").len(), 4);
    shop.file("one.c", "int main(void) { return 0; }\n");
    assert_eq!(shop.upshot(&["run", "one.c"]).code, Some(0));
    assert_eq!(shop.names("upshot-out"), [".upshot", "run.json", "test000001.ktest"]);
}

#[test]
fn no_tests_and_no_folder() {
    let shop = Workshop::with(TWO_PATHS);
    let ended = shop.upshot(&["run", "main.c", "--no-tests", "--format", "json"]);
    let run = ended.json().expect("json");
    assert_eq!((run["paths"]["finished"].as_u64(), run["tests"].as_u64()), (Some(2), Some(0)));
    assert!(!shop.path().join("upshot-out").exists());
}

/// A disk that fills up while tests are written: the tool says so and stops, and what is there is whole.
#[test]
fn a_full_disk() {
    let shop = Workshop::with(crate::workshop::ENDLESS);
    let disk = shop.path().join("disk");
    std::fs::create_dir(&disk).expect("a folder can be made");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=400k", "upshot-test"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("note: no small disk can be mounted here; left out");
        return;
    }
    let ended = shop.upshot(&["run", "main.c", "--out", "disk/out", "--timeout", "60"]);
    let whole: Vec<bool> = shop
        .names("disk/out")
        .iter()
        .filter(|name| name.ends_with(".ktest"))
        .map(|name| shop.upshot(&["show", &format!("disk/out/{name}")]).code == Some(0))
        .take(5)
        .collect();
    let unmounted = Command::new("umount").arg(&disk).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert_eq!(ended.code, Some(2), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("No space left"), "{}", ended.stderr);
    assert!(!whole.is_empty() && whole.iter().all(|&whole| whole));
}
