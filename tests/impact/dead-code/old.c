int f(int x) {
    if (0) {
    never:
        x = 1;
    }
    return x;
}
