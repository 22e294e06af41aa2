// Reads and writes before the first byte of objects of every kind.
// run: --entry use
// paths: finished=3 error=6
// exit: 1
// complete: true
#include <stdlib.h>

static const short constant[4] = {1, 2, 3, 4};
static int zeroed[4];
static int written[4] = {5};
static const char *const names[2] = {"a", "b"};

int use(int which, int at) {
    int local[4] = {0};
    int *heap = calloc(4, sizeof *heap);
    if (at >= 0 || at < -2)
        return 0;
    switch (which) {
    case 0: return constant[at]; // expect: ptr
    case 1: return zeroed[at]; // expect: ptr
    case 2: return written[at]; // expect: ptr
    case 3: return names[at] != 0; // expect: ptr
    case 4: local[at] = 1; return 1; // expect: ptr
    case 5: heap[at] = 1; return 1; // expect: ptr
    default: free(heap); return 0;
    }
}
