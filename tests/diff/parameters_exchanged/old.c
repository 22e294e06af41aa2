int f(int a, int b) { // changed
    int c = a - b;
    return c * 2;
}
