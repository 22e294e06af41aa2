// Variadic functions: every kind of argument, in registers and past them, copied lists, lists passed on.
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>

struct small { int a, b; };
struct floats { float a, b, c; };
struct mixed { double d; long l; };
struct big { long a[4]; };
struct odd { char c[11]; };
struct ld { long double x; };
union u { int i; double d; };

// Each letter names the type of the next argument.
static void show(const char *kinds, va_list list) {
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': printf(" %d", va_arg(list, int)); break;
        case 'u': printf(" %u", va_arg(list, unsigned)); break;
        case 'l': printf(" %ld", va_arg(list, long)); break;
        case 'c': printf(" %c", va_arg(list, int)); break;
        case 'd': printf(" %g", va_arg(list, double)); break;
        case 'L': printf(" %Lg", va_arg(list, long double)); break;
        case 's': printf(" %s", va_arg(list, const char *)); break;
        case 'f': printf(" %d", va_arg(list, int (*)(int))(20)); break;
        case 'p': {
            struct small s = va_arg(list, struct small);
            printf(" {%d,%d}", s.a, s.b);
            break;
        }
        case 't': {
            struct floats s = va_arg(list, struct floats);
            printf(" {%g,%g,%g}", s.a, s.b, s.c);
            break;
        }
        case 'm': {
            struct mixed s = va_arg(list, struct mixed);
            printf(" {%g,%ld}", s.d, s.l);
            break;
        }
        case 'b': {
            struct big s = va_arg(list, struct big);
            printf(" {%ld,%ld}", s.a[0], s.a[3]);
            break;
        }
        case 'o': {
            struct odd s = va_arg(list, struct odd);
            printf(" {%s}", s.c);
            break;
        }
        case 'D': {
            struct ld s = va_arg(list, struct ld);
            printf(" {%Lg}", s.x);
            break;
        }
        case 'U': {
            union u s = va_arg(list, union u);
            printf(" {%g}", s.d);
            break;
        }
        case 'w': {
            __int128 w = va_arg(list, __int128);
            printf(" %llx:%llx", (unsigned long long)((unsigned __int128)w >> 64), (unsigned long long)w);
            break;
        }
        }
    }
    printf("\n");
}

__attribute__((noinline)) static void print(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    show(kinds, list);
    va_end(list);
}

// Twice over the same arguments.
__attribute__((noinline)) static void twice(int dummy, double other, const char *kinds, ...) {
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    show(kinds, list);
    show(kinds, again);
    va_end(list);
    va_end(again);
    printf("%d %g\n", dummy, other);
}

__attribute__((noinline)) static long sum(int count, ...) {
    va_list list;
    va_start(list, count);
    long total = 0;
    for (int i = 0; i < count; i++) total = total * 3 + va_arg(list, int);
    va_end(list);
    return total;
}

__attribute__((noinline)) static double average(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0;
    for (int i = 0; i < count; i++) total += va_arg(list, double) / (i + 1);
    va_end(list);
    return total;
}

// The copy is taken in the middle, and both go on by themselves.
static int middle(int n, ...) {
    va_list a, b;
    va_start(a, n);
    int first = va_arg(a, int);
    va_copy(b, a);
    int x = va_arg(a, int) + va_arg(a, int);
    int y = va_arg(b, int) * 10;
    va_end(a);
    va_end(b);
    return first * 1000 + x + y;
}

static void format_into(char *buffer, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, size, format, list);
    va_end(list);
}

static struct big returns_struct(int n, ...) {
    va_list list;
    va_start(list, n);
    struct big b;
    for (int i = 0; i < 4; i++) b.a[i] = va_arg(list, long);
    va_end(list);
    return b;
}

static int recursive(int depth, ...) {
    va_list list;
    va_start(list, depth);
    int a = va_arg(list, int), b = va_arg(list, int);
    va_end(list);
    return depth == 0 ? a + b : recursive(depth - 1, b, a + b);
}

static int plus_one(int x) { return x + 1; }

int main(void) {
    struct small p = {1, -2};
    struct floats t = {0.5f, 1.5f, 2.5f};
    struct mixed m = {3.25, 77};
    struct big b = {{1, 2, 3, 4}};
    struct odd o = {"odd struct"};
    struct ld ld = {1.0L / 3};
    union u u = {.d = 6.5};
    __int128 w = ((__int128)0x1234 << 80) | 5;
    print("");
    print("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, -10);
    print("dddddddddddd", 1.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.5, 11.0, -12.0);
    print("idididididididididid", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5);
    print("LiLdL", 1.25L, 5, -2.5L, 7.5, 1e1000L);
    print("pppppp", p, p, p, p, p, p);
    print("ipdtimlbocsfu", 1, p, 2.5, t, 3, m, 123456789012l, b, o, 'c', "str", plus_one, 4000000000u);
    print("tttttt", t, t, t, t, t, t);
    print("mmmmmmmm", m, m, m, m, m, m, m, m);
    print("iDLD", 9, ld, 2.0L, ld);
    print("oooo", o, o, o, o);
    print("wwiwiwiiw", w, -w, 2, w, 3, w, 4, 5, -w);
    print("UiUdU", u, 1, u, 2.0, u);
    print("iiiiibi", 1, 2, 3, 4, 5, b, 6);
    print("cic", (char)'a', (short)-5, (unsigned char)'z');
    print("d", (double)(float)0.1f);
    twice(4, 2.5, "iidLpsb", 1, 2, 3.5, 4.5L, p, "text", b);
    twice(4, 2.5, "ddddddddddii", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11, 12);
    printf("%ld %ld\n", sum(3, 1, 2, 3), sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    printf("%g %g\n", average(2, 1.0, 2.0), average(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));
    printf("%d\n", middle(1, 2, 3, 4));
    char buffer[100];
    format_into(buffer, sizeof buffer, "%d-%s-%5.2f-%c-%ld-%x-%d-%d", 5, "five", 5.555, 'V', 5l, 0x55, 6, 7);
    puts(buffer);
    struct big r = returns_struct(0, 10l, 20l, 30l, 40l);
    printf("%ld %ld\n", r.a[0], r.a[3]);
    printf("%d\n", recursive(10, 0, 1));
    void (*pointer)(const char *, ...) = print;
    pointer("id", 3, 4.5);
    return 0;
}
