// Decisions on what was never written, with the check switched on.
// replay: no the native run has no check for this
// run: --entry use --check-uninit
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <stdlib.h>

int use(int which) {
    int local, result = 0;
    int *heap = malloc(sizeof *heap);
    if (which == 1 && local > 3) // expect: uninit
        result = 1;
    if (which == 2 && *heap > 3) // expect: uninit
        result = 2;
    free(heap);
    return result;
}
