// Memory that is too large to be had is not the same as a null pointer.
// run: --entry first --array-len 1000000000000
// paths: unsupported=1
// exit: 3
// complete: false
int first(const int *a) {
    return a[0] == 3; // unsupported: lower --array-len
}
