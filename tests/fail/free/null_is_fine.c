// free(NULL) does nothing.
// run: --entry drop
// paths: finished=2
// exit: 0
// complete: true
#include <stdlib.h>

int drop(int n) {
    free(n ? malloc(4) : NULL);
    return n;
}
