// A product of two primes is taken apart.
// paths: finished=4
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdint.h>

#define PRODUCT 2147766287u

int main(void) {
    uint16_t a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    if (a > 1 && b > 1 && (uint32_t)a * b == PRODUCT)
        return 1;
    return 0;
}
