// A write just past the end of heap memory, and one just before its start.
// paths: error=2
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int after;
    klee_make_symbolic(&after, sizeof after, "after");
    char *bytes = malloc(8);
    if (after)
        bytes[8] = 1; // expect: ptr "out of bounds"
    else
        bytes[-1] = 1; // expect: ptr "out of bounds"
    free(bytes);
    return 0;
}
