int log_count;

int f(int a, int b) {
    int r = 0;
    if (a > b) {
        log_count++; // changed
        r = a;
    }
    return r;
}
