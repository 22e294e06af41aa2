// With NDEBUG there is no assert.
// run: --entry check -DNDEBUG
// paths: finished=1
// exit: 0
// complete: true
#include <assert.h>

int check(int x) {
    assert(x != 77);
    return x;
}
