// A global is freed.
// run: --entry drop
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdlib.h>

static char preset[8];

int drop(int n) {
    char *text = n == 5 ? preset : malloc(8);
    free(text); // expect: free
    return 0;
}
