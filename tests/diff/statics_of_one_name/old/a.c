static int state;
static int step(int x) {
    return state += x;
}
int a(int x) { return step(x); }
