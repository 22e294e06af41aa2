// run: --entry lookup --all-errors
// Reads at unknown places of tables, constant and not.
// paths: finished=5
// exit: 0
// complete: true
static const unsigned char squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static int state[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int lookup(unsigned i, unsigned j, int v) {
    if (i >= 16 || j >= 8) return -1;
    state[j] = v;
    if (squares[i] == 49) return state[(j + 1) % 8];
    if (state[squares[i] & 7] == 1000) return 2;
    return squares[squares[i] & 15];
}
