// An assumption that contradicts what is known.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 10)
        klee_assume(n < 5); // expect: user
    return 0;
}
