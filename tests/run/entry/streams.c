// A stream that is an input: null is an error, and what else it is nobody knows.
// run: --entry f
// paths: finished=2 error=1 unsupported=2
// exit: 1
// complete: false
#include <stdio.h>

int f(FILE *file, int which) {
    if (which == 0)
        return fflush(file); // unsupported: standard streams
    if (which == 1)
        return feof(file); // expect: ptr "null", unsupported "standard streams"
    return fprintf(stderr, "none\n");
}
