int f(void) {
    static int count = 2;
    return count++;
}
