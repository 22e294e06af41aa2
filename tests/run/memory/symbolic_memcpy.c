// memcpy and memset of a symbolic length, within bounds.
// run: --entry copy
// paths: finished=2
// exit: 0
// complete: true
#include <string.h>

int copy(unsigned char length, unsigned char at) {
    char from[8] = "abcdefg", to[8] = ".......";
    memcpy(to, from, length & 7);
    if (to[at & 7] == 'c')
        return 1;
    memset(to, 'x', length & 3);
    return to[1] == 'x' ? 2 : 3;
}
