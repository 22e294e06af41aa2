// klee_abort ends the path as abort does.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    if (klee_int("n") == 4)
        klee_abort(); // expect: abort
    return 0;
}
