int f(int a) {
    int r;
    if (a > 3) {
        r = 2;
    } else {
        r = 1; // changed
    }
    return r;
}
