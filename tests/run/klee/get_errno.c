// The executor's errno is the program's.
// paths: finished=2
// exit: 0
// complete: true
#include <errno.h>
#include <klee/klee.h>

int main(void) {
    int n = klee_int("n");
    errno = 0;
    if (n > 3)
        errno = ERANGE;
    return klee_get_errno();
}
