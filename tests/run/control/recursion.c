// Recursion to a symbolic depth.
// run: --entry fibonacci --assume 'n <= 5'
// paths: finished=5
// exit: 0
// complete: true
int fibonacci(unsigned n) {
    return n < 2 ? (int)n : fibonacci(n - 1) + fibonacci(n - 2);
}
