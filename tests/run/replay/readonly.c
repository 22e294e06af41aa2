// run: --all-errors
// paths: finished=1 error=2
// exit: 1
// complete: true
#include <klee/klee.h>

static const int fixed[3] = {1, 2, 3};
static int changing[3] = {1, 2, 3};

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    char *text = "literal";
    int *p = x > 5 ? (int *)fixed : changing;
    if (x == -7) text[0] = 'L'; // expect: readonly
    p[1] = x; // expect: readonly
    return changing[1] == x;
}
