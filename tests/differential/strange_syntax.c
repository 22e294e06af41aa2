// What C allows and clang extends: _Generic, compound literals, statement expressions, cleanup, K&R, designators, musttail.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KIND(x) _Generic((x), int: "int", long: "long", double: "double", char *: "text", default: "other")
#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        __auto_type a_ = (a);                                                                                          \
        __auto_type b_ = (b);                                                                                          \
        a_ > b_ ? a_ : b_;                                                                                             \
    })

static void done(int *p) { printf("cleanup %d\n", *p); }

static int with_cleanup(int n) {
    __attribute__((cleanup(done))) int a = n;
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(done))) int b = n * 10 + i;
        if (i == 1) return b;
    }
    return a;
}

int old_style(a, b, c)
int a;
char b;
float c;
{
    return a + b + (int)c;
}

typedef int row[3];
struct point {
    int x, y;
};
static int length2(struct point p) { return p.x * p.x + p.y * p.y; }
static int sum_rows(row *rows, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) total += rows[i][j] * (i + 1);
    return total;
}

struct anonymous {
    int kind;
    union {
        struct {
            short low, high;
        };
        int whole;
    };
    struct {
        int x, y;
    };
};

static long count_down(long n, long sum) {
    if (n == 0) return sum;
    __attribute__((musttail)) return count_down(n - 1, sum + n);
}

static inline int inline_add(int a, int b) { return a + b; }
extern inline __attribute__((always_inline)) int forced(int a) { return a * 2; }
__attribute__((noinline, pure)) static int pure_one(int x) { return x * x; }

static const char *stringify(int n) {
    static char buffers[4][16];
    static int next;
    char *b = buffers[next++ & 3];
    snprintf(b, 16, "<%d>", n);
    return b;
}

enum flags { A = 1 << 0, B = 1 << 1, C = A | B, D = -1 };
enum wide : unsigned long long { BIG = 1ull << 40 };

struct bits_and_bools {
    bool a : 1;
    bool b;
    enum flags f : 3;
};

static volatile int v = 4;

int main(void) {
    long l = 1;
    printf("%s %s %s %s %s\n", KIND(v), KIND(l), KIND(1.5), KIND((char *)"x"), KIND('a' == 'b' ? 1u : 2u));
    printf("%d %g\n", MAX(v, 3), MAX(1.5, (double)v));
    printf("%d\n", with_cleanup(v));
    printf("%d\n", old_style(v, 'a', 2.75f));
    printf("%d %d\n", length2((struct point){v, 3}), sum_rows((row[]){{1, 2, 3}, {4, 5, v}}, 2));
    int *array = (int[]){[5] = 1, 2, [1] = v};
    printf("%d %d %d\n", array[1], array[5], array[6]);
    struct anonymous an = {.kind = 1, .whole = 0x10002};
    an.high++;
    an.x = v;
    printf("%d %d %x %d\n", an.low, an.high, an.whole, an.x);
    printf("%ld\n", count_down(1000, 0));
    printf("%d %d %d\n", inline_add(v, 1), forced(v), pure_one(v) + pure_one(v));
    printf("%s %s %s\n", stringify(1), stringify(2), stringify(v));
    struct bits_and_bools b = {v, 2, C};
    b.a ^= 1;
    b.f = D;
    printf("%d %d %d %d\n", b.a, b.b, b.f, (int)sizeof b);
    enum wide w = BIG;
    printf("%llu %d\n", (unsigned long long)w * 2, (int)sizeof w);
    int x = v, y;
    asm volatile("" : "+r"(x) : : "memory");
    asm("" : "=r"(y) : "0"(x + 1));
    printf("%d %d\n", x, y);
    volatile uintptr_t unaligned = 0x1003;
    char *end = __builtin_align_up((char *)unaligned, 16);
    printf("%zx %zx %d\n", (size_t)end, (size_t)__builtin_align_down(unaligned, 256), __builtin_is_aligned(unaligned, 2));
    for (int p = 0, q = 10; p < q; p += 3, q--) printf("%d,%d ", p, q);
    printf("\n%d %d\n", sizeof(char[v]) == 4, (int)sizeof(int[v][2]));
    goto *(v > 3 ? &&yes : &&no);
yes:
    printf("%s\n", (v ?: 7) > 3 ? "elvis" : "");
no:
    printf("%d %d\n", 'ab' == 'a' * 256 + 'b', L'\x1f600' > 0xffff);
    printf("%s\n", __PRETTY_FUNCTION__);
    if (0) {
    dead:
        printf("jumped into dead code\n");
        return x;
    }
    goto dead;
}
