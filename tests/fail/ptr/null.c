// A null pointer that the program made itself.
// run: --entry first
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stddef.h>

int first(int have) {
    int one = 1;
    int *p = have ? &one : NULL;
    return *p; // expect: ptr "null"
}
