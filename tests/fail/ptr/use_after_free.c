// Memory is read after it was given back, on one path only.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int early;
    klee_make_symbolic(&early, sizeof early, "early");
    int *p = malloc(sizeof *p);
    *p = 3;
    if (early > 0)
        free(p);
    int got = *p; // expect: ptr "freed"
    if (early <= 0)
        free(p);
    return got;
}
