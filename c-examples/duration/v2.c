/* Parses durations such as "90s", "5m" or "1h5m" and spreads them over workers. */
#include <stddef.h>

enum { INVALID = -1 };

static int unit_seconds(char unit) {
  switch (unit) {
  case 's': return 1;
  case 'm': return 60;
  case 'h': return 3600;
  case 'd': return 86400;
  default: return 0;
  }
}

/* Seconds, or INVALID. Units must come in descending order: "1h5m", not "5m1h". */
int parse_duration(const char *text) {
  int total = 0;
  int last = 7 * 86400;
  if (text == NULL || *text == '\0')
    return INVALID;
  while (*text != '\0') {
    int number = 0, digits = 0;
    while (*text >= '0' && *text <= '9') {
      number = number * 10 + (*text - '0');
      digits++;
      text++;
    }
    int unit = unit_seconds(*text);
    if (digits == 0 || unit == 0 || unit >= last)
      return INVALID;
    total += number * unit;
    last = unit;
    text++;
  }
  return total;
}

/* How long each of `workers` has to work on it, rounded up; a single worker takes all. */
int share(const char *text, int workers) {
  int seconds = parse_duration(text);
  if (seconds == INVALID || workers < 0)
    return INVALID;
  return (seconds + workers - 1) / workers;
}

static const char *const names[] = {"second", "minute", "hour"};

/* The largest unit that a duration fills. */
const char *largest_unit(int seconds) {
  int index = 0;
  for (int rest = seconds; rest >= 60 && index < 4; rest /= 60)
    index++;
  return names[index];
}
