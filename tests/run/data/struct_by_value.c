// Structs as arguments and results: in registers, in memory, mixed with floats.
// run: --entry f
// paths: finished=12
// exit: 0
// complete: true
struct small {
    int a;
    short b;
};
struct mixed {
    double d;
    int i;
};
struct large {
    long values[4];
};

static struct small grow(struct small s) {
    s.a++;
    return s;
}
static struct mixed turn(struct mixed m) {
    m.i = -m.i;
    return m;
}
static struct large shift(struct large l) {
    for (int i = 3; i > 0; i--)
        l.values[i] = l.values[i - 1];
    return l;
}

struct large f(struct small s, struct mixed m, struct large l) {
    s = grow(s);
    m = turn(m);
    l = shift(l);
    if (s.a == 10 && s.b == 3)
        l.values[0] = 1;
    if (m.i == -8)
        l.values[0] = 2;
    if (l.values[3] == 77)
        l.values[0] = 3;
    return l;
}
