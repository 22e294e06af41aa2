// A recursion without end, for negative numbers only.
// cross-check: no Z3 is asked about ten thousand calls at each of them
// run: --entry factorial --assume 'n < 5'
// paths: finished=5 error=1
// exit: 1
// complete: true
int factorial(int n) {
    if (n == 0)
        return 1;
    return n * factorial(n - 1); // expect: stack
}
