// The same memory is freed twice.
// run: --entry twice
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdlib.h>

int twice(int again) {
    void *p = malloc(1);
    free(p);
    if (again)
        free(p); // expect: free
    return 0;
}
