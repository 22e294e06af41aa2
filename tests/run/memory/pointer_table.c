// Pointers stored and found again under a symbolic index are the program's own, so that natively the same objects are met: no path is uncertain.
// paths: finished=4
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

struct entry {
    int key;
    struct entry *next;
};

static struct entry *table[4];

static void add(unsigned hash, int key) {
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->next = table[hash % 4];
    table[hash % 4] = entry;
}

int main(void) {
    unsigned a = klee_int("a"), b = klee_int("b"), c = klee_int("c");
    add(a, 1);
    add(b, 2);
    int sum = 0;
    for (struct entry *entry = table[c % 4]; entry; entry = entry->next)
        sum = 10 * sum + entry->key;
    return sum;
}
