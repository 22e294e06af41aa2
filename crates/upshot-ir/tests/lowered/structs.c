// clang: -O0 -g
// Fields are displacements; structs travel as scalars, as copies, or through a hidden pointer.
struct pair { int a; double b; };
struct big { long v[4]; };
struct list { struct list *next; struct pair items[3]; };

double second(struct pair p) { return p.b; }
long sum(struct big b) { return b.v[0] + b.v[3]; }
struct big make(long x) { struct big b = {{x, 1, 2, 3}}; return b; }
double nth(struct list *l, unsigned i) { return l->next->items[i].b; }
long call(void) { return sum(make(5)); }
int variadic(int n, ...);
int pass(float f) { return variadic(1, f, 2L, (struct pair){1, 2}); }
