// Inputs of several kinds, two of the same name, and a part of an object.
// paths: finished=3
// exit: 0
// complete: true
#include <klee/klee.h>

struct pair {
    int left;
    short right;
};

int main(void) {
    int n;
    struct pair pair = {7, 7};
    unsigned char bytes[4] = {0};
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&pair, sizeof pair, "pair");
    klee_make_symbolic(&pair.right, sizeof pair.right, "pair");
    klee_make_symbolic(bytes + 1, 2, "middle");
    if (n == pair.left)
        return 1;
    if (pair.right == 300)
        return 2;
    return bytes[0] + bytes[1] == bytes[2] + bytes[3] ? 3 : 4;
}
