/* <math.h>: the functions with exact results. Where LLVM has an intrinsic it is used, so that a symbolic argument stays
 * one floating-point term; the rest takes numbers apart as printf does and puts them together as strtod does. Functions
 * that round (sin, pow, …) are the executor's own. */

enum { MATH_EDOM = 33 };

/* Sets errno without a branch. */
static void math_set_errno(int failed, int code) { __upshot_errno ^= (__upshot_errno ^ code) & -failed; }

#define MATH_UNARY(name)                                    \
  double name(double x) { return __builtin_##name(x); }     \
  float name##f(float x) { return __builtin_##name##f(x); } \
  long double name##l(long double x) { return __builtin_##name##l(x); }

#define MATH_BINARY(name)                                               \
  double name(double x, double y) { return __builtin_##name(x, y); }    \
  float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  long double name##l(long double x, long double y) { return __builtin_##name##l(x, y); }

MATH_UNARY(fabs)
MATH_UNARY(floor)
MATH_UNARY(ceil)
MATH_UNARY(trunc)
MATH_UNARY(round)
MATH_UNARY(roundeven)
MATH_UNARY(rint)
MATH_UNARY(nearbyint)
MATH_BINARY(copysign)
MATH_BINARY(fmin)
MATH_BINARY(fmax)

/* What follows is written once for each of the three types: T with the suffix S on its functions. */
#define MATH_EACH(define) define(double, ) define(float, f) define(long double, l)

#define MATH_JOIN(name, S) MATH_JOIN_NOW(name, S)
#define MATH_JOIN_NOW(name, S) name##S
#define MATH_BUILTIN(name, S) MATH_JOIN(__builtin_##name, S)

/* Outside of long's range the CPU answers with its smallest value. */
#define MATH_TO_LONG(T, S)                                                                                  \
  static long MATH_JOIN(math_to_long, S)(T x) { return (x >= -0x1p63 && x < 0x1p63) ? (long)x : LONG_MIN; } \
  long MATH_JOIN(lround, S)(T x) { return MATH_JOIN(math_to_long, S)(MATH_BUILTIN(round, S)(x)); }          \
  long long MATH_JOIN(llround, S)(T x) { return MATH_JOIN(math_to_long, S)(MATH_BUILTIN(round, S)(x)); }    \
  long MATH_JOIN(lrint, S)(T x) { return MATH_JOIN(math_to_long, S)(MATH_BUILTIN(rint, S)(x)); }            \
  long long MATH_JOIN(llrint, S)(T x) { return MATH_JOIN(math_to_long, S)(MATH_BUILTIN(rint, S)(x)); }
MATH_EACH(MATH_TO_LONG)

#define MATH_MODF(T, S)                                                    \
  T MATH_JOIN(modf, S)(T x, T * whole) {                                   \
    *whole = MATH_BUILTIN(trunc, S)(x);                                    \
    T rest = MATH_BUILTIN(fabs, S)(x) == __builtin_inf() ? 0 : x - *whole; \
    return MATH_BUILTIN(copysign, S)(rest, x);                             \
  }
MATH_EACH(MATH_MODF)

#define MATH_FMOD(T, S)                                                                                            \
  T MATH_JOIN(fmod, S)(T x, T y) {                                                                                 \
    math_set_errno(((y == 0) & (x == x)) | ((MATH_BUILTIN(fabs, S)(x) == __builtin_inf()) & (y == y)), MATH_EDOM); \
    return MATH_BUILTIN(fmod, S)(x, y);                                                                            \
  }
MATH_EACH(MATH_FMOD)

#define MATH_FDIM(T, S)                                                                           \
  T MATH_JOIN(fdim, S)(T x, T y) {                                                                \
    if (x <= y) return 0;                                                                         \
    T difference = x - y;                                                                         \
    T infinity = __builtin_inf();                                                                 \
    math_set_errno((difference == infinity) & (x != infinity) & (y != -infinity), UPSHOT_ERANGE); \
    return difference;                                                                            \
  }
MATH_EACH(MATH_FDIM)

double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

/* --- Classes ------------------------------------------------------------------------------------------------------ */

#define MATH_CLASSES(T, S)                                                                    \
  int MATH_JOIN(__isnan, S)(T x) { return x != x; }                                           \
  int MATH_JOIN(isnan, S)(T x) { return x != x; }                                             \
  int MATH_JOIN(__isinf, S)(T x) { return (x == __builtin_inf()) - (x == -__builtin_inf()); } \
  int MATH_JOIN(isinf, S)(T x) { return (x == __builtin_inf()) - (x == -__builtin_inf()); }   \
  int MATH_JOIN(__finite, S)(T x) { return MATH_BUILTIN(fabs, S)(x) < __builtin_inf(); }      \
  int MATH_JOIN(finite, S)(T x) { return MATH_BUILTIN(fabs, S)(x) < __builtin_inf(); }        \
  /* The numbers are those of FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL. */       \
  int MATH_JOIN(__fpclassify, S)(T x) {                                                       \
    T size = MATH_BUILTIN(fabs, S)(x);                                                        \
    if (x != x) return 0;                                                                     \
    if (size == __builtin_inf()) return 1;                                                    \
    if (size == 0) return 2;                                                                  \
    return size < MATH_JOIN_NOW(MATH_SMALLEST_NORMAL, S) ? 3 : 4;                             \
  }
#define MATH_SMALLEST_NORMAL __DBL_MIN__
#define MATH_SMALLEST_NORMALf __FLT_MIN__
#define MATH_SMALLEST_NORMALl __LDBL_MIN__
MATH_EACH(MATH_CLASSES)

static int math_negative(double x) {
  union {
    double value;
    uint64_t bits;
  } split = {.value = x};
  return (int)(split.bits >> 63);
}

int __signbit(double x) { return math_negative(x); }
int __signbitf(float x) { return math_negative(__builtin_copysign(1, x)); }
int __signbitl(long double x) { return math_negative((double)__builtin_copysignl(1, x)); }

/* --- Taking numbers apart and putting them together --------------------------------------------------------------- */

/* The number with its exponent changed by `change`, rounded once. */
static void math_scale(struct float_text *result, const struct format_number *number, long change,
                       const struct float_format *format) {
  int zeros = __builtin_clzll(number->mantissa), kept_errno = __upshot_errno;
  struct float_bits bits = {number->mantissa << zeros, 0, 0, number->exponent + 63L - zeros + change};
  float_fit(result, &bits, format);
  __upshot_errno = kept_errno;
  if (result->kind != FLOAT_FINITE) __upshot_errno = UPSHOT_ERANGE;
  result->negative = number->negative;
}

static double math_scale_double(double x, long change) {
  struct format_number number;
  struct float_text result;
  format_split_double(&number, x);
  if (number.kind != FLOAT_FINITE) return x + x;
  math_scale(&result, &number, change, &float_double);
  return float_to_double(&result);
}

static float math_scale_float(float x, long change) {
  struct format_number number;
  struct float_text result;
  format_split_double(&number, x);
  if (number.kind != FLOAT_FINITE) return x + x;
  math_scale(&result, &number, change, &float_single);
  return float_to_single(&result);
}

static long double math_scale_extended(long double x, long change) {
  struct format_number number;
  struct float_text result;
  format_split_extended(&number, x);
  if (number.kind != FLOAT_FINITE) return x + x;
  math_scale(&result, &number, change, &float_extended);
  return float_to_extended(&result);
}

/* A change beyond this goes out of every format's range anyway, and must not overflow when added. */
static long math_tame(long change) { return change > 100000 ? 100000 : change < -100000 ? -100000 : change; }

double ldexp(double x, int change) { return math_scale_double(x, math_tame(change)); }
double scalbn(double x, int change) { return math_scale_double(x, math_tame(change)); }
double scalbln(double x, long change) { return math_scale_double(x, math_tame(change)); }
float ldexpf(float x, int change) { return math_scale_float(x, math_tame(change)); }
float scalbnf(float x, int change) { return math_scale_float(x, math_tame(change)); }
float scalblnf(float x, long change) { return math_scale_float(x, math_tame(change)); }
long double ldexpl(long double x, int change) { return math_scale_extended(x, math_tame(change)); }
long double scalbnl(long double x, int change) { return math_scale_extended(x, math_tame(change)); }
long double scalblnl(long double x, long change) { return math_scale_extended(x, math_tame(change)); }

/* The exponent e with 2^e <= |x| < 2^(e+1), of a finite number that is not zero. */
static int math_exponent(const struct format_number *number) {
  return number->exponent + 63 - __builtin_clzll(number->mantissa);
}

double frexp(double x, int *exponent) {
  struct format_number number;
  format_split_double(&number, x);
  *exponent = 0;
  if (number.kind != FLOAT_FINITE) return x + x;
  *exponent = math_exponent(&number) + 1;
  return math_scale_double(x, -(long)*exponent);
}

float frexpf(float x, int *exponent) {
  struct format_number number;
  format_split_double(&number, x);
  *exponent = 0;
  if (number.kind != FLOAT_FINITE) return x + x;
  *exponent = math_exponent(&number) + 1;
  return math_scale_float(x, -(long)*exponent);
}

long double frexpl(long double x, int *exponent) {
  struct format_number number;
  format_split_extended(&number, x);
  *exponent = 0;
  if (number.kind != FLOAT_FINITE) return x + x;
  *exponent = math_exponent(&number) + 1;
  return math_scale_extended(x, -(long)*exponent);
}

static int math_integer_exponent(const struct format_number *number) {
  if (number->kind == FLOAT_FINITE) return math_exponent(number);
  __upshot_errno = MATH_EDOM;
  return number->kind == FLOAT_INFINITE ? INT_MAX : INT_MIN;
}

int ilogb(double x) {
  struct format_number number;
  format_split_double(&number, x);
  return math_integer_exponent(&number);
}

int ilogbf(float x) {
  struct format_number number;
  format_split_double(&number, x);
  return math_integer_exponent(&number);
}

int ilogbl(long double x) {
  struct format_number number;
  format_split_extended(&number, x);
  return math_integer_exponent(&number);
}

/* The next number from x towards y. As integers the bits of numbers of one sign are in the order of their size. */
double nextafter(double x, double y) {
  union {
    double value;
    int64_t bits;
  } split = {.value = x};
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) {
    split.bits = 1;
    return __builtin_copysign(split.value, y);
  }
  split.bits += (x < y) == (x > 0) ? 1 : -1;
  double size = __builtin_fabs(split.value);
  math_set_errno((size == __builtin_inf()) | (size < __DBL_MIN__), UPSHOT_ERANGE);
  return split.value;
}

float nextafterf(float x, float y) {
  union {
    float value;
    int32_t bits;
  } split = {.value = x};
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) {
    split.bits = 1;
    return __builtin_copysignf(split.value, y);
  }
  split.bits += (x < y) == (x > 0) ? 1 : -1;
  float size = __builtin_fabsf(split.value);
  math_set_errno((size == __builtin_inff()) | (size < __FLT_MIN__), UPSHOT_ERANGE);
  return split.value;
}
