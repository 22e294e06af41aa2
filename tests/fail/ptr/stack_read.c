// A local array read past its end; the sibling, with a good index, goes on.
// run: --entry pick
// paths: finished=3 error=1
// exit: 1
// complete: true
int pick(int index) {
    int local[4] = {1, 2, 3, 4};
    if (index < 0 || index > 4)
        return -1;
    return local[index]; // expect: ptr "local"
}
