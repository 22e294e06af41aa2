// A value that fits the path so far, of each type.
// paths: finished=1
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    int n;
    long l;
    float f = 1.5f;
    double d = 2.5;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&l, sizeof l, "l");
    klee_assume(n == 17);
    klee_assume(l == 1L << 40);
    if (klee_get_value_i32(n) != 17 || klee_get_valuel(l) != 1L << 40)
        klee_abort();
    if (klee_get_value_i64(l) != l || klee_get_valuell(l) != l)
        klee_abort();
    if (klee_get_valuef(f) != f || klee_get_valued(d) != d)
        klee_abort();
    printf("%d\n", klee_get_value_i32(n));
    return 0;
}
