/* Floating-point numbers from text, correctly rounded (to nearest, ties to even): strtod and its relatives, and what
 * scanf needs of them. A decimal number is the quotient of two big integers, whose first 64 bits, next bit and
 * "anything after it" decide the rounding exactly, whatever the format. All of it is integer arithmetic. */

/* A format: bits of precision, and the exponents of its smallest and largest normal powers of two. */
struct float_format {
  int precision, lowest, highest;
  size_t digits; /* as many significant digits as can decide a tie; those after them only count as "not zero" */
};

static const struct float_format float_single = {24, -126, 127, 120};
static const struct float_format float_double = {53, -1022, 1023, 780};
static const struct float_format float_extended = {64, -16382, 16383, 11600};

/* A positive number 1.xxx * 2^exponent as 64 bits of 1xxx, the bit after them, and whether anything follows. */
struct float_bits {
  uint64_t mantissa;
  int next, sticky;
  long exponent;
};

/* The result of reading. */
enum float_kind { FLOAT_NONE, FLOAT_ZERO, FLOAT_FINITE, FLOAT_INFINITE, FLOAT_NAN };

struct float_text {
  enum float_kind kind;
  int negative;
  uint64_t mantissa; /* `precision` bits, or the payload of a NaN */
  long exponent;     /* of the mantissa's top bit; below `lowest` if that bit is not set (subnormal) */
  const char *rest;
};

/* --- Big integers: words of 32 bits, the lowest first, no zero words at the top ----------------------------------- */

/* Enough for the quotient of any long double: 11,600 digits over 10^(11,600 + 4,970), and room to align. */
enum { FLOAT_BIG_WORDS = 1800, FLOAT_SMALL_WORDS = 160 };

struct float_big {
  uint32_t *words;
  size_t length;
};

static void float_multiply_add(struct float_big *big, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (size_t i = 0; i < big->length; i++) {
    carry += (uint64_t)big->words[i] * factor;
    big->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) big->words[big->length++] = (uint32_t)carry;
}

static void float_multiply_power_of_ten(struct float_big *big, long power) {
  for (; power >= 9; power -= 9) float_multiply_add(big, 1000000000, 0);
  uint32_t rest = 1;
  for (; power > 0; power--) rest *= 10;
  if (rest > 1) float_multiply_add(big, rest, 0);
}

static long float_bit_length(const struct float_big *big) {
  return (long)big->length * 32 - __builtin_clz(big->words[big->length - 1]);
}

static void float_shift_left(struct float_big *big, size_t count) {
  size_t words = count / 32;
  unsigned bits = count % 32;
  if (bits) float_multiply_add(big, (uint32_t)1 << bits, 0);
  if (!words) return;
  for (size_t i = big->length; i-- > 0;) big->words[i + words] = big->words[i];
  for (size_t i = 0; i < words; i++) big->words[i] = 0;
  big->length += words;
}

static int float_less(const struct float_big *left, const struct float_big *right) {
  if (left->length != right->length) return left->length < right->length;
  for (size_t i = left->length; i-- > 0;)
    if (left->words[i] != right->words[i]) return left->words[i] < right->words[i];
  return 0;
}

/* left -= right, which is not larger. */
static void float_subtract(struct float_big *left, const struct float_big *right) {
  int64_t borrow = 0;
  for (size_t i = 0; i < left->length; i++) {
    borrow += (int64_t)left->words[i] - (i < right->length ? right->words[i] : 0);
    left->words[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  while (left->length && left->words[left->length - 1] == 0) left->length--;
}

/* The first bits of numerator / denominator, by long division in base two. Both are used up. */
static void float_divide(struct float_bits *result, struct float_big *numerator, struct float_big *denominator) {
  long difference = float_bit_length(numerator) - float_bit_length(denominator);
  if (difference > 0) float_shift_left(denominator, (size_t)difference);
  else float_shift_left(numerator, (size_t)-difference);
  result->exponent = difference;
  if (float_less(numerator, denominator)) {
    float_shift_left(numerator, 1);
    result->exponent--;
  }
  result->mantissa = 0;
  for (int bit = 0; bit <= 64; bit++) {
    int set = !float_less(numerator, denominator);
    if (set) float_subtract(numerator, denominator);
    if (bit < 64) result->mantissa = result->mantissa << 1 | (unsigned)set;
    else result->next = set;
    if (numerator->length) float_shift_left(numerator, 1);
  }
  result->sticky = numerator->length != 0;
}

/* --- Rounding ----------------------------------------------------------------------------------------------------- */

/* Keeps the top `kept` bits (0 to 64) of the number, rounded; the carry out of them, if any, is bit `kept`. A carry out
 * of 64 bits shows as 0. Says whether anything was lost. */
static uint64_t float_round(const struct float_bits *bits, int kept, int *lost) {
  uint64_t high = kept == 0 ? 0 : bits->mantissa >> (64 - kept);
  int half, rest;
  if (kept == 64) {
    half = bits->next;
    rest = bits->sticky;
  } else {
    uint64_t below = bits->mantissa << kept;
    half = (int)(below >> 63);
    rest = (below << 1) != 0 || bits->next || bits->sticky;
  }
  *lost = half || rest;
  return high + (half && (rest || (high & 1)));
}

/* Fits a number into a format. */
static void float_fit(struct float_text *result, const struct float_bits *bits, const struct float_format *format) {
  int precision = format->precision, lost;
  long exponent = bits->exponent;
  uint64_t top = (uint64_t)1 << (precision - 1);
  uint64_t rounded = float_round(bits, precision, &lost);
  int carried = precision == 64 ? rounded == 0 : rounded >> precision != 0;
  if (carried) {
    rounded = top;
    exponent++;
  }
  result->kind = FLOAT_FINITE;
  if (exponent > format->highest) {
    result->kind = FLOAT_INFINITE;
    __upshot_errno = UPSHOT_ERANGE;
    return;
  }
  if (bits->exponent < format->lowest) {
    /* Subnormal: fewer bits remain. It counts as too small only if it still is after rounding with all bits. */
    long kept = precision - (format->lowest - bits->exponent);
    rounded = 0;
    lost = 1;
    if (kept >= 0) rounded = float_round(bits, (int)kept, &lost);
    if (lost && exponent < format->lowest) __upshot_errno = UPSHOT_ERANGE;
    exponent = rounded & top ? format->lowest : format->lowest - 1;
    if (rounded == 0) result->kind = FLOAT_ZERO;
  }
  result->mantissa = rounded;
  result->exponent = exponent;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* Text with an end. Past it every character is NUL, which nothing in a number matches. */
struct float_source {
  const char *text;
  size_t limit;
};

static char float_peek(const struct float_source *source, size_t at) {
  return at < source->limit ? source->text[at] : 0;
}

/* Whether the letters of `word` (in lower case) stand at `at`. */
static int float_word(const struct float_source *source, size_t at, const char *word) {
  for (; *word; word++, at++)
    if ((float_peek(source, at) | 32) != *word) return 0;
  return 1;
}

/* An exponent behind the letter at `at`, if there is one; moves `at` behind it. Large ones saturate. */
static long float_exponent(const struct float_source *source, size_t *at) {
  size_t here = *at + 1;
  char sign = float_peek(source, here);
  if ((sign == '+') | (sign == '-')) here++;
  if (!ctype_digit(float_peek(source, here))) return 0;
  long value = 0;
  for (; ctype_digit(float_peek(source, here)); here++)
    if (value < 1000000000000000) value = value * 10 + (float_peek(source, here) - '0');
  *at = here;
  return sign == '-' ? -value : value;
}

/* Where the digits of a number are. */
struct float_digits {
  size_t start, end; /* from the first digit that is not 0 to behind the last digit, the point included */
  long scale;        /* of the last digit, as a power of the base, before any exponent */
  int any, nonzero;
};

/* Digits with at most one point among them, from `at` on. */
static void float_find_digits(struct float_digits *found, const struct float_source *source, size_t at, unsigned base) {
  int point = 0;
  found->any = found->nonzero = 0;
  found->scale = 0;
  found->start = at;
  for (;; at++) {
    char c = float_peek(source, at);
    if (c == '.' && !point) {
      point = 1;
      continue;
    }
    if (!integer_is_digit(c, base)) break;
    found->any = 1;
    found->scale -= point;
    if (c != '0' && !found->nonzero) {
      found->nonzero = 1;
      found->start = at;
    }
  }
  found->end = at;
}

static void float_read_hexadecimal(struct float_bits *bits, const struct float_source *source,
                                   const struct float_digits *digits) {
  uint64_t mantissa = 0;
  unsigned count = 0, after = 0, rest = 0;
  for (size_t at = digits->start; at < digits->end; at++) {
    char c = source->text[at];
    if (c == '.') continue;
    unsigned digit = integer_digit(c, 16);
    if (count < 16) mantissa = mantissa << 4 | digit;
    else if (count == 16) after = digit;
    else rest |= digit;
    count++;
  }
  /* The value is `mantissa` and its `after` digit, times 16 to the digits not taken. */
  long exponent = (long)(count > 16 ? count - 16 : 0) * 4 + 63;
  unsigned zeros = (unsigned)__builtin_clzll(mantissa);
  /* Only a mantissa of all 16 digits has something after it, and then at most 3 zeros in front. */
  bits->mantissa = mantissa << zeros;
  if (count > 16) {
    bits->mantissa |= after >> (4 - zeros);
    after = after << zeros & 15;
  }
  bits->next = after >> 3 & 1;
  bits->sticky = (after & 7) != 0 || rest != 0;
  bits->exponent = exponent - (long)zeros;
}

/* Takes the digits into `big`, as many as matter. Answers how many more there were. */
static long float_take_digits(struct float_big *big, const struct float_source *source,
                              const struct float_digits *digits, size_t most) {
  size_t taken = 0;
  long skipped = 0;
  uint32_t chunk = 0, factor = 1;
  int rest = 0;
  for (size_t at = digits->start; at < digits->end; at++) {
    char c = source->text[at];
    if (c == '.') continue;
    if (taken == most) {
      rest |= c != '0';
      skipped++;
      continue;
    }
    taken++;
    chunk = chunk * 10 + (uint32_t)(c - '0');
    factor *= 10;
    if (factor == 1000000000) {
      float_multiply_add(big, factor, chunk);
      chunk = 0;
      factor = 1;
    }
  }
  if (factor > 1) float_multiply_add(big, factor, chunk);
  /* One more digit that stands for all the others: there are enough before it that only "not zero" matters. */
  if (rest) {
    float_multiply_add(big, 10, 1);
    skipped--;
  }
  return skipped;
}

/* The bits of digits * 10^power, with room for the big integers given by the caller. */
static void float_read_decimal(struct float_bits *bits, const struct float_source *source,
                               const struct float_digits *digits, long power, size_t most, uint32_t *upper,
                               uint32_t *lower) {
  struct float_big numerator = {upper, 0}, denominator = {lower, 1};
  lower[0] = 1;
  power += float_take_digits(&numerator, source, digits, most);
  if (power >= 0) float_multiply_power_of_ten(&numerator, power);
  else float_multiply_power_of_ten(&denominator, -power);
  float_divide(bits, &numerator, &denominator);
}

static void float_read_small_decimal(struct float_bits *bits, const struct float_source *source,
                                     const struct float_digits *digits, long power, size_t most) {
  uint32_t upper[FLOAT_SMALL_WORDS], lower[FLOAT_SMALL_WORDS];
  float_read_decimal(bits, source, digits, power, most, upper, lower);
}

static void float_read_big_decimal(struct float_bits *bits, const struct float_source *source,
                                   const struct float_digits *digits, long power, size_t most) {
  uint32_t upper[FLOAT_BIG_WORDS], lower[FLOAT_BIG_WORDS];
  float_read_decimal(bits, source, digits, power, most, upper, lower);
}

static size_t float_read_number(struct float_text *result, const struct float_source *source, size_t at,
                                const struct float_format *format) {
  struct float_digits digits;
  struct float_bits bits;
  int hexadecimal = float_peek(source, at) == '0' && (float_peek(source, at + 1) | 32) == 'x';
  if (hexadecimal) {
    float_find_digits(&digits, source, at + 2, 16);
    hexadecimal = digits.any;
  }
  if (!hexadecimal) float_find_digits(&digits, source, at, 10);
  if (!digits.any) return 0;
  size_t end = digits.end;
  long exponent = 0;
  if ((float_peek(source, end) | 32) == (hexadecimal ? 'p' : 'e')) exponent = float_exponent(source, &end);
  if (!digits.nonzero) {
    result->kind = FLOAT_ZERO;
    return end;
  }
  if (hexadecimal) {
    float_read_hexadecimal(&bits, source, &digits);
    bits.exponent += digits.scale * 4 + exponent;
    float_fit(result, &bits, format);
    return end;
  }
  /* The leading digit stands for 10^leading. Far outside of every format, the size alone decides. */
  long power = digits.scale + exponent;
  long leading = power + (long)(digits.end - digits.start) - 1;
  int wide = format->precision == 64;
  if (leading > (wide ? 4940 : 320) || leading < (wide ? -4970 : -350)) {
    bits.mantissa = (uint64_t)1 << 63;
    bits.next = bits.sticky = 1;
    bits.exponent = leading > 0 ? 100000 : -100000;
  } else if (wide) {
    float_read_big_decimal(&bits, source, &digits, power, format->digits);
  } else {
    float_read_small_decimal(&bits, source, &digits, power, format->digits);
  }
  float_fit(result, &bits, format);
  return end;
}

/* What may stand in parentheses behind "nan": a number becomes the payload. */
static size_t float_read_nan(struct float_text *result, const struct float_source *source, size_t at) {
  struct integer_text payload;
  result->kind = FLOAT_NAN;
  result->mantissa = 0;
  if (float_peek(source, at) != '(') return at;
  size_t end = at + 1;
  while (ctype_alnum(float_peek(source, end)) | (float_peek(source, end) == '_')) end++;
  if (float_peek(source, end) != ')') return at;
  integer_read(&payload, source->text + at + 1, end - at - 1, 0, 0);
  if (payload.digits && payload.rest == source->text + end) result->mantissa = payload.magnitude;
  return end + 1;
}

/* Reads one number from the first `limit` characters, spaces before it not allowed. Kind NONE: there is no number. */
static void float_read(struct float_text *result, const char *text, size_t limit, const struct float_format *format) {
  struct float_source source = {text, limit};
  char sign = float_peek(&source, 0);
  size_t at = (sign == '-') | (sign == '+');
  result->kind = FLOAT_NONE;
  result->negative = sign == '-';
  if (float_word(&source, at, "inf")) {
    result->kind = FLOAT_INFINITE;
    at += float_word(&source, at + 3, "inity") ? 8 : 3;
  } else if (float_word(&source, at, "nan")) {
    at = float_read_nan(result, &source, at + 3);
  } else {
    at = float_read_number(result, &source, at, format);
  }
  result->rest = text + at;
}

/* --- Putting the bits together ------------------------------------------------------------------------------------ */

static float float_to_single(const struct float_text *text) {
  union {
    uint32_t bits;
    float value;
  } result;
  result.bits = (uint32_t)text->negative << 31;
  if (text->kind == FLOAT_INFINITE) result.bits |= 0x7f800000;
  if (text->kind == FLOAT_NAN) result.bits |= 0x7fc00000 | (text->mantissa & 0x3fffff);
  if (text->kind == FLOAT_FINITE) result.bits |= (uint32_t)(text->exponent + 127) << 23 | (text->mantissa & 0x7fffff);
  return result.value;
}

static double float_to_double(const struct float_text *text) {
  union {
    uint64_t bits;
    double value;
  } result;
  result.bits = (uint64_t)text->negative << 63;
  if (text->kind == FLOAT_INFINITE) result.bits |= 0x7ffull << 52;
  if (text->kind == FLOAT_NAN) result.bits |= 0xfffull << 51 | (text->mantissa & (((uint64_t)1 << 51) - 1));
  if (text->kind == FLOAT_FINITE)
    result.bits |= (uint64_t)(text->exponent + 1023) << 52 | (text->mantissa & (((uint64_t)1 << 52) - 1));
  return result.value;
}

static long double float_to_extended(const struct float_text *text) {
  union {
    struct {
      uint64_t mantissa;
      uint16_t sign_and_exponent;
    } bits;
    long double value;
  } result = {.value = 0};
  uint16_t exponent = 0;
  result.bits.mantissa = 0;
  if (text->kind == FLOAT_INFINITE) {
    exponent = 0x7fff;
    result.bits.mantissa = (uint64_t)1 << 63;
  } else if (text->kind == FLOAT_NAN) {
    exponent = 0x7fff;
    result.bits.mantissa = (uint64_t)3 << 62 | (text->mantissa & (((uint64_t)1 << 62) - 1));
  } else if (text->kind == FLOAT_FINITE) {
    exponent = (uint16_t)(text->exponent + 16383);
    result.bits.mantissa = text->mantissa;
  }
  result.bits.sign_and_exponent = (uint16_t)(text->negative << 15 | exponent);
  return result.value;
}

/* Reads the number at the start of a string, and says where it ends. */
static void float_convert(struct float_text *result, const char *text, char **rest, const struct float_format *format) {
  float_read(result, integer_skip_space(text), SIZE_MAX, format);
  if (result->kind == FLOAT_NONE) {
    result->kind = FLOAT_ZERO;
    result->negative = 0;
    result->rest = text;
  }
  if (rest) *rest = (char *)result->rest;
}

float strtof(const char *restrict text, char **restrict rest) {
  struct float_text result;
  float_convert(&result, text, rest, &float_single);
  return float_to_single(&result);
}

double strtod(const char *restrict text, char **restrict rest) {
  struct float_text result;
  float_convert(&result, text, rest, &float_double);
  return float_to_double(&result);
}

long double strtold(const char *restrict text, char **restrict rest) {
  struct float_text result;
  float_convert(&result, text, rest, &float_extended);
  return float_to_extended(&result);
}

double atof(const char *text) {
  struct float_text result;
  float_convert(&result, text, NULL, &float_double);
  return float_to_double(&result);
}

double __strtod_internal(const char *restrict text, char **restrict rest, int group) {
  (void)group;
  struct float_text result;
  float_convert(&result, text, rest, &float_double);
  return float_to_double(&result);
}
