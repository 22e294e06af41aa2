// Text to numbers.
// paths: finished=29
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char text[4];
    klee_make_symbolic(text, sizeof text, "text");
    text[3] = 0;
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text)
        return 1;
    if (n == 42)
        return 2;
    if (atoi(text) == -7)
        return 3;
    return *end ? 4 : 5;
}
