// With --symbolic-globals, the globals that the entry reads are inputs too.
// run: --entry check --symbolic-globals
// paths: finished=4
// exit: 0
// complete: true
static int limit = 10;
int used;
const int fixed = 3;
static struct {
    int depth;
    int *where;
} state;

int check(int n) {
    if (n > limit)
        return 1;
    if (used == 4)
        return 2;
    if (fixed != 3)
        return 3;
    return state.where && *state.where == 6 ? 4 : 5;
}
