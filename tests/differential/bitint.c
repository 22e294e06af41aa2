// _BitInt(N): odd widths, where every result must be cut to the width and extended by its sign.
#include <stdio.h>

#define TEST(N)                                                                                                        \
    typedef signed _BitInt(N) s##N;                                                                                    \
    typedef unsigned _BitInt(N) u##N;                                                                                  \
    struct holder##N {                                                                                                 \
        char before;                                                                                                   \
        s##N value;                                                                                                    \
        char after;                                                                                                    \
    };                                                                                                                 \
    __attribute__((noinline)) static s##N twist##N(s##N a, u##N b) { return (s##N)(a * 3 + (s##N)b); }                 \
    static void print##N(u##N v) {                                                                                     \
        unsigned _BitInt(128) wide = v;                                                                                \
        printf(" %llx:%llx", (unsigned long long)(wide >> 64), (unsigned long long)wide);                              \
    }                                                                                                                  \
    static void test##N(void) {                                                                                        \
        static volatile long long seeds[] = {0, 1, -1, 2, 5, -6, 0x7fffffffffffffff, 0x123456789abcdef, -77777777777}; \
        for (int i = 0; i < 9; i++) {                                                                                  \
            for (int j = 0; j < 9; j++) {                                                                              \
                s##N a = (s##N)seeds[i], b = (s##N)seeds[j];                                                           \
                u##N ua = (u##N)a, ub = (u##N)b;                                                                       \
                print##N((u##N)(a + b));                                                                               \
                print##N((u##N)(a - b));                                                                               \
                print##N((u##N)(a * b));                                                                               \
                print##N((u##N)(a & b));                                                                               \
                print##N(ua | ub);                                                                                     \
                print##N(ua ^ ub);                                                                                     \
                print##N((u##N)~a);                                                                                    \
                print##N((u##N)-a);                                                                                    \
                if (b != 0) {                                                                                          \
                    print##N(ua / ub);                                                                                 \
                    print##N(ua % ub);                                                                                 \
                    if (b != -1) {                                                                                     \
                        print##N((u##N)(a / b));                                                                       \
                        print##N((u##N)(a % b));                                                                       \
                    }                                                                                                  \
                }                                                                                                      \
                unsigned shift = (unsigned)(ub % N);                                                                   \
                if (N < 3) shift = 1;                                                                                  \
                print##N((u##N)(ua << shift));                                                                         \
                print##N((u##N)(a >> shift));                                                                          \
                print##N(ua >> shift);                                                                                 \
                printf(" %d%d%d%d%d", a < b, a <= b, ua < ub, ua >= ub, a == b);                                       \
                struct holder##N h = {1, twist##N(a, ub), 2};                                                          \
                h.before += (char)h.value;                                                                             \
                print##N((u##N)h.value);                                                                               \
                printf(" %d %d %zu %zu\n", h.before, h.after, sizeof h, sizeof a);                                     \
                double d = (double)(int)(a % 1024);                                                                    \
                printf(" %g %g %g %lld\n", d, (double)a, (double)ub, (long long)a);                                    \
            }                                                                                                          \
        }                                                                                                              \
        s##N array[5] = {0, 1, -1};                                                                                    \
        for (int i = 1; i < 5; i++) array[i] = (s##N)(array[i - 1] * 5 + (s##N)seeds[i]);                              \
        for (int i = 0; i < 5; i++) print##N((u##N)array[i]);                                                          \
        array[2]++;                                                                                                    \
        array[3]--;                                                                                                    \
        array[4] += 9;                                                                                                 \
        for (int i = 0; i < 5; i++) print##N((u##N)array[i]);                                                          \
        printf("\n");                                                                                                  \
    }

TEST(11)
TEST(13)
TEST(17)
TEST(24)
TEST(31)
TEST(32)
TEST(33)
TEST(40)
TEST(47)
TEST(48)
TEST(63)
TEST(64)
TEST(65)
TEST(80)
TEST(96)
TEST(100)
TEST(127)
TEST(128)

typedef unsigned _BitInt(1) bit;
typedef signed _BitInt(2) two;
typedef unsigned _BitInt(7) seven;

int main(void) {
    test11();
    test13();
    test17();
    test24();
    test31();
    test32();
    test33();
    test40();
    test47();
    test48();
    test63();
    test64();
    test65();
    test80();
    test96();
    test100();
    test127();
    test128();
    volatile int one = 1;
    bit b = (bit)one;
    b = (bit)(b + b);
    two t = (two)(one * 3);
    seven s = (seven)(one * 200);
    printf("%d %d %d\n", (int)b, (int)t, (int)s);
    s = (seven)(s + (seven)one * 60);
    printf("%d %d\n", (int)s, (int)(s >> 2));
    return (int)s;
}
