// clang: -O1
// llvm.* calls that the executor knows, and those that are spelled out.
typedef int v4 __attribute__((vector_size(16)));

int overflow(int a, int b, int *r) { return __builtin_mul_overflow(a, b, r); }
unsigned swap(unsigned x) { return __builtin_bswap32(x); }
int zeros(unsigned long x) { return __builtin_ctzl(x) + __builtin_popcountl(x); }
unsigned rotate(unsigned x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
int larger(int a, int b) { return a > b ? a : b; }
int reduce(v4 a) { return __builtin_reduce_add(a) + __builtin_reduce_max(a); }
double fused(double a, double b, double c) { return __builtin_fma(a, b, c) + __builtin_sqrt(a); }
long round_it(double a) { return __builtin_lround(a); }
double fraction(double a, int *e) { return __builtin_frexp(a, e); }
void copy(void *d, const void *s, unsigned long n) { __builtin_memcpy(d, s, n); }
void trap(int x) { if (x) __builtin_trap(); }
int likely(int x) { return __builtin_expect(x, 1) ? 3 : 4; }
unsigned sat(unsigned a, unsigned b) { return __builtin_elementwise_add_sat(a, b); }
