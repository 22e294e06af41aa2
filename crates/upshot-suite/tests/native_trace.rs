//! The native trace is the path through the program's blocks, at every level of optimisation.

mod support;

use support::*;
use upshot_ir::{BlockId, Function, Op};
use upshot_suite::{
    BuildKind::{Checked, Plain},
    RunOptions, Trace, TraceEvent, function_name_hash, trace_event,
};

fn events(case: &Case, kind: upshot_suite::BuildKind, x: i32) -> (Vec<TraceEvent>, Trace) {
    let options = RunOptions { events: 10_000, ..RunOptions::default() };
    let run = case.replayer.run(&ktest(&[("x", &x.to_le_bytes())]), kind, &options).unwrap();
    assert_eq!(run.trace.branches, run.events.len() as u64);
    (run.events, run.trace)
}

#[test]
fn events_are_function_block_and_successor() {
    let case = case_of(
        &[
            r#"
            #include <klee/klee.h>
            int other(int);
            static int helper(int x) { if (x > 5) return 1; return 2; }
            int main(void) {
              int x = klee_int("x");
              if (x == 3) x = 10;
              switch (x) { case 7: x++; break; case 10: x = other(x); break; default: x = 0; }
              return helper(x);
            }"#,
            "static int helper(int x) { while (x > 8) x--; return x; }\nint other(int x) { return helper(x); }",
        ],
        &[],
        None,
    );
    let list = |x| -> Vec<(String, u32, u32)> {
        events(&case, Plain, x).0.into_iter().map(|e| (e.function, e.block, e.successor)).collect()
    };
    let event = |function: &str, block, successor| (function.to_string(), block, successor);
    // entry, if.then, if.end with the switch: its cases are 1 and 2, its default 0.
    assert_eq!(list(7), [event("main", 0, 1), event("main", 2, 1), event("helper", 0, 0)]);
    assert_eq!(list(0), [event("main", 0, 1), event("main", 2, 0), event("helper", 0, 1)]);
    let names: Vec<_> = list(3).into_iter().map(|(function, ..)| function).collect();
    let linked = |name: &&str| names.iter().any(|n| n == name);
    assert!(linked(&"helper") && names.iter().any(|n| n.starts_with("helper.")), "two static functions: {names:?}");
    assert_eq!(list(3)[..2], [event("main", 0, 0), event("main", 2, 2)]);
    assert_eq!(list(3).len(), 2 + 3 + 1);
}

#[test]
fn cases_with_the_same_block_have_the_same_number() {
    let case = harness(
        r#"
        #include <klee/klee.h>
        int main(void) {
          switch (klee_int("x")) { case 1: return 5; case 2 ... 4: return 6; case 8: return 8; default: return 0; }
        }"#,
    );
    let successor = |x| events(&case, Plain, x).0[0].successor;
    assert_eq!([2, 3, 4].map(successor), [2; 3]);
    assert_eq!([1, 8, 0, 100].map(successor), [1, 5, 0, 0]);
}

const MAZE: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  int x = klee_int("x");
  static void *const jumps[] = {&&even, &&odd, &&out};
  unsigned __int128 wide = (unsigned __int128)x << 64 | 1;
  int sum = 0, steps = 0;
  switch (wide) {
  case ((unsigned __int128)5 << 64) + 1: sum += 5; break;
  case 1: sum += 1; break;
  case ((unsigned __int128)6 << 64) + 1: sum += 6;
  }
  goto *jumps[x & 1];
even:
  sum += 2;
  if (++steps > 3) goto *jumps[2];
  goto *jumps[steps & 1];
odd:
  sum += 3;
  if (++steps > 4) goto out;
  goto *jumps[(steps + x) & 1];
out:
  for (int i = 0; i < (x & 15); i++) {
    switch (i ^ x) {
    case 0 ... 3: sum += i; break;
    case 9: case 11: sum *= 2;
    case 12: sum ^= x; continue;
    case -1: sum--;
    }
    if (sum & 1 && i > 2 || sum > 1000) putchar('.');
    do sum ^= i; while (sum & 4 && steps-- > 0);
  }
  return sum;
}
"#;

/// The block with a choice, or an end, that is reached from `block` without one.
fn next_choice(function: &Function, mut block: BlockId) -> BlockId {
    while let Op::Jump(edge) = last_op(function, block) {
        block = edge.target;
    }
    block
}

fn last_op(function: &Function, block: BlockId) -> &Op {
    &function.ops[function.blocks[block.index()].end as usize - 1]
}

/// The block that the trace's successor numbers mean.
fn successor(function: &Function, block: BlockId, number: usize) -> BlockId {
    match last_op(function, block) {
        Op::Branch { edges, .. } => [edges.0.target, edges.1.target][number],
        Op::Switch(switch) if number == 0 => switch.default.target,
        Op::Switch(switch) => switch.cases[number - 1].1.target,
        Op::IndirectJump { edges, .. } => edges[number].target,
        other => panic!("no choice in block {block:?}: {other:?}"),
    }
}

/// Every event must start where the one before leads, in the numbering of the loaded program: so both sides number
/// blocks and successors alike.
#[test]
fn a_trace_is_a_walk_through_the_loaded_program() {
    for level in ["-O0", "-O1", "-O2"] {
        let case = case_of(&[MAZE], &[level], None);
        let main = case.program.function(case.program.function_named("main").unwrap());
        for x in [-1, 0, 1, 2, 5, 6, 7, 12, 100, 1 << 30, i32::MIN] {
            let (events, trace) = events(&case, Plain, x);
            let mut here = next_choice(main, BlockId(0));
            let mut fold = Trace::default();
            for event in &events {
                assert_eq!((event.function.as_str(), event.block), ("main", here.0), "{level}, x = {x}");
                here = next_choice(main, successor(main, here, event.successor as usize));
                fold.push(trace_event(function_name_hash(b"main"), event.block, event.successor));
            }
            assert!(matches!(last_op(main, here), Op::Return { .. }), "{level}, x = {x}");
            assert_eq!(fold, trace, "the fold here and in the runtime");
            assert_eq!(self::events(&case, Checked, x), (events, trace), "{level}, x = {x}: the checked build");
        }
    }
}

#[test]
fn pure_functions_keep_their_branches() {
    // At -O2 `weigh` is marked as not touching memory, which the added calls do.
    let source = r#"
        #include <klee/klee.h>
        __attribute__((noinline, const)) static int weigh(int x) {
          for (int i = 0; i < 40; i++) { if (x % 7 == 3) return i; x = x * 5 + 1; x ^= x >> 3; }
          return 40;
        }
        int main(void) { int x = klee_int("x"); weigh(x + 1); return weigh(x); }"#;
    let case = case_of(&[source], &["-O2"], None);
    let calls_once = events(&case, Plain, 10).0;
    assert!(calls_once.iter().all(|e| e.function == "weigh") && !calls_once.is_empty());
}

/// What instrumentation could trip over: each piece prints something, the same in both builds and at every level.
#[test]
fn unusual_code_keeps_its_meaning() {
    let source = r#"
        #include <setjmp.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        static jmp_buf back;
        static _Thread_local int mine = 3;
        static int total(int n, ...) {
          va_list list; va_start(list, n);
          int s = 0; double d = 0;
          while (n--) { if (n & 1) s += va_arg(list, int); else d += va_arg(list, double); }
          va_end(list);
          return s + (int)d;
        }
        static void leap(int depth) { if (depth == 0) longjmp(back, 7); leap(depth - 1); }
        static int real(int x) { return x ? x + mine : 0; }
        int other(int) __attribute__((alias("real")));
        static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
        static inline __attribute__((always_inline)) int in(int x) { if (x > 1) return x; return -x; }
        static int variable(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }
        struct bits { unsigned a : 3; int b : 7; } __attribute__((packed));
        int weak_one(void) __attribute__((weak));
        int weak_one(void) { return 11; }
        extern int absent(void) __attribute__((weak));
        typedef float four __attribute__((vector_size(16)));
        int main(int argc, char **argv) {
          int v = setjmp(back);
          if (v == 0) leap(5);
          printf("%d ", v);
          printf("%d ", total(6, 1.5, 2, 3.0, 4, 0.25, 6));
          printf("%d ", other(argc));
          int list[] = {5, 3, 9, 1};
          qsort(list, 4, sizeof *list, compare);
          for (int i = 0; i < 4; i++) printf("%d", in(list[i]));
          printf(" %d ", variable(argc + 40));
          struct bits b = {argc, -argc * 5};
          printf("%d%d ", b.a, b.b);
          printf("%d ", weak_one() + (absent ? absent() : 0));
          four f = {1, 2, 3, 4}; f = f * f + f; printf("%g ", f[argc]);
          char *s = strdup("text"); s[argc] = 'i'; puts(s); free(s);
          __asm__ volatile("" ::: "memory");
          _Complex double z = argc + 2.0i; z *= z;
          printf("%g %g %Lg\n", __real__ z, __imag__ z, (long double)argc / 3);
          return 0;
        }"#;
    for level in ["-O0", "-O1", "-O2"] {
        let case = case_of(&[source], &[level, "-w"], None);
        let (plain, checked) = (case.run(Plain, &[]), case.run(Checked, &[]));
        let expected = "7 16 4 -1359 40 1-5 11 6 tixt\n-3 4 0.333333\n";
        assert_eq!((plain.end, String::from_utf8_lossy(&plain.stdout).as_ref()), (returned(0), expected), "{level}");
        assert_eq!((checked.end, checked.stdout), (returned(0), plain.stdout), "{level}");
        assert_eq!(checked.trace, plain.trace, "{level}");
    }
}
