// What depends on the input is symbolic; what merely looks like it is not.
// Natively nothing is symbolic, so the path is uncertain.
// paths: finished=1 uncertain=1
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    int n, m = 3;
    klee_make_symbolic(&n, sizeof n, "n");
    if (!klee_is_symbolic((uintptr_t)n) || klee_is_symbolic((uintptr_t)m))
        return 1;
    m = n;
    if (!klee_is_symbolic((uintptr_t)m))
        return 2;
    m = n - n;
    n = 4;
    return klee_is_symbolic((uintptr_t)m) || klee_is_symbolic((uintptr_t)n) ? 3 : 0;
}
