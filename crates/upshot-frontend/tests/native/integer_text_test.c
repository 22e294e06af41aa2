#include "native.h"

#include <inttypes.h>
#include <limits.h>

TWIN(strtol)
TWIN(strtoll) TWIN(strtoul) TWIN(strtoull) TWIN(strtoimax) TWIN(strtoumax) TWIN(atoi) TWIN(atol)
    TWIN(atoll) extern long up___isoc23_strtol(const char *, char **, int);

#define COMPARE(name, type)                                                                                          \
  do {                                                                                                               \
    char *end = "", *up_end = end;                                                                                   \
    errno = up_errno = 0;                                                                                            \
    type wanted = name(text, &end, base), got = up_##name(text, &up_end, base);                                      \
    CHECK(wanted == got && end == up_end && errno == up_errno, #name "('%s', %d): %lld errno %d, not %lld errno %d", \
          text, base, (long long)got, up_errno, (long long)wanted, errno);                                           \
  } while (0)

static void compare(const char *text, int base) {
  COMPARE(strtol, long);
  COMPARE(strtoll, long long);
  COMPARE(strtoimax, intmax_t);
  COMPARE(strtoul, unsigned long);
  COMPARE(strtoull, unsigned long long);
  COMPARE(strtoumax, uintmax_t);
  CHECK(atoi(text) == up_atoi(text) && atol(text) == up_atol(text) && atoll(text) == up_atoll(text), "atoi '%s'", text);
}

static const char *const special[] = {
    "",
    " ",
    "-",
    "+",
    "+-1",
    "--1",
    "0",
    "-0",
    "0x",
    "0xg",
    "0x1",
    " 0X1f",
    "-0x8000000000000000",
    "00x1",
    "0b1",
    "08",
    "\v\f\t 12",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551615",
    "-18446744073709551616",
    "99999999999999999999999999",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "zz",
    "3w5e11264sgsf",
    "3w5e11264sgsg",
    "1y2p0ij32e8e7",
    "1y2p0ij32e8e8",
    "0000000000000000000000000000000000000000012",
};

void test_integer_text(void) {
  static const int bases[] = {0, 2, 3, 8, 10, 16, 36, 1, 37, -1};
  for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
    for (unsigned j = 0; j < sizeof bases / sizeof *bases; j++) compare(special[i], bases[j]);
  for (int turn = 0; turn < 60000; turn++) {
    char text[64];
    draw_string(text, 24,
                turn % 4 == 0   ? "0123456789"
                : turn % 4 == 1 ? "01"
                : turn % 4 == 2 ? " +-0xX19fZz"
                                : "78901-+ ");
    compare(text, bases[below(10)]);
    compare(text, (int)below(37));
  }
  char *end;
  CHECK(up___isoc23_strtol("0b101x", &end, 0) == 5 && *end == 'x', "binary in C23");
  CHECK(up___isoc23_strtol("0B11", &end, 2) == 3 && *end == 0, "binary in C23");
  CHECK(up___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b', "binary in C23");
}
