// An address out of thin air.
// run: --entry poke
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdint.h>

int poke(int n) {
    if (n == 7)
        *(volatile char *)(uintptr_t)0x123456789abc = 1; // expect: ptr
    return 0;
}
