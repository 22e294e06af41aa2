int z;

int f(int x, int y) {
    z = y / ((x & 7) + 1);
    if (x == 0)
        return 1;
    return y;
}
