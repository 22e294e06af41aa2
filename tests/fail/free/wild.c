// What is freed was never a pointer.
// run: --entry drop
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdint.h>
#include <stdlib.h>

int drop(int n) {
    if (n == 3)
        free((void *)(uintptr_t)0x1234560); // expect: free
    return 0;
}
