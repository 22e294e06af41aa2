// The ways out: return, exit, _Exit, with handlers run where they should be.
// paths: finished=4
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static void bye(void) {
    puts("bye");
}

int main(void) {
    int how = klee_range(0, 4, "how");
    atexit(bye);
    if (how == 1)
        exit(3);
    if (how == 2)
        _Exit(4);
    if (how == 3)
        quick_exit(5);
    return 6;
}
