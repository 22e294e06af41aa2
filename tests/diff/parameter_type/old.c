int scale(int factor) { // changed
    return factor / 2; // changed
}

int twice(int n) {
    return n * 2;
}
