// run: --entry follow --all-errors
// Pointers that are inputs: null, new objects, or one that is known already.
// paths: finished=23 error=1
// exit: 1
// complete: true
#include <stddef.h>

struct node {
    int value;
    struct node *next, *other;
};

int follow(struct node *p, struct node *q) {
    int v = p->value; // expect: ptr
    if (p->next) v += p->next->value;
    if (q == p) return -1;
    if (q && q->other == p) v *= 2;
    return v;
}
