// A range that holds nothing.
// paths: error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    return klee_range(5, 5, "n"); // expect: user
}
