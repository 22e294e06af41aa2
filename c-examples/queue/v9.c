// A queue as a linked list, version 1: put at the end, take from the front.
#include <klee/klee.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int value;
};

struct queue {
    struct item *first, *last;
    int length;
};

static void put(struct queue *queue, int value) {
    struct item *item = malloc(sizeof *item);
    item->next = NULL;
    item->value = value;
    if (queue->last)
        queue->last->next = item;
    else
        queue->first = item;
    queue->last = item;
    queue->length++;
}

// Takes the first value; -1 if there is none.
static int take_first(struct queue *queue) {
    struct item *item = queue->first;
    if (!item)
        return -1;
    int value = item->value;
    queue->first = item->next;
    if (!queue->first)
        queue->last = NULL;
    free(item);
    queue->length--;
    return value;
}

static void clear(struct queue *queue) {
    while (queue->length > 0)
        take_first(queue);
}

// Carries out four orders.
int main(void) {
    struct queue queue = {0};
    unsigned char orders[4];
    int next = 0, expected = 0;
    klee_make_symbolic(orders, sizeof orders, "orders");
    for (int i = 0; i < 4; i++) {
        switch (orders[i]) {
        case 0: put(&queue, next++); break;
        case 1:
            if (queue.length > 0)
                klee_assert(take_first(&queue) == expected++);
            else
                klee_assert(take_first(&queue) == -1);
            break;
        default: clear(&queue); expected = next;
        }
    }
    clear(&queue);
    return next;
}
