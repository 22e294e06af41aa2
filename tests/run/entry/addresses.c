// What depends on where objects lie promises nothing natively; orders and differences within an object, tests for null and
// alignment do not depend on it.
// run: --entry f
// paths: finished=27 uncertain=4
// exit: 0
// complete: true
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int f(int which, char *p, char *q, int *a) {
    switch (which) {
    case 0: // an order between unrelated objects: uncertain where both are objects, and not the same
        return p < q;
    case 1: // what comes of a hash
        return p ? ((uintptr_t)p * 31 >> 7) % 5 == 2 : 7;
    case 2: // where in its object
        return a ? (a + 2) - (a + 1) + (&a[3] > &a[1]) : 3;
    case 3: // the alignment of malloc
        return a ? ((uintptr_t)a & 7) == 0 && ((uintptr_t)a & 15) == 0 : 3;
    case 4: // a tag in the low bits, taken off again
        return a ? *(int *)(((uintptr_t)a | 1) & ~(uintptr_t)1) == 5 : 3;
    case 5: // never equal, wherever they are
        return (void *)p == (void *)a ? p == NULL : p != NULL && p == q;
    case 6: // printed
        if (p)
            printf("%p\n", (void *)p);
        return 0;
    case 7: // glibc prints a null string
        printf("%s\n", p);
        return 0;
    case 8: { // on the heap
        char *one = malloc(4), *two = malloc(4);
        int order = one && two && one < two;
        free(one);
        free(two);
        return order;
    }
    default:
        return -1;
    }
}
