int log_count;

int f(int a, int b) {
    if (a > b) { // changed
        log_count++;
    }
    return a - b;
}
