// run: --all-errors
// Recursion that need not end.
// paths: finished=2 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

static int down(int n, int step) { // expect: stack "a local of 32768 bytes"
    volatile int keep[8192];
    keep[n & 8191] = n;
    if (n == 0) return 0;
    return down(n - step, step) + keep[n & 8191];
}

int main(void) {
    int step = klee_range(0, 3, "step");
    return down(2, step) & 0x7f;
}
