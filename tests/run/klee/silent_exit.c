// A path that ends silently is counted, and has no test.
// paths: finished=1 silent=1
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < 0)
        klee_silent_exit(0);
    return n > 10;
}
