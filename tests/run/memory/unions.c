// The bytes of an integer, seen through a union and through a cast.
// run: --entry look
// paths: finished=3
// exit: 0
// complete: true
#include <string.h>

union view {
    unsigned word;
    unsigned char bytes[4];
    float real;
};

int look(unsigned n) {
    union view v = {.word = n};
    if (v.bytes[0] == 1 && v.bytes[3] == 2)
        return 1;
    unsigned short half;
    memcpy(&half, (char *)&n + 1, 2);
    return half == 0x1234 ? 2 : 3;
}
