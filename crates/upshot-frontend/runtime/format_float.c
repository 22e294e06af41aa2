/* Floating-point numbers to text, exactly: %f, %e, %g and %a. A finite number is an integer times a power of two, which
 * has a finite decimal expansion; it is computed in full, in words of nine digits, and only then rounded (ties to even)
 * at the place that the conversion asks for. */

/* One conversion of printf: what stands between % and the letter. */
struct format_directive {
  int left, plus, space, alternate, zero; /* the flags - + space # 0 */
  int width, precision;                   /* precision -1: none given */
  char conversion;
};

/* Where text goes: what fits into the buffer, counted to the end. */
struct format_sink {
  char *buffer;
  size_t size, length;
};

static void format_put(struct format_sink *sink, char c) {
  if (sink->length + 1 < sink->size) sink->buffer[sink->length] = c;
  sink->length++;
}

static void format_repeat(struct format_sink *sink, char c, long count) {
  for (; count > 0; count--) format_put(sink, c);
}

static void format_text(struct format_sink *sink, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) format_put(sink, text[i]);
}

/* A number as sign, integer and power of two. */
struct format_number {
  int negative;
  enum float_kind kind;
  uint64_t mantissa;
  int exponent;
  int extended; /* a long double */
};

static void format_split_double(struct format_number *number, double value) {
  union {
    double value;
    uint64_t bits;
  } split = {.value = value};
  int exponent = (int)(split.bits >> 52 & 0x7ff);
  number->mantissa = split.bits & (((uint64_t)1 << 52) - 1);
  number->negative = (int)(split.bits >> 63);
  number->extended = 0;
  number->kind = FLOAT_FINITE;
  if (exponent == 0x7ff) {
    number->kind = number->mantissa ? FLOAT_NAN : FLOAT_INFINITE;
  } else if (exponent) {
    number->mantissa |= (uint64_t)1 << 52;
    number->exponent = exponent - 1075;
  } else {
    number->exponent = -1074;
    if (!number->mantissa) number->kind = FLOAT_ZERO;
  }
}

static void format_split_extended(struct format_number *number, long double value) {
  union {
    long double value;
    struct {
      uint64_t mantissa;
      uint16_t sign_and_exponent;
    } bits;
  } split = {.value = value};
  int exponent = split.bits.sign_and_exponent & 0x7fff;
  number->mantissa = split.bits.mantissa;
  number->negative = split.bits.sign_and_exponent >> 15;
  number->extended = 1;
  number->kind = FLOAT_FINITE;
  number->exponent = exponent ? exponent - 16446 : -16445;
  if (exponent == 0x7fff) number->kind = number->mantissa << 1 ? FLOAT_NAN : FLOAT_INFINITE;
  else if (!number->mantissa) number->kind = FLOAT_ZERO;
}

/* --- Decimal expansion -------------------------------------------------------------------------------------------- */

enum {
  FORMAT_BASE = 1000000000,
  FORMAT_BASE_DIGITS = 9,
  FORMAT_DOUBLE_INTEGER_WORDS = 36,
  FORMAT_DOUBLE_WORDS = 36 + 122,
  FORMAT_EXTENDED_INTEGER_WORDS = 550,
  FORMAT_EXTENDED_WORDS = 550 + 1832,
};

/* Words of nine digits, the highest first. `point` is the index of the first word after the decimal point; words
 * outside of [first, end) are zero and not stored. */
struct format_decimal {
  uint32_t *words;
  int point, first, end;
};

/* Takes `index` into the stored range. */
static void format_include(struct format_decimal *decimal, int index) {
  while (decimal->first > index) decimal->words[--decimal->first] = 0;
  while (decimal->end <= index) decimal->words[decimal->end++] = 0;
}

static void format_double_up(struct format_decimal *decimal, unsigned bits) {
  uint64_t carry = 0;
  for (int i = decimal->end; i-- > decimal->first;) {
    carry += (uint64_t)decimal->words[i] << bits;
    decimal->words[i] = (uint32_t)(carry % FORMAT_BASE);
    carry /= FORMAT_BASE;
  }
  if (carry) {
    format_include(decimal, decimal->first - 1);
    decimal->words[decimal->first] = (uint32_t)carry;
  }
}

static void format_halve(struct format_decimal *decimal, unsigned bits) {
  uint64_t rest = 0, mask = ((uint64_t)1 << bits) - 1;
  for (int i = decimal->first; i < decimal->end || rest; i++) {
    format_include(decimal, i);
    uint64_t value = rest * FORMAT_BASE + decimal->words[i];
    decimal->words[i] = (uint32_t)(value >> bits);
    rest = value & mask;
  }
  while (decimal->first < decimal->end && decimal->words[decimal->first] == 0) decimal->first++;
}

/* Expands mantissa * 2^exponent. */
static void format_expand(struct format_decimal *decimal, uint64_t mantissa, int exponent) {
  decimal->first = decimal->end = decimal->point;
  for (; mantissa; mantissa /= FORMAT_BASE) {
    format_include(decimal, decimal->first - 1);
    decimal->words[decimal->first] = (uint32_t)(mantissa % FORMAT_BASE);
  }
  while (exponent > 0) {
    int bits = exponent < 29 ? exponent : 29;
    format_double_up(decimal, (unsigned)bits);
    exponent -= bits;
  }
  while (exponent < 0) {
    int bits = exponent > -29 ? -exponent : 29;
    format_halve(decimal, (unsigned)bits);
    exponent += bits;
  }
}

static uint32_t format_power_of_ten(int power) {
  uint32_t result = 1;
  for (; power > 0; power--) result *= 10;
  return result;
}

/* The word that holds the digit for 10^place, and the digit's place within it. */
static int format_word_of(const struct format_decimal *decimal, long place, int *within) {
  long word = place >= 0 ? place / FORMAT_BASE_DIGITS : -((-place + FORMAT_BASE_DIGITS - 1) / FORMAT_BASE_DIGITS);
  *within = (int)(place - word * FORMAT_BASE_DIGITS);
  return (int)(decimal->point - 1 - word);
}

static unsigned format_digit(const struct format_decimal *decimal, long place) {
  int within, index = format_word_of(decimal, place, &within);
  if (index < decimal->first || index >= decimal->end) return 0;
  return decimal->words[index] / format_power_of_ten(within) % 10;
}

/* The place of the leading digit; 0 for zero. */
static long format_leading_place(const struct format_decimal *decimal) {
  if (decimal->first == decimal->end) return 0;
  long place = (long)(decimal->point - 1 - decimal->first) * FORMAT_BASE_DIGITS;
  for (uint32_t rest = decimal->words[decimal->first] / 10; rest; rest /= 10) place++;
  return place;
}

/* Whether anything is below 10^place. */
static int format_anything_below(const struct format_decimal *decimal, long place) {
  int within, index = format_word_of(decimal, place, &within);
  if (index >= decimal->end) return 0;
  if (index < decimal->first) return decimal->first < decimal->end;
  if (decimal->words[index] % format_power_of_ten(within)) return 1;
  for (int i = index + 1; i < decimal->end; i++)
    if (decimal->words[i]) return 1;
  return 0;
}

/* Rounds so that the digits from 10^place up are right. Those below stay, and are not to be looked at any more. */
static void format_round(struct format_decimal *decimal, long place) {
  unsigned next = format_digit(decimal, place - 1);
  int tie = next == 5 && !format_anything_below(decimal, place - 1);
  int up = tie ? (int)(format_digit(decimal, place) & 1) : next >= 5;
  if (!up) return;
  int within, index = format_word_of(decimal, place, &within);
  format_include(decimal, index);
  decimal->words[index] += format_power_of_ten(within);
  while (decimal->words[index] >= FORMAT_BASE) {
    decimal->words[index] -= FORMAT_BASE;
    format_include(decimal, --index);
    decimal->words[index]++;
  }
}

/* --- Layout ------------------------------------------------------------------------------------------------------- */

/* What a number looks like once its digits are known: [spaces] prefix [zeros] body [spaces]. */
static void format_open(struct format_sink *sink, const struct format_directive *directive, const char *prefix,
                        size_t prefix_length, long body) {
  long padding = directive->width - (long)prefix_length - body;
  if (!directive->left && !directive->zero) format_repeat(sink, ' ', padding);
  format_text(sink, prefix, prefix_length);
  if (!directive->left && directive->zero) format_repeat(sink, '0', padding);
}

static void format_close(struct format_sink *sink, const struct format_directive *directive, size_t start) {
  if (directive->left) format_repeat(sink, ' ', directive->width - (long)(sink->length - start));
}

static char format_sign(const struct format_directive *directive, int negative) {
  return negative ? '-' : directive->plus ? '+' : directive->space ? ' ' : 0;
}

static void format_exponent(struct format_sink *sink, char letter, long exponent, int least_digits) {
  char digits[20];
  int count = 0;
  unsigned long left = exponent < 0 ? -(unsigned long)exponent : (unsigned long)exponent;
  for (; left || count < least_digits; left /= 10) digits[count++] = (char)('0' + left % 10);
  format_put(sink, letter);
  format_put(sink, exponent < 0 ? '-' : '+');
  while (count) format_put(sink, digits[--count]);
}

/* Characters that an exponent takes: a letter, a sign, and two digits or more. */
static long format_exponent_length(long exponent) {
  long length = 4;
  for (long left = exponent / 100; left; left /= 10) length++;
  return length;
}

/* Digits for 10^high down to 10^low, with the point where it belongs. */
static void format_digits(struct format_sink *sink, const struct format_decimal *decimal, long high, long low,
                          long point_after, int always_point) {
  for (long place = high; place >= low; place--) {
    format_put(sink, (char)('0' + format_digit(decimal, place)));
    if (place == point_after && (place > low || always_point)) format_put(sink, '.');
  }
}

static void format_fixed(struct format_sink *sink, const struct format_directive *directive,
                         const struct format_decimal *decimal, long precision, char sign) {
  long high = format_leading_place(decimal);
  if (high < 0) high = 0;
  int point = precision > 0 || directive->alternate;
  format_open(sink, directive, &sign, sign != 0, high + 1 + point + precision);
  format_digits(sink, decimal, high, -precision, 0, directive->alternate);
}

static void format_scientific(struct format_sink *sink, const struct format_directive *directive,
                              const struct format_decimal *decimal, long precision, char sign, char letter) {
  long high = format_leading_place(decimal);
  int point = precision > 0 || directive->alternate;
  format_open(sink, directive, &sign, sign != 0, 1 + point + precision + format_exponent_length(high));
  format_digits(sink, decimal, high, high - precision, high, directive->alternate);
  format_exponent(sink, letter, high, 2);
}

/* %g: scientific if the exponent is small or too large for the precision, else fixed; no zeros at the end. */
static void format_general(struct format_sink *sink, const struct format_directive *directive,
                           struct format_decimal *decimal, long precision, char sign, char letter) {
  if (precision == 0) precision = 1;
  format_round(decimal, format_leading_place(decimal) - (precision - 1));
  long high = format_leading_place(decimal), low = high - (precision - 1);
  if (!directive->alternate) {
    /* Nothing is stored below the last word, so a huge precision need not be counted down. */
    long lowest = (long)(decimal->point - decimal->end) * FORMAT_BASE_DIGITS;
    if (low < lowest) low = lowest < high ? lowest : high;
    while (low < high && format_digit(decimal, low) == 0) low++;
  }
  if (high < -4 || high >= precision) format_scientific(sink, directive, decimal, high - low, sign, letter);
  else format_fixed(sink, directive, decimal, low < 0 ? -low : 0, sign);
}

static void format_decimal_number(struct format_sink *sink, const struct format_directive *directive,
                                  const struct format_number *number, struct format_decimal *decimal) {
  char sign = format_sign(directive, number->negative);
  char conversion = directive->conversion, letter = conversion & 32 ? 'e' : 'E';
  long precision = directive->precision < 0 ? 6 : directive->precision;
  uint64_t mantissa = number->mantissa;
  int exponent = number->exponent;
  decimal->first = decimal->end = decimal->point;
  if (number->kind == FLOAT_FINITE) {
    int zeros = __builtin_ctzll(mantissa);
    format_expand(decimal, mantissa >> zeros, exponent + zeros);
  }
  switch (conversion | 32) {
    case 'f':
      format_round(decimal, -precision);
      format_fixed(sink, directive, decimal, precision, sign);
      break;
    case 'e':
      format_round(decimal, format_leading_place(decimal) - precision);
      format_scientific(sink, directive, decimal, precision, sign, letter);
      break;
    default: format_general(sink, directive, decimal, precision, sign, letter);
  }
}

static void format_decimal_double(struct format_sink *sink, const struct format_directive *directive,
                                  const struct format_number *number) {
  uint32_t words[FORMAT_DOUBLE_WORDS];
  struct format_decimal decimal = {words, FORMAT_DOUBLE_INTEGER_WORDS, 0, 0};
  format_decimal_number(sink, directive, number, &decimal);
}

static void format_decimal_extended(struct format_sink *sink, const struct format_directive *directive,
                                    const struct format_number *number) {
  uint32_t words[FORMAT_EXTENDED_WORDS];
  struct format_decimal decimal = {words, FORMAT_EXTENDED_INTEGER_WORDS, 0, 0};
  format_decimal_number(sink, directive, number, &decimal);
}

/* --- Hexadecimal -------------------------------------------------------------------------------------------------- */

static char format_hexadecimal_digit(unsigned digit, int lower) {
  return (char)('0' + digit + (digit > 9) * (unsigned)((lower ? 'a' : 'A') - '0' - 10));
}

/* %a. The leading digit is what glibc makes it: the implicit bit of a double, the top four bits of a long double. */
static void format_hexadecimal(struct format_sink *sink, const struct format_directive *directive,
                               const struct format_number *number) {
  int lower = directive->conversion & 32;
  int digits = number->extended ? 15 : 13; /* after the point */
  uint64_t mantissa = number->mantissa;
  long exponent = number->kind == FLOAT_ZERO ? 0 : number->exponent + 4 * digits;
  long precision = directive->precision;
  if (precision < 0) {
    precision = digits;
    while (precision > 0 && (mantissa >> 4 * (digits - precision) & 15) == 0) precision--;
  }
  unsigned leading = (unsigned)(mantissa >> 4 * digits);
  uint64_t fraction = mantissa & (((uint64_t)1 << 4 * digits) - 1);
  if (precision < digits) {
    unsigned cut = 4 * (unsigned)(digits - (int)precision);
    uint64_t half = (uint64_t)1 << (cut - 1), below = fraction & ((half << 1) - 1);
    uint64_t odd = precision == 0 ? leading & 1 : fraction >> cut & 1;
    fraction -= below;
    if (below > half || (below == half && odd)) fraction += half << 1;
    leading += (unsigned)(fraction >> 4 * digits);
    fraction &= ((uint64_t)1 << 4 * digits) - 1;
    if (leading > 15) {
      leading = 1;
      exponent += 4;
    }
  }
  char prefix[3];
  size_t prefix_length = 0;
  char sign = format_sign(directive, number->negative);
  if (sign) prefix[prefix_length++] = sign;
  prefix[prefix_length++] = '0';
  prefix[prefix_length++] = lower ? 'x' : 'X';
  int point = precision > 0 || directive->alternate;
  long exponent_length = format_exponent_length(exponent) - (exponent > -10 && exponent < 10);
  format_open(sink, directive, prefix, prefix_length, 1 + point + precision + exponent_length);
  format_put(sink, format_hexadecimal_digit(leading, lower));
  if (point) format_put(sink, '.');
  for (long i = 0; i < precision; i++) {
    unsigned digit = i < digits ? (unsigned)(fraction >> 4 * (digits - 1 - i) & 15) : 0;
    format_put(sink, format_hexadecimal_digit(digit, lower));
  }
  format_exponent(sink, lower ? 'p' : 'P', exponent, 1);
}

/* Any conversion of a floating-point number. */
static void format_float(struct format_sink *sink, struct format_directive *directive,
                         const struct format_number *number) {
  size_t start = sink->length;
  int lower = directive->conversion & 32;
  if (number->kind == FLOAT_INFINITE || number->kind == FLOAT_NAN) {
    const char *text = number->kind == FLOAT_NAN ? (lower ? "nan" : "NAN") : (lower ? "inf" : "INF");
    char sign = format_sign(directive, number->negative);
    directive->zero = 0;
    format_open(sink, directive, &sign, sign != 0, 3);
    format_text(sink, text, 3);
  } else if ((directive->conversion | 32) == 'a') {
    format_hexadecimal(sink, directive, number);
  } else if (number->extended) {
    format_decimal_extended(sink, directive, number);
  } else {
    format_decimal_double(sink, directive, number);
  }
  format_close(sink, directive, start);
}
