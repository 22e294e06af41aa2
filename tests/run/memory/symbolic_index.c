// Reads and writes at symbolic offsets do not fork.
// paths: finished=3
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned char i, j;
    int cells[16];
    klee_make_symbolic(&i, sizeof i, "i");
    klee_make_symbolic(&j, sizeof j, "j");
    klee_assume(i < 16 & j < 16);
    for (int k = 0; k < 16; k++)
        cells[k] = k * k;
    cells[i] = 1000;
    cells[j] += 5;
    if (cells[3] == 1005)
        return 1; // i == j == 3
    if (cells[j] == 1005)
        return 2;
    return cells[i] == 1000 ? 3 : 4;
}
