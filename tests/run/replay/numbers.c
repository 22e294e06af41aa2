// run: --all-errors
// A number from text, by hand and by the library, must be the same.
// paths: finished=10
// exit: 0
// complete: true
#include <klee/klee.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int parse(const char *s) {
    int sign = 1, value = 0;
    if (*s == '-') sign = -1, s++;
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return sign * value;
}

int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    s[3] = 0;
    klee_assume((s[0] == '-') | ((s[0] >= '0') & (s[0] <= '9')));
    int value = parse(s);
    assert(value == atoi(s));
    printf("%d\n", value);
    return value > 50;
}
