// A function of which nothing is known ends its path as unsupported; the others go on.
// paths: finished=1 unsupported=1
// exit: 3
// complete: false
#include <klee/klee.h>

int mystery(int n);

int main(void) {
    int n = klee_range(0, 10, "n");
    if (n == 4)
        return mystery(n); // unsupported: mystery
    return n > 6;
}
