// Floats under FENV_ACCESS: clang emits constrained intrinsics for every operation.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

static volatile double a = 1.0 / 3, b = -2.5, c = 1e16;
static volatile float f = 0.1f, g = -7.75f;
static volatile long double l = 1.0L / 7;
static volatile int i = -5;
static volatile unsigned long u = 12345678901234567890ul;

int main(void) {
    printf("%a %a %a %a %a\n", a + b, a - c, a * b, b / a, -b);
    printf("%a %a %a %a\n", f + g, f - g, f * g, g / f);
    printf("%La %La %La\n", l + a, l * l, l / b);
    printf("%d%d%d%d%d%d\n", a < b, a <= b, a > b, a >= b, a == b, a != b);
    printf("%d%d%d\n", f < g, l > a, isless(a, b));
    printf("%d %ld %u %lu\n", (int)b, (long)c, (unsigned)f, (unsigned long)c);
    printf("%a %a %a %a\n", (double)i, (float)u, (double)u, (float)a);
    printf("%a %La %a\n", (double)f, (long double)a, (double)l);
    printf("%a %a %a %a\n", floor(b), ceil(b), trunc(b), round(b));
    printf("%a %a %a\n", rint(b), nearbyint(a), sqrt(c));
    printf("%a %a %a\n", fma(a, b, c), fmin(a, b), fmax(a, b));
    printf("%ld %ld %lld\n", lround(b), lrint(b), llround(a));
    printf("%d\n", fegetround() == FE_TONEAREST);
    double sum = 0;
    for (int k = 1; k < 20; k++) sum += 1.0 / k;
    printf("%a %a %a\n", sum, pow(a, 2.5), exp(f));
    return 0;
}
