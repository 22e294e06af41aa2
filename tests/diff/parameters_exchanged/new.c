int f(int b, int a) { // changed
    int c = a - b;
    return c * 2;
}
