// A const global is written through a cast, by a callee and by the library.
// run: --entry change
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <string.h>

static const int limits[2] = {1, 2};

static void set(int *p, int value) {
    *p = value; // expect: readonly
}

int change(int which) {
    if (which == 1)
        set((int *)&limits[1], 5);
    if (which == 2)
        memset((void *)limits, 0, 4); // expect: readonly
    return limits[0];
}
