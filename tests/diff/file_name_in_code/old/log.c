int printf(const char *, ...);

int f(int x) {
    printf("%s: %d\n", __FILE__, x);
    return x;
}
