// klee_report_error, with a message of the user's own.
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <klee/klee.h>

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n == 1000)
        klee_report_error(__FILE__, __LINE__, "a thousand", "user"); // expect: user "a thousand"
    return 0;
}
