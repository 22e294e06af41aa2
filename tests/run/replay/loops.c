// run: --all-errors
// paths: finished=6
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    int n = klee_range(0, 6, "n"), sum = 0;
    for (int i = 0; i < n; i++) sum += i * n;
    printf("%d %d\n", n, sum);
    return sum;
}
