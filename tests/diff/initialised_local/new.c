int f(int i) {
    int a[4] = {1, 2, 3, 5}; // changed
    return a[i];
}
