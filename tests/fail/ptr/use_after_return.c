// A local is used after its function has returned.
// replay: no the address sanitizer does not look for this unless asked to
// run: --entry use
// paths: finished=1 error=1
// exit: 1
// complete: true
static int *leak(int value) {
    int local = value;
    int *p = &local;
    return p;
}

int use(int value) {
    int *p = leak(value);
    return value > 3 ? *p : 0; // expect: ptr
}
