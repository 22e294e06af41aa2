// Vector types: lane by lane arithmetic, comparison, selection, shuffles, conversions, by value and in memory.
#include <stdio.h>
#include <string.h>

typedef int v4i __attribute__((vector_size(16)));
typedef unsigned v4u __attribute__((vector_size(16)));
typedef int v8i __attribute__((vector_size(32)));
typedef short v8s __attribute__((vector_size(16)));
typedef unsigned char v16b __attribute__((vector_size(16)));
typedef signed char v16c __attribute__((vector_size(16)));
typedef long long v2l __attribute__((vector_size(16)));
typedef unsigned long long v2ul __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef int v2i __attribute__((vector_size(8)));
typedef int v3i __attribute__((ext_vector_type(3)));
typedef int e4i __attribute__((ext_vector_type(4)));
typedef float e4f __attribute__((ext_vector_type(4)));
typedef float v2f __attribute__((ext_vector_type(2)));
typedef _Bool v8b __attribute__((ext_vector_type(8)));

#define PRINT(what, v, n, format)                                                                                      \
    do {                                                                                                               \
        printf("%s", what);                                                                                            \
        for (int lane_ = 0; lane_ < (n); lane_++) printf(" " format, (v)[lane_]);                                      \
        printf("\n");                                                                                                  \
    } while (0)

static volatile int seed = 5;

__attribute__((noinline)) static v4i add(v4i a, v4i b) { return a + b; }
__attribute__((noinline)) static v8i wide(v8i a, v8i b, v4i c) { return a * b + c[1]; }
__attribute__((noinline)) static v4f mix(v4f a, float b, v4f c) { return a * b - c; }
__attribute__((noinline)) static v3i three(v3i a) { return a.zyx + a; }

struct holder {
    char c;
    v4i v;
    v2d d;
};

__attribute__((noinline)) static struct holder hold(struct holder h) {
    h.v += h.c;
    h.d /= 3;
    return h;
}

int main(void) {
    int s = seed;
    v4i a = {1, -2, 3, s}, b = {s, 7, -9, 2};
    v4u ua = (v4u)a, ub = (v4u)b;
    PRINT("+", add(a, b), 4, "%d");
    PRINT("-", a - b, 4, "%d");
    PRINT("*", a * b, 4, "%d");
    PRINT("/", a / b, 4, "%d");
    PRINT("%", a % b, 4, "%d");
    PRINT("u/", ua / ub, 4, "%u");
    PRINT("u%", ua % ub, 4, "%u");
    PRINT("&", a & b, 4, "%d");
    PRINT("|", a | b, 4, "%d");
    PRINT("^", a ^ b, 4, "%d");
    PRINT("~", ~a, 4, "%d");
    PRINT("neg", -a, 4, "%d");
    PRINT("<<", a << (ub & 7), 4, "%d");
    PRINT(">>", a >> 1, 4, "%d");
    PRINT("u>>", ua >> 3, 4, "%u");
    PRINT("==", a == b, 4, "%d");
    PRINT("<", a < b, 4, "%d");
    PRINT("u<", ua < ub, 4, "%d");
    e4i ea = {1, -2, 3, s}, eb = {s, 7, -9, 2};
    PRINT("select", ea > eb ? ea : eb, 4, "%d");
    PRINT("scalar", a * s + 1, 4, "%d");
    PRINT("shuffle", __builtin_shufflevector(a, b, 0, 5, 2, 7), 4, "%d");
    PRINT("wide shuffle", __builtin_shufflevector(a, b, 7, 6, 5, 4, 3, 2, 1, 0), 8, "%d");
    PRINT("narrow", __builtin_shufflevector(a, b, 1, 6), 2, "%d");
    PRINT("with undefined", __builtin_shufflevector(a, b, 3, -1, 0, 1), 1, "%d");

    v4i indexed = a;
    indexed[s & 3] = 99;
    indexed[(s + 2) & 3] += indexed[(s + 1) & 3];
    PRINT("index", indexed, 4, "%d");
    v8i w = {1, 2, 3, 4, 5, 6, 7, s};
    PRINT("8", wide(w, w, a), 8, "%d");
    v8s sh = {1, -1, 300, -300, 32767, -32768, (short)s, 0};
    PRINT("short *", sh * sh, 8, "%d");
    PRINT("short >>", sh >> 2, 8, "%d");
    v16b bytes;
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)(i * 37 + s);
    PRINT("bytes", bytes + bytes, 16, "%d");
    PRINT("bytes /", bytes / 7, 16, "%d");
    PRINT("bytes >", bytes > 100, 16, "%d");
    PRINT("signed", (v16c)bytes / 3, 16, "%d");
    v2l l = {0x123456789abcdefll, -s}, m = {3, 5};
    PRINT("long", l * m, 2, "%lld");
    PRINT("long /", l / m, 2, "%lld");
    PRINT("long <<", l << m, 2, "%lld");
    PRINT("ulong %", (v2ul)l % (v2ul)m, 2, "%llu");

    v4f f = {1.5f, -2.25f, (float)s, 1e10f}, g = {0.5f, 3, -1, 1e-10f};
    PRINT("f+", f + g, 4, "%a");
    PRINT("f*", f * g, 4, "%a");
    PRINT("f/", f / g, 4, "%a");
    PRINT("f-", -f, 4, "%a");
    PRINT("f<", f < g, 4, "%d");
    PRINT("f!=", f != g, 4, "%d");
    e4f ef = {1.5f, -2.25f, (float)s, 1e10f}, eg = {0.5f, 3, -1, 1e-10f};
    PRINT("fsel", ef > eg ? ef : eg, 4, "%a");
    PRINT("not", !ea, 4, "%d");
    PRINT("mix", mix(f, 2.5f, g), 4, "%a");
    v2d d = {1.0 / s, -7.5}, e = {3, 1e300};
    PRINT("d", d * e + d, 2, "%a");
    PRINT("d/", d / e, 2, "%a");
    v4d dd = {1, 2, 3, s};
    PRINT("4d", dd / 7, 4, "%a");

    PRINT("to float", __builtin_convertvector(a, v4f), 4, "%g");
    PRINT("to int", __builtin_convertvector(g * 10, v4i), 4, "%d");
    PRINT("to double", __builtin_convertvector(a, v4d), 4, "%g");
    PRINT("from double", __builtin_convertvector(dd * -2.75, v4i), 4, "%d");
    PRINT("unsigned", __builtin_convertvector(ua, v4f), 4, "%g");
    PRINT("bits", (v4i)f, 4, "%x");
    PRINT("recast", (v8s)a, 8, "%d");
    PRINT("recast", (v2l)a, 2, "%lld");
    PRINT("half", ((v2i){s, 2} * 3), 2, "%d");
    PRINT("three", three((v3i){1, 2, s}), 3, "%d");
    v2f two = {1.25f, 2};
    two.x += two.y;
    PRINT("swizzle", two.yx, 2, "%g");
    printf("%zu %zu\n", sizeof(v3i), sizeof(v8b));

    struct holder h = {'a', a, d};
    h = hold(h);
    PRINT("held", h.v, 4, "%d");
    PRINT("held", h.d, 2, "%a");
    v4i array[3] = {a, b, a * b};
    for (int i = 2; i > 0; i--) array[i - 1] ^= array[i];
    PRINT("array", array[0], 4, "%d");
    int plain[12];
    memcpy(plain, array, sizeof plain);
    printf("%d %d\n", plain[0], plain[11]);

    printf("%d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_mul(a), __builtin_reduce_max(a));
    printf("%d %d %d %d\n", __builtin_reduce_min(b), __builtin_reduce_and(b), __builtin_reduce_or(a), __builtin_reduce_xor(a));
    printf("%g %g\n", __builtin_reduce_max(f), __builtin_reduce_min(f));
    PRINT("max", __builtin_elementwise_max(a, b), 4, "%d");
    PRINT("min", __builtin_elementwise_min(ua, ub), 4, "%u");
    PRINT("abs", __builtin_elementwise_abs(a), 4, "%d");
    PRINT("sat+", __builtin_elementwise_add_sat(sh, sh), 8, "%d");
    PRINT("sat-", __builtin_elementwise_sub_sat(bytes, (v16b)(bytes >> 1) + 60), 16, "%d");
    PRINT("fabs", __builtin_elementwise_abs(f), 4, "%a");
    PRINT("ceil", __builtin_elementwise_ceil(f), 4, "%a");
    PRINT("floor", __builtin_elementwise_floor(f), 4, "%a");
    PRINT("trunc", __builtin_elementwise_trunc(g), 4, "%a");
    PRINT("even", __builtin_elementwise_roundeven(f), 4, "%a");
    PRINT("sqrt", __builtin_elementwise_sqrt(__builtin_elementwise_abs(f)), 4, "%a");
    PRINT("copysign", __builtin_elementwise_copysign(f, g), 4, "%a");
    PRINT("fmax", __builtin_elementwise_max(f, g), 4, "%a");
    PRINT("fma", __builtin_elementwise_fma(f, g, f), 4, "%a");
    PRINT("reverse", __builtin_elementwise_bitreverse(ua), 4, "%x");
    return array[1][0] & 0xff;
}
