int half(int n) {
    return n / 2; // changed
}

int more(int n) {
    return n + 2;
}
