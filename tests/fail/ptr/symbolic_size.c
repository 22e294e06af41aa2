// An allocation of symbolic size, written one past its end when the size is at its least.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned size;
    klee_make_symbolic(&size, sizeof size, "size");
    klee_assume(size >= 5);
    klee_assume(size <= 9);
    char *bytes = malloc(size);
    bytes[4] = 1;
    bytes[5] = 2; // expect: ptr
    free(bytes);
    return 0;
}
