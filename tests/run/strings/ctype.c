// Character classes.
// paths: finished=5
// exit: 0
// complete: true
#include <ctype.h>
#include <klee/klee.h>

int main(void) {
    unsigned char c;
    klee_make_symbolic(&c, sizeof c, "c");
    if (isdigit(c))
        return 1;
    if (isalpha(c))
        return isupper(c) ? tolower(c) : toupper(c);
    if (isspace(c))
        return 2;
    return ispunct(c) ? 3 : 4;
}
