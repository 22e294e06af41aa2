// Plain loops that -O2 turns into vector code: reductions, minima, strides, mixed widths, conditions, gathers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 200

static int8_t i8[N];
static uint8_t u8[N];
static int16_t i16[N];
static uint16_t u16[N];
static int32_t i32[N];
static uint32_t u32[N];
static int64_t i64[N];
static uint64_t u64[N];
static float f32[N];
static double f64[N];

static volatile uint32_t seed = 12345;

static uint32_t next(void) {
    static uint32_t x;
    if (!x) x = seed;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

static void fill(void) {
    for (int i = 0; i < N; i++) {
        i8[i] = (int8_t)next();
        u8[i] = (uint8_t)next();
        i16[i] = (int16_t)next();
        u16[i] = (uint16_t)next();
        i32[i] = (int32_t)next();
        u32[i] = next();
        i64[i] = (int64_t)((uint64_t)next() << 32 | next());
        u64[i] = (uint64_t)next() << 32 | next();
        f32[i] = (float)(int32_t)next() / 65536;
        f64[i] = (double)(int32_t)next() / 3;
    }
}

#define REDUCE(array, T, FORMAT)                                                                                       \
    do {                                                                                                               \
        T sum = 0, xors = 0, ands = (T)-1, ors = 0, product = 1, least = array[0], most = array[0];                    \
        int positive = 0, at = -1;                                                                                     \
        for (int i = 0; i < N; i++) sum += array[i];                                                                   \
        for (int i = 0; i < N; i++) xors ^= array[i];                                                                  \
        for (int i = 0; i < N; i += 3) ands &= (T)(array[i] | 0x55);                                                   \
        for (int i = 0; i < N; i++) ors |= array[i];                                                                   \
        for (int i = 0; i < N; i++) product *= (T)(array[i] | 1);                                                      \
        for (int i = 0; i < N; i++) least = array[i] < least ? array[i] : least;                                       \
        for (int i = 0; i < N; i++) most = array[i] > most ? array[i] : most;                                          \
        for (int i = 0; i < N; i++) positive += array[i] > 10;                                                         \
        for (int i = 0; i < N; i++)                                                                                    \
            if (array[i] == most) at = i;                                                                              \
        printf(FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT " " FORMAT " %d %d\n", sum, xors, ands,   \
               ors, product, least, most, positive, at);                                                               \
    } while (0)

static uint32_t checksum(const void *memory, int size) {
    const uint8_t *bytes = memory;
    uint32_t hash = 2166136261u;
    for (int i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static void elementwise(void) {
    static int32_t out32[N];
    static int16_t out16[N];
    static uint8_t out8[N];
    static int64_t out64[N];
    static float outf[N];
    static double outd[N];
    for (int i = 0; i < N; i++) out32[i] = i32[i] * 3 + i16[i];
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out32[i] = abs(i32[i]) >> (u8[i] & 7);
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out16[i] = (int16_t)(i16[i] * i8[i]);
    printf("%08x\n", checksum(out16, sizeof out16));
    for (int i = 0; i < N; i++) out8[i] = (uint8_t)((u8[i] + u8[N - 1 - i] + 1) / 2);
    printf("%08x\n", checksum(out8, sizeof out8));
    for (int i = 0; i < N; i++) {
        int sum = u8[i] + i8[i];
        out8[i] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
    printf("%08x\n", checksum(out8, sizeof out8));
    for (int i = 0; i < N; i++) out64[i] = i64[i] * i32[i] - (int64_t)u32[i];
    printf("%08x\n", checksum(out64, sizeof out64));
    for (int i = 0; i < N; i++) out64[i] = i32[i] > 0 ? i64[i] : -i64[i];
    printf("%08x\n", checksum(out64, sizeof out64));
    for (int i = 0; i < N; i++) out32[i] = (int32_t)f32[i];
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) outf[i] = (float)i32[i] * 0.5f;
    printf("%08x\n", checksum(outf, sizeof outf));
    for (int i = 0; i < N; i++) outd[i] = f32[i] * f64[i] + u32[i];
    printf("%08x\n", checksum(outd, sizeof outd));
    for (int i = 0; i < N; i++) outf[i] = f32[i] > 0 ? f32[i] : 0.0f;
    printf("%08x\n", checksum(outf, sizeof outf));
    for (int i = 0; i < N; i++) outd[i] = __builtin_fabs(f64[i]) < 1e6 ? __builtin_sqrt(__builtin_fabs(f64[i])) : 1;
    printf("%08x\n", checksum(outd, sizeof outd));
    for (int i = 0; i < N; i++) out32[i] = (int32_t)(u32[i] << 7 | u32[i] >> 25);
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out32[i] = __builtin_popcount(u32[i]) + __builtin_clz(u32[i] | 1);
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out32[i] = (int32_t)__builtin_bswap32(u32[i]);
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N / 2; i++) out32[i] = i32[2 * i] - i32[2 * i + 1];
    for (int i = 0; i < N / 4; i++) out32[N / 2 + i] = i32[4 * i] + i32[4 * i + 3];
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out32[i] = i32[u8[i] % N];
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++)
        if (i16[i] > 0) out32[i] += i;
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out32[i] = (int32_t)(u32[i] / 10 + u32[i] % 7);
    printf("%08x\n", checksum(out32, sizeof out32));
    for (int i = 0; i < N; i++) out16[i] = (int16_t)(u16[i] / 3 - i16[i] / 5);
    printf("%08x\n", checksum(out16, sizeof out16));
    for (int i = N - 1; i >= 0; i--) out64[i] = (int64_t)(u64[N - 1 - i] >> 3);
    printf("%08x\n", checksum(out64, sizeof out64));
    for (int i = 1; i < N; i++) out32[i] = out32[i - 1] + i32[i];
    printf("%08x\n", checksum(out32, sizeof out32));
}

static void matrices(void) {
    static int a[16][16], b[16][16], c[16][16];
    static float fa[8][8], fb[8][8], fc[8][8];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) a[i][j] = i * j - 5, b[i][j] = i ^ j;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int sum = 0;
            for (int k = 0; k < 16; k++) sum += a[i][k] * b[k][j];
            c[j][i] = sum;
        }
    printf("%08x\n", checksum(c, sizeof c));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) fa[i][j] = f32[i * 8 + j], fb[i][j] = f32[64 + i * 8 + j];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            for (int j = 0; j < 8; j++) fc[i][j] += fa[i][k] * fb[k][j];
    printf("%08x\n", checksum(fc, sizeof fc));
}

int main(void) {
    fill();
    REDUCE(i8, int8_t, "%d");
    REDUCE(u8, uint8_t, "%u");
    REDUCE(i16, int16_t, "%d");
    REDUCE(u16, uint16_t, "%u");
    REDUCE(i32, int32_t, "%d");
    REDUCE(u32, uint32_t, "%u");
    REDUCE(i64, int64_t, "%ld");
    REDUCE(u64, uint64_t, "%lu");
    int wide = 0;
    for (int i = 0; i < N; i++) wide += i16[i] * i16[(i + 1) % N];
    long sad = 0;
    for (int i = 0; i < N; i++) sad += abs(u8[i] - u8[N - 1 - i]);
    unsigned bits = 0;
    for (int i = 0; i < N; i++) bits += (unsigned)__builtin_popcountll(u64[i]);
    float sum = 0, high = f32[0];
    for (int i = 0; i < N; i++) sum += f32[i];
    for (int i = 0; i < N; i++) high = f32[i] > high ? f32[i] : high;
    double dsum = 0;
    for (int i = 0; i < N; i++) dsum += f64[i] * f32[i];
    int all = 1, any = 0;
    for (int i = 0; i < N; i++) all &= i32[i] != 77, any |= u8[i] == 7;
    printf("%d %ld %u %a %a %a %d %d\n", wide, sad, bits, sum, high, dsum, all, any);
    elementwise();
    matrices();
    return (int)(checksum(i32, sizeof i32) & 0x7f);
}
