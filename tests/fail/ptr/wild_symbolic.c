// The address itself is an input: it can be anything.
// replay: no the objects lie at other addresses natively
// paths: finished=3 error=1 uncertain=4
// exit: 1
// complete: true
#include <klee/klee.h>
#include <stdint.h>

static int target = 5;

int main(void) {
    uintptr_t address;
    klee_make_symbolic(&address, sizeof address, "address");
    klee_assume(address != (uintptr_t)&target);
    return *(char *)address == 1; // expect: ptr
}
