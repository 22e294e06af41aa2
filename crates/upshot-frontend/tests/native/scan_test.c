#include "native.h"

TWIN(sscanf)
extern int up___isoc99_sscanf(const char *, const char *, ...);
extern int up___isoc23_sscanf(const char *, const char *, ...);

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"

/* Room for what any directive stores, four of them. */
struct stored {
  _Alignas(16) char field[4][32];
};

static void compare(const char *text, const char *format) {
  struct stored one, two;
  memset(&one, 0x5a, sizeof one);
  memset(&two, 0x5a, sizeof two);
  errno = up_errno = 0;
  int wanted = sscanf(text, format, one.field[0], one.field[1], one.field[2], one.field[3]);
  int got = up_sscanf(text, format, two.field[0], two.field[1], two.field[2], two.field[3]);
  CHECK(wanted == got, "sscanf('%s', '%s') answers %d not %d", text, format, got, wanted);
  CHECK(errno == up_errno, "sscanf('%s', '%s') errno %d not %d", text, format, up_errno, errno);
  for (int i = 0; i < 4; i++)
    CHECK(!memcmp(one.field[i], two.field[i], 32), "sscanf('%s', '%s') stores other things in %d", text, format, i);
}

static const char *const pairs[][2] = {
    {"", ""},
    {"", "%d"},
    {"", "x"},
    {"", " "},
    {"", " %d"},
    {" ", "%d"},
    {"x", "%d"},
    {"12", "%d%d"},
    {"12 x", "%d%d"},
    {"12 13", "%d %d"},
    {"12,13", "%d,%d"},
    {"12 ,13", "%d,%d"},
    {"%5", "%%%d"},
    {" %5", "%%%d"},
    {"-12", "%u"},
    {"0x1f", "%x"},
    {"0x1f", "%i"},
    {"017", "%i"},
    {"0x", "%i"},
    {"0x", "%x"},
    {"0xg", "%x%c"},
    {"08", "%i%c"},
    {"0x1f", "%d%c"},
    {"12345", "%2d%3d"},
    {"-12345", "%2d%3d"},
    {"0x12", "%1i%s"},
    {"0x12", "%2i%s"},
    {"0x12", "%3i%s"},
    {"99999999999", "%d"},
    {"99999999999999999999", "%ld"},
    {"-99999999999999999999", "%ld"},
    {"300", "%hhd"},
    {"70000", "%hd"},
    {"4294967295", "%u"},
    {"18446744073709551616", "%lu"},
    {"(nil)", "%p"},
    {"0x1234", "%p"},
    {"(nix)", "%p"},
    {"1234", "%p"},
    {"abc def", "%s%s"},
    {"abc", "%2s%s"},
    {"abc", "%c%c"},
    {"abc", "%2c%c"},
    {"ab", "%5c"},
    {"  a", "%c"},
    {"  a", " %c"},
    {"abc]x", "%[]a-c]%s"},
    {"abcx", "%[^x]%s"},
    {"a-c", "%[a-]%s"},
    {"a-c", "%[-a]%s"},
    {"abc", "%[x]"},
    {"", "%[x]"},
    {"a^b", "%[a^]%s"},
    {"cba", "%[a-c]"},
    {"cba-", "%[c-a]"},
    {"abc", "%[a"},
    {"abc12", "%*[a-c]%d"},
    {"12 13", "%*d%d"},
    {"12", "%*d%d"},
    {"x", "%*d%d"},
    {"12 13", "%d%n%d%n"},
    {"abc", "abc%n"},
    {"abd", "abc%n"},
    {"1.5", "%f"},
    {"1.5", "%lf"},
    {"1.5", "%Lf"},
    {"1e", "%f%c"},
    {"1e+", "%f%c"},
    {"1e5x", "%f%c"},
    {".", "%f"},
    {"-", "%f"},
    {"-.", "%f"},
    {"1..5", "%f%f"},
    {"inf", "%f"},
    {"infinity", "%lf"},
    {"infinite", "%lf"},
    {"nan", "%f"},
    {"nanx", "%f%s"},
    {"nax", "%f"},
    {"0x1p4", "%lf"},
    {"0x", "%lf"},
    {"0x1.8p", "%lf%c"},
    {"123456", "%3f%f"},
    {"1.23456", "%3lf%lf"},
    {"1e10", "%2f%s"},
    {"  1.5  2.5", "%f%f"},
    {"12abc", "%d%[a-z]"},
    {"10:20:30", "%d:%d:%d"},
    {"key = value", "%s = %s"},
    {"key=value", "%[^=]=%s"},
    {"-0x10", "%i"},
    {"+5", "%d"},
    {"- 5", "%d"},
    {"1,2", "%d%*c%d"},
    {"a b c", "%s %s %s"},
    {"12", "%d %n"},
    {"0b1", "%i%s"},
    {"5", "%0d"},
    {"  ", "%s"},
    {"  ", "%c%c"},
    {"x y", "x%dy"},
    {"1 2 3", "%hhd %hd %ld"},
    {"12", "%zd"},
    {"-1", "%ju"},
    {"7", "%td"},
    {"ab", "%y"},
    {"12", "%d%"},
};

void test_scan(void) {
  for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) compare(pairs[i][0], pairs[i][1]);
  for (int turn = 0; turn < 60000; turn++) {
    char text[40], format[80] = "";
    draw_string(text, 16, turn % 3 == 0 ? "0123456789 -+" : turn % 3 == 1 ? " 0xX1.5eE-+p" : "ab 12,infNAN");
    unsigned count = 1 + below(3);
    for (unsigned i = 0; i < count; i++) {
      static const char *const directives[] = {"%d",  "%i",   "%u",  "%x",  "%o",  "%ld",    "%hhd",   "%hu", "%f",
                                               "%lf", "%Lf",  "%5s", "%c",  "%3c", "%[0-9]", "%2[^ ]", "%n",  "%3d",
                                               "%2x", "%4lf", "%*d", "%*s", " ",   ",",      "%1i",    "%p"};
      strcat(format, directives[below(26)]);
    }
    if (strstr(format, "%p") && strchr(text, '(')) continue;
    compare(text, format);
  }
  char *word = NULL;
  CHECK(up_sscanf("hello world", "%ms", &word) == 1 && word && !strcmp(word, "hello"), "%%ms");
  free(word);
  int value = 0;
  CHECK(up___isoc99_sscanf("42", "%d", &value) == 1 && value == 42, "__isoc99_sscanf");
  CHECK(up___isoc23_sscanf("0b11", "%i", &value) == 1 && value == 3, "__isoc23_sscanf");
}
