// Two kinds at one line are two findings.
// run: --entry f
// paths: finished=1 error=2
// exit: 1
// complete: true
int f(unsigned i, int d) {
    int a[2] = {1, 2};
    return a[i] / d; // expect: ptr, div
}
