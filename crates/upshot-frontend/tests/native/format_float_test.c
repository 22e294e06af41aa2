#include "native.h"

#include <float.h>
#include <math.h>

TWIN(snprintf)

enum { ROOM = 40000 };
static char one[ROOM], two[ROOM];

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"

/* glibc 2.36 drops the digits of %#g where rounding carries into a new one (999999.5 as "1.e+06"). */
static int glibc_is_wrong(const char *format) {
  return strchr(format, '#') && strpbrk(format, "gG") && strcasestr(one, ".e") != NULL && strcasestr(two, ".e") == NULL;
}

static void compare(const char *format, double value) {
  int wanted = snprintf(one, ROOM, format, value), got = up_snprintf(two, ROOM, format, value);
  if (glibc_is_wrong(format)) return;
  CHECK(wanted == got && !strcmp(one, two), "'%s' of %a: '%.200s' not '%.200s'", format, value, two, one);
}

static void compare_extended(const char *format, long double value) {
  int wanted = snprintf(one, ROOM, format, value), got = up_snprintf(two, ROOM, format, value);
  CHECK(wanted == got && !strcmp(one, two), "'%s' of %La: '%.200s' not '%.200s'", format, value, two, one);
}

static void draw_directive(char *format, const char *size) {
  char flags[8], width[8] = "", precision[8] = "";
  draw_string(flags, 2, "-+ #0");
  if (below(2)) snprintf(width, 8, "%u", 1 + below(40));
  if (below(3)) snprintf(precision, 8, ".%u", below(8) ? below(20) : below(400));
  sprintf(format, "%%%s%s%s%s%c", flags, width, precision, size, "fFeEgGaA"[below(8)]);
}

static double draw_double(void) {
  union {
    uint64_t bits;
    double value;
  } number = {.bits = draw()};
  switch (below(8)) {
    case 0: return (double)(int)below(2000) / 8 - 100;
    case 1: return (double)below(100000) / 1000;
    case 2: return ldexp(1, (int)below(2098) - 1074);
    case 3: return (double)(draw() >> below(64));
    case 4: number.bits >>= 12; return number.value;
    case 5: return (double)below(1000) / 2 * pow(10, (int)below(30) - 15);
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
  switch (below(5)) {
    case 0: return draw_double();
    case 1:
      number.bits.mantissa >>= 1 + below(63);
      number.bits.exponent = 0;
      return number.value;
    case 2: number.bits.exponent = (uint16_t)(16383 + below(100) - 50); return number.value;
    case 3: return (long double)draw() / 1024;
    default: return number.value;
  }
}

void test_format_float(void) {
  static const double special[] = {0.0,      -0.0,           1,         0.5,       1.5,     2.5,
                                   0.25,     0.125,          9.5,       99.5,      0.95,    0.0001,
                                   0.00001,  0.000099999995, 999999.5,  999999.4,  1e15,    1e16,
                                   1e17,     1e22,           1e23,      123456789, DBL_MAX, DBL_MIN,
                                   4.9e-324, INFINITY,       -INFINITY, NAN,       0x1.8p0, 0x1.fffffffffffffp0,
                                   0x1.08p0, 0x1.18p0,       0x1.f8p0};
  static const char *const formats[] = {
      "%f",     "%e",    "%g",    "%a",  "%.0f",  "%.0e",  "%.0g",     "%.0a",  "%.1f",    "%.1e",   "%.1g",
      "%.1a",   "%#.0f", "%#.0e", "%#g", "%#.0a", "%010f", "%-10.2f|", "%+.3e", "% g",     "%020a",  "%25.3a",
      "%-25a|", "%F",    "%E",    "%G",  "%A",    "%010F", "%.17g",    "%.20f", "%.1100f", "%.800e", "%.3000g"};
  for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
    for (unsigned j = 0; j < sizeof formats / sizeof *formats; j++) compare(formats[j], special[i]);
  compare("%f", -NAN);
  char format[40];
  for (int turn = 0; turn < 20000; turn++) {
    draw_directive(format, "");
    compare(format, draw_double());
    draw_directive(format, "l");
    compare(format, draw_double());
    if (turn % 4) continue;
    draw_directive(format, "L");
    compare_extended(format, draw_extended());
  }
  static const long double extremes[] = {
      LDBL_MAX, LDBL_MIN, 0x1p-16445L, 1.0L, 0.0L, -0.0L, 0.1L, 0xf.8p0L, 0xf.ffffffffffffff8p0L, 0x8.8p-16385L};
  static const char *const long_formats[] = {"%Lf",   "%Le",       "%Lg",       "%La",       "%.0La",
                                             "%.1La", "%.16446Lf", "%.11600Le", "%.20000Lg", "%.3La"};
  for (unsigned i = 0; i < sizeof extremes / sizeof *extremes; i++)
    for (unsigned j = 0; j < sizeof long_formats / sizeof *long_formats; j++)
      compare_extended(long_formats[j], extremes[i]);
}
