int f(int x) {
    int b = x + 1;
    int a = x * 2;
    while (b < a)
        b += 3;
    return b - a;
}
