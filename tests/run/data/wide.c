// Integers of 128 bits and of odd widths.
// run: --entry f -std=c23
// paths: finished=4
// exit: 0
// complete: true
int f(__int128 a, unsigned _BitInt(17) b, long long c) {
    if (a == (__int128)1 << 100)
        return 1;
    if (a * 3 == -9)
        return 2;
    if (b == 0x1ffff)
        return 3;
    return (__int128)c * c == (__int128)c ? 4 : 5;
}
