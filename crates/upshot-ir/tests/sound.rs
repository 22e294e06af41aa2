//! Programs of every kind load at every optimisation level, and what comes out is sound.

mod workshop;

use std::path::Path;
use std::process::Command;
use upshot_ir::{Op, Program};
use workshop::{compile, compile_file, load};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// What the program says it does not support.
fn refused(program: &Program) -> Vec<&str> {
    let ops = program.functions.iter().flat_map(|function| &function.ops);
    let refused = ops.filter_map(|op| match op {
        Op::Unsupported { what } => Some(program.unsupported[*what as usize].as_str()),
        _ => None,
    });
    refused.collect()
}

fn random_programs_are_lowered_completely(seeds: impl Iterator<Item = usize>) {
    for seed in seeds {
        let csmith = Command::new("csmith").args(["--seed", &seed.to_string()]).output().expect("csmith runs");
        let source = String::from_utf8(csmith.stdout).expect("csmith writes C");
        let level = LEVELS[seed % 3];
        let program = load(&compile(&source, &["-g", "-I/usr/include/csmith", level]));
        assert_eq!(refused(&program).first(), None, "seed {seed} {level}");
    }
}

// Two halves, for two threads.
#[test]
fn random_programs_with_even_seeds_are_lowered_completely() {
    random_programs_are_lowered_completely((2..=100).step_by(2));
}

#[test]
fn random_programs_with_odd_seeds_are_lowered_completely() {
    random_programs_are_lowered_completely((1..=100).step_by(2));
}

#[test]
fn a_program_of_everything_is_lowered_completely() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/everything.c");
    for flags in [&["-O0"][..], &["-O1"], &["-O2"], &["-O2", "-mavx2"], &["-O3", "-mavx512f"], &["-Os", "-ffast-math"]]
    {
        let program = load(&compile_file(&path, flags));
        assert_eq!(refused(&program).first(), None, "{flags:?}");
    }
}

#[test]
fn every_c_construct_is_lowered_completely() {
    let source = r#"
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <complex.h>
        #include <setjmp.h>
        #include <string.h>
        #include <stdlib.h>
        #include <math.h>
        typedef float f4 __attribute__((vector_size(16)));
        typedef _Bool b8 __attribute__((ext_vector_type(8)));
        typedef int i8v __attribute__((vector_size(32)));
        struct bits { unsigned a : 3; signed b : 13; unsigned long c : 40; } g = {1, -2, 3};
        union u { int i; float f; char c[8]; } gu = {.f = 1.5f};
        _Thread_local int tls; _Atomic int shared; volatile int v;
        jmp_buf env;
        static int (*const table[])(int) = {abs, abs};
        __attribute__((constructor)) static void before(void) { tls = 1; }
        __attribute__((destructor(200))) static void after(void) { tls = 0; }
        int sum(int n, ...) {
            va_list list, copy; va_start(list, n); va_copy(copy, list);
            int total = 0;
            for (int i = 0; i < n; i++) total += va_arg(list, int) + (int)va_arg(copy, int);
            va_end(copy); va_end(list); return total;
        }
        _Complex double square(_Complex double z) { return z * z; }
        f4 blend(f4 a, f4 b) { typedef int i4 __attribute__((vector_size(16))); i4 m = a > b; return (f4)(((i4)a & m) | ((i4)b & ~m)); }
        b8 mask(i8v a, i8v b) { return __builtin_convertvector(a < b, b8); }
        int any(b8 m) { return __builtin_reduce_or(m); }
        long double wide(long double x, double y, float z) { return x / y - z; }
        __int128 mul(__int128 a, unsigned __int128 b) { return a * (__int128)b / 7 % 1000003 << 3 >> 2; }
        int flow(int x) {
            void *where = x ? &&one : &&two;
            if (setjmp(env)) return -1;
            do { switch (x) { case 1 ... 5: x--; break; case 9: goto out; default: x /= 2; } } while (x > 3);
            goto *where; one: x++; two: x++;
        out: return table[x & 1](x);
        }
        void vla(int n, char *out) { char buffer[n]; memset(buffer, 7, n); memcpy(out, buffer, n); }
        void atoms(int *p, long *q, double *d) {
            atomic_fetch_add(&shared, 2); atomic_fetch_xor(&shared, 3); int e = 5;
            atomic_compare_exchange_weak(&shared, &e, 6); __atomic_store_n(p, 4, __ATOMIC_RELEASE);
            __atomic_fetch_nand(q, 3, __ATOMIC_SEQ_CST); __sync_synchronize(); __sync_val_compare_and_swap(q, 1, 2);
        }
        struct bits set(struct bits s) { s.a = 5; s.b -= 1; s.c <<= 2; return s; }
        int builtins(int a, int b, long *r) {
            int o; long l;
            unsigned c = __builtin_add_overflow(a, b, &o) + __builtin_mul_overflow((long)a, (long)b, &l);
            *r = l; c += __builtin_clz(a | 1) + __builtin_bitreverse32(b) + __builtin_rotateleft32(a, 3);
            c += __builtin_object_size(r, 0) + __builtin_constant_p(b);
            if (__builtin_expect(c == 3, 0)) __builtin_unreachable();
            __builtin_assume(a > 0); __builtin_prefetch(r);
            return c + __builtin_isinf((double)a) + __builtin_abs(b);
        }
        float floats(float a, double b, _Float16 h) {
            return fabsf(a) + (float)floor(b) + fmaf(a, a, 1) + (float)h + copysignf(a, 2) + fmin(b, 1) + (float)rint(b)
                + (int)a + (unsigned long)b + (long long)h + (unsigned char)a + (a != b) + isnan(b) + __builtin_powi(b, 3);
        }
        int main(int argc, char **argv) { return sum(argc, 1, 2) + flow(argc) + (int)creal(square(argc)); }
    "#;
    for level in LEVELS {
        for debug in ["-g", "-g0"] {
            let program = load(&compile(source, &[level, debug]));
            assert!(refused(&program).is_empty(), "{level}: {:?}", refused(&program));
            let names = |ids: &[upshot_ir::FuncId]| -> Vec<String> {
                ids.iter().map(|id| program.function(*id).name.clone()).collect()
            };
            assert_eq!(names(&program.constructors), ["before"], "{level}");
            assert_eq!(names(&program.destructors), ["after"], "{level}");
        }
    }
}

#[test]
fn wide_vectors_and_masks_are_lowered_completely() {
    let source = r#"
        void add(float *restrict a, const float *restrict b, const int *restrict on, int n) {
            for (int i = 0; i < n; i++) if (on[i]) a[i] += b[i];
        }
        int gather(const int *restrict t, const int *restrict at, int n) {
            int s = 0; for (int i = 0; i < n; i++) s += t[at[i]]; return s;
        }
        double dot(const double *a, const double *b, int n) {
            double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s;
        }
        unsigned char top(const unsigned char *p, int n) {
            unsigned char m = 0; for (int i = 0; i < n; i++) if (p[i] > m) m = p[i]; return m;
        }
    "#;
    for machine in ["-mavx2", "-mavx512f"] {
        let program = load(&compile(source, &["-O2", "-ffast-math", machine]));
        assert!(refused(&program).is_empty(), "{machine}: {:?}", refused(&program));
        assert!(program.globals.iter().any(|global| global.name == "upshot.scratch"), "{machine} has masked accesses");
    }
}

#[test]
fn instructions_are_counted_as_clang_emitted_them() {
    let source = "int f(int a) { int b = a + 1; return b * b; }";
    for debug in ["-g", "-g0"] {
        let program = load(&compile(source, &["-O0", debug]));
        let function = program.function(program.function_named("f").unwrap());
        // Two allocas, two stores, three loads, an add, a multiplication, and the return.
        assert_eq!(function.insts.len(), 10);
        assert_eq!(function.blocks.len(), 1);
        assert!(function.ops.len() < 10, "the allocas are slots");
    }
}
