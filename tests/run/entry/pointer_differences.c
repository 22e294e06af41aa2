// Differences of pointers that are inputs: what they lead to is decided first, and a length is then a number like any other.
// run: --entry f
// paths: finished=15 uncertain=10
// exit: 0
// complete: true
static int log2_of(long n) {
    int result = 0;
    while (n > 1) {
        n >>= 1;
        result++;
    }
    return result;
}

int f(const int *first, const int *last, const int *base) {
    int length = (int)(last - first);
    if (log2_of(length) > 3)
        return last - base > 4;
    return base == first;
}
