// Every conversion between integer types, bool, enums and pointers.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;
enum small { LOW = -3, HIGH = 5 };
enum unsigned_enum { ONE = 1, HUGE_ONE = 0xfffffff0u };
enum byte_enum : unsigned char { BYTE_A = 200, BYTE_B };

static void print(const char *what, i128 value) {
    printf("%s %016llx%016llx\n", what, (unsigned long long)((u128)value >> 64), (unsigned long long)value);
}

static volatile i128 values[] = {0,
                                 1,
                                 -1,
                                 127,
                                 128,
                                 255,
                                 256,
                                 -128,
                                 -129,
                                 32767,
                                 32768,
                                 65535,
                                 -32769,
                                 0x7fffffff,
                                 0x80000000ll,
                                 0xffffffffll,
                                 -0x80000001ll,
                                 0x7fffffffffffffffll,
                                 (i128)0x8000000000000000ull,
                                 (i128)1 << 64,
                                 ((i128)1 << 100) + 12345,
                                 -((i128)1 << 90) - 77,
                                 ~(u128)0 >> 1};

#define FROM(T)                                                                                                        \
    static void from_##T(i128 whole) {                                                                                 \
        volatile T v = (T)whole;                                                                                       \
        T x = v;                                                                                                       \
        print(#T " as bool", (_Bool)x);                                                                                \
        print(#T " as int8", (int8_t)x);                                                                               \
        print(#T " as uint8", (uint8_t)x);                                                                             \
        print(#T " as int16", (int16_t)x);                                                                             \
        print(#T " as uint16", (uint16_t)x);                                                                           \
        print(#T " as int32", (int32_t)x);                                                                             \
        print(#T " as uint32", (uint32_t)x);                                                                           \
        print(#T " as int64", (int64_t)x);                                                                             \
        print(#T " as uint64", (uint64_t)x);                                                                           \
        print(#T " as i128", (i128)x);                                                                                 \
        print(#T " as u128", (i128)(u128)x);                                                                           \
        print(#T " as small", (enum small)x);                                                                          \
        print(#T " as unsigned", (enum unsigned_enum)x);                                                               \
        print(#T " as byte", (enum byte_enum)x);                                                                       \
        print(#T " as pointer", (i128)(uintptr_t)(void *)(uintptr_t)x);                                                \
    }

FROM(bool)
FROM(char)
FROM(int8_t)
FROM(uint8_t)
FROM(int16_t)
FROM(uint16_t)
FROM(int32_t)
FROM(uint32_t)
FROM(int64_t)
FROM(uint64_t)
FROM(i128)
FROM(u128)

int main(void) {
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        i128 v = values[i];
        from_bool(v);
        from_char(v);
        from_int8_t(v);
        from_uint8_t(v);
        from_int16_t(v);
        from_uint16_t(v);
        from_int32_t(v);
        from_uint32_t(v);
        from_int64_t(v);
        from_uint64_t(v);
        from_i128(v);
        from_u128(v);
    }
    int array[8];
    int *p = &array[6], *q = &array[1];
    printf("%td %td %d %d\n", p - q, q - p, p > q, p == q + 5);
    printf("%d\n", (int)((uintptr_t)p - (uintptr_t)q));
    return (int)(uint8_t)values[5];
}
