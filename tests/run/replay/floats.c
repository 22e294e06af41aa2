// run: --entry judge --all-errors
// Comparisons and arithmetic of unknown floats.
// paths: finished=11
// exit: 0
// complete: true
int judge(float f, double d, int i) {
    if (f != f) return 1;
    if (d > 1e10 && d < 1e11) return 2;
    if (f * 2 == 5) return 3;
    if ((double)i + 0.5 == d) return 4;
    if (f > 3.25f && (int)f == 4) return 5;
    return f < 0 ? -1 : 0;
}
