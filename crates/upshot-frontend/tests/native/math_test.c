#include "native.h"

#include <math.h>

#define UNARY(X) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(roundeven) X(rint) X(nearbyint)
#define BINARY(X) X(copysign) X(fmod) X(fdim)
#define WHOLE(X) X(lround) X(llround) X(lrint) X(llrint)
#define DECLARE(name) TWIN(name) TWIN(name##f) TWIN(name##l)
UNARY(DECLARE)
BINARY(DECLARE) WHOLE(DECLARE) DECLARE(modf) DECLARE(ldexp) DECLARE(scalbn) DECLARE(scalbln) DECLARE(frexp)
    DECLARE(ilogb) TWIN(nextafter) TWIN(nextafterf) TWIN(fma) TWIN(fmin) TWIN(fmax) extern int __fpclassify(double),
    __fpclassifyf(float), __fpclassifyl(long double), __isinf(double), __isnan(double), __finite(double);
extern int __signbit(double), __signbitf(float), __signbitl(long double), __isinfl(long double), __isnanf(float),
    __finitel(long double);
TWIN(__fpclassify)
TWIN(__fpclassifyf) TWIN(__fpclassifyl) TWIN(__isinf) TWIN(__isnan) TWIN(__finite) TWIN(__isinfl) TWIN(__isnanf)
    TWIN(__finitel) TWIN(__signbit) TWIN(__signbitf) TWIN(__signbitl)
/* Equal as bits, or both not a number (whose payload nobody promises). */
#define SAME_AS(type, bytes) \
  static int same_##bytes(type one, type two) { return (one != one && two != two) || !memcmp(&one, &two, bytes); }
        SAME_AS(float, 4) SAME_AS(double, 8) SAME_AS(long double, 10)
#define same(one, two) _Generic((one), float: same_4, double: same_8, long double: same_10)(one, two)

            static double draw_double(void) {
  union {
    uint64_t bits;
    double value;
  } number = {.bits = draw()};
  static const double special[] = {0.0,      -0.0,      INFINITY, -INFINITY, NAN,    0.5,    -0.5,    1.5,  2.5,
                                   4.9e-324, 0x1p-1022, 0x1p52,   0x1p53,    0x1p62, 0x1p63, -0x1p63, 1e300};
  switch (below(6)) {
    case 0: return special[below(17)];
    case 1: return (double)(int)below(4000) / 8 - 250;
    case 2: number.bits >>= 12; return number.value;
    case 3: return (double)(int64_t)draw() / (double)(1ull << below(63));
    default: return number.value;
  }
}

static long double draw_extended(void) {
  union {
    struct {
      uint64_t mantissa;
      uint16_t exponent;
    } bits;
    long double value;
  } number = {.bits = {draw() | (uint64_t)1 << 63, (uint16_t)draw()}};
  switch (below(4)) {
    case 0:
      number.bits.mantissa = draw() >> (1 + below(62));
      number.bits.exponent = 0;
      return number.value;
    case 1: return number.value;
    case 2: number.bits.exponent = (uint16_t)(16383 + below(80) - 10); return number.value;
    default: return draw_double();
  }
}

#define COMPARE(call, twin, ...)                                                                                  \
  do {                                                                                                            \
    errno = up_errno = 0;                                                                                         \
    __typeof__(call) wanted = call, got = twin;                                                                   \
    CHECK(same(wanted, got) && errno == up_errno, #twin " of %La: %La errno %d not %La errno %d", (long double)x, \
          (long double)got, up_errno, (long double)wanted, errno);                                                \
  } while (0)

static void compare_parts(double x, float xf, long double xl) {
  double one, two;
  float onef, twof;
  long double onel, twol;
  int e, up_e;
  COMPARE(modf(x, &one), up_modf(x, &two));
  CHECK(same(one, two), "modf of %a", x);
  COMPARE(modff(xf, &onef), up_modff(xf, &twof));
  CHECK(same(onef, twof), "modff of %a", xf);
  COMPARE(modfl(xl, &onel), up_modfl(xl, &twol));
  CHECK(same(onel, twol), "modfl of %La", xl);
  COMPARE(frexp(x, &e), up_frexp(x, &up_e));
  CHECK(e == up_e, "frexp of %a", x);
  COMPARE(frexpf(xf, &e), up_frexpf(xf, &up_e));
  CHECK(e == up_e, "frexpf of %a", xf);
  COMPARE(frexpl(xl, &e), up_frexpl(xl, &up_e));
  CHECK(e == up_e, "frexpl of %La", xl);
  static const int changes[] = {0,     1,     -1,     52,    -52,    1023,       -1074,          2100,
                                -2100, 16384, -16445, 40000, -40000, 2147483647, -2147483647 - 1};
  int change = below(2) ? changes[below(15)] : (int)below(200) - 100;
  COMPARE(ldexp(x, change), up_ldexp(x, change));
  COMPARE(ldexpf(xf, change), up_ldexpf(xf, change));
  COMPARE(ldexpl(xl, change), up_ldexpl(xl, change));
  COMPARE(scalbn(x, change), up_scalbn(x, change));
  COMPARE(scalblnf(xf, change), up_scalblnf(xf, change));
  errno = up_errno = 0;
  CHECK(ilogb(x) == up_ilogb(x) && errno == up_errno, "ilogb of %a", x);
  CHECK(ilogbf(xf) == up_ilogbf(xf) && errno == up_errno, "ilogbf of %a", xf);
  CHECK(ilogbl(xl) == up_ilogbl(xl) && errno == up_errno, "ilogbl of %La", xl);
}

void test_math(void) {
  for (int turn = 0; turn < 40000; turn++) {
    double x = draw_double(), y = below(8) ? draw_double() : x;
    float xf = (float)x, yf = (float)y;
    long double xl = draw_extended(), yl = draw_extended();
#define COMPARE_UNARY(name)               \
  COMPARE(name(x), up_##name(x));         \
  COMPARE(name##f(xf), up_##name##f(xf)); \
  COMPARE(name##l(xl), up_##name##l(xl));
    UNARY(COMPARE_UNARY)
#define COMPARE_BINARY(name)                      \
  COMPARE(name(x, y), up_##name(x, y));           \
  COMPARE(name##f(xf, yf), up_##name##f(xf, yf)); \
  COMPARE(name##l(xl, yl), up_##name##l(xl, yl));
    BINARY(COMPARE_BINARY)
#define COMPARE_WHOLE(name)                                                                          \
  CHECK(name(x) == up_##name(x), #name " of %a: %ld not %ld", x, (long)up_##name(x), (long)name(x)); \
  CHECK(name##f(xf) == up_##name##f(xf), #name "f of %a", xf);                                       \
  CHECK(name##l(xl) == up_##name##l(xl), #name "l of %La", xl);
    WHOLE(COMPARE_WHOLE)
    compare_parts(x, xf, xl);
    COMPARE(nextafter(x, y), up_nextafter(x, y));
    COMPARE(nextafterf(xf, yf), up_nextafterf(xf, yf));
    COMPARE(fma(x, y, 1.0), up_fma(x, y, 1.0));
    CHECK(__fpclassify(x) == up___fpclassify(x) && __isinf(x) == up___isinf(x) && !__isnan(x) == !up___isnan(x) &&
              __finite(x) == up___finite(x),
          "class of %a", x);
    CHECK(__fpclassifyf(xf) == up___fpclassifyf(xf) && !__isnanf(xf) == !up___isnanf(xf), "class of %a", xf);
    CHECK(__fpclassifyl(xl) == up___fpclassifyl(xl) && __isinfl(xl) == up___isinfl(xl) &&
              __finitel(xl) == up___finitel(xl),
          "class of %La", xl);
    CHECK(!__signbit(x) == !up___signbit(x) && !__signbitf(xf) == !up___signbitf(xf) &&
              !__signbitl(xl) == !up___signbitl(xl),
          "sign of %a", x);
    CHECK(up_fmin(x, y) == fmin(x, y) || x != x || y != y, "fmin of %a and %a", x, y);
    CHECK(up_fmax(x, y) == fmax(x, y) || x != x || y != y, "fmax of %a and %a", x, y);
  }
}
