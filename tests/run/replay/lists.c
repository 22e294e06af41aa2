// run: --entry sum --pointer-depth 3 --all-errors
// A list of unknown length, possibly with a cycle, walked for a few steps.
// paths: finished=15
// exit: 0
// complete: true
#include <stddef.h>

struct node {
    short value;
    struct node *next;
};

int sum(const struct node *list, int most) {
    int total = 0;
    for (int steps = 0; list && steps < 3 && steps < most; list = list->next, steps++) {
        if (list->value < 0) return -steps;
        total += list->value;
    }
    return total;
}
