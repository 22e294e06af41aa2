// The user's own comparison function, called by the library, goes wrong: its line counts.
// run: --entry order
// paths: finished=3 error=1
// exit: 1
// complete: true
#include <stdlib.h>

static int key[4] = {4, 3, 2, 1};

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return key[x] - key[y]; // expect: ptr "key"
}

int order(unsigned char last) {
    int items[3] = {0, 1, last % 8};
    qsort(items, 3, sizeof *items, compare);
    return items[0];
}
