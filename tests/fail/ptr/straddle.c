// The first byte of the access is inside, its last is not.
// run: --entry peek
// paths: finished=2 error=1
// exit: 1
// complete: true
#include <string.h>

int peek(unsigned offset) {
    char bytes[8] = {0};
    int value;
    if (offset > 8)
        return 0;
    memcpy(&value, bytes + offset, 4); // expect: ptr
    return value;
}
