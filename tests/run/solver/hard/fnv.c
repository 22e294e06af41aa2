// A hash is inverted.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdint.h>

enum { N = 4, HASH = 0xce7d5a3b };

int main(void) {
    unsigned char text[N];
    klee_make_symbolic(text, sizeof text, "text");
    uint32_t hash = 0x811c9dc5u;
    for (int i = 0; i < N; i++)
        hash = (hash ^ text[i]) * 0x01000193u;
    if (hash == (uint32_t)HASH)
        return 1;
    return 0;
}
