// More bytes made symbolic than there are: natively it shows where the call is made, though the test has no such input.
// paths: error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n + 4, "n"); // expect: ptr "8 bytes at offset 0 of n"
    return n;
}
