// 16-bit floats: arithmetic goes through float, and every step is rounded back.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// libgcc before 13 lacks it, so the native program brings its own.
__attribute__((used)) __bf16 __truncsfbf2(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    if (f == f) u += 0x7fff + (u >> 16 & 1);
    uint16_t high = (uint16_t)(u >> 16);
    __bf16 result;
    memcpy(&result, &high, 2);
    return result;
}

static unsigned half_bits(_Float16 h) {
    uint16_t u;
    memcpy(&u, &h, 2);
    return h != h ? 0x7e00 : u;
}

static unsigned brain_bits(__bf16 h) {
    uint16_t u;
    memcpy(&u, &h, 2);
    float f = (float)h;
    return f != f ? 0x7fc0 : u;
}

static volatile float values[] = {0.0f, -0.0f, 1.0f, -1.5f, 0.1f, 65504.0f, 65520.0f, 6e-8f, 1e-7f, 3.14159f, 2049.0f, 1e30f, 1.0f / 3};

__attribute__((noinline)) static _Float16 combine(_Float16 a, _Float16 b, int c) { return a * b + (_Float16)c; }

struct pair {
    _Float16 a, b;
};

__attribute__((noinline)) static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }

int main(void) {
    for (int i = 0; i < 13; i++) {
        _Float16 a = (_Float16)values[i];
        __bf16 s = (__bf16)values[i];
        printf("%04x %a %d %04x %a\n", half_bits(a), (double)a, a > 1, brain_bits(s), (float)s);
        for (int j = 0; j < 13; j++) {
            _Float16 b = (_Float16)values[j];
            __bf16 t = (__bf16)values[j];
            printf("%04x %04x %04x %04x %d%d%d", half_bits(a + b), half_bits(a - b), half_bits(a * b), half_bits(a / b), a < b,
                   a == b, a != b);
            printf(" %04x %04x %04x %04x %d", brain_bits(s + t), brain_bits(s - t), brain_bits(s * t), brain_bits(s / t), s < t);
            printf(" %04x\n", half_bits(combine(a, b, j)));
        }
        if (values[i] < 60000 && values[i] > -60000) printf("%d %04x\n", (int)a, half_bits((_Float16)(int)a));
        struct pair p = swap((struct pair){a, (_Float16)i});
        printf("%04x %04x\n", half_bits(p.a), half_bits(p.b));
    }
    _Float16 sum = 0;
    for (int i = 1; i < 50; i++) sum += (_Float16)1 / (_Float16)i;
    sum++;
    printf("%04x %a\n", half_bits(sum), (double)-sum);
    printf("%04x %04x\n", half_bits((_Float16)1e-6), half_bits((_Float16)123456789ll));
    printf("%04x\n", half_bits((_Float16)(double)values[12]));
    return 0;
}
