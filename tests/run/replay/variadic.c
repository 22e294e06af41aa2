// run: --all-errors
// Unknown values as variable arguments.
// paths: finished=1
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdarg.h>
#include <stdio.h>

struct pair {
    int a, b;
};

static long total(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    long sum = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'i') sum += va_arg(list, int);
        else if (*kinds == 'd') sum += va_arg(list, double) > 0.5;
        else if (*kinds == 'p') {
            struct pair p = va_arg(list, struct pair);
            sum += p.a == p.b ? 100 : 1;
        }
    }
    va_end(list);
    return sum;
}

int main(void) {
    int x;
    struct pair p;
    double d;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&p, sizeof p, "p");
    klee_make_symbolic(&d, sizeof d, "d");
    long sum = total("ipdiiiiiip", x, p, d, 1, 2, 3, 4, 5, x, p);
    printf("%ld\n", sum);
    return sum > 100;
}
