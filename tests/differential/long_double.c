// x87 long double: 64 bits of mantissa, stored in ten bytes.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void show(const char *what, long double x) {
    unsigned char bytes[16] = {0};
    memcpy(bytes, &x, 10);
    if (x != x) {
        printf("%s nan\n", what);
        return;
    }
    printf("%s ", what);
    for (int i = 9; i >= 0; i--) printf("%02x", bytes[i]);
    printf("\n");
}

static volatile long double values[] = {0.0L,     -0.0L,      1.0L,        -1.0L,   1.0L / 3, 2.5L,     -7.25L,          1e4000L,
                                        1e-4000L, LDBL_MAX,   LDBL_MIN,    3.6e-4951L, INFINITY, -INFINITY, NAN, 18446744073709551615.0L,
                                        9223372036854775807.5L, 0.1L, 123456789.0123456789L, -1e-20L};

struct with_long_double {
    char c;
    long double x;
    int after;
};

__attribute__((noinline)) static long double work(int a, long double b, double c, long double d, float e, struct with_long_double s) {
    return a * b + c / d - e + s.x * s.after;
}

__attribute__((noinline)) static struct with_long_double make(long double x) { return (struct with_long_double){'q', x, 5}; }

int main(void) {
    int n = sizeof values / sizeof *values;
    printf("%zu %zu %d\n", sizeof(long double), sizeof(struct with_long_double), LDBL_MANT_DIG);
    for (int i = 0; i < n; i++) {
        long double a = values[i];
        show("value", a);
        show("neg", -a);
        show("abs", fabsl(a));
        printf("%a %a %d%d%d%d %d\n", (double)a, (float)a, isnan(a), !!isinf(a), !!isfinite(a), !!signbit(a), a ? 1 : 0);
        show("floor", floorl(a));
        show("ceil", ceill(a));
        show("trunc", truncl(a));
        if (a >= 0) show("sqrt", sqrtl(a));
        if (a > -2147483649.0L && a < 2147483648.0L) printf("%d\n", (int)a);
        if (a > -9223372036854775809.0L && a < 9223372036854775808.0L) printf("%lld\n", (long long)a);
        if (a > -1 && a < 18446744073709551616.0L) printf("%llu\n", (unsigned long long)a);
        for (int j = 0; j < n; j++) {
            long double b = values[j];
            show("+", a + b);
            show("-", a - b);
            show("*", a * b);
            show("/", a / b);
            printf("%d%d%d%d%d%d\n", a == b, a != b, a < b, a <= b, a > b, a >= b);
        }
    }
    volatile int64_t integers[] = {0, 1, -1, INT64_MAX, INT64_MIN, 9007199254740993, 77};
    for (int i = 0; i < 7; i++) {
        show("from int", (long double)integers[i]);
        show("from unsigned", (long double)(uint64_t)integers[i]);
        show("from short", (long double)(short)integers[i]);
    }
    volatile double d = 0.1;
    volatile float f = -1e-40f;
    show("from double", d);
    show("from float", f);
    struct with_long_double s = make(values[5]);
    show("struct", s.x);
    show("call", work(3, values[4], 2.5, values[6], 1.5f, s));
    long double sum = 0;
    for (int i = 1; i < 100; i++) sum += 1.0L / i;
    sum++;
    sum *= d;
    show("sum", sum);
    printf("%Lf %Le %Lg %La %.30Lf %.3Le\n", sum, sum, sum, sum, sum, values[7]);
    printf("%Lg %Lg %Lf\n", values[9], values[11], values[15]);
    return (int)sum;
}
