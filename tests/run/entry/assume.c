// Preconditions in C, over parameters, fields, globals and macros.
// run: --entry f --assume 'n > LOW && n < high' --assume 'p && p->size == 2' --array-len 1
// paths: finished=1
// exit: 0
// complete: true
#define LOW 3

static int high = 6;

struct box {
    int size;
    int items[2];
};

int f(int n, struct box *p) {
    if (n <= 3 || n >= 6)
        return -1;
    if (p->size != 2)
        return -2;
    return p->items[n - 4] > 0;
}
