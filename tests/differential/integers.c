// Every integer operator at every C width, on values around the corners.
#include <stdint.h>
#include <stdio.h>

#define CORNERS(T)                                                                                                     \
    (T)0, (T)1, (T)2, (T)3, (T)7, (T)10, (T)-1, (T)-2, (T)-7, (T)0x7f, (T)0x80, (T)0xff, (T)0x7fff, (T)0x8000,         \
        (T)0x7fffffff, (T)0x80000000u, (T)0x123456789abcdefull, (T)0x7fffffffffffffffll, (T)0x8000000000000000ull

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define OPERATORS(T, U, FORMAT, CAST)                                                                                  \
    static volatile T T##_values[] = {CORNERS(T)};                                                                     \
    static void T##_test(void) {                                                                                       \
        for (unsigned i = 0; i < COUNT(T##_values); i++) {                                                             \
            T a = T##_values[i];                                                                                       \
            printf(#T " " FORMAT ": ", (CAST)a);                                                                       \
            printf(FORMAT " " FORMAT " " FORMAT " %d\n", (CAST)(T)-a, (CAST)(T)~a, (CAST)(T)(a + 1), !a);              \
            for (unsigned j = 0; j < COUNT(T##_values); j++) {                                                         \
                T b = T##_values[j];                                                                                   \
                T sum = a + b, difference = a - b, product = (T)((U)a * (U)b);                                         \
                printf(" " FORMAT " " FORMAT " " FORMAT, (CAST)sum, (CAST)difference, (CAST)product);                  \
                printf(" " FORMAT " " FORMAT " " FORMAT, (CAST)(T)(a & b), (CAST)(T)(a | b), (CAST)(T)(a ^ b));        \
                if (b != 0 && !((T)-1 < 0 && b == (T)-1)) {                                                            \
                    printf(" " FORMAT " " FORMAT, (CAST)(T)(a / b), (CAST)(T)(a % b));                                 \
                }                                                                                                      \
                unsigned shift = (unsigned)b % (sizeof(T) * 8);                                                        \
                printf(" " FORMAT " " FORMAT, (CAST)(T)((U)a << shift), (CAST)(T)(a >> shift));                        \
                printf(" %d%d%d%d%d%d\n", a == b, a != b, a < b, a <= b, a > b, a >= b);                               \
            }                                                                                                          \
        }                                                                                                              \
    }

OPERATORS(int8_t, uint32_t, "%lld", long long)
OPERATORS(uint8_t, uint32_t, "%llu", unsigned long long)
OPERATORS(int16_t, uint32_t, "%lld", long long)
OPERATORS(uint16_t, uint32_t, "%llu", unsigned long long)
OPERATORS(int32_t, uint32_t, "%lld", long long)
OPERATORS(uint32_t, uint32_t, "%llu", unsigned long long)
OPERATORS(int64_t, uint64_t, "%lld", long long)
OPERATORS(uint64_t, uint64_t, "%llu", unsigned long long)

int main(void) {
    int8_t_test();
    uint8_t_test();
    int16_t_test();
    uint16_t_test();
    int32_t_test();
    uint32_t_test();
    int64_t_test();
    uint64_t_test();
    return 42;
}
