// float and double: arithmetic, comparison and conversion on every kind of value, infinities, NaNs and subnormals too.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits64(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    // Which NaN comes out of an operation on NaNs is up to the compiler.
    return d != d ? 0x7ff8000000000000 : u;
}

static uint32_t bits32(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return f != f ? 0x7fc00000 : u;
}

static volatile double doubles[] = {0.0,      -0.0,    1.0,      -1.0,       0.5,     3.0,    1.0 / 3,  -2.5,      1e10,
                                    -1e-10,   1e300,   1e-300,   DBL_MAX,    DBL_MIN, 5e-324, -5e-324,  INFINITY,  -INFINITY,
                                    NAN,      2147483647.0, -2147483648.5, 4294967295.0, 9.2e18, 1e-308, 0.1, 4503599627370497.5};

static volatile float floats[] = {0.0f,   -0.0f,  1.0f,   -1.0f,    0.5f,      3.0f, 1.0f / 3, -2.5f,    1e10f, -1e-10f,
                                  1e38f,  1e-38f, FLT_MAX, FLT_MIN, 1e-45f, -1e-45f, INFINITY, -INFINITY, NAN,  16777217.0f, 0.1f};

static void double_pairs(double a, double b) {
    printf("%016llx %016llx %016llx %016llx", (long long)bits64(a + b), (long long)bits64(a - b), (long long)bits64(a * b),
           (long long)bits64(a / b));
    printf(" %d%d%d%d%d%d%d", a == b, a != b, a < b, a <= b, a > b, a >= b, __builtin_isunordered(a, b));
    printf("%d%d%d%d%d", isless(a, b), islessequal(a, b), isgreater(a, b), isgreaterequal(a, b), islessgreater(a, b));
    printf(" %016llx %016llx %016llx", (long long)bits64(fmin(a, b)), (long long)bits64(fmax(a, b)),
           (long long)bits64(copysign(a, b)));
    printf(" %016llx\n", (long long)bits64(fmod(a, b)));
}

static void float_pairs(float a, float b) {
    printf("%08x %08x %08x %08x", bits32(a + b), bits32(a - b), bits32(a * b), bits32(a / b));
    printf(" %d%d%d%d%d%d", a == b, a != b, a < b, a <= b, a > b, a >= b);
    printf(" %08x %08x %08x\n", bits32(fminf(a, b)), bits32(fmaxf(a, b)), bits32(copysignf(a, b)));
}

static void double_alone(double d) {
    printf("%a %016llx %08x %016llx", d, (long long)bits64(-d), bits32((float)d), (long long)bits64(fabs(d)));
    printf(" %d%d%d%d%d %d", isnan(d), !!isinf(d), !!isfinite(d), !!isnormal(d), !!signbit(d), fpclassify(d));
    printf(" %d%d %d\n", __builtin_issubnormal(d), __builtin_iszero(d), __builtin_isinf_sign(d));
    printf(" %a %a %a %a %a %a\n", floor(d), ceil(d), trunc(d), round(d), rint(d), nearbyint(d));
    if (d >= 0) printf(" %a", sqrt(d));
    if (d > -2147483649.0 && d < 2147483648.0) printf(" %d", (int)d);
    if (d > -1 && d < 4294967296.0) printf(" %u", (unsigned)d);
    if (d > -9e18 && d < 9.2e18) printf(" %lld %ld %ld", (long long)d, lround(d), lrint(d));
    if (d > -1 && d < 1.8e19) printf(" %llu", (unsigned long long)d);
    if (d > -32769 && d < 32768) printf(" %d", (short)d);
    if (d > -129 && d < 128) printf(" %d", (signed char)d);
    printf(" %d\n", !!(_Bool)d);
    int exponent = 0;
    if (isfinite(d)) printf(" %a", frexp(d, &exponent));
    double whole, part = modf(d, &whole);
    printf(" %d %a %a %a\n", exponent, isinf(d) ? 0 : part, whole, ldexp(d, 3));
}

static void float_alone(float f) {
    printf("%a %08x %016llx %08x", f, bits32(-f), (long long)bits64(f), bits32(fabsf(f)));
    printf(" %d%d%d%d%d\n", isnan(f), !!isinf(f), !!isfinite(f), !!isnormal(f), !!signbit(f));
    printf(" %a %a %a %a %a\n", floorf(f), ceilf(f), truncf(f), roundf(f), rintf(f));
    if (f >= 0) printf(" %a", sqrtf(f));
    if (f > -2147483649.0f && f < 2147483648.0f) printf(" %d", (int)f);
    if (f > -1 && f < 4294967296.0f) printf(" %u", (unsigned)f);
    if (f > -9e18f && f < 9.2e18f) printf(" %lld", (long long)f);
    if (f > -1 && f < 1.8e19f) printf(" %llu", (unsigned long long)f);
    printf(" %d\n", f ? 1 : 0);
}

static volatile int64_t integers[] = {0, 1, -1, 16777217, -16777219, 9007199254740993, INT64_MAX, INT64_MIN, 123456789, 0x7fffffff};

int main(void) {
    int n = sizeof doubles / sizeof *doubles, m = sizeof floats / sizeof *floats;
    for (int i = 0; i < n; i++) {
        double_alone(doubles[i]);
        for (int j = 0; j < n; j++) double_pairs(doubles[i], doubles[j]);
    }
    for (int i = 0; i < m; i++) {
        float_alone(floats[i]);
        for (int j = 0; j < m; j++) float_pairs(floats[i], floats[j]);
    }
    for (int i = 0; i < 10; i++) {
        int64_t x = integers[i];
        printf("%a %a %a %a", (double)x, (double)(uint64_t)x, (float)x, (float)(uint64_t)x);
        printf(" %a %a %a %a", (double)(int)x, (double)(unsigned)x, (float)(int)x, (float)(unsigned)x);
        printf(" %a %a %a\n", (float)(short)x, (float)(unsigned char)x, (double)(_Bool)x);
    }
    // Sums that depend on the order, and a chain of roundings.
    double sum = 0;
    float fsum = 0;
    for (int i = 1; i < 500; i++) {
        sum += 1.0 / i;
        fsum += 1.0f / (float)i;
        sum = sum * 1.0000001 - (double)fsum / 1e6;
    }
    printf("%a %a\n", sum, fsum);
    float f = floats[2];
    f++;
    f += 0.1;
    f *= 3;
    f /= 7;
    f--;
    printf("%a %a %a\n", f, fma(doubles[6], 3.0, -1.0), fmaf(floats[6], 3.0f, -1.0f));
    printf("%a %a %a\n", nextafter(1.0, 2.0), fdim(3.0, doubles[2]), hypot(3.0, 4.0));
    return 0;
}
