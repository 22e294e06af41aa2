int printf(const char *, ...);

int f(int x) {
    printf("%d: %d\n", __LINE__, x); // changed
    return x;
}
