// A linked node is written after it was freed by another function.
// run: --entry drop
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdlib.h>

struct node {
    struct node *next;
    int mark;
};

static void release(struct node *n) {
    free(n);
}

int drop(int times) {
    struct node *n = malloc(sizeof *n);
    n->next = 0;
    if (times == 1)
        release(n);
    n->mark = times; // expect: ptr "freed"
    if (times != 1)
        release(n);
    return 0;
}
