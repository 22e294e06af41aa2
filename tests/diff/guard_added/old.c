int log_count;

int f(int a, int b) {
    log_count++;
    return a - b;
}
