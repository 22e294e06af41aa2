int f(int x) {
    int a = x + 1;
    int b = x * 2;
    while (a < b)
        a += 3;
    return a - b;
}
