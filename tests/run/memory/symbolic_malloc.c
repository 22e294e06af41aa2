// Memory of symbolic size, used within its bounds, by a loop and by the library.
// paths: finished=4
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char size;
    klee_make_symbolic(&size, sizeof size, "size");
    klee_assume(size > 0 & size < 5);
    char *bytes = malloc(size);
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (char)('a' + i);
    memset(bytes, 'z', size);
    int last = bytes[size - 1];
    free(bytes);
    return last == 'z' ? 0 : 1;
}
