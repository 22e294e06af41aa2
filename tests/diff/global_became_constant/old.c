int base = 5;

int f(int x) {
    return x + base; // changed
}
