// clang: -O0
// Constants of more than 64 bits and of every float format keep all their bits.
__int128 big(void) { return ((__int128)0x0123456789abcdef << 64) | 0xfedcba9876543210u; }
__int128 minus(__int128 x) { return x - 3; }
int choose(__int128 x) {
    switch (x) {
    case ((__int128)1 << 64) + 1: return 1;
    case -1: return 2;
    }
    return 0;
}
long double pi(void) { return 3.14159265358979323846L; }
_Float16 half(void) { return 1.5f16; }
__float128 third(void) { return 1.0q / 3; }
float nan_payload(void) { return __builtin_nanf("0x1234"); }
unsigned _BitInt(17) odd(unsigned _BitInt(17) x) { return x + 1; }
#pragma pack(1)
// Runs of bit-fields in packed structs are integers of more than 128 bits, split into limbs.
struct packed { unsigned long a : 60; unsigned long b : 50; signed long c : 26; };
long third_field(struct packed *p) { return p->c; }
void set_field(struct packed *p, long x) { p->b = x; }
