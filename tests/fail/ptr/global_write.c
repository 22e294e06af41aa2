// A global array written at an index that is checked on one side only.
// run: --entry put
// paths: finished=2 error=1
// exit: 1
// complete: true
static int cells[6];

void put(int index, int value) {
    if (index < 6)
        cells[index] = value; // expect: ptr "cells"
}
