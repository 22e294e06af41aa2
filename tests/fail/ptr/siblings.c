// An error ends its path; everything else of the program is still explored.
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    int a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    int *p = a == 1 ? 0 : &a;
    *p = 2; // expect: ptr
    if (b == 1)
        p = 0;
    *p = 3; // expect: ptr
    return b > 5;
}
