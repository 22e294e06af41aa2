// run: --all-errors
// Long jumps and computed gotos that depend on the input.
// paths: finished=7
// exit: 0
// complete: true
#include <klee/klee.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

static void check(int x, int depth) {
    if (depth == 0) longjmp(back, x > 10 ? 2 : 3);
    if (x == depth * 7) longjmp(back, 4);
    check(x, depth - 1);
}

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    static void *const labels[] = {&&zero, &&one, &&two, &&many};
    int got = setjmp(back);
    if (got) {
        printf("%d\n", got);
        goto *labels[(unsigned)x % 4];
    }
    check(x, 3);
zero:
    return 10;
one:
    return 11;
two:
    return got == 4 ? 20 : 12;
many:
    return 13;
}
