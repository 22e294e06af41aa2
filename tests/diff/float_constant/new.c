double f(double x) {
    double y = x * 2.0;
    return y + 0.10000000000000002; // changed
}
