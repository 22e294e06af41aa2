// run: --all-errors
// Strings: how many distinct ways they can be of a length, a prefix, a word.
// paths: finished=32
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[5];
    klee_make_symbolic(s, sizeof s, "s");
    s[4] = 0;
    if (!strcmp(s, "yes")) return puts("affirmative"), 1;
    if (!strncmp(s, "no", 2)) return puts("negative"), 2;
    if (strchr(s, '!')) return puts("loud"), 3;
    printf("%zu [%s]\n", strlen(s), s);
    return 0;
}
