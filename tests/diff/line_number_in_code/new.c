int printf(const char *, ...);
/* A new line. */
int f(int x) {

    printf("%d: %d\n", __LINE__, x); // changed
    return x;
}
