// A function of any number of arguments of several types.
// run: --entry total
// paths: finished=1
// exit: 0
// complete: true
#include <stdarg.h>

struct point {
    long x, y, z;
};

static long sum(const char *types, ...) {
    long total = 0;
    va_list list, again;
    va_start(list, types);
    va_copy(again, list);
    total += va_arg(again, int);
    va_end(again);
    for (; *types; types++) {
        switch (*types) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long); break;
        case 'd': total += (long)va_arg(list, double); break;
        case 'p': total += va_arg(list, struct point).z; break;
        case 's': total += *va_arg(list, const char *); break;
        }
    }
    va_end(list);
    return total;
}

int total(int n, long m) {
    struct point p = {1, 2, m};
    return sum("ildps", n, m, 4.75, p, "A") == 1000;
}
