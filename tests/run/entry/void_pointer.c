// A void pointer leads to some bytes.
// run: --entry peek --array-len 1
// paths: finished=2
// exit: 0
// complete: true
int peek(const void *p) {
    return p ? *(const unsigned char *)p == 9 : -1;
}
