// With --malloc-fail every allocation can fail.
// run: --entry make --malloc-fail
// paths: finished=4
// exit: 0
// complete: true
#include <stdlib.h>

int make(int two) {
    char *first = malloc(4);
    if (!first)
        return 1;
    if (two) {
        char *second = calloc(2, 2);
        if (!second) {
            free(first);
            return 2;
        }
        free(second);
    }
    free(first);
    return 0;
}
