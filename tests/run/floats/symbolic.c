// Decisions on symbolic floats, NaN among the inputs.
// run: --entry classify
// paths: finished=3
// exit: 0
// complete: true
int classify(double x) {
    if (x != x)
        return 1;
    if (x > 1.0)
        return x * 0.5 > 1.0 ? 2 : 3;
    return x == 0.0 ? 4 : 5;
}
