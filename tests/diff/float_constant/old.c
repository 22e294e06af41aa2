double f(double x) {
    double y = x * 2.0;
    return y + 0.1; // changed
}
