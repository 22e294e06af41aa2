/* Integers from text: the strtol family, atoi, and what scanf needs of them. One reader turns text into sign, magnitude
 * and whether 64 bits were too few; the functions differ only in the range they force that into. */

/* What the reader found. */
struct integer_text {
  uint64_t magnitude;
  int negative;
  int overflow;     /* the magnitude is more than 64 bits hold */
  unsigned digits;  /* how many were read, the prefix not counted; 0 if there was no number */
  const char *rest; /* behind the last of them */
};

/* No number of this many digits overflows 63 bits in any base. The count of digits is concrete on every path, so short
 * numbers cost no question about overflow at all. */
enum { INTEGER_SAFE_DIGITS = 12 };

/* Whether a character is a digit of the base, without a branch that depends on it. */
static unsigned integer_is_digit(char c, unsigned base) {
  unsigned decimal = (unsigned)(byte)c - '0';
  if (base <= 10) return decimal < base;
  unsigned letter = ((unsigned)(byte)c | 32) - 'a';
  return (decimal < 10) | (letter < base - 10);
}

/* The value of a digit. */
static unsigned integer_digit(char c, unsigned base) {
  unsigned decimal = (unsigned)(byte)c - '0';
  if (base <= 10) return decimal;
  unsigned letter = ((unsigned)(byte)c | 32) - 'a';
  return decimal * (decimal < 10) + (letter + 10) * (decimal >= 10);
}

/* Whether 0x or 0b starts here and a digit of that base follows. */
static int integer_prefix(const char *text, size_t limit, char letter, unsigned base) {
  return limit > 2 && text[0] == '0' && (text[1] | 32) == letter && integer_is_digit(text[2], base);
}

/* Reads sign, prefix and digits from the first `limit` characters of `text`. With base 0 the prefix decides. */
static void integer_read(struct integer_text *result, const char *text, size_t limit, int base, int binary) {
  size_t at = 0;
  result->magnitude = 0;
  result->negative = 0;
  result->overflow = 0;
  result->digits = 0;
  if (at < limit && *text == '-') {
    result->negative = 1;
    at++;
  } else if (at < limit && *text == '+') {
    at++;
  }
  if ((base == 0) | (base == 16) && integer_prefix(text + at, limit - at, 'x', 16)) {
    at += 2;
    base = 16;
  } else if (binary && (base == 0) | (base == 2) && integer_prefix(text + at, limit - at, 'b', 2)) {
    at += 2;
    base = 2;
  } else if (base == 0) {
    base = at < limit && text[at] == '0' ? 8 : 10;
  }
  for (; at < limit && integer_is_digit(text[at], (unsigned)base); at++) {
    unsigned digit = integer_digit(text[at], (unsigned)base);
    if (result->digits >= INTEGER_SAFE_DIGITS)
      result->overflow |= result->magnitude > (UINT64_MAX - digit) / (unsigned)base;
    result->magnitude = result->magnitude * (unsigned)base + digit;
    result->digits++;
  }
  result->rest = text + at;
}

static const char *integer_skip_space(const char *text) {
  while (ctype_space((byte)*text)) text++;
  return text;
}

/* Reads a whole string's number as the strtol functions do. Answers 0 if nothing is to be converted. */
static int integer_convert(struct integer_text *result, const char *text, char **rest, int base, int binary) {
  if ((base < 0) | (base == 1) | (base > 36)) {
    __upshot_errno = UPSHOT_EINVAL;
    return 0;
  }
  /* The NUL is no digit, so it needs no limit. */
  integer_read(result, integer_skip_space(text), SIZE_MAX, base, binary);
  if (rest) *rest = (char *)(result->digits ? result->rest : text);
  return result->digits != 0;
}

/* The value forced into a signed 64-bit range. */
static int64_t integer_to_signed(const struct integer_text *text) {
  uint64_t limit = (uint64_t)INT64_MAX + (unsigned)text->negative;
  if (text->digits > INTEGER_SAFE_DIGITS && text->overflow | (text->magnitude > limit)) {
    __upshot_errno = UPSHOT_ERANGE;
    return (int64_t)limit;
  }
  return (int64_t)(text->negative ? -text->magnitude : text->magnitude);
}

/* The value forced into an unsigned 64-bit range; a minus sign negates in it, as C asks for. */
static uint64_t integer_to_unsigned(const struct integer_text *text) {
  if (text->overflow) {
    __upshot_errno = UPSHOT_ERANGE;
    return UINT64_MAX;
  }
  return text->negative ? -text->magnitude : text->magnitude;
}

static int64_t integer_signed(const char *text, char **rest, int base, int binary) {
  struct integer_text result;
  return integer_convert(&result, text, rest, base, binary) ? integer_to_signed(&result) : 0;
}

static uint64_t integer_unsigned(const char *text, char **rest, int base, int binary) {
  struct integer_text result;
  return integer_convert(&result, text, rest, base, binary) ? integer_to_unsigned(&result) : 0;
}

long strtol(const char *restrict text, char **restrict rest, int base) { return integer_signed(text, rest, base, 0); }

long long strtoll(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 0);
}

intmax_t strtoimax(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 0);
}

unsigned long strtoul(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 0);
}

unsigned long long strtoull(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 0);
}

uintmax_t strtoumax(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 0);
}

long long strtoq(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 0);
}

unsigned long long strtouq(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 0);
}

/* The names that newer glibc headers turn these into: C23 adds binary numbers. */
long __isoc23_strtol(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 1);
}

long long __isoc23_strtoll(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 1);
}

intmax_t __isoc23_strtoimax(const char *restrict text, char **restrict rest, int base) {
  return integer_signed(text, rest, base, 1);
}

unsigned long __isoc23_strtoul(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 1);
}

unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 1);
}

uintmax_t __isoc23_strtoumax(const char *restrict text, char **restrict rest, int base) {
  return integer_unsigned(text, rest, base, 1);
}

/* The names that older glibc headers use inside inline functions; grouping is nothing in the C locale. */
long __strtol_internal(const char *restrict text, char **restrict rest, int base, int group) {
  (void)group;
  return integer_signed(text, rest, base, 0);
}

long long __strtoll_internal(const char *restrict text, char **restrict rest, int base, int group) {
  (void)group;
  return integer_signed(text, rest, base, 0);
}

unsigned long __strtoul_internal(const char *restrict text, char **restrict rest, int base, int group) {
  (void)group;
  return integer_unsigned(text, rest, base, 0);
}

unsigned long long __strtoull_internal(const char *restrict text, char **restrict rest, int base, int group) {
  (void)group;
  return integer_unsigned(text, rest, base, 0);
}

int atoi(const char *text) { return (int)integer_signed(text, NULL, 10, 0); }
long atol(const char *text) { return integer_signed(text, NULL, 10, 0); }
long long atoll(const char *text) { return integer_signed(text, NULL, 10, 0); }
