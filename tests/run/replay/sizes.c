// run: --all-errors
// Memory of unknown size, copies of unknown length.
// paths: finished=1 error=1 uncertain=1
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned n = (unsigned)klee_range(1, 9, "n");
    char from[8] = "abcdefg";
    char *to = malloc(n);
    unsigned m;
    klee_make_symbolic(&m, sizeof m, "m");
    klee_assume(m < 12);
    memset(to, '-', n);
    memcpy(to, from, m); // expect: ptr
    return to[0] == 'a';
}
