// A read past the end of heap memory, at an index that the input chooses.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned index;
    klee_make_symbolic(&index, sizeof index, "index");
    int *numbers = calloc(3, sizeof *numbers);
    int got = numbers[index]; // expect: ptr "out of bounds"
    free(numbers);
    return got;
}
