// Compiler builtins: bit counts, byte orders, overflow checks, minima, hints, object sizes.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t values[] = {1, 2, 3, 0x80, 0xff, 0x8000, 0x12345678, 0x80000000, 0xffffffff, 0x123456789abcdef0, 0x8000000000000000, UINT64_MAX};

#define OVERFLOW(T, FORMAT)                                                                                            \
    static void overflow_##T(T a, T b) {                                                                               \
        T r;                                                                                                           \
        int o = __builtin_add_overflow(a, b, &r);                                                                      \
        printf(FORMAT " %d ", r, o);                                                                                   \
        o = __builtin_sub_overflow(a, b, &r);                                                                          \
        printf(FORMAT " %d ", r, o);                                                                                   \
        o = __builtin_mul_overflow(a, b, &r);                                                                          \
        printf(FORMAT " %d\n", r, o);                                                                                  \
    }
OVERFLOW(int8_t, "%d")
OVERFLOW(uint8_t, "%u")
OVERFLOW(int16_t, "%d")
OVERFLOW(uint16_t, "%u")
OVERFLOW(int32_t, "%d")
OVERFLOW(uint32_t, "%u")
OVERFLOW(int64_t, "%ld")
OVERFLOW(uint64_t, "%lu")

static void wide_overflow(__int128 a, __int128 b) {
    __int128 r;
    int o = __builtin_add_overflow(a, b, &r);
    printf("%llx %d ", (unsigned long long)(r >> 64), o);
    o = __builtin_sub_overflow(a, b, &r);
    printf("%llx %d ", (unsigned long long)(r >> 64), o);
    o = __builtin_mul_overflow(a, b, &r);
    printf("%llx %llx %d\n", (unsigned long long)(r >> 64), (unsigned long long)r, o);
    unsigned __int128 u;
    o = __builtin_mul_overflow((unsigned __int128)a, (unsigned __int128)b, &u);
    printf("%llx %llx %d\n", (unsigned long long)(u >> 64), (unsigned long long)u, o);
}

// Operands and result of different types.
static void mixed(int64_t a, uint32_t b) {
    int16_t s;
    uint8_t c;
    uint64_t w;
    int o1 = __builtin_add_overflow(a, b, &s), o2 = __builtin_mul_overflow(a, b, &c), o3 = __builtin_sub_overflow(a, b, &w);
    printf("%d %d %d %d %lu %d\n", s, o1, c, o2, w, o3);
}

// What people write for saturation; -O2 may find the intrinsic.
static uint8_t sat_add(uint8_t a, uint8_t b) {
    unsigned s = a + b;
    return s > 255 ? 255 : (uint8_t)s;
}
static uint32_t sat_sub(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }
static uint32_t sat_add32(uint32_t a, uint32_t b) {
    uint32_t s = a + b;
    return s < a ? UINT32_MAX : s;
}
static int16_t clamp(int v) { return v < -32768 ? -32768 : v > 32767 ? 32767 : (int16_t)v; }
static int sat_signed(int a, int b) {
    int r;
    if (__builtin_sadd_overflow(a, b, &r)) return a < 0 ? INT_MIN : INT_MAX;
    return r;
}

struct sized {
    char a[10];
    int b;
    char c[7];
};

__attribute__((noinline)) static size_t unknown_size(void *p) { return __builtin_object_size(p, 0); }

__attribute__((noinline, cold)) static void never(void) { __builtin_unreachable(); }

int main(void) {
    for (int i = 0; i < 12; i++) {
        uint64_t v = values[i];
        uint32_t w = (uint32_t)v ? (uint32_t)v : 1;
        printf("%d %d %d %d %d %d\n", __builtin_popcount(w), __builtin_popcountll(v), __builtin_clz(w), __builtin_clzll(v),
               __builtin_ctz(w), __builtin_ctzll(v));
        printf("%d %d %d %d %d\n", __builtin_ffs((int)w), __builtin_ffsll((long long)v), __builtin_parity(w), __builtin_parityll(v),
               __builtin_clrsb((int)w));
        printf("%x %x %lx %d\n", __builtin_bswap16((uint16_t)v), __builtin_bswap32(w), __builtin_bswap64(v), __builtin_clrsbll((long long)v));
        printf("%x %x %x %lx\n", __builtin_bitreverse8((uint8_t)v), __builtin_bitreverse16((uint16_t)v), __builtin_bitreverse32(w),
               __builtin_bitreverse64(v));
        printf("%d %d %d %d\n", __builtin_clzg((unsigned char)v, 99), __builtin_ctzg((unsigned short)v, 98),
               __builtin_popcountg((unsigned __int128)v << 60 | v), __builtin_clzg((unsigned __int128)v << 33));
        printf("%d %ld %lld\n", abs((int)w), labs((long)v), llabs((long long)v));
        for (int j = 0; j < 12; j++) {
            uint64_t u = values[j];
            overflow_int8_t((int8_t)v, (int8_t)u);
            overflow_uint8_t((uint8_t)v, (uint8_t)u);
            overflow_int16_t((int16_t)v, (int16_t)u);
            overflow_uint16_t((uint16_t)v, (uint16_t)u);
            overflow_int32_t((int32_t)v, (int32_t)u);
            overflow_uint32_t((uint32_t)v, (uint32_t)u);
            overflow_int64_t((int64_t)v, (int64_t)u);
            overflow_uint64_t(v, u);
            wide_overflow((__int128)v << (j * 8), -(__int128)u);
            mixed((int64_t)v, (uint32_t)u);
            printf("%d %u %u %d %d\n", sat_add((uint8_t)v, (uint8_t)u), sat_sub((uint32_t)v, (uint32_t)u),
                   sat_add32((uint32_t)v, (uint32_t)u), clamp((int)v - (int)u), sat_signed((int)v, (int)u));
            int a = (int)v, b = (int)u;
            printf("%d %d %u %u\n", a < b ? a : b, a > b ? a : b, (unsigned)a < (unsigned)b ? (unsigned)a : (unsigned)b,
                   (unsigned)a > (unsigned)b ? (unsigned)a : (unsigned)b);
            printf("%d %d\n", __builtin_elementwise_add_sat(a, b), __builtin_elementwise_sub_sat((uint16_t)v, (uint16_t)u));
        }
    }
    struct sized s;
    char buffer[32];
    volatile int n = 3;
    printf("%zu %zu %zu %zu\n", __builtin_object_size(&s, 0), __builtin_object_size(s.a, 1), __builtin_object_size(buffer + 5, 0),
           unknown_size(buffer));
    printf("%d %d\n", __builtin_constant_p(5), __builtin_types_compatible_p(int, long));
    if (__builtin_expect(n == 4, 0)) never();
    if (__builtin_expect_with_probability(n == 3, 1, 0.9)) puts("expected");
    __builtin_assume(n > 0);
    int *aligned = __builtin_assume_aligned(&s.b, 4);
    *aligned = n;
    printf("%d %d\n", s.b, __builtin_choose_expr(1, 10, "x"));
    printf("%zu %zu %d\n", __builtin_offsetof(struct sized, b), __builtin_strlen("four"), __builtin_memcmp("ab", "ac", 2) < 0);
    printf("%d %d\n", __builtin_isnan(0.0), __builtin_huge_val() > 1e308);
    __builtin_prefetch(buffer);
    unsigned carry = 0, low = __builtin_addc(0xffffffffu, (unsigned)n, 0, &carry);
    printf("%u %u\n", low, carry);
    unsigned long long borrow = 0, difference = __builtin_subcll(1, 2, 0, &borrow);
    printf("%llu %llu\n", difference, borrow);
    char *text = __builtin_alloca(10);
    strcpy(text, "alloca");
    printf("%s %s\n", text, __func__);
    return __builtin_popcount((unsigned)values[6]);
}
