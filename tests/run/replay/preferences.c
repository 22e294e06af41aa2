// run: --all-errors
// Preferences and choices leave the path what it is.
// paths: finished=5
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    char c[3];
    klee_make_symbolic(c, sizeof c, "c");
    for (int i = 0; i < 3; i++) klee_prefer_cex(c, (c[i] >= 'a') & (c[i] <= 'z'));
    unsigned n = (unsigned)klee_choose(3);
    printf("%u %c%c%c\n", n, c[0], c[1], c[2]);
    if (c[0] == 'z' && n == 2) return 1;
    if (c[1] == c[2]) return 2;
    return 0;
}
