// Copying and joining strings; every byte comes out where it belongs.
// run: --entry join
// paths: finished=2
// exit: 0
// complete: true
#include <string.h>

int join(char c) {
    char out[16] = "";
    char mid[2] = {c, 0};
    strcpy(out, "ab");
    strcat(out, mid);
    strncat(out, "xyz", 2);
    if (c == 0)
        return strcmp(out, "abxy") != 0;
    return out[2] != c || strcmp(out + 3, "xy") != 0;
}
