// run: --entry shift --all-errors
// paths: finished=3 error=3
// exit: 1
// complete: true
unsigned shift(unsigned x, int n, long long wide) {
    if (n & 1) return x << n; // expect: overshift
    if (n & 2) return (unsigned)(wide >> n); // expect: overshift
    return (unsigned)(int)x >> n; // expect: overshift
}
