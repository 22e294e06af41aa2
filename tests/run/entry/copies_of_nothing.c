// With a length of zero any pointer will do.
// run: --entry f
// paths: finished=5 error=2
// exit: 1
// complete: true
#include <string.h>

char *f(char *to, const char *from, unsigned char length) {
    if (length > 4)
        return to;
    memcpy(to, from, length); // expect: ptr "from is null", ptr "to is null"
    if (!from)
        return "nothing";
    return memset(to, 0, length);
}
