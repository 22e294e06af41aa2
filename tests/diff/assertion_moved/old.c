#include <assert.h>

int f(int x) {
    assert(x > 0);
    return 10 / x;
}
