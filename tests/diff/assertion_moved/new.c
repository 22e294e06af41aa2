#include <assert.h>

/* Divides. */
int f(int divisor) {

    assert(divisor > 0);
    return 10 / divisor;
}
