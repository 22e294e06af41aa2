// Eight paths end at the same place with the same kind of error: all are counted, one gets a test.
// paths: error=8
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned char bits;
    int sum = 0, *p = 0;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    for (int i = 0; i < 3; i++)
        if (bits & 1 << i)
            sum += i;
    return *p + sum; // expect: ptr "null"
}
