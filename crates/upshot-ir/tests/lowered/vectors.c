// clang: -O0
// One operation per lane; lanes move; a bitcast is shifts and ors.
typedef int v4 __attribute__((vector_size(16)));
typedef float f2 __attribute__((vector_size(8)));
typedef short s4 __attribute__((vector_size(8)));

v4 add(v4 a, v4 b) { return a + b; }
int pick(v4 a, int i) { return a[i]; }
v4 put(v4 a, int i, int x) { a[i] = x; return a; }
v4 compare(v4 a, v4 b) { return a < b; }
v4 shuffle(v4 a, v4 b) { return __builtin_shufflevector(a, b, 0, 4, -1, 7); }
long bits(s4 a) { return (long)a; }
s4 lanes(long x) { return (s4)x; }
f2 scale(f2 a, float k) { return a * k; }
