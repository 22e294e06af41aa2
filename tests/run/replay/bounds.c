// run: --all-errors
// Reads and writes that leave their object, by an index that is an input.
// paths: finished=3 error=3
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

static int table[4] = {10, 20, 30, 40};

int main(void) {
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    int *heap = malloc(3 * sizeof *heap);
    int local[5] = {0};
    heap[0] = 5;
    local[2] = 9;
    if (i % 3 == 0) return table[i]; // expect: ptr
    if (i % 3 == 1) return heap[i - 1] = 7; // expect: ptr
    local[i] = 1; // expect: ptr
    return local[2];
}
