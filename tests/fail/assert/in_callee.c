// The line is that of the assert; the stack leads back to the entry.
// run: --entry outer
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <assert.h>

static int inner(int x) {
    assert(x < 100); // expect: assert
    return x;
}
static int middle(int x) {
    return inner(x * 2);
}
int outer(unsigned char x) {
    return middle(x);
}
