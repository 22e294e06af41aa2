// Memory of the stack is freed.
// run: --entry drop
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdlib.h>

int drop(int n) {
    char small[16];
    char *text = n > 16 ? malloc((size_t)64) : small;
    free(text); // expect: free
    return 0;
}
