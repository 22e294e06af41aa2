// A pointer into the middle of an allocation is freed.
// run: --entry drop
// paths: finished=2 error=1
// exit: 1
// complete: true
#include <stdlib.h>

int drop(unsigned step) {
    char *text = malloc(8);
    if (step > 8)
        step = 0;
    free(text + step); // expect: free
    return 0;
}
