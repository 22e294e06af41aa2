// run: --all-errors
// Sorted, whatever the input: by hand and by qsort.
// paths: finished=6
// exit: 0
// complete: true
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) { return *(const signed char *)a - *(const signed char *)b; }

int main(void) {
    signed char a[3], b[3];
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < 3; i++) b[i] = a[i];
    qsort(a, 3, 1, compare);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j + 1 < 3 - i; j++)
            if (b[j] > b[j + 1]) {
                signed char t = b[j];
                b[j] = b[j + 1];
                b[j + 1] = t;
            }
    for (int i = 0; i < 3; i++) assert(a[i] == b[i]);
    return a[0] + 1 == a[1];
}
