// Assumptions narrow what is explored.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n > 3 & n < 8);
    if (n == 2)
        return 1;
    if (n == 5)
        return 2;
    klee_assume(n != 4 & n != 6);
    return n == 7 ? 3 : 4;
}
