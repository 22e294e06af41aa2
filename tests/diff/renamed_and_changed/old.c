int lower(int a, int b) { return a < b ? a : b; }

int use(int a) {
    return lower(a, 3); // changed
}
