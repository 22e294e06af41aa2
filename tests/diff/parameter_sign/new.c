int half(unsigned n) {
    return n / 2; // changed
}

int more(unsigned n) {
    return n + 2;
}
