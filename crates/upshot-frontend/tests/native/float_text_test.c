#include "native.h"

#include <float.h>
#include <math.h>

TWIN(strtof)
TWIN(strtod) TWIN(strtold) TWIN(atof)
#define COMPARE(name, type, bytes)                                                                                     \
  do {                                                                                                                 \
    char *end, *up_end;                                                                                                \
    errno = up_errno = 0;                                                                                              \
    type wanted = name(text, &end), got = up_##name(text, &up_end);                                                    \
    CHECK(!memcmp(&wanted, &got, bytes), #name "('%.60s'): %La not %La", text, (long double)got, (long double)wanted); \
    CHECK(end == up_end, #name "('%.60s') ends at %ld not %ld", text, (long)(up_end - text), (long)(end - text));      \
    CHECK(errno == up_errno, #name "('%.60s') errno %d not %d", text, up_errno, errno);                                \
  } while (0)

    static void compare(const char *text) {
  COMPARE(strtof, float, 4);
  COMPARE(strtod, double, 8);
  COMPARE(strtold, long double, 10);
}

static const char *const special[] = {
    "",
    ".",
    "-",
    "+.",
    "e5",
    "1e",
    "1e+",
    "1e-",
    "1e5",
    "1.e5",
    ".5",
    "-.5e-3x",
    "0x",
    "0x.",
    "0x.p1",
    "0x1p",
    "0x1.8p3",
    "0x.8",
    "0x1p-1074",
    "0x1p-1075",
    "0x1.8p-1075",
    "0x1.00000000000008p0",
    "0x1.000000000000080001p0",
    "0x1.fffffffffffffffp0",
    "0xfffffffffffffffffp0",
    "0x123456789abcdef01",
    "0x123456789abcdef018p-4",
    "0x1p1024",
    "0x1p16384",
    "0x1p-16445",
    "0x1p-16446",
    "0x1.8p-16446",
    "0x0p99999999999999999999",
    "0x1p99999999999999999999",
    "0x1p-99999999999999999999",
    "inf",
    "-INF",
    "infinity",
    "infinit",
    "in",
    "nan",
    "-nan",
    "NaN(123)",
    "nan(0x7f)",
    "nan()",
    "nan(abc_1)",
    "nan(12",
    "nan(-1)",
    "na",
    "1e308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "1e309",
    "4.9e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-400",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "2.2250738585072012e-308",
    "1e4932",
    "1.2e4932",
    "1e4933",
    "3.6e-4951",
    "1e-4951",
    "1e-5000",
    "3.4028235e38",
    "3.4028236e38",
    "1.4e-45",
    "0.7e-45",
    "1.17549435e-38",
    "1.1754943e-38",
    "1e99999999999999999999999",
    "1e-99999999999999999999999",
    "0e99999999999",
    "-0",
    "0.000",
    "  12",
    "\n1",
    "9007199254740993",
    "9007199254740992.5",
    "9007199254740993.0000000000000000000000000000000000000000001",
    "100000000000000000000000000000000000000000000000000000",
    "1_000",
    "1,5",
};

/* The text of the midpoint between a random number and the next, in full: the hardest case there is. */
static void compare_midpoint(void) {
  static char text[20000];
  union {
    double value;
    uint64_t bits;
  } lower = {.bits = draw() >> 1};
  if (below(3) == 0) lower.bits >>= 11; /* subnormal or nearly so */
  if (!isfinite(lower.value)) return;
  long double middle = (long double)lower.value;
  union {
    uint64_t bits;
    double value;
  } upper = {.bits = lower.bits + 1};
  if (!isfinite(upper.value)) return;
  middle += ((long double)upper.value - (long double)lower.value) / 2;
  int length = snprintf(text, sizeof text, "%.800Le", middle);
  COMPARE(strtod, double, 8);
  /* And a hair above or below. */
  char *exponent = strchr(text, 'e');
  exponent[-1] = '1';
  COMPARE(strtod, double, 8);
  text[length] = 0;
}

void test_float_text(void) {
  static char text[20000];
  for (unsigned i = 0; i < sizeof special / sizeof *special; i++) compare(special[i]);
  for (int turn = 0; turn < 30000; turn++) {
    draw_string(text, 14, turn % 2 ? "0123456789.e-" : "+-.0x19aFpPeE() ");
    compare(text);
    /* Digits and an exponent over the whole range. */
    unsigned digits = 1 + below(30), at = 0;
    for (unsigned i = 0; i < digits; i++) {
      text[at++] = (char)('0' + below(10));
      if (i == 0 && below(2)) text[at++] = '.';
    }
    snprintf(text + at, 20, "e%d",
             turn % 5 == 0   ? (int)below(10200) - 5100
             : turn % 5 == 1 ? (int)below(100) - 60
                             : (int)below(700) - 360);
    if (turn % 5 || turn % 50 == 0) compare(text);
  }
  for (int turn = 0; turn < 3000; turn++) {
    union {
      uint64_t bits;
      double value;
    } number = {.bits = draw()};
    snprintf(text, sizeof text, "%.*e", (int)below(25), number.value);
    compare(text);
    compare_midpoint();
  }
  for (int turn = 0; turn < 40; turn++) {
    union {
      struct {
        uint64_t mantissa;
        uint16_t exponent;
      } bits;
      long double value;
    } number = {.bits = {draw() | (uint64_t)1 << 63, (uint16_t)(draw() % 0x7fff)}};
    if (turn % 4 == 0) number.bits.exponent = (uint16_t)(1 + below(3));
    /* All digits of a long double, which is then read back as it was. */
    snprintf(text, sizeof text, "%.11550Le", number.value);
    compare(text);
    /* The midpoint to the next one: one more bit, written in full by way of a shorter exponent. */
    if (number.bits.exponent > 16383 && number.bits.exponent < 16383 + 60) {
      int length = snprintf(text, sizeof text, "%.100Lf", number.value);
      text[length - 1] = '5';
      compare(text);
    }
  }
  /* Many digits that decide only at the very end. */
  memset(text, '0', 2000);
  memcpy(text, "9007199254740993.", 17);
  text[1999] = '1';
  text[2000] = 0;
  compare(text);
  memset(text, '0', 15000);
  memcpy(text, "0.", 2);
  strcpy(text + 15000, "123e15000");
  compare(text);
  memset(text, '3', 15000);
  strcpy(text + 15000, "e-15000");
  compare(text);
  CHECK(up_atof(" 2.5e3x") == 2500, "atof");
}
