// klee_range, klee_int and klee_choose.
// paths: finished=5
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    int a = klee_range(-3, 4, "a");
    int b = klee_int("b");
    unsigned long c = klee_choose(3);
    if (a < -3 || a >= 4 || c >= 3)
        klee_abort();
    if (a == 3)
        return 1;
    if (b == -2147483647 - 1)
        return 2;
    switch (c) {
    case 0: return 3;
    case 1: return 4;
    case 2: return 5;
    default: return 6;
    }
}
