// Paths are cut off after so many decisions, and each of them has a test.
// run: --entry f --max-depth 3
// paths: bound=8
// exit: 3
// complete: false
int f(unsigned n) {
    int sum = 0;
    for (int i = 0; i < 6; i++)
        if (n >> i & 1)
            sum += i;
    return sum;
}
