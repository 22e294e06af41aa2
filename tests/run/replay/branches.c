// run: --all-errors
// paths: finished=5
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    int x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    if (x > 100) {
        if (y == x * 2) return puts("twice"), 1;
        return 2;
    }
    if ((x ^ y) < -5) return 3;
    if (x + y == 77) return puts("sum"), 4;
    return x & 0x3f;
}
