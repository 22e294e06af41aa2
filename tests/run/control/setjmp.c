// longjmp out of a callee, with a symbolic value.
// run: --entry run
// paths: finished=3
// exit: 0
// complete: true
#include <setjmp.h>

static jmp_buf back;

static void work(int n) {
    if (n < 0)
        longjmp(back, 3);
    if (n > 100)
        longjmp(back, 0);
}

int run(int n) {
    switch (setjmp(back)) {
    case 0: work(n); return 10;
    case 1: return 11;
    case 3: return 13;
    default: return 14;
    }
}
