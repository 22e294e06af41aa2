// run: --entry step --symbolic-globals --all-errors
// Globals that are inputs too.
// paths: finished=4
// exit: 0
// complete: true
static int counter = 5;
char mode;
struct {
    int limit;
    unsigned char table[3];
} config = {10, {1, 2, 3}};
static const int fixed = 8;

int step(unsigned char i) {
    if (mode == 'r') counter = 0;
    if (counter > config.limit) return config.table[i % 3] == 7 ? 1 : 2;
    counter += fixed;
    return counter;
}
