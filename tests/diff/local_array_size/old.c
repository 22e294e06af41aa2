int f(int i) {
    int a[3]; // changed
    a[i] = 5; // changed
    return a[0]; // changed
}
