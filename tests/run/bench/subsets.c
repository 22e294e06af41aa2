// One decision per bit: 2 to the power of N paths.
// run: -DN=7
// paths: finished=128
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned set;
    int size = 0;
    klee_make_symbolic(&set, sizeof set, "set");
    for (int i = 0; i < N; i++)
        if (set >> i & 1)
            size++;
    return size;
}
