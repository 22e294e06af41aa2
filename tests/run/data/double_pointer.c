// A pointer to pointers.
// run: --entry pick --array-len 2
// paths: finished=6
// exit: 0
// complete: true
int pick(int **table, unsigned char i) {
    if (!table || i > 1)
        return -1;
    if (!table[i])
        return -2;
    return *table[i] > 4;
}
