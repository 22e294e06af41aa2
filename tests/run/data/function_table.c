// A call through a table, at a symbolic index: one path per function.
// run: --entry run
// paths: finished=4
// exit: 0
// complete: true
static int add(int a, int b) {
    return a + b;
}
static int take(int a, int b) {
    return a - b;
}
static int both(int a, int b) {
    return a & b;
}

static int (*const table[])(int, int) = {add, take, both};

int run(unsigned char which, int a, int b) {
    return which < 3 ? table[which](a, b) : 0;
}
