// assert, and klee_assert.
// run: --entry check
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <assert.h>
#include <klee/klee.h>

int check(int x, int y) {
    assert(x != 77); // expect: assert "x != 77"
    klee_assert(x + y != 12); // expect: assert "x + y != 12"
    return 0;
}
