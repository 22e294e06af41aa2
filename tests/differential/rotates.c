// Shifts and rotates as people write them; at -O1 and up they become funnel shifts.
#include <stdint.h>
#include <stdio.h>

#define ROTATES(T, N)                                                                                                  \
    static T left##N(T x, unsigned n) { return (T)(x << (n % N) | x >> ((N - n % N) % N)); }                           \
    static T right##N(T x, unsigned n) { return (T)(x >> (n & (N - 1)) | x << (-n & (N - 1))); }                       \
    static T funnel##N(T high, T low, unsigned n) {                                                                    \
        n %= N;                                                                                                        \
        return n ? (T)(high << n | low >> (N - n)) : high;                                                             \
    }                                                                                                                  \
    static void test##N(void) {                                                                                        \
        static volatile T values[] = {0, 1, (T)-1, (T)0x8000000000000001ull, (T)0x123456789abcdef0ull, (T)0xa5};       \
        for (int i = 0; i < 6; i++)                                                                                    \
            for (unsigned n = 0; n < 2 * N + 3; n++)                                                                   \
                printf("%llx %llx %llx\n", (unsigned long long)left##N(values[i], n),                                  \
                       (unsigned long long)right##N(values[i], n),                                                     \
                       (unsigned long long)funnel##N(values[i], values[(i + 1) % 6], n));                              \
        T c = values[4];                                                                                               \
        printf("%llx %llx\n", (unsigned long long)(T)(c << 3 | c >> (N - 3)),                                          \
               (unsigned long long)(T)(c >> 5 | c << (N - 5)));                                                        \
    }

ROTATES(uint8_t, 8)
ROTATES(uint16_t, 16)
ROTATES(uint32_t, 32)
ROTATES(uint64_t, 64)

static volatile int amounts[] = {0, 1, 5, 8, 15, 16, 31};

int main(void) {
    test8();
    test16();
    test32();
    test64();
    volatile int32_t s = -123456789;
    volatile int64_t l = -0x123456789abcdefll;
    for (int i = 0; i < 7; i++) {
        int n = amounts[i];
        printf("%d %d %u\n", s >> n, (int)((unsigned)s << n), (unsigned)s >> n);
        printf("%lld %lld %llu\n", (long long)(l >> n), (long long)((uint64_t)l << n), (unsigned long long)((uint64_t)l >> n));
        printf("%d %d\n", (int8_t)s >> (n & 7), (int16_t)s >> (n & 15));
        printf("%x %x %llx\n", __builtin_rotateleft8((uint8_t)s, (uint8_t)n), __builtin_rotateright16((uint16_t)s, (uint16_t)n),
               (unsigned long long)__builtin_rotateleft64((uint64_t)l, (uint64_t)n));
        printf("%x\n", __builtin_rotateright32((uint32_t)s, (uint32_t)n));
    }
    return 0;
}
