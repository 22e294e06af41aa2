// Prints a running hash after each of many small computations: vectors, wide integers, the calling convention, variable
// arguments, packed bit-fields, builtins, floats of every format, computed goto. Defined behaviour throughout, so the output is the same
// natively, at every optimisation level, and in an executor.
#include <stdio.h>
#include <stdarg.h>
#include <string.h>
#include <stdlib.h>
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u8v __attribute__((vector_size(32)));
typedef short s8 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef long l2 __attribute__((vector_size(16)));
typedef _Bool m8 __attribute__((ext_vector_type(8)));
static unsigned long h = 1469598103934665603ul;
static void mix(const void *p, unsigned long n) { const unsigned char *c = p; for (unsigned long i = 0; i < n; i++) h = (h ^ c[i]) * 1099511628211ul; }
#define M(x) do { __typeof__(x) t_ = (x); mix(&t_, sizeof t_); printf("%d %016lx\n", __LINE__, h); } while (0)
volatile int vi = 7, vz = 0, vneg = -5; volatile unsigned vu = 0xdeadbeef; volatile long vl = 0x123456789abcdefL;
volatile float vf = 1.25f; volatile double vd = -3.75; volatile int vidx = 2;
struct small { int a; float b; }; struct mid { double d; char c[5]; }; struct big { long v[5]; char t; }; struct ff { float x, y, z; }; struct c3 { char c[3]; };
__attribute__((noinline)) struct small ps(struct small s, int k) { s.a += k; s.b *= 2; return s; }
__attribute__((noinline)) struct mid pm(struct mid s, char k) { s.c[2] = k; s.d += 1; return s; }
__attribute__((noinline)) struct big pb(struct big s, long k) { s.v[3] += k; s.t = 'x'; return s; }
__attribute__((noinline)) struct ff pf(struct ff s, float k) { s.z -= k; return s; }
__attribute__((noinline)) struct c3 pc(struct c3 s) { s.c[1] = 'q'; return s; }
__attribute__((noinline)) __int128 w128(__int128 a, unsigned __int128 b) { return a * 3 - (__int128)(b >> 5) + (a << 70) % 12345677 + (__int128)(b / 77777777777777777ull); }
__attribute__((noinline)) long va(int n, ...) {
  va_list ap; va_start(ap, n); long t = 0;
  for (int i = 0; i < n; i++) { switch (i % 5) {
    case 0: t = t * 31 + va_arg(ap, int); break; case 1: t = t * 31 + (long)(va_arg(ap, double) * 16); break;
    case 2: t = t * 31 + va_arg(ap, struct mid).c[1]; break; case 3: t = t * 31 + va_arg(ap, struct big).v[2]; break; case 4: t = t * 31 + (long)va_arg(ap, long double); break; } }
  va_end(ap); return t; }
#pragma pack(push, 1)
struct pk { unsigned long a : 61; long b : 47; unsigned c : 29; int d : 5; unsigned e; };
#pragma pack(pop)
unsigned _BitInt(200) bi(unsigned _BitInt(200) x, int n) { return ((x << n) ^ (x >> 3)) + x * 12345 - (x >> n); }
_Bool cmpbi(_BitInt(190) x, _BitInt(190) y) { return x < y; }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  v4 a = {vi, vneg, vi * 1000, (int)vu}, b = {3, vneg, 1 << (vi & 3), 77};
  M(a + b); M(a * b); M(a - b); M(a & b); M(a ^ ~b); M(a << (b & 7)); M(a >> (b & 7)); M((int)((u8v){vu,1,2,3,4,5,6,7}[vidx]) + a); M(a < b); M(a == b); M(a / (b | 1)); M(a % (b | 1));
  M(a[vidx]); a[vidx] = 99; M(a); M(__builtin_shufflevector(a, b, 0, 5, 2, 7)); M(__builtin_shufflevector(a, b, 3, 2, 1, 0));
  s8 s = (s8)a; M(s); M(s * s); b16 by = (b16)a; M(by + (b16)b); M((l2)by); M((__int128)a); M((v4)((__int128)vl << 65 | 5));
  f4 f = {vf, 2, (float)vd, 1e10f}, g = {.5f, vf, 3, -1}; M(f + g); M(f * g); M(f / g); M(f < g); M(__builtin_convertvector(g, v4)); M(__builtin_convertvector(a, f4)); { d2 dd = {vd, vf}; d2 de = {2, 3}; M(dd * de); } M(-f);
  M(__builtin_convertvector(__builtin_shufflevector(f, f, 0, 1), d2));
  u8v u = {1, 2, 3, vu, 5, 6, 7, 8}, w = {8, 7, vu, 5, 4, 3, 2, 1}; m8 m = __builtin_convertvector(u < w, m8); M((unsigned char)__builtin_reduce_or(m)); { unsigned char mb; memcpy(&mb, &m, 1); M(mb); }
  M(__builtin_reduce_add(u)); M(__builtin_reduce_max(u)); M(__builtin_reduce_min(w)); M(__builtin_reduce_xor(u)); M(__builtin_elementwise_max(u, w)); M(__builtin_elementwise_add_sat(u, w)); M(__builtin_elementwise_abs(a)); M(__builtin_elementwise_bitreverse(u));
  struct small x = {vi, vf}; x = ps(x, 5); M(x.a); M(x.b); struct mid y; memset(&y, 0, sizeof y); y.d = vd; y.c[1] = 9; y = pm(y, 'k'); M(y.d); mix(y.c, 5); M(vi); struct big z; memset(&z, 0, sizeof z); z.v[3] = vl; z.v[2] = 44; z = pb(z, 6); mix(z.v, 40); M(vi); M(z.t); struct ff q = {vf, 2, 3}; q = pf(q, .5f); M(q); struct c3 c = {{1, 2, 3}}; c = pc(c); M(c);
  M(w128((__int128)vl << 40, (unsigned __int128)vu << 90)); M(va(10, vi, vd, y, z, 12.5L, 3, 4.0, y, z, (long double)vf));
  struct pk k; memset(&k, 0, sizeof k); k.a = vl * 77; k.b = -vl; k.c = vu; k.d = -3; k.e = 5; M(k); M((long)k.b); M((unsigned long)k.a); k.b += 5; k.c ^= 77; M(k); M((int)k.d);
  unsigned _BitInt(200) B = (unsigned _BitInt(200))vl << 120 | vu; unsigned _BitInt(200) R = bi(B, vi); M((unsigned long)(R)); M((unsigned long)(R >> 64)); M((unsigned long)(R >> 128)); M((int)cmpbi((_BitInt(190))B, -(_BitInt(190))B)); M((int)cmpbi(-(_BitInt(190))B, (_BitInt(190))B)); M((int)(B == R)); M((int)(B != R));
  int o; long lo; unsigned char uc; M((int)__builtin_add_overflow(vi, 0x7fffffff, &o)); M(o); M((int)__builtin_mul_overflow(vl, 1000000L, &lo)); M(lo); M((int)__builtin_sub_overflow((unsigned char)vi, (unsigned char)9, &uc)); M(uc); M((int)__builtin_mul_overflow((unsigned)vu, (unsigned)vi, (unsigned *)&o)); M(o); { __int128 i1; M((int)__builtin_mul_overflow((__int128)vl << 60, (__int128)vl, &i1)); M(i1); }
  M(__builtin_bswap64(vl)); M(__builtin_bswap16(vu)); M(__builtin_bitreverse8(vi)); M(__builtin_ctzl(vl)); M(__builtin_clz(vu >> 3)); M(__builtin_popcountll(vl)); M(__builtin_parity(vu)); M(__builtin_rotateleft32(vu, vi)); M(__builtin_rotateright64(vl, vi)); M(__builtin_ffs(vi)); M(abs(vneg)); M(__builtin_clrsb(vneg));
  M(__builtin_fabs(vd)); M(__builtin_floor(vd)); M(__builtin_ceil(vd)); M(__builtin_trunc(vd)); M(__builtin_rint(vd)); M(__builtin_round(vd)); M(__builtin_fma(vd, vd, vf)); M(__builtin_copysign(vf, vd)); M(__builtin_fmin(vd, vf)); M(__builtin_fmax(vd, vf)); M(__builtin_isnan(vd)); M(__builtin_isinf(vd)); M(__builtin_signbit(vd)); M(__builtin_fpclassify(0, 1, 2, 3, 4, vd)); { int e; M(__builtin_frexp(vd, &e)); M(e); M(__builtin_frexpf(vf * 1e-42f, &e)); M(e); } M(__builtin_ldexp(vd, 5));
  M((int)vd); M((unsigned)vf); M((long)(vd * 1e9)); M((unsigned char)vf); M((double)vl); M((float)vu); M((_Float16)vf); M((float)(_Float16)vd); { long double L = (long double)vd * vl / 7 - vf; unsigned char lb[16] = {0}; memcpy(lb, &L, 10); mix(lb, 16); M(vi); M((long)L); M((double)L); M((int)(L < vd)); }
  int arr[10]; for (int i = 0; i < 10; i++) arr[i] = (i * 7919) % 23; qsort(arr, 10, sizeof *arr, cmp); mix(arr, sizeof arr); M(vi);
  float fa[37], fb[37]; int on[37]; for (int i = 0; i < 37; i++) { fa[i] = i * .5f; fb[i] = 36 - i; on[i] = (i * 5 + vi) % 3; } for (int i = 0; i < 37; i++) if (on[i]) fa[i] += fb[i]; mix(fa, sizeof fa); M(vi); { int t = 0; for (int i = 0; i < 37; i++) t += on[on[i] * 3 + i % 30]; M(t); } { unsigned char top = 0; for (int i = 0; i < 37; i++) if ((unsigned char)(fb[i] * 7) > top) top = fb[i] * 7; M(top); }
  { static void *t[] = {&&l0, &&l1, &&l2}; int n = 0, r = 0; goto *t[vidx]; l0: r += 1; l1: r += 10; l2: r += 100; if (++n < 3) goto *t[n % 3]; M(r); }
  char vla[vi * 3]; for (int i = 0; i < vi * 3; i++) vla[i] = i * i; mix(vla, vi * 3); M((int)sizeof vla);
  switch ((__int128)vl << 70) { case 0: M(1); break; case (__int128)0x123456789abcdefL << 70: M(2); break; default: M(3); }
  printf("%016lx\n", h); return 0; }
