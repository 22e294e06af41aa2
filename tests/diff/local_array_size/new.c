int f(int i) {
    int a[4]; // changed
    a[i] = 5; // changed
    return a[0]; // changed
}
