// One frame is larger than the whole stack.
// run: --entry fill
// paths: error=1
// exit: 1
// complete: true
static int use(char *bytes) {
    bytes[0] = 1;
    return bytes[0];
}

int fill(int deep) { // expect: stack
    if (deep) {
        char bytes[16 << 20];
        return use(bytes);
    }
    return 0;
}
