// calloc gives zeroes, realloc keeps what was there, and both give memory of the asked size.
// paths: finished=1
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(0, 6, "n");
    int *list = calloc(2, sizeof *list);
    if (list[0] || list[1])
        klee_abort();
    list[1] = n;
    list = realloc(list, 5 * sizeof *list);
    list[4] = 1;
    int same = list[1] == n;
    list = realloc(list, 2 * sizeof *list);
    same &= list[1] == n;
    free(list);
    free(realloc(NULL, 3));
    return same ? n == 4 : 7;
}
