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

/// Two versions of a function that are the same but for one input in many, over more paths than are looked at in no time.
fn two_versions(shop: &Workshop) {
    let text = |last: &str| {
        format!(
            "int f(unsigned short bits, int *out) {{\n    int count = 0;\n    for (int i = 0; i < 8; i++)\n        if (bits >> i & 1)\n            count += i;\n    *out = count;\n    {last}\n}}\n"
        )
    };
    shop.file("old.c", text("return count * 3;"));
    shop.file("new.c", text("return count + 2 * count + ((bits & 127) == 77);"));
}

const VERIFY: [&str; 8] = ["verify", "old.c", "new.c", "--entry", "f", "--format", "json", "-j"];

/// What a comparison came to, without how long it took.
fn result(ended: &crate::tool::Ended) -> serde_json::Value {
    let mut report = ended.json().unwrap_or_else(|why| panic!("{why}: {}", ended.stderr));
    for varying in ["time", "queries"] {
        report.as_object_mut().unwrap().remove(varying);
    }
    report
}

#[test]
fn a_comparison_is_the_same_with_any_number_of_workers_and_after_being_killed() {
    let shop = Workshop::new();
    two_versions(&shop);
    let run = |more: &[&str]| shop.upshot(&[&VERIFY[..], more].concat());
    let files = || {
        let names = shop.names("upshot-out").into_iter().filter(|name| name.starts_with("test"));
        names.map(|name| (std::fs::read(shop.path().join("upshot-out").join(&name)).unwrap(), name)).collect::<Vec<_>>()
    };
    let whole = run(&["1"]);
    let expected = (whole.code, result(&whole), files());
    assert_eq!((expected.0, expected.1["partitions"]["different"].as_u64()), (Some(1), Some(2)));
    assert_eq!(expected.2.len(), 4);
    let shared = run(&["3"]);
    assert_eq!((shared.code, result(&shared), files()), expected);

    let journal = shop.path().join("upshot-out/verify.jsonl");
    std::fs::remove_file(&journal).unwrap();
    let mut child =
        shop.command(&[&VERIFY[..], &["2"]].concat()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let patience = Instant::now() + Duration::from_secs(120);
    while lines() < 40 {
        assert!(Instant::now() < patience && child.try_wait().unwrap().is_none(), "it can be killed in the middle");
        std::thread::sleep(Duration::from_millis(2));
    }
    send(&child, Signal::KILL);
    child.wait().unwrap();
    let kept = std::fs::read_to_string(&journal).unwrap();
    let kept = kept.rsplit_once('\n').unwrap().0;
    assert!(shop.refused(&[&VERIFY[..], &["1", "--resume", "--null-args", "no"]].concat()).contains("other flags"));
    let resumed = run(&["2", "--resume"]);
    assert_eq!((resumed.code, result(&resumed), files()), expected);
    assert!(std::fs::read_to_string(&journal).unwrap().starts_with(kept));
    let asked = |ended: &crate::tool::Ended| ended.json().unwrap()["queries"]["asked"].as_u64().unwrap();
    assert!(asked(&resumed) < asked(&whole));
    let again = run(&["2", "--resume"]);
    assert_eq!((again.code, result(&again), asked(&again)), (expected.0, expected.1.clone(), 0));
}

#[test]
fn a_comparison_out_of_time_can_be_gone_on_with() {
    let shop = Workshop::new();
    two_versions(&shop);
    let cut = shop.upshot(&[&VERIFY[..], &["2", "--timeout", "0.05"]].concat());
    assert_eq!((cut.code, &cut.json().unwrap()["complete"]), (Some(3), &serde_json::json!(false)));
    let resumed = shop.upshot(&[&VERIFY[..], &["2", "--resume"]].concat());
    assert_eq!((resumed.code, &resumed.json().unwrap()["complete"]), (Some(1), &serde_json::json!(true)));
}
