static int state;
static int step(int x) {
    return state -= x; // changed
}
int b(int x) { return step(x); }
