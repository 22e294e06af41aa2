// A number of bytes that is not known is checked as a whole.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    char buffer[10] = {0};
    unsigned length = klee_int("length");
    klee_check_memory_access(buffer, 10);
    klee_check_memory_access(buffer + 2, length); // expect: ptr "more than the 8 bytes"
    return length > 8;
}
