// With --all-errors, every one of them is reported and gets a test.
// run: --all-errors
// paths: error=4
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    unsigned char bits;
    int sum = 0, *p = 0;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    for (int i = 0; i < 2; i++)
        if (bits & 1 << i)
            sum += i;
    return *p + sum; // expect: ptr "null", ptr "null", ptr "null", ptr "null"
}
