// A loop that goes one too far over a local array.
// run: --entry fill
// paths: finished=4 error=1
// exit: 1
// complete: true
int fill(unsigned count) {
    int local[3];
    for (unsigned i = 0; i < count && i < 10; i++)
        local[i] = (int)i; // expect: ptr "local"
    return 0;
}
