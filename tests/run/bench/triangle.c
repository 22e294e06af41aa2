// The sides of a triangle, sorted out in three levels of decisions.
// also: --search bfs
// paths: finished=9
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned char a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    if (a == 0 || b == 0 || c == 0)
        return 0;
    if (a + b <= c || b + c <= a || a + c <= b)
        return 1;
    if (a == b)
        return b == c ? 4 : 3;
    return b == c || a == c ? 3 : 2;
}
