// run: --all-errors
// Every way to misuse the heap.
// paths: finished=1 error=4
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int which = klee_range(0, 5, "which");
    int *a = malloc(8), *b = malloc(8), local = 3;
    a[0] = 1, b[0] = 2;
    switch (which) {
    case 0: free(a); return a[0]; // expect: ptr
    case 1: free(a); free(b); free(a); break; // expect: free
    case 2: free(a + 1); break; // expect: free
    case 3: free(&local); break; // expect: free
    default: free(a); free(b); return 4;
    }
    return 0;
}
