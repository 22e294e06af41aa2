int log_count;

int f(int a, int b) {
    int r = 0;
    log_count++; // changed
    if (a > b) {
        r = a;
    }
    return r;
}
