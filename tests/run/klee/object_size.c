// Sizes of objects: a local, heap memory, heap memory of symbolic size.
// replay: no natively the size of an object is not known
// paths: finished=1
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char local[12];
    unsigned size;
    klee_make_symbolic(&size, sizeof size, "size");
    klee_assume(size > 0 & size < 10);
    char *heap = malloc(size);
    if (klee_get_obj_size(local) != 12)
        klee_abort();
    if (klee_get_obj_size(heap) != size)
        klee_abort();
    klee_check_memory_access(local, 12);
    free(heap);
    return 0;
}
