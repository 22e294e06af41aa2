// run: --entry quotient --all-errors
// paths: finished=3 error=4
// exit: 1
// complete: true
int quotient(int a, int b, long c) {
    if (a > 1000) return a % b; // expect: div
    int q = a / b; // expect: div, div
    if (q == 7) return (int)(c / (q - 7 + b)); // expect: div
    return q;
}
