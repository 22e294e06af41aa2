// memcpy of a length that can exceed the target.
// run: --entry copy
// paths: finished=2 error=1
// exit: 1
// complete: true
#include <string.h>

int copy(unsigned length) {
    char from[16] = "abcdefghijklmno", to[8];
    if (length > 16)
        return -1;
    memcpy(to, from, length); // expect: ptr
    return 0;
}
