// A division of 128 bits has a wanted quotient and remainder.
// paths: finished=4
// exit: 0
// complete: true
#include <klee/klee.h>
typedef unsigned __int128 u128;
int main(void) {
    u128 x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    if (y == 0) return 0;
    u128 wanted = ((u128)0x1234567890ull << 40) + 77;
    if (x / y == wanted && x % y == 12345)
        return 1;
    return 0;
}
