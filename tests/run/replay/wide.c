// run: --entry widths --all-errors
// 128-bit and odd widths, overflow builtins, bit counts.
// paths: finished=9
// exit: 0
// complete: true
typedef unsigned __int128 u128;

int widths(unsigned long a, unsigned long b, unsigned _BitInt(13) odd, unsigned bits) {
    u128 product = (u128)a * b;
    if (product >> 64 == 3) return 1;
    long sum;
    if (__builtin_add_overflow((long)a, (long)b, &sum)) return 2;
    if (odd * 2 == 10) return 3;
    if (__builtin_popcount(bits) == 30) return 4;
    if (bits && __builtin_ctz(bits) == 17) return 5;
    if (__builtin_bswap32(bits) == 0x12345678) return 6;
    if ((bits << 7 | bits >> 25) == 0xdeadbeef) return 7;
    return (int)(sum & 1);
}
