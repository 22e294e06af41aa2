// A function that promised not to return does.
// run: --entry run
// paths: finished=3 error=1
// exit: 1
// complete: true
#include <stdlib.h>

static int counter;

__attribute__((noreturn)) static void fail(int code) {
    counter = code;
    if (code != 3)
        for (;;)
            if (counter == code)
                exit(code);
} // expect: unreachable

int run(int code) {
    if (code > 1 && code < 5)
        fail(code);
    return 0;
}
