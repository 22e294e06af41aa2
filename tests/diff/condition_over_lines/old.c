int f(int a, int b, int c) {
    if (a > 1
        && b > 2 // changed
        && c > 3) // changed
        return 1;
    return 0;
}
