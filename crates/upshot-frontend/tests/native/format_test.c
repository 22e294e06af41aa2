#include "native.h"

#include <limits.h>
#include <stdarg.h>
#include <wchar.h>

TWIN(snprintf)
TWIN(sprintf) TWIN(vsnprintf) TWIN(vsprintf) TWIN(asprintf)
    TWIN(vasprintf) extern int up___upshot_format(char *, unsigned long, const char *, void *);

enum { ROOM = 600 };

static void verify(const char *format, size_t size, int wanted, const char *one, int got, const char *two) {
  CHECK(wanted == got && errno == up_errno, "'%s', %zu: answers %d errno %d, not %d errno %d", format, size, got,
        up_errno, wanted, errno);
  CHECK(wanted < 0 || !memcmp(one, two, ROOM), "'%s', %zu: '%s' not '%s'", format, size, two, one);
}

#define COMPARE(size, ...)                                 \
  do {                                                     \
    char one[ROOM], two[ROOM];                             \
    memset(one, '#', ROOM);                                \
    memset(two, '#', ROOM);                                \
    errno = up_errno = 0;                                  \
    int wanted = snprintf(one, size, format, __VA_ARGS__); \
    int got = up_snprintf(two, size, format, __VA_ARGS__); \
    verify(format, size, wanted, one, got, two);           \
  } while (0)

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"

/* A directive with random flags, width and precision; stars take their arguments from *width and *precision. */
static void draw_directive(char *format, const char *size, const char *conversions) {
  char flags[8];
  draw_string(flags, 3, "-+ #0'");
  char width[8] = "", precision[8] = "";
  if (below(2)) snprintf(width, 8, "%u", below(30));
  if (below(2)) snprintf(precision, 8, ".%u", below(25));
  if (below(10) == 0) strcpy(precision, ".");
  sprintf(format, "<%%%s%s%s%s%c>", flags, flags[0] && !width[0] ? "" : width, precision, size,
          conversions[below((unsigned)strlen(conversions))]);
}

static uint64_t draw_integer(void) {
  uint64_t value = draw() >> below(64);
  switch (below(8)) {
    case 0: return 0;
    case 1: return -value;
    case 2: return (uint64_t)1 << below(64);
    case 3: return ((uint64_t)1 << below(64)) - 1;
    default: return value;
  }
}

static int through_list(char *one, char *two, size_t size, const char *format, ...) {
  va_list list, again, pointer;
  va_start(list, format);
  va_copy(again, list);
  va_copy(pointer, list);
  int wanted = vsnprintf(one, size, format, list);
  int got = up_vsnprintf(two, size, format, again);
  char three[ROOM];
  int through_pointer = up___upshot_format(three, ROOM, format, &pointer);
  CHECK(wanted == got && wanted == through_pointer && !strcmp(one, two), "through a va_list: %s", two);
  va_end(list);
  va_end(again);
  va_end(pointer);
  return wanted;
}

static void compare_odd_ones(void) {
  static const char *const formats[] = {"%",  "%5",    "%y", "%-08.3y", "% +#y", "%%",   "%5%", "%-5%|",
                                        "%l", "%hhd%", "%.", "%5.y",    "%lly|", "a%wb", "%'d"};
  for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
    const char *format = formats[i];
    COMPARE(ROOM, 7, 8);
  }
  const char *format = "%99999999999d";
  COMPARE(ROOM, 7);
  format = "%.99999999999d";
  COMPARE(ROOM, 7);
  format = "%2147483647d%d";
  format = "%*d|%-*d|%.*d|%*.*d";
  COMPARE(ROOM, 8, 1, -8, 2, 5, 3, -9, -4, 4);
  COMPARE(ROOM, -8, 1, 8, 2, -5, 3, 0, 0, 0);
  format = "%s|%.3s|%10s|%-10s|%.0s|%010s";
  COMPARE(ROOM, "hello", "hello", "hello", "hello", "hello", "hello");
  COMPARE(ROOM, NULL, NULL, NULL, NULL, NULL, NULL);
  format = "%.6s|%8.5s";
  COMPARE(ROOM, NULL, NULL);
  format = "%p|%20p|%-20p|%020p|%+p|% p|%#p|%.20p";
  COMPARE(ROOM, &failures, &failures, &failures, &failures, &failures, &failures, &failures, &failures);
  COMPARE(ROOM, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  format = "%c%5c%-5c|%05c%c";
  COMPARE(ROOM, 'a', 'b', 'c', 'd', 0);
  format = "%ls|%10ls|%-10.2ls|%lc|%S|%C";
  COMPARE(ROOM, L"wide", L"wide", L"wide", (wint_t)'w', L"W", (wint_t)'c');
  format = "%ls";
  COMPARE(ROOM, L"w\u20acide");
  format = "%m|%10.3m";
  COMPARE(ROOM, 0);
  format = "no directive at all";
  COMPARE(ROOM, 0);
  COMPARE(5, 0);
  COMPARE(1, 0);
  COMPARE(0, 0);
}

static void compare_counts(void) {
  long one_counts[4], two_counts[4];
  char one[ROOM], two[ROOM];
  memset(one_counts, 0x5a, sizeof one_counts);
  memset(two_counts, 0x5a, sizeof two_counts);
  snprintf(one, 4, "abc%ndef%hn%hhn-%dxyz%ln", (int *)&one_counts[0], (short *)&one_counts[1],
           (signed char *)&one_counts[2], 12345, &one_counts[3]);
  up_snprintf(two, 4, "abc%ndef%hn%hhn-%dxyz%ln", (int *)&two_counts[0], (short *)&two_counts[1],
              (signed char *)&two_counts[2], 12345, &two_counts[3]);
  CHECK(!memcmp(one_counts, two_counts, sizeof one_counts), "%%n");
}

void test_format(void) {
  char format[64];
  for (int turn = 0; turn < 60000; turn++) {
    uint64_t value = draw_integer();
    size_t size = below(5) ? ROOM : below(40);
    static const char *const lengths[] = {"", "hh", "h", "l", "ll", "j", "z", "t", "q", "Z"};
    draw_directive(format, lengths[below(10)], "diuoxX");
    COMPARE(size, value);
    draw_directive(format, "", "s");
    char text[40];
    draw_string(text, 30, "abc ");
    COMPARE(size, text);
    draw_directive(format, "", "c");
    int letter = (int)below(256);
    COMPARE(size, letter);
    draw_directive(format, "", "p");
    COMPARE(size, (void *)value);
  }
  compare_odd_ones();
  compare_counts();
  char one[ROOM], two[ROOM], *three;
  /* Arguments past the registers, of both kinds, through lists. */
  int length = through_list(one, two, ROOM, "%d %ld %s %c %x %u %d %f %d %g %f %f %f %f %f %f %f %Lf %d", 1, 2L,
                            "three", '4', 5, 6, 7, 8.0, 9, 10.0, 11., 12., 13., 14., 15., 16., 17., 18.L, 19);
  CHECK(up_sprintf(two, "%s", one) == length && !strcmp(one, two), "sprintf");
  CHECK(up_asprintf(&three, "%s!", one) == length + 1 && strlen(three) == (size_t)length + 1, "asprintf");
  free(three);
}
