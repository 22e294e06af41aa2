// A printf of symbolic values ends nothing and forks nothing.
// paths: finished=1
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    int n;
    char c, text[4];
    unsigned long u;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&c, sizeof c, "c");
    klee_make_symbolic(&u, sizeof u, "u");
    klee_make_symbolic(text, sizeof text, "text");
    text[3] = 0;
    printf("n=%d %5d %-4d| %x %#o %u\n", n, n, n, (unsigned)n, (unsigned)n, (unsigned)n);
    printf("%c %s %.2s %lu %%\n", c, text, text, u);
    putchar(c);
    puts("done");
    fprintf(stderr, "%d\n", n);
    return n > 0;
}
