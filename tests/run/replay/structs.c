// run: --entry area --all-errors
// Structs by value of every class, bit-fields, arrays inside, a struct returned.
// paths: finished=11
// exit: 0
// complete: true
struct flags {
    unsigned a : 3;
    signed b : 5;
    unsigned long long c : 40;
};
struct point {
    int x, y;
};
struct shape {
    char kind;
    struct point corners[2];
    double scale;
};
struct result {
    long area;
    int kind;
    struct flags f;
};

struct result area(struct point origin, struct flags f, struct shape s, struct point *extra) {
    struct result r = {0, s.kind, f};
    if (f.a == 5 && f.b < 0) r.area = -1;
    else if (f.c > 0xff00000000) r.f.b = 7;
    else if (s.kind == 'r') r.area = (long)(s.corners[1].x - origin.x) * (s.corners[1].y - origin.y);
    else if (extra && extra->x == s.corners[0].x) r.area = extra->y;
    return r;
}
