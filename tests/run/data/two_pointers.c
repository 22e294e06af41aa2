// Two pointers of the same type may be the same object, or not.
// run: --entry same --array-len 1
// paths: finished=4
// exit: 0
// complete: true
int same(int *a, int *b) {
    if (!a || !b)
        return -1;
    *a = 1;
    *b = 2;
    return *a == 2;
}
