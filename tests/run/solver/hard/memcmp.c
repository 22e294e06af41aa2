// 64 bytes are compared with a constant.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>
#include <string.h>
static const char wanted[65] = "The quick brown fox jumps over the lazy dog; 0123456789 and more";
int main(void) {
    char text[64];
    klee_make_symbolic(text, sizeof text, "text");
    if (memcmp(text, wanted, sizeof text) == 0)
        return 1;
    return 0;
}
