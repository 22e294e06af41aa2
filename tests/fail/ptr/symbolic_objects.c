// The index chooses among objects; one of them is too small.
// run: --entry pick
// paths: finished=5 error=1 uncertain=4
// exit: 1
// complete: true
static int large[8], small[2], medium[4];

int pick(unsigned which, unsigned index) {
    int *objects[3] = {large, small, medium};
    if (which >= 3 || index >= 4)
        return -1;
    return objects[which][index]; // expect: ptr
}
