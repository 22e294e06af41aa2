// Shifts by the width or more, in all three directions and for negative amounts.
// run: --entry shift
// paths: finished=7 error=4
// exit: 1
// complete: true
unsigned long long shift(int which, int amount, int a, unsigned b, unsigned long long c) {
    switch (which) {
    case 0: return (unsigned)(a << amount); // expect: overshift
    case 1: return b >> amount; // expect: overshift
    case 2: return (unsigned)(a >> amount); // expect: overshift
    case 3: return c << (amount & 127); // expect: overshift
    case 4: return c >> (amount & 63);
    case 5: return (unsigned char)b << (amount & 31);
    default: return 0;
    }
}
