//! Every way a plain native run can end, and what is known of it then.

mod support;

use std::time::Duration;
use support::*;
use upshot_suite::{BuildKind::Plain, Fault, Limits, NativeEnd, ReplayError, Replayer, RunOptions};

const READ_X: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
#include <assert.h>
#include <signal.h>
static int recurse(int n) { volatile char frame[4096]; frame[n & 4095] = 1; return recurse(n + 1) + frame[0]; }
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  printf("x is %d", x);
  switch (x) {
  case 0: return 7;
  case 1: exit(300);
  case 2: _exit(9);
  case 3: abort();
  case 4: assert(x == 0);
  case 5: for (;;) ;
  case 6: klee_silent_exit(0);
  case 7: klee_assume(x < 5);
  case 8: klee_report_error("file.c", 1, "my words", "user");
  case 9: *(volatile int *)0 = 1; break;
  case 10: *(volatile char *)"constant" = 1; break;
  case 11: return recurse(0);
  case 12: __builtin_trap();
  case 13: return x / (x - 13);
  case 14: raise(SIGTERM); break;
  case 15: ((void (*)(void))0)(); break;
  case 16: while (1) putchar('y');
  case 17: return -1;
  case 18: raise(SIGSEGV); break;
  case 19: __builtin_unreachable();
  }
  return 0;
}
"#;

#[test]
fn each_end_is_told() {
    let case = harness(READ_X);
    let run = |x: i32| case.run(Plain, &[("x", &x.to_le_bytes())]);
    let signal = |signal, fault| NativeEnd::Signal { signal, fault };
    let expected = [
        (0, returned(7)),
        (1, NativeEnd::Exited { code: 300 & 0xff }),
        (2, NativeEnd::Exited { code: 9 }),
        (3, signal(6, None)),
        (6, NativeEnd::Silent),
        (7, NativeEnd::AssumeFailed),
        (8, NativeEnd::ReportError { message: "my words".into() }),
        (9, signal(11, Some(Fault::Other))),
        (10, signal(11, Some(Fault::ReadOnly))),
        (11, signal(11, Some(Fault::Stack))),
        (12, signal(4, Some(Fault::Other))),
        (13, signal(8, Some(Fault::Other))),
        (14, signal(15, None)),
        (15, signal(11, Some(Fault::Other))),
        (17, returned(-1)),
        (18, signal(11, Some(Fault::Other))),
        (19, NativeEnd::Check { kind: "unreachable".into() }),
        (99, returned(0)),
    ];
    for (x, end) in expected {
        let run = run(x);
        assert_eq!(run.end, end, "x = {x}");
        // What was printed is there, however the program died.
        assert_eq!(run.stdout, format!("x is {x}").as_bytes(), "x = {x}");
        assert!(run.trace.branches >= 1);
    }
    match run(4).end {
        NativeEnd::Assert { message } => assert!(message.ends_with("file0.c:18: x == 0"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn time_and_output_are_limited() {
    let case = harness(READ_X);
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let run = |x: i32, limits| {
        let options = RunOptions { limits, ..RunOptions::default() };
        case.replayer.run(&ktest(&[("x", &x.to_le_bytes())]), Plain, &options).unwrap()
    };
    let endless = run(5, limits);
    assert_eq!(endless.end, NativeEnd::TimedOut);
    assert_eq!(endless.trace.branches, 1, "the branch before the loop was counted");
    let flood = run(16, Limits { output: 1 << 16, ..Limits::default() });
    assert_eq!(flood.end, NativeEnd::Signal { signal: 25, fault: None });
    assert_eq!(flood.stdout.len(), 1 << 16);
}

#[test]
fn a_test_that_does_not_fit_is_told() {
    let case = harness(READ_X);
    let bad = |objects: &[(&str, &[u8])]| match case.end(Plain, objects) {
        NativeEnd::BadTest { message } => message,
        other => panic!("{other:?}"),
    };
    assert!(bad(&[]).contains("asks for x"));
    let message = bad(&[("y", &[0; 4])]);
    assert!(message.contains("asks for x") && message.contains("is y"), "{message}");
    // Names may carry a number that makes them unique, and objects may be shorter than what is asked for.
    assert_eq!(case.end(Plain, &[("x_1", &[17])]), returned(-1));
    assert_eq!(case.end(Plain, &[("x", &[0; 400]), ("more", &[])]), returned(7));
}

#[test]
fn arguments_environment_and_input() {
    let case = harness(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        extern char **environ;
        int main(int argc, char **argv) {
          for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
          for (char **e = environ; *e; e++) if (strncmp(*e, "PATH=", 5)) printf("{%s}", *e);
          int c;
          while ((c = getchar()) != EOF) putchar(c);
          return getenv("UPSHOT_REPLAY_TEST") != 0;
        }"#,
    );
    let mut test = ktest(&[("stdin", b"typed")]);
    test.args = vec!["name".into(), "-v".into(), "a b".into()];
    let run = case.run_test(Plain, &test);
    assert_eq!((run.end, &*run.stdout), (returned(0), &b"[name][-v][a b]typed"[..]));
    test.objects.clear();
    test.args.clear();
    assert_eq!(case.run_test(Plain, &test).stdout, b"[program]");
}

#[test]
fn every_input_call_reads_the_test() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        int main(void) {
          int a = klee_int("a");
          int b = klee_range(0, 10, "b");
          int one = klee_range(5, 6, "one");
          unsigned long c = klee_choose(3);
          klee_prefer_cex(&a, a == 1);
          klee_print_expr("a", a);
          klee_warning("nothing");
          if (klee_is_symbolic(a)) return 1;
          if (!klee_is_replay()) return 2;
          return klee_get_value_i32(a) + b + one + (int)c + (int)klee_get_valued(0.5 + 1.5);
        }"#,
    );
    let number = |n: i32| n.to_le_bytes();
    let run =
        |b: i32, c: i64| case.end(Plain, &[("a", &number(1000)), ("b", &number(b)), ("klee_choose", &c.to_le_bytes())]);
    assert_eq!(run(9, 2), returned(1000 + 9 + 5 + 2 + 2));
    assert_eq!(run(10, 2), NativeEnd::AssumeFailed);
    assert_eq!(run(9, 3), NativeEnd::Silent);
}

#[test]
fn names_of_the_c_library_and_of_ours_are_free_to_use() {
    let case = case_of(
        &[
            r#"
            #include <klee/klee.h>
            int puts(const char *);
            void *malloc(unsigned long n) { static char pool[64]; if (n > 64) return 0; return pool; }
            long write(int fd, const void *bytes, unsigned long n) { return -1; }
            int control = 3, events = 4, before_all;
            static int finish(int x) { return x; }
            int object_count(void);
            int stdin_count;
            void klee_warning(const char *message) { control++; }
            int main(void) {
              int x = klee_int("x");
              klee_warning("mine");
              if (malloc(100) || write(1, "", 0) != -1) return 1;
              puts("out");
              return finish(x) + control + events + object_count();
            }"#,
            "static int finish(int x) { if (x) return 10; return 20; } int object_count(void) { return finish(0) + finish(1); }",
        ],
        &[],
        None,
    );
    let run = case.run(Plain, &[("x", &[5, 0, 0, 0])]);
    assert_eq!((run.end, &*run.stdout), (returned(5 + 4 + 4 + 30), &b"out\n"[..]));
    assert_eq!(run.trace.branches, 1 + 2 + 2);
}

#[test]
fn what_is_defined_nowhere_is_made_up() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        int compute(int);
        void notify(void);
        extern int setting;
        extern struct { long a, b; } settings;
        int main(void) {
          int x = klee_int("x");
          if (x == 1) return compute(x) + compute(x) + compute(x);
          if (x == 2) notify();
          return setting + (int)settings.b;
        }"#,
    );
    assert_eq!(case.end(Plain, &[("x", &[0, 0, 0, 0])]), returned(0));
    assert_eq!(case.end(Plain, &[("x", &[1, 0, 0, 0])]), NativeEnd::Undefined { function: "compute".into() });
    assert_eq!(case.end(Plain, &[("x", &[2, 0, 0, 0])]), NativeEnd::Undefined { function: "notify".into() });
    let x: (&str, &[u8]) = ("x", &[1, 0, 0, 0]);
    let result = |name, value: &'static [u8; 4]| -> (&str, &[u8]) { (name, value) };
    let two = [x, result("compute()#0", &[40, 0, 0, 0]), result("compute()#4", &[1, 0, 0, 0])];
    assert_eq!(case.end(Plain, &two), NativeEnd::Undefined { function: "compute".into() });
    let three = [&two[..], &[result("compute()#5", &[1, 0, 0, 0])]].concat();
    assert_eq!(case.end(Plain, &three), returned(42));
}

#[test]
fn programs_that_cannot_be_started() {
    let built = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, text).unwrap();
        let request = upshot_frontend::Request { inputs: vec![file], ..Default::default() };
        let built = upshot_frontend::build(&request).unwrap();
        (upshot_ir::load(&built.linked).unwrap(), built.user)
    };
    let (program, bitcode) = built("int f(void) { return 1; }");
    assert!(matches!(Replayer::new(&bitcode, &program, None), Err(ReplayError::NoMain)));
    assert!(matches!(Replayer::new(&bitcode, &program, Some("g")), Err(ReplayError::NoEntry { name }) if name == "g"));
    assert!(matches!(Replayer::new(b"BC nonsense", &program, None), Err(ReplayError::Bitcode { .. })));
}

#[test]
fn allocations_fail_where_the_test_says_so() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        #include <stdlib.h>
        int main(void) {
          char *a = malloc(10), *b = calloc(1, 1);
          int x = klee_int("x");
          char *c = realloc(a, 20);
          return x + 2 * !a + 4 * !b + 8 * !c;
        }"#,
    );
    let answers: &[(&str, &[u8])] =
        &[("malloc fails#0", &[0]), ("malloc fails#1", &[1]), ("x", &[16, 0, 0, 0]), ("malloc fails#2", &[0])];
    assert_eq!(case.end(Plain, answers), returned(16 + 4));
    assert_eq!(case.end(Plain, &[("x", &[16, 0, 0, 0])]), returned(16));
}

#[test]
fn constructors_and_exit_handlers_are_traced() {
    let case = harness(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        static int n = 3;
        __attribute__((constructor)) static void early(void) { while (n > 0) n--; printf("early "); }
        static void late(void) { if (n == 1) printf("late"); }
        int main(void) { atexit(late); n = 1; return 0; }"#,
    );
    let run = case.run(Plain, &[]);
    assert_eq!((run.end, &*run.stdout), (returned(0), &b"early late"[..]));
    assert_eq!(run.trace.branches, 4 + 1);
}
