int f(int x) {
    int unused;
    char buffer[64];
    return x + 1;
}
