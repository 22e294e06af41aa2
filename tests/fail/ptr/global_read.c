// A global table read at an unchecked index; the line is that of the callee.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

static const int table[5] = {2, 3, 5, 7, 11};

static int prime(unsigned char n) {
    return table[n]; // expect: ptr "table"
}

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    return prime(n);
}
