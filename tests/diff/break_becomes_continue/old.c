int f(const int *p, int n) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0)
            break; // changed
        r += p[i];
    }
    return r;
}
