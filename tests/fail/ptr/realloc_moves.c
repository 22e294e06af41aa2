// The old pointer is used after realloc.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char more;
    klee_make_symbolic(&more, sizeof more, "more");
    char *old = malloc(4);
    old[0] = 'x';
    char *new = realloc(old, 400);
    int got = more > 9 ? old[0] : new[0]; // expect: ptr "freed"
    free(new);
    return got;
}
