// The divisor is never 0, nor -1: what follows runs whether the division is there or not.
int z;

int f(int x, int y) {
    if (x == 0)
        return 1;
    return y;
}
