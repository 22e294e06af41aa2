int f(int x) {
    int r = 0;
    if (x > 3)
        goto third; // changed
    r += 1;
second:
    r += 2;
third:
    r += 4;
    return r;
}
