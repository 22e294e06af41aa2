// An allocation of symbolic size has a limit of its own.
// run: --entry f --max-alloc 16
// paths: finished=1 bound=1
// exit: 3
// complete: false
#include <stdlib.h>

int f(unsigned n) {
    char *p = malloc(n);
    free(p);
    return n > 8;
}
