// Only what was written can be read: that the rest of the block was not makes no path uncertain.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned n = klee_int("n"), i = klee_int("i");
    klee_assume(n <= 20);
    unsigned char *block = malloc(n);
    memset(block, 7, n);
    return i < n ? block[i] : 0;
}
