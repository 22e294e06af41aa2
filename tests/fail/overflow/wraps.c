// Without the flag it wraps, as with -fwrapv.
// run: --entry compute
// paths: finished=1
// exit: 0
// complete: true
int compute(int a) {
    int next = a + 1;
    return next < a ? 1 : 0;
}
