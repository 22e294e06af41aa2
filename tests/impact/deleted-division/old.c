// A division that went away: what it kept out can happen now.
int f(int x) {
    int z = 0;
    z = 1 / x;
    if (x == 0)
        return 7;
    return 8;
}
