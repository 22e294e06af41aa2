int f(int a) {
    int r;
    if (a > 3) {
        r = 1; // changed
    } else {
        r = 2;
    }
    return r;
}
