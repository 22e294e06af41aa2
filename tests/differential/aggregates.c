// Structs, unions and arrays as values: every way the calling convention passes and returns them.
#include <stdio.h>
#include <string.h>

struct one { char c; };
struct three { char c[3]; };
struct two_ints { int a, b; };
struct int_float { int a; float b; };
struct two_floats { float a, b; };
struct three_floats { float a, b, c; };
struct four_floats { float a, b, c, d; };
struct two_doubles { double a, b; };
struct double_long { double a; long b; };
struct long_double_in { long double a; };
struct odd_size { int a; short b; char c[6]; };
struct big { long a[5]; char tag; };
struct nested { struct two_ints pair; union { double d; long l; } u; struct three t; };
struct pointer_and_char { const char *p; char c; };
struct empty {};
struct flexible { int n; int data[]; };
union number { int i; float f; double d; unsigned char bytes[8]; };
union mixed { struct { float a, b; } f; long l; };
struct array_in { int a[2][2]; };
struct __attribute__((packed)) tight { char c; int i; short s; };
struct __attribute__((aligned(32))) aligned { int x; };

#define SAME(T)                                                                                                        \
    __attribute__((noinline)) static T same_##T(int before, T value, int after) {                                      \
        static volatile int sink;                                                                                      \
        sink = before + after;                                                                                         \
        return value;                                                                                                  \
    }
typedef struct one one;
typedef struct three three;
typedef struct two_ints two_ints;
typedef struct int_float int_float;
typedef struct two_floats two_floats;
typedef struct three_floats three_floats;
typedef struct four_floats four_floats;
typedef struct two_doubles two_doubles;
typedef struct double_long double_long;
typedef struct long_double_in long_double_in;
typedef struct odd_size odd_size;
typedef struct big big;
typedef struct nested nested;
typedef struct pointer_and_char pointer_and_char;
typedef struct empty empty;
typedef union number number;
typedef union mixed mixed;
typedef struct array_in array_in;
typedef struct tight tight;
typedef struct aligned aligned;
SAME(one)
SAME(three)
SAME(two_ints)
SAME(int_float)
SAME(two_floats)
SAME(three_floats)
SAME(four_floats)
SAME(two_doubles)
SAME(double_long)
SAME(long_double_in)
SAME(odd_size)
SAME(big)
SAME(nested)
SAME(pointer_and_char)
SAME(empty)
SAME(number)
SAME(mixed)
SAME(array_in)
SAME(tight)
SAME(aligned)

// More arguments than there are registers, so that some structs go by memory.
__attribute__((noinline)) static double crowd(int a, two_ints b, double c, two_doubles d, long e, double_long f, two_ints g,
                                              big h, two_ints i, two_doubles j, two_doubles k, two_doubles l, two_doubles m,
                                              float n, one o) {
    return a + b.a * 2 + b.b * 3 + c * 5 + d.a * 7 + d.b * 11 + (double)e * 13 + f.a * 17 + (double)f.b * 19 + g.a * 23 +
           g.b * 29 + (double)h.a[0] * 31 + (double)h.a[4] * 37 + h.tag * 41 + i.a * 43 + i.b * 47 + j.a * 53 + j.b * 59 +
           k.a * 61 + k.b * 67 + l.a * 71 + l.b * 73 + m.a * 79 + m.b * 83 + n * 89 + o.c * 97;
}

__attribute__((noinline)) static big change(big b) {
    // The caller's own must not change.
    for (int i = 0; i < 5; i++) b.a[i] *= i + 1;
    b.tag++;
    return b;
}

static void by_pointer(nested *n) {
    nested copy = *n;
    copy.pair.a++;
    *n = copy;
}

static volatile int v = 3;

int main(void) {
    int x = v;
    one s1 = same_one(1, (one){(char)x}, 2);
    three s3 = same_three(1, (three){{(char)x, 'b', 'c'}}, 2);
    two_ints s2 = same_two_ints(1, (two_ints){x, -x}, 2);
    int_float sif = same_int_float(1, (int_float){x, x * 1.5f}, 2);
    two_floats f2 = same_two_floats(1, (two_floats){x * 0.25f, -x}, 2);
    three_floats f3 = same_three_floats(1, (three_floats){x, x + 1, x + 2.5f}, 2);
    four_floats f4 = same_four_floats(1, (four_floats){x, x * 2, x * 3, x * 4}, 2);
    two_doubles d2 = same_two_doubles(1, (two_doubles){x / 7.0, x / 9.0}, 2);
    double_long dl = same_double_long(1, (double_long){x / 3.0, x * 1000000007l}, 2);
    long_double_in ld = same_long_double_in(1, (long_double_in){x / 3.0L}, 2);
    odd_size os = same_odd_size(1, (odd_size){x, -5, "hello"}, 2);
    big b = same_big(1, (big){{x, 2, 3, 4, 5}, 'T'}, 2);
    nested n = same_nested(1, (nested){{x, 2}, {.d = 2.5}, {"xyz"}}, 2);
    pointer_and_char pc = same_pointer_and_char(1, (pointer_and_char){"text", (char)('a' + x)}, 2);
    same_empty(1, (empty){}, 2);
    number u = same_number(1, (number){.f = x * 1.25f}, 2);
    mixed mx = same_mixed(1, (mixed){.f = {x, 2}}, 2);
    array_in ai = same_array_in(1, (array_in){{{1, x}, {x, 4}}}, 2);
    tight t = same_tight(1, (tight){'t', x * 100000, -2}, 2);
    aligned al = same_aligned(1, (aligned){x}, 2);
    printf("%d %c%c %d %d %d %g %g %g\n", s1.c, s3.c[1], s3.c[2], s2.a, s2.b, sif.a, sif.b, f2.a, f2.b);
    printf("%g %g %g %g %g %g %g\n", f3.a, f3.b, f3.c, f4.a, f4.b, f4.c, f4.d);
    printf("%.17g %.17g %.17g %ld %.20Lg\n", d2.a, d2.b, dl.a, dl.b, ld.a);
    printf("%d %d %s %ld %ld %c\n", os.a, os.b, os.c, b.a[0], b.a[4], b.tag);
    printf("%d %g %.3s %s %c %g %x\n", n.pair.a, n.u.d, n.t.c, pc.p, pc.c, u.f, u.i);
    printf("%g %lx %d %d %c %d %d %d %d\n", mx.f.b, mx.l, ai.a[0][1], ai.a[1][1], t.c, t.i, t.s, al.x,
           (int)((unsigned long)&al % 32));
    printf("%.10g\n", crowd(x, s2, 2.5, d2, 7, dl, (two_ints){8, 9}, b, (two_ints){10, x}, d2, (two_doubles){x, 1}, d2,
                            (two_doubles){0.5, x}, 1.5f, s1));
    big changed = change(b);
    printf("%ld %ld %c | %ld %ld %c\n", b.a[1], b.a[4], b.tag, changed.a[1], changed.a[4], changed.tag);
    by_pointer(&n);
    printf("%d\n", n.pair.a);
    big array[3] = {b, changed, b};
    array[0] = array[1];
    array[2] = change(array[0]);
    printf("%ld %ld\n", array[0].a[3], array[2].a[3]);
    // Overlap, self-assignment, conditional aggregate, chained results.
    array[1] = array[1];
    big *which = x > 2 ? &array[1] : &array[2];
    *which = *(x < 2 ? &array[0] : &array[2]);
    printf("%ld %c\n", change(change(*which)).a[2], which->tag);
    char memory[sizeof(struct flexible) + 4 * sizeof(int)] __attribute__((aligned(4)));
    struct flexible *flexible = (struct flexible *)memory;
    flexible->n = 4;
    for (int i = 0; i < flexible->n; i++) flexible->data[i] = i * x;
    printf("%d %zu\n", flexible->data[3], sizeof *flexible);
    union number raw = {.d = -1.0 / 3};
    for (int i = 0; i < 8; i++) printf("%02x", raw.bytes[i]);
    printf("\n%d\n", memcmp(&array[0], &array[0], sizeof b));
    return s2.a;
}
