//! Every kind of error shows in the checked build, and the record of it agrees with the native run.

mod support;

use support::*;
use upshot_suite::{
    BuildKind::{self, Checked, Overflow},
    EndKind, Fault, Limits, Mismatch, NativeEnd, PathEnd, PathRecord, RunOptions, check,
};

/// Runs `main` on x and says how it ended.
fn end(case: &Case, kind: BuildKind, x: i32) -> NativeEnd {
    case.end(kind, &[("x", &x.to_le_bytes())])
}

fn agrees(error: &str, native: &NativeEnd, case: &Case, x: i32) {
    let end = PathEnd { kind: EndKind::Error, error: Some(error.to_string()), ..PathEnd::default() };
    let kind = BuildKind::for_end(&end);
    let run = case.run(kind, &[("x", &x.to_le_bytes())]);
    let record = PathRecord { end, trace: Some(run.trace), ..PathRecord::default() };
    check(&record, &run).unwrap_or_else(|m| panic!("{error}, x = {x}: {m} ({native:?})"));
    // And as no other kind.
    for other in ["ptr", "free", "readonly", "div", "overshift", "assert", "abort", "unreachable", "stack", "user"] {
        let end = PathEnd { kind: EndKind::Error, error: Some(other.to_string()), ..PathEnd::default() };
        let record = PathRecord { end, ..PathRecord::default() };
        // A wild pointer faults in the same way, whether it is freed or followed.
        let wild = matches!(native, NativeEnd::Signal { fault: Some(Fault::Other), .. });
        let tolerated = matches!((error, other), ("readonly", "ptr")) || (wild && (error, other) == ("ptr", "free"));
        assert_eq!(check(&record, &run).is_ok(), other == error || tolerated, "{error} taken for {other}, x = {x}");
    }
}

const MEMORY: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
static int table[4] = {1, 2, 3, 4};
static int neighbour[1000];
static const int fixed[4] = {1, 2, 3, 4};
static int *escape(void) { int local[3] = {1, 2, 3}; int *p = local; return p; }
static int at(int *p, int i) { return p[i]; }
static int fill(int n) { int a[3]; for (int i = 0; i < n; i++) a[i] = i; return a[0]; }
int main(void) {
  int x = klee_int("x");
  int local[4] = {0}, other[1000] = {0};
  int *heap = malloc(4 * sizeof(int)), *far = malloc(4000);
  struct node *node = malloc(sizeof *node);
  memset(heap, 0, 16);
  memset(far, 0, 4000);
  node->value = 1;
  node->next = 0;
  switch (x) {
  case 0: return heap[4];                       /* just past the end */
  case 1: return heap[-1];
  case 2: heap[2000] = 1; return 0;             /* far beyond */
  case 3: return at(heap, 2000);
  case 4: return local[4 + (x & 1)];
  case 5: return at(local, 700);                /* into a neighbour on the stack */
  case 6: return table[x - 1];
  case 7: return at(table, 500);                /* into a neighbouring global */
  case 8: free(heap); return heap[0];
  case 9: return *escape();
  case 10: return node->next->value;
  case 11: return *(int *)0x123456789abcull;
  case 12: return *(int *)0xdeadbeefdeadbeefull;
  case 13: memcpy(local, heap, 20); return 0;
  case 14: return (int)strlen(strcpy((char *)heap, "more than sixteen bytes"));
  case 15: return fill(4);
  case 16: ((void (*)(void))heap)(); return 0;
  case 17: return at((int *)fixed, 4);
  case 18: memset((char *)heap + 8, 0, 9); return 0;
  case 19: return at(table, -600000000);
  case 20: { struct node *p = (struct node *)heap; return p->next == 0 && ((struct node *)far)[250].value; }
  case 30: free(heap); free(heap); return 0;
  case 31: free(local); return 0;
  case 32: free(heap + 1); return 0;
  case 33: free(heap); return realloc(heap, 10) != 0;
  case 40: *(int *)fixed = x; return 0;
  case 41: ((char *)"text")[1] = 0; return 0;
  case 42: memcpy((void *)fixed, local, 4); return 0;
  case 50: return other[999] + neighbour[999] + heap[3] + local[3] + table[3] + fixed[3] + far[999];
  case 51: { int *p = heap - 1; return p[1]; }  /* out and in again */
  case 52: { int *p = heap + 4; return p[-4]; }
  }
  return 0;
}
"#;

#[test]
fn memory_errors_show() {
    for flags in [&[][..], &["-O2", "-fno-builtin"]] {
        let case = case_of(&[MEMORY], flags, None);
        let check = |error: &str, cases: std::ops::RangeInclusive<i32>| {
            for x in cases {
                agrees(error, &end(&case, Checked, x), &case, x);
            }
        };
        if flags.is_empty() {
            check("ptr", 0..=20);
            check("free", 30..=33);
            check("readonly", 40..=42);
        } else {
            // The optimiser may remove reads whose result it knows; these remain.
            check("ptr", 3..=3);
            check("free", 30..=30);
        }
        for x in 50..=52 {
            assert_eq!(end(&case, Checked, x), returned(end_value(x)), "x = {x}, {flags:?}");
        }
    }
}

/// What the correct uses of memory return: `other[999] + …` is the sum of the last elements.
fn end_value(x: i32) -> i64 {
    if x == 50 { 8 } else { 0 }
}

const ARITHMETIC: &str = r#"
#include <klee/klee.h>
#include <limits.h>
typedef int vector __attribute__((vector_size(16)));
int main(void) {
  int x = klee_int("x");
  volatile int zero = x - x, minus = zero - 1, one = zero + 1, many = 40 + zero;
  volatile long wide_minus = minus;
  volatile unsigned __int128 big = (unsigned __int128)1 << (127 - zero);
  vector v = {1, 2, 3, 4}, w = {1, 1, zero, 1}, u = {1, 33 + zero, 2, 3};
  switch (x) {
  case 0: return 1 / zero;
  case 1: return 1 % zero;
  case 2: return 1u / (unsigned)zero;
  case 3: return 1u % (unsigned)zero;
  case 4: return (INT_MIN + zero) / minus;
  case 5: return (INT_MIN + zero) % minus;
  case 6: return (int)((LONG_MIN + zero) / wide_minus);
  case 7: return (int)((__int128)big / minus);
  case 8: return (v / w)[0];
  case 10: return one << many;
  case 11: return one >> many;
  case 12: return (int)((unsigned)one >> many);
  case 13: return one << minus;
  case 14: return (int)(big << (128 + zero));
  case 15: return (v << u)[0];
  case 20: return INT_MAX + one;
  case 21: return INT_MIN - one;
  case 22: return INT_MAX / 2 * (one + 2);
  case 23: return (int)((LONG_MAX - zero) * (one + one));
  case 30: return (INT_MIN + zero) / one + (one << 31) + (int)(big >> 127);
  }
  return 0;
}
"#;

#[test]
fn arithmetic_errors_show() {
    let case = harness(ARITHMETIC);
    for x in 0..=8 {
        agrees("div", &end(&case, Checked, x), &case, x);
    }
    for x in 10..=15 {
        agrees("overshift", &end(&case, Checked, x), &case, x);
    }
    let fine = i64::from(i32::MIN.wrapping_add(i32::MIN).wrapping_add(1));
    assert_eq!(end(&case, Checked, 30), returned(fine));
    // Overflow is no error by itself ...
    assert_eq!(end(&case, Overflow, 20), returned(i64::from(i32::MIN)));
    // ... but where the bitcode says what is signed it can be one.
    let case = case_of(&[ARITHMETIC], &["-fno-wrapv"], None);
    for x in 20..=23 {
        assert_eq!(end(&case, Overflow, x), NativeEnd::Check { kind: "overflow".into() }, "x = {x}");
        assert!(matches!(end(&case, Checked, x), NativeEnd::Returned { .. }), "x = {x}");
    }
}

#[test]
fn ends_that_show_in_a_plain_build() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        #include <stdlib.h>
        #include <assert.h>
        static int down(int n) { volatile int here[64]; here[0] = n; return n < 0 ? 0 : down(n + 1) + here[0]; }
        int main(void) {
          int x = klee_int("x");
          if (x == 0) assert(x);
          if (x == 1) abort();
          if (x == 2) klee_report_error(__FILE__, __LINE__, "no", "user");
          if (x == 3) return down(0);
          if (x == 4) __builtin_unreachable();
          return 0;
        }"#,
    );
    for (x, error) in [(0, "assert"), (1, "abort"), (2, "user"), (3, "stack"), (4, "unreachable")] {
        let end = PathEnd { kind: EndKind::Error, error: Some(error.into()), ..PathEnd::default() };
        agrees(error, &case.end(BuildKind::for_end(&end), &[("x", &i32::to_le_bytes(x))]), &case, x);
    }
}

#[test]
fn the_path_before_an_error_is_checked() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        #include <stdio.h>
        int main(void) {
          char s[4];
          int sum = 0;
          klee_make_symbolic(s, sizeof s, "s");
          for (int i = 0; s[i] != 'x'; i++) { if (s[i] == 'a') putchar('a'); sum += s[i]; }
          return sum;
        }"#,
    );
    let test = |s: &[u8; 4]| ktest(&[("s", s)]);
    let run = |s: &[u8; 4]| case.run_test(Checked, &test(s));
    let error = PathEnd { kind: EndKind::Error, error: Some("ptr".into()), ..PathEnd::default() };
    let record = PathRecord {
        end: error,
        trace: Some(run(b"abab").trace),
        stdout: Some(upshot_suite::Text(b"aa".to_vec())),
        ..PathRecord::default()
    };
    let verify = |s: &[u8; 4]| case.replayer.verify(&test(s), &record, Limits::default()).unwrap();
    assert!(verify(b"abab").is_ok());
    assert!(matches!(verify(b"baba"), Err(Mismatch::Path { .. })));
    assert!(matches!(verify(b"xaba"), Err(Mismatch::End { .. })));
    let message = verify(b"xaba").unwrap_err().to_string();
    assert_eq!(message, "the record says the path ends in an error of kind `ptr`, but natively it returns 0");
    // The record may stop short of where the native run dies, as long as it is the same path up to there.
    let options = RunOptions { prefix: Some(3), ..RunOptions::default() };
    let first = case.replayer.run(&test(b"abab"), Checked, &options).unwrap();
    let trace = upshot_suite::Trace { branches: 3, hash: first.prefix_hash.unwrap() };
    let short = PathRecord { trace: Some(trace), ..record.clone() };
    assert!(case.replayer.verify(&test(b"abab"), &short, Limits::default()).unwrap().is_ok());
    let long = upshot_suite::Trace { branches: 100, hash: 0 };
    let long = PathRecord { trace: Some(long), ..record.clone() };
    let result = case.replayer.verify(&test(b"abab"), &long, Limits::default()).unwrap();
    assert!(matches!(result, Err(Mismatch::FewerBranches { native: 8 | 9, .. })), "{result:?}");
}

#[test]
fn a_cut_path_is_checked_up_to_the_cut() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        #include <stdio.h>
        int main(void) { int x = klee_int("x"); while (x != 3) { printf("."); x += 2; } return 0; }"#,
    );
    let test = ktest(&[("x", &[0, 0, 0, 0])]);
    let options = RunOptions { prefix: Some(50), stop_at_prefix: true, events: 3, ..RunOptions::default() };
    let run = case.replayer.run(&test, BuildKind::Plain, &options).unwrap();
    assert_eq!((run.end.clone(), run.trace.branches, run.events.len()), (NativeEnd::Stopped, 50, 3));
    let record = PathRecord {
        end: PathEnd { kind: EndKind::Bound, ..PathEnd::default() },
        trace: Some(run.trace),
        stdout: Some(upshot_suite::Text(b".".repeat(50))),
        ..PathRecord::default()
    };
    case.replayer.verify(&test, &record, Limits::default()).unwrap().unwrap();
    let other = ktest(&[("x", &[1, 0, 0, 0])]);
    let differs = case.replayer.verify(&other, &record, Limits::default()).unwrap();
    assert!(matches!(differs, Err(Mismatch::FewerBranches { native: 2, .. })));
    let at_once = PathRecord { trace: Some(upshot_suite::Trace::default()), ..record };
    case.replayer.verify(&test, &at_once, Limits::default()).unwrap().unwrap();
}
