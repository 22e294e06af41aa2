// A program of several files, with a static function of the same name in each and a shared global.
// files: part.c
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

extern int shared;
int other(int n);

static int local(int n) {
    return n + 1;
}

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    shared = 1;
    return local(other(n)) > 5;
}
