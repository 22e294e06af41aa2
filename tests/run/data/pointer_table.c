// A table of input pointers, changed at one symbolic index and followed at another.
// run: --entry swap --array-len 2
// paths: finished=19 uncertain=10
// exit: 0
// complete: true
int swap(int *table[2], unsigned char i, unsigned char j) {
    static int own = 3;
    if (!table || i > 1 || j > 1)
        return -1;
    table[i] = &own;
    if (!table[j])
        return -2;
    return *table[j] == 3 ? i == j : 2;
}
