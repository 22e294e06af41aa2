// run: --check-overflow --entry grow --all-errors
// paths: finished=2 error=3
// exit: 1
// complete: true
int grow(int a, short b, unsigned c) {
    int doubled = a + a; // expect: overflow
    if (b > 300) return b * b * b; // expect: overflow
    return doubled - (int)(c >> 1); // expect: overflow
}
