// Signed overflow, with the check switched on.
// run: --entry compute --check-overflow
// paths: finished=9 error=6
// exit: 1
// complete: true
long compute(int which, int a, int b, long c) {
    switch (which) {
    case 0: return a + b; // expect: overflow
    case 1: return a - b; // expect: overflow
    case 2: return (a & 0x1ffff) * (b & 0x7fff); // expect: overflow
    case 3: return -a; // expect: overflow
    case 4: return c + 1; // expect: overflow
    case 5: a++; return a; // expect: overflow
    case 6: return (unsigned)a + (unsigned)b;
    case 7: return (short)a + (short)b;
    default: return 0;
    }
}
