// realloc of memory that was freed, and of memory from elsewhere.
// run: --entry grow
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <stdlib.h>

int grow(int which) {
    static char preset[8];
    char *heap = malloc(8);
    free(heap);
    if (which == 1)
        return realloc(heap, 16) != 0; // expect: free
    if (which == 2)
        return realloc(preset, 16) != 0; // expect: free
    return 0;
}
