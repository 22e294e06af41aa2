/* sscanf: C11's conversions, and POSIX's %m. The text is in memory as a whole, so a conversion first finds how far it
 * reaches and then hands that stretch to the readers of integer_text.c and float_text.c. */

/* The text, and how far it has been read. */
struct scan_source {
  const char *text;
  size_t at;
};

struct scan_directive {
  int suppress, allocate;
  size_t width; /* SIZE_MAX: none given */
  enum format_size size;
  char conversion;
};

/* How a conversion ended: done, not matching, or without any input left to match. */
enum scan_end { SCAN_DONE, SCAN_MISMATCH, SCAN_NO_INPUT };

static char scan_peek(const struct scan_source *source) { return source->text[source->at]; }

static void scan_skip_space(struct scan_source *source) {
  while (ctype_space((byte)scan_peek(source))) source->at++;
}

/* The characters a conversion may look at: up to its width or the end of the text. */
static size_t scan_limit(const struct scan_source *source, size_t width) {
  return string_length_within(source->text + source->at, width);
}

static void scan_store(void *target, enum format_size size, uint64_t value) {
  switch (size) {
    case SIZE_CHAR: *(unsigned char *)target = (unsigned char)value; break;
    case SIZE_SHORT: *(unsigned short *)target = (unsigned short)value; break;
    case SIZE_INT: *(unsigned *)target = (unsigned)value; break;
    default: *(uint64_t *)target = value;
  }
}

static int scan_base(char conversion) {
  switch (conversion) {
    case 'i': return 0;
    case 'o': return 8;
    case 'x':
    case 'X':
    case 'p': return 16;
    default: return 10;
  }
}

static enum scan_end scan_integer(struct scan_source *source, const struct scan_directive *directive, void *target,
                                  int binary) {
  int base = scan_base(directive->conversion);
  const char *text = source->text + source->at;
  size_t limit = directive->width;
  struct integer_text number;
  if (directive->conversion == 'p' && *text == '(') {
    struct float_source words = {text, limit};
    if (!float_word(&words, 1, "nil") || float_peek(&words, 4) != ')') return SCAN_MISMATCH;
    if (target) *(void **)target = NULL;
    source->at += 5;
    return SCAN_DONE;
  }
  integer_read(&number, text, limit, base, binary);
  if (!number.digits) return SCAN_MISMATCH;
  size_t length = (size_t)(number.rest - text);
  /* As glibc: a prefix counts as read even if no digit follows it, and is then the number 0. */
  int lone = length == 1u + ((text[0] == '-') | (text[0] == '+')) && text[length - 1] == '0';
  if (lone && (base == 0) | (base == 16) && length < limit && (text[length] | 32) == 'x') length++;
  source->at += length;
  if (!target) return SCAN_DONE;
  int is_signed = directive->conversion == 'd' || directive->conversion == 'i';
  uint64_t value = is_signed ? (uint64_t)integer_to_signed(&number) : integer_to_unsigned(&number);
  scan_store(target, directive->conversion == 'p' ? SIZE_LONG : directive->size, value);
  return SCAN_DONE;
}

/* How far a floating-point number reaches, in scanf's sense: as long as it could still become one. 0: it cannot. */
static size_t scan_float_length(const struct float_source *source) {
  size_t sign = (float_peek(source, 0) == '-') | (float_peek(source, 0) == '+');
  size_t at = sign;
  char first = float_peek(source, at) | 32;
  if (first == 'n') return float_word(source, at, "nan") ? at + 3 : 0;
  if (first == 'i') {
    if (!float_word(source, at, "inf")) return 0;
    if ((float_peek(source, at + 3) | 32) != 'i') return at + 3;
    return float_word(source, at + 3, "inity") ? at + 8 : 0;
  }
  unsigned base = 10;
  if (float_peek(source, at) == '0' && (float_peek(source, at + 1) | 32) == 'x') {
    base = 16;
    at += 2;
  }
  int digit = 0, point = 0, exponent = 0;
  char letter = base == 16 ? 'p' : 'e';
  /* A zero in front of the x is no digit of the number. */
  for (;; at++) {
    char c = float_peek(source, at);
    if (integer_is_digit(c, exponent ? 10 : base)) {
      digit = 1;
    } else if (exponent && (float_peek(source, at - 1) | 32) == letter && (c == '-' || c == '+')) {
      continue;
    } else if (digit && !exponent && (c | 32) == letter) {
      exponent = point = 1;
    } else if (c == '.' && !point) {
      point = 1;
    } else {
      break;
    }
  }
  return at == sign || (base == 16 && at == sign + 2) ? 0 : at;
}

static enum scan_end scan_float(struct scan_source *source, const struct scan_directive *directive, void *target) {
  struct float_source text = {source->text + source->at, directive->width};
  const struct float_format *format = directive->size == SIZE_LONG_DOUBLE ? &float_extended
                                      : directive->size == SIZE_LONG      ? &float_double
                                                                          : &float_single;
  struct float_text number;
  size_t length = scan_float_length(&text);
  if (!length) return SCAN_MISMATCH;
  float_read(&number, text.text, length, format);
  if (number.kind == FLOAT_NONE) return SCAN_MISMATCH;
  source->at += length;
  if (!target) return SCAN_DONE;
  if (format == &float_extended) *(long double *)target = float_to_extended(&number);
  else if (format == &float_double) *(double *)target = float_to_double(&number);
  else *(float *)target = float_to_single(&number);
  return SCAN_DONE;
}

/* Hands over `length` characters, with a NUL after them if it is a string. */
static enum scan_end scan_deliver(struct scan_source *source, const struct scan_directive *directive, void *target,
                                  size_t length, size_t terminator) {
  const char *text = source->text + source->at;
  source->at += length;
  if (!target) return SCAN_DONE;
  char *buffer = target;
  if (directive->allocate) {
    buffer = malloc(length + terminator);
    *(char **)target = buffer;
    if (!buffer) return SCAN_NO_INPUT;
  }
  __builtin_memcpy(buffer, text, length);
  if (terminator) buffer[length] = 0;
  return SCAN_DONE;
}

static enum scan_end scan_word(struct scan_source *source, const struct scan_directive *directive, void *target) {
  const char *text = source->text + source->at;
  size_t length = 0;
  while (length < directive->width && (text[length] != 0) & (ctype_space((byte)text[length]) ^ 1)) length++;
  return scan_deliver(source, directive, target, length, 1);
}

static enum scan_end scan_characters(struct scan_source *source, const struct scan_directive *directive, void *target) {
  size_t length = scan_limit(source, directive->width == SIZE_MAX ? 1 : directive->width);
  return length ? scan_deliver(source, directive, target, length, 0) : SCAN_NO_INPUT;
}

/* The set between brackets: where it starts and ends in the format, and whether it is turned around. */
struct scan_set {
  const char *start, *end;
  unsigned inverted;
};

/* Reads a set; answers where the format goes on, or NULL if the bracket is never closed. */
static const char *scan_read_set(struct scan_set *set, const char *format) {
  set->inverted = *format == '^';
  format += set->inverted;
  set->start = format;
  if (*format == ']') format++;
  while (*format && *format != ']') format++;
  set->end = format;
  return *format ? format + 1 : NULL;
}

/* Whether the character is in the set; the branches depend on the set only. */
static unsigned scan_in_set(const struct scan_set *set, char c) {
  unsigned found = 0;
  for (const char *member = set->start; member < set->end; member++) {
    int range = member[0] == '-' && member > set->start && member + 1 < set->end && (byte)member[-1] <= (byte)member[1];
    if (range) found |= ((byte)c >= (byte)member[-1]) & ((byte)c <= (byte)member[1]);
    else found |= c == *member;
  }
  return found ^ set->inverted;
}

static enum scan_end scan_members(struct scan_source *source, const struct scan_directive *directive, void *target,
                                  const struct scan_set *set) {
  const char *text = source->text + source->at;
  size_t length = 0;
  while (length < directive->width && (text[length] != 0) & scan_in_set(set, text[length])) length++;
  if (!length) return *text ? SCAN_MISMATCH : SCAN_NO_INPUT;
  return scan_deliver(source, directive, target, length, 1);
}

/* Reads what stands between % and the letter. */
static const char *scan_read_directive(struct scan_directive *directive, const char *format) {
  directive->suppress = directive->allocate = 0;
  directive->width = SIZE_MAX;
  if (*format == '*') {
    directive->suppress = 1;
    format++;
  }
  if (ctype_digit((byte)*format)) {
    size_t width = 0;
    for (; ctype_digit((byte)*format); format++)
      if (width < INT_MAX) width = width * 10 + (size_t)(*format - '0');
    if (*format == '$') __upshot_unsupported("scanf with numbered arguments");
    if (width) directive->width = width;
  }
  if (*format == 'm') {
    directive->allocate = 1;
    format++;
  }
  directive->size = format_read_size(&format);
  directive->conversion = *format;
  return *format ? format + 1 : format;
}

static int scan_skips_space(char conversion) { return conversion != 'c' && conversion != '[' && conversion != 'n'; }

static enum scan_end scan_convert(struct scan_source *source, const struct scan_directive *directive, void *target,
                                  const struct scan_set *set, int binary) {
  switch (directive->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p': return scan_integer(source, directive, target, binary);
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return scan_float(source, directive, target);
    case 's': return scan_word(source, directive, target);
    case 'c': return scan_characters(source, directive, target);
    case '[': return scan_members(source, directive, target, set);
    default: return SCAN_MISMATCH;
  }
}

/* Matches one character of the format as it stands. */
static enum scan_end scan_literal(struct scan_source *source, char wanted) {
  if (!scan_peek(source)) return SCAN_NO_INPUT;
  if (scan_peek(source) != wanted) return SCAN_MISMATCH;
  source->at++;
  return SCAN_DONE;
}

/* Carries out one directive. Counts it in `done` if it stored something that counts. */
static enum scan_end scan_one(struct scan_source *source, const char **format, struct format_arguments *arguments,
                              int *done, int binary) {
  struct scan_directive directive;
  struct scan_set set = {NULL, NULL, 0};
  *format = scan_read_directive(&directive, *format);
  char conversion = directive.conversion;
  if ((conversion == 'S') | (conversion == 'C') ||
      (directive.size == SIZE_LONG && (conversion == 's') | (conversion == 'c') | (conversion == '[')))
    __upshot_unsupported("scanf of wide characters");
  if (conversion == '[' && !(*format = scan_read_set(&set, *format))) return SCAN_MISMATCH;
  if (scan_skips_space(conversion)) scan_skip_space(source);
  if (conversion == '%') return scan_literal(source, '%');
  void *target = directive.suppress ? NULL : va_arg(arguments->list, void *);
  if (conversion == 'n') {
    if (target) scan_store(target, directive.size, source->at);
    return SCAN_DONE;
  }
  if (!scan_peek(source)) return SCAN_NO_INPUT;
  enum scan_end end = scan_convert(source, &directive, target, &set, binary);
  *done += end == SCAN_DONE && target;
  return end;
}

static int scan_all(const char *text, const char *format, struct format_arguments *arguments, int binary) {
  struct scan_source source = {text, 0};
  int done = 0;
  while (*format) {
    enum scan_end end = SCAN_DONE;
    char c = *format++;
    if (ctype_space((byte)c)) scan_skip_space(&source);
    else if (c != '%') end = scan_literal(&source, c);
    else end = scan_one(&source, &format, arguments, &done, binary);
    if (end == SCAN_NO_INPUT && done == 0) return -1;
    if (end != SCAN_DONE) break;
  }
  return done;
}

static int scan_list(const char *text, const char *format, va_list list, int binary) {
  struct format_arguments arguments;
  va_copy(arguments.list, list);
  int done = scan_all(text, format, &arguments, binary);
  va_end(arguments.list);
  return done;
}

int vsscanf(const char *restrict text, const char *restrict format, va_list list) {
  return scan_list(text, format, list, 0);
}

/* The names that glibc's headers turn these into, by the standard that the program is compiled for. */
int __isoc99_vsscanf(const char *restrict text, const char *restrict format, va_list list) {
  return scan_list(text, format, list, 0);
}

int __isoc23_vsscanf(const char *restrict text, const char *restrict format, va_list list) {
  return scan_list(text, format, list, 1);
}

int sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int done = scan_list(text, format, list, 0);
  va_end(list);
  return done;
}

int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int done = scan_list(text, format, list, 0);
  va_end(list);
  return done;
}

int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int done = scan_list(text, format, list, 1);
  va_end(list);
  return done;
}
