// Switches: dense, sparse, ranges, on every width, with fall-through, nested, over negative and 64-bit values.
#include <stdint.h>
#include <stdio.h>

static int dense(int x) {
    switch (x) {
    case 0: return 3;
    case 1: return 1;
    case 2: return 4;
    case 3: return 1;
    case 4: return 5;
    case 5: return 9;
    case 6: return 2;
    case 7: return 6;
    default: return -1;
    }
}

static const char *names(unsigned x) {
    switch (x) {
    case 0: return "zero";
    case 1: return "one";
    case 2: return "two";
    case 3: return "three";
    case 4: return "four";
    default: return "many";
    }
}

static int sparse(int64_t x) {
    switch (x) {
    case -0x7fffffffffffffffll - 1: return 1;
    case -1: return 2;
    case 0: return 3;
    case 0x100000000ll: return 4;
    case 0x100000001ll: return 5;
    case 0x7fffffffffffffffll: return 6;
    case 123456789012345ll: return 7;
    }
    return 0;
}

static int ranges(unsigned char c) {
    switch (c) {
    case 'a' ... 'z': return 1;
    case 'A' ... 'Z': return 2;
    case '0' ... '9': return 3;
    case '_':
    case '$': return 4;
    case 0x80 ... 0xff: return 5;
    default: return 0;
    }
}

static int fall(int x) {
    int sum = 0;
    switch (x & 7) {
    case 7: sum += 64; /* fall through */
    case 6: sum += 32; /* fall through */
    case 5:
        sum += 16;
        if (x > 20) break; /* fall through */
    case 4: sum += 8;      /* fall through */
    default: sum += 4;     /* fall through */
    case 1: sum += 2; break;
    case 0: sum = 100;
    }
    return sum;
}

static void duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
        case 7: *to++ = *from++;
        case 6: *to++ = *from++;
        case 5: *to++ = *from++;
        case 4: *to++ = *from++;
        case 3: *to++ = *from++;
        case 2: *to++ = *from++;
        case 1: *to++ = *from++;
        } while (--n > 0);
    }
}

static int signed_small(signed char c) {
    switch (c) {
    case -128: return 1;
    case -1: return 2;
    case 127: return 3;
    default: return c / 2;
    }
}

static int shorts(short s) {
    switch (s) {
    case -32768 ... -30000: return 1;
    case -5: return 2;
    case 1000: return 3;
    case 30000 ... 32767: return 4;
    }
    return 5;
}

enum color { RED, GREEN = 10, BLUE };

static int enums(enum color c, _Bool b) {
    switch (c) {
    case RED:
        switch (b) {
        case 0: return 1;
        case 1: return 2;
        }
        break;
    case GREEN: return b ? 3 : 4;
    case BLUE: return 5;
    }
    return 6;
}

static volatile int64_t inputs[] = {-0x7fffffffffffffffll - 1, -32768, -31000, -129, -128, -5, -1, 0,  1,  2,  3,  4,
                                    5,  6,  7,  8,  9,  10, 11, 12, 15, 20, 21, 22, 23, 29, 30, 31, 36, 48, 57, 65, 90, 95,
                                    97, 122, 127, 128, 200, 255, 1000, 32000, 0x7fffffff, 0x100000000ll, 0x100000001ll,
                                    123456789012345ll, 0x7fffffffffffffffll};

int main(void) {
    for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        int64_t v = inputs[i];
        printf("%lld: %d %s %d %d %d %d %d %d\n", (long long)v, dense((int)v), names((unsigned)v), sparse(v),
               ranges((unsigned char)v), fall((int)v), signed_small((signed char)v), shorts((short)v),
               enums((enum color)(v % 13), v & 1));
    }
    char to[40];
    for (int n = 1; n < 30; n++) {
        __builtin_memset(to, 0, sizeof to);
        duff(to, "the quick brown fox jumps over the lazy dog", n);
        puts(to);
    }
    return dense((int)inputs[12]);
}
