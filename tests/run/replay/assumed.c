// run: --entry middle --assume a>0&&a<100 --assume b==a*2 --all-errors
// paths: finished=3
// exit: 0
// complete: true
int middle(int a, int b, int c) {
    if (c < a) return a;
    if (c > b) return b;
    return c;
}
