// All four divisions by zero, at several widths.
// run: --entry divide
// paths: finished=7 error=6
// exit: 1
// complete: true
long long divide(int which, int a, int b, unsigned c, unsigned d, long long e, unsigned char f) {
    switch (which) {
    case 0: return a / (b & 0xff); // expect: div "zero"
    case 1: return a % (b & 0xff); // expect: div "zero"
    case 2: return c / d; // expect: div "zero"
    case 3: return c % d; // expect: div "zero"
    case 4: return 100 / (e & 7); // expect: div "zero"
    case 5: return 100 % f; // expect: div "zero"
    default: return 0;
    }
}
