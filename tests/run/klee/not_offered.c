// What has no meaning here is said to have none, not passed over: the paths after it would not be the program's.
// paths: finished=1 unsupported=2
// exit: 3
// complete: false
#include <klee/klee.h>

static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }

int main(void) {
    int n = klee_int("n");
    if (n == 1) {
        klee_alias_function("one", "two"); // unsupported: klee_alias_function
        return one(n);
    }
    if (n == 2) {
        char *port = (char *)0x30000000;
        klee_define_fixed_object(port, 16); // unsupported: klee_define_fixed_object
        port[3] = 7;
    }
    return two(n);
}
