// A pointer that is one of several objects: one path for each object that it can be.
// run: --entry write
// paths: finished=5
// exit: 0
// complete: true
static int a, b, c;

int write(int which, int value) {
    int *targets[3] = {&a, &b, &c};
    if (which < 0 || which > 2)
        return -1;
    int *chosen = targets[which];
    *chosen = value;
    return a + 10 * b + 100 * c;
}
