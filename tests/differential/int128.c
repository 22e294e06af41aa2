// 128-bit integers: every operator, as parameters, results, in structs and in switches.
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void show(const char *what, u128 v) {
    char digits[48];
    int at = 47;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v);
    printf("%s %s\n", what, digits + at);
}

static volatile u128 values[] = {0,
                                 1,
                                 2,
                                 10,
                                 (u128)-1,
                                 (u128)-5,
                                 0xffffffffffffffffull,
                                 (u128)1 << 64,
                                 ((u128)1 << 64) + 1,
                                 (u128)1 << 127,
                                 ((u128)1 << 127) - 1,
                                 ((u128)0x123456789abcdef0ull << 64) | 0xfedcba9876543210ull,
                                 ((u128)3 << 65) + 17};

struct wide {
    char tag;
    i128 value;
    short after;
};

__attribute__((noinline)) static i128 many(i128 a, int b, i128 c, long d, i128 e, i128 f, char g) {
    return a + b * c - d + (e ^ f) + g;
}

__attribute__((noinline)) static struct wide swap(struct wide w) {
    w.value = -w.value;
    w.after = (short)(w.after + w.tag);
    return w;
}

static int pick(u128 v) {
    switch (v) {
    case 0: return 1;
    case 1: return 2;
    case ((u128)1 << 64): return 3;
    case ((u128)1 << 64) + 1: return 4;
    case (u128)1 << 127: return 5;
    case (u128)-1: return 6;
    default: return 7;
    }
}

int main(void) {
    int n = sizeof values / sizeof *values;
    for (int i = 0; i < n; i++) {
        u128 a = values[i];
        i128 sa = (i128)a;
        show("value", a);
        printf("%d %d\n", pick(a), sa < 0);
        for (int j = 0; j < n; j++) {
            u128 b = values[j];
            i128 sb = (i128)b;
            show("+", a + b);
            show("-", a - b);
            show("*", a * b);
            show("&", a & b);
            show("|", a | b);
            show("^", a ^ b);
            if (b) {
                show("/", a / b);
                show("%", a % b);
                if (!(sb == -1 && a == (u128)1 << 127)) {
                    show("s/", (u128)(sa / sb));
                    show("s%", (u128)(sa % sb));
                }
            }
            int shift = (int)(b & 127);
            show("<<", a << shift);
            show(">>", a >> shift);
            show("s>>", (u128)(sa >> shift));
            printf("%d%d%d%d%d%d\n", a < b, a <= b, a == b, sa < sb, sa <= sb, a != b);
        }
        struct wide w = {(char)i, sa, (short)(i * 100)};
        w = swap(w);
        show("struct", (u128)w.value);
        printf("%d %d\n", w.tag, w.after);
        show("many", (u128)many(sa, i, 3, 7, sa * 2, sa / 2, 'x'));
        printf("%a %a %Lg\n", (double)sa, (double)(float)a, (long double)a);
    }
    volatile double d = 1.5e30;
    show("from double", (u128)d);
    d = -3.25e25;
    show("from negative", (u128)(i128)d);
    volatile float f = 7.9e20f;
    show("from float", (u128)f);
    return 0;
}
