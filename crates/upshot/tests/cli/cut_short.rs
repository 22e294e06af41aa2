//! Runs that do not get to their end: what was found is kept, whole, and the exit code says why.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Workshop;
use crate::workshop::ENDLESS;

/// A run over more paths than there is time for, which has written tests already.
fn under_way(shop: &Workshop) -> Child {
    let child = shop
        .command(&["run", "main.c", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let patience = Instant::now() + Duration::from_secs(120);
    while shop.names("upshot-out").len() < 20 {
        assert!(Instant::now() < patience, "no tests after two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn send(child: &Child, signal: Signal) {
    let process = Pid::from_child(child);
    kill_process(process, signal).expect("the signal is sent");
}

/// Every test and every record in the folder can be read.
#[track_caller]
fn all_whole(shop: &Workshop) {
    let names = shop.names("upshot-out");
    let tests: Vec<String> =
        names.iter().filter(|name| name.ends_with(".ktest")).map(|name| format!("upshot-out/{name}")).collect();
    assert!(tests.len() > 10);
    for some in tests.chunks(200) {
        let mut arguments = vec!["show", "--format", "json"];
        arguments.extend(some.iter().map(String::as_str));
        let ended = shop.upshot(&arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
}

#[test]
fn interrupted() {
    for signal in [Signal::INT, Signal::TERM] {
        let shop = Workshop::with(ENDLESS);
        let child = under_way(&shop);
        send(&child, signal);
        let ended: crate::tool::Ended = child.wait_with_output().expect("it ends").into();
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        let run = ended.json().expect("json");
        assert_eq!(run["complete"], false);
        let names = shop.names("upshot-out");
        let tests = names.iter().filter(|name| name.ends_with(".ktest")).count() as u64;
        assert_eq!(run["tests"], tests);
        assert!(names.contains(&"run.json".to_string()));
        assert!(!names.iter().any(|name| name == "pending" || name.starts_with(".upshot-tmp")), "{names:?}");
        all_whole(&shop);
        let last = format!("upshot-out/test{tests:06}.ktest");
        let replayed = shop.upshot(&["replay", "--check", "main.c", "upshot-out/test000001.ktest", &last]);
        assert_eq!(replayed.code, Some(0), "{}{}", replayed.stdout, replayed.stderr);
    }
}

#[test]
fn killed() {
    let shop = Workshop::with(ENDLESS);
    let mut child = under_way(&shop);
    send(&child, Signal::KILL);
    child.wait().expect("it ends");
    all_whole(&shop);
    shop.file("main.c", "int main(void) { return 0; }\n");
    assert_eq!(shop.upshot(&["run", "main.c"]).code, Some(0), "the folder can be used again");
    assert_eq!(shop.names("upshot-out"), [".upshot", "run.json", "test000001.ktest"]);
}

/// Not how fast, only that the limit is kept at all, on a machine that may have much else to do.
#[test]
fn out_of_time() {
    let shop = Workshop::with(ENDLESS);
    let started = Instant::now();
    let ended = shop.upshot(&["run", "main.c", "--timeout", "2", "--format", "json"]);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let run = ended.json().expect("json");
    assert_eq!(run["complete"], false);
    assert!(run["paths"]["finished"].as_u64() > Some(0));
}

/// The limit holds inside one long path, too.
#[test]
fn out_of_time_in_a_loop() {
    let shop = Workshop::with("int main(void) {\n    for (volatile int i = 0;; i++)\n        ;\n}\n");
    let started = Instant::now();
    let ended = shop.upshot(&["run", "main.c", "--timeout", "1"]);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stdout.contains("--timeout"), "{}", ended.stdout);
}

#[test]
fn out_of_memory() {
    let program = "#include <stdlib.h>\nint main(void) {\n    for (;;) {\n        char *p = malloc(1 << 20);\n\
        for (int i = 0; i < 1 << 20; i += 4096)\n            p[i] = 1;\n    }\n}\n";
    let shop = Workshop::with(program);
    let ended = shop.upshot(&["run", "main.c", "--max-memory", "300", "--timeout", "100", "--format", "json"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let run = ended.json().expect("json");
    assert_eq!((&run["complete"], &run["paths"]["bound"]), (&false.into(), &1.into()), "{run}");
}

#[test]
fn a_reader_that_goes_away() {
    let shop = Workshop::with(crate::workshop::TWO_PATHS);
    let mut child = shop
        .command(&["run", "main.c", "-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    drop(child.stdout.take());
    let ended: crate::tool::Ended = child.wait_with_output().expect("it ends").into();
    assert_eq!(ended.stderr, "");
    assert!(ended.code.is_some(), "it is not ended by a signal");
}
