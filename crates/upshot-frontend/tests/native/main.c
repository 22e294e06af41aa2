#include "native.h"

#include <stdarg.h>

int failures;

void report(const char *file, int line, const char *format, ...) {
  if (getenv("NATIVE_MEMORY_ONLY")) return;
  failures++;
  if (failures > 40) return;
  fprintf(stderr, "%s:%d: ", file, line);
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

uint64_t draw(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1d >> 8 ^ state;
}

void draw_string(char *target, unsigned most, const char *alphabet) {
  unsigned length = below(most + 1), letters = (unsigned)strlen(alphabet);
  for (unsigned i = 0; i < length; i++) target[i] = alphabet[below(letters)];
  target[length] = 0;
}

/* What the runtime expects of the executor. */
void __upshot_unsupported(const char *what) {
  fprintf(stderr, "unsupported: %s\n", what);
  abort();
}

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {
    {"ctype", test_ctype},
    {"string", test_string},
    {"integer_text", test_integer_text},
    {"float_text", test_float_text},
    {"format", test_format},
    {"format_float", test_format_float},
    {"scan", test_scan},
    {"stdlib", test_stdlib},
    {"math", test_math},
};

int main(int argc, char **argv) {
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
    if (argc < 2 || strcmp(argv[1], tests[i].name) == 0) tests[i].run();
  if (failures) fprintf(stderr, "%d differences\n", failures);
  return failures != 0;
}
