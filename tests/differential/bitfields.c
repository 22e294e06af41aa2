// Bit-fields of all kinds: signed, across bytes, packed, zero-width, in unions, of long long and bool.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct mixed {
    int a : 3;
    unsigned b : 5;
    int : 0;
    signed char c : 7;
    bool flag : 1;
    unsigned long long wide : 40;
    long long signed_wide : 33;
    short s : 11;
    unsigned : 3;
    unsigned last : 1;
};

#pragma pack(push, 1)
struct packed {
    unsigned a : 7;
    unsigned long long b : 61;
    int c : 31;
    unsigned char d : 2;
    short e;
    int f : 17;
};
#pragma pack(pop)

union overlay {
    struct {
        unsigned low : 4, middle : 20, high : 8;
    } parts;
    unsigned whole;
    unsigned char bytes[4];
};

struct __attribute__((packed)) odd {
    char c;
    int x : 24;
    unsigned y : 9;
    long z : 50;
};

static void dump(const void *p, size_t n) {
    const unsigned char *bytes = p;
    for (size_t i = 0; i < n; i++) printf("%02x", bytes[i]);
    printf("\n");
}

static volatile long long inputs[] = {0, 1, -1, 5, -6, 1000, -1000, 0x123456789abcdefll, -0x7edcba987654321ll, 0xffff};

__attribute__((noinline)) static struct mixed make(long long v) {
    struct mixed m;
    memset(&m, 0, sizeof m);
    m.a = (int)v;
    m.b = (unsigned)v;
    m.c = (signed char)v;
    m.flag = v;
    m.wide = (unsigned long long)v;
    m.signed_wide = v;
    m.s = (short)v;
    m.last = (unsigned)v & 1;
    return m;
}

int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof(struct mixed), sizeof(struct packed), sizeof(union overlay), sizeof(struct odd));
    for (int i = 0; i < 10; i++) {
        long long v = inputs[i];
        struct mixed m = make(v);
        printf("%d %u %d %d %llu %lld %d %u\n", m.a, m.b, m.c, m.flag, (unsigned long long)m.wide,
               (long long)m.signed_wide, m.s, m.last);
        m.a++;
        m.b += 17;
        m.wide *= 3;
        m.signed_wide >>= 2;
        m.s ^= 0x155;
        m.flag = !m.flag;
        dump(&m, sizeof m);

        struct packed p;
        memset(&p, 0x5a, sizeof p);
        p.a = (unsigned)v;
        p.b = (unsigned long long)v;
        p.c = (int)v;
        p.d = (unsigned char)v;
        p.e = (short)v;
        p.f = (int)v;
        printf("%u %llu %d %d %d %d\n", p.a, (unsigned long long)p.b, p.c, p.d, p.e, p.f);
        p.b--;
        p.c -= p.f;
        p.d += 3;
        dump(&p, sizeof p);

        union overlay o;
        o.whole = (unsigned)v * 2654435761u;
        printf("%u %u %u\n", o.parts.low, o.parts.middle, o.parts.high);
        o.parts.middle = o.parts.middle + o.parts.low;
        o.parts.high ^= o.parts.low;
        dump(o.bytes, 4);

        struct odd d = {0};
        d.c = (char)v;
        d.x = (int)(v >> 3);
        d.y = (unsigned)v;
        d.z = v;
        d.z += d.x * d.y;
        printf("%d %d %u %lld\n", d.c, d.x, d.y, (long long)d.z);
        dump(&d, sizeof d);
        printf("%d %d\n", m.b > 3 ? m.a : m.c, (m.flag && p.d) || o.parts.low > 7);
    }
    return 7;
}
