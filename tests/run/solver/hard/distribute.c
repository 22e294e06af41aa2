// Multiplication distributes over addition, at every width.
// paths: finished=1
// exit: 0
// complete: true
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>

#define CHECK(TYPE)                                                 \
    do {                                                            \
        TYPE x, y;                                                  \
        klee_make_symbolic(&x, sizeof x, "x " #TYPE);               \
        klee_make_symbolic(&y, sizeof y, "y " #TYPE);               \
        assert((TYPE)(x * (TYPE)(y + 1)) == (TYPE)(x * y + x));     \
    } while (0)

int main(void) {
    CHECK(uint8_t);
    CHECK(uint16_t);
    CHECK(uint32_t);
    CHECK(uint64_t);
    return 0;
}
