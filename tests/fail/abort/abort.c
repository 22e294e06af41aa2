// abort, and what compilers make of traps.
// run: --entry stop
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <stdlib.h>

int stop(int how) {
    if (how == 1)
        abort(); // expect: abort
    if (how == 2)
        __builtin_trap(); // expect: abort
    return how;
}
