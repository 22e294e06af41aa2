// run: --all-errors
// The other ways a program can end.
// paths: finished=3 error=4 silent=1
// exit: 1
// complete: true
#include <assert.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static void bye(void) { puts("bye"); }

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    atexit(bye);
    printf("start\n");
    if (x == 1) abort(); // expect: abort
    if (x == 2) assert(x != 2 && "a message"); // expect: assert
    if (x == 3) exit(33);
    if (x == 4) _Exit(44);
    if (x == 5) klee_report_error(__FILE__, __LINE__, "reported", "user"); // expect: user
    if (x == 6) klee_silent_exit(0);
    if (x == 7) __builtin_unreachable(); // expect: unreachable
    return x;
}
