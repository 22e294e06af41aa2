/* Computes what it is told on its standard input: records of one byte format, one byte operation and three operands of 16
   bytes; answers 16 bytes each. Everything goes through memory, so that no NaN is changed on its way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

enum { F16, BF16, F32, F64, X87, F128 };

enum {
    ADD, SUB, MUL, DIV, REM, MINNUM, MAXNUM,
    SQRT, FLOOR, CEIL, TRUNC, RINT, ROUND, FMA,
    EQ, LT, LE, ISNAN,
    TO_F16, TO_F32, TO_F64, TO_X87, TO_F128,
    TO_I8, TO_I32, TO_I64, TO_U32, TO_U64, TO_I128, TO_U128,
    FROM_I8, FROM_I32, FROM_I64, FROM_U32, FROM_U64, FROM_I128, FROM_U128,
};

#define STORE(type, value) do { type stored = (value); memcpy(out, &stored, sizeof stored); return; } while (0)

#define COMMON(T, rem, sqrt_, floor_, ceil_, trunc_, rint_, round_, fma_)                                  \
    case ADD: STORE(T, a + b);                                                                             \
    case SUB: STORE(T, a - b);                                                                             \
    case MUL: STORE(T, a * b);                                                                             \
    case DIV: STORE(T, a / b);                                                                             \
    case REM: STORE(T, rem(a, b));                                                                         \
    case SQRT: STORE(T, sqrt_(a));                                                                         \
    case FLOOR: STORE(T, floor_(a));                                                                       \
    case CEIL: STORE(T, ceil_(a));                                                                         \
    case TRUNC: STORE(T, trunc_(a));                                                                       \
    case RINT: STORE(T, rint_(a));                                                                         \
    case ROUND: STORE(T, round_(a));                                                                       \
    case FMA: STORE(T, fma_(a, b, c));

#define RELATIONS                                                                                          \
    case EQ: STORE(char, a == b);                                                                          \
    case LT: STORE(char, a < b);                                                                           \
    case LE: STORE(char, a <= b);                                                                          \
    case ISNAN: STORE(char, a != a);

#define CONVERSIONS(T)                                                                                     \
    case TO_F32: STORE(float, (float)a);                                                                   \
    case TO_F64: STORE(double, (double)a);                                                                 \
    case TO_X87: STORE(long double, (long double)a);                                                       \
    case TO_I32: STORE(int, (int)a);                                                                       \
    case TO_I64: STORE(long, (long)a);                                                                     \
    case TO_U32: STORE(unsigned, (unsigned)a);                                                             \
    case TO_U64: STORE(unsigned long, (unsigned long)a);                                                   \
    case TO_I128: STORE(i128, (i128)a);                                                                    \
    case TO_U128: STORE(u128, (u128)a);                                                                    \
    case FROM_I8: STORE(T, (T)(signed char)bits);                                                          \
    case FROM_I32: STORE(T, (T)(int)bits);                                                                 \
    case FROM_I64: STORE(T, (T)(long)bits);                                                                \
    case FROM_U32: STORE(T, (T)(unsigned)bits);                                                            \
    case FROM_U64: STORE(T, (T)(unsigned long)bits);                                                       \
    case FROM_I128: STORE(T, (T)(i128)bits);                                                               \
    case FROM_U128: STORE(T, (T)bits);

#define LOAD(T)                                                                                            \
    T a, b, c;                                                                                             \
    u128 bits;                                                                                             \
    memcpy(&a, in, sizeof a);                                                                              \
    memcpy(&b, in + 16, sizeof b);                                                                         \
    memcpy(&c, in + 32, sizeof c);                                                                         \
    memcpy(&bits, in, sizeof bits);                                                                        \
    (void)a, (void)b, (void)c, (void)bits;

static void single(int op, const unsigned char *in, unsigned char *out) {
    LOAD(float)
    switch (op) {
        COMMON(float, fmodf, __builtin_sqrtf, floorf, ceilf, truncf, rintf, roundf, fmaf)
        RELATIONS
        CONVERSIONS(float)
    }
}

static void twice(int op, const unsigned char *in, unsigned char *out) {
    LOAD(double)
    switch (op) {
        COMMON(double, fmod, __builtin_sqrt, floor, ceil, trunc, rint, round, fma)
        RELATIONS
        CONVERSIONS(double)
    }
}

static void extended(int op, const unsigned char *in, unsigned char *out) {
    LOAD(long double)
    switch (op) {
        COMMON(long double, fmodl, __builtin_sqrtl, floorl, ceill, truncl, rintl, roundl, fmal)
        RELATIONS
        CONVERSIONS(long double)
    }
}

static void half(int op, const unsigned char *in, unsigned char *out) {
    LOAD(_Float16)
    switch (op) {
        case ADD: STORE(_Float16, a + b);
        case SUB: STORE(_Float16, a - b);
        case MUL: STORE(_Float16, a * b);
        case DIV: STORE(_Float16, a / b);
        RELATIONS
        case TO_F32: STORE(float, (float)a);
        case TO_F64: STORE(double, (double)a);
        case TO_I32: STORE(int, (int)a);
        case TO_I64: STORE(long, (long)a);
        case FROM_I32: STORE(_Float16, (_Float16)(int)bits);
        case FROM_U32: STORE(_Float16, (_Float16)(unsigned)bits);
    }
}

static void quad(int op, const unsigned char *in, unsigned char *out) {
    LOAD(__float128)
    switch (op) {
        case ADD: STORE(__float128, a + b);
        case SUB: STORE(__float128, a - b);
        case MUL: STORE(__float128, a * b);
        case DIV: STORE(__float128, a / b);
        RELATIONS
        CONVERSIONS(__float128)
    }
}

static void to_half(int format, const unsigned char *in, unsigned char *out) {
    if (format == F32) {
        float a;
        memcpy(&a, in, sizeof a);
        STORE(_Float16, (_Float16)a);
    }
    double a;
    memcpy(&a, in, sizeof a);
    STORE(_Float16, (_Float16)a);
}

static void to_quad(int format, const unsigned char *in, unsigned char *out) {
    if (format == F32) {
        float a;
        memcpy(&a, in, sizeof a);
        STORE(__float128, a);
    }
    if (format == F64) {
        double a;
        memcpy(&a, in, sizeof a);
        STORE(__float128, a);
    }
    long double a;
    memcpy(&a, in, sizeof a);
    STORE(__float128, a);
}

int main(void) {
    unsigned char record[50], out[16];
    while (fread(record, sizeof record, 1, stdin) == 1) {
        memset(out, 0, sizeof out);
        int format = record[0], op = record[1];
        if (op == TO_F16) to_half(format, record + 2, out);
        else if (op == TO_F128) to_quad(format, record + 2, out);
        else if (format == F16) half(op, record + 2, out);
        else if (format == F32) single(op, record + 2, out);
        else if (format == F64) twice(op, record + 2, out);
        else if (format == X87) extended(op, record + 2, out);
        else if (format == F128) quad(op, record + 2, out);
        fwrite(out, sizeof out, 1, stdout);
    }
    return 0;
}
