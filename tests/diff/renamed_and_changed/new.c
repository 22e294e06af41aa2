int minimum(int a, int b) { return a <= b ? a : b; }

int use(int a) {
    return minimum(a, 3); // changed
}
