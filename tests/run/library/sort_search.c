// qsort and bsearch with the program's own comparison.
// paths: finished=42
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void) {
    int list[3], key = 5;
    klee_make_symbolic(list, sizeof list, "list");
    qsort(list, 3, sizeof *list, compare);
    if (list[0] > list[1] || list[1] > list[2])
        klee_abort();
    return bsearch(&key, list, 3, sizeof *list, compare) != NULL;
}
