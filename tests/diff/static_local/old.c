int f(void) {
    static int count = 1;
    return count++;
}
