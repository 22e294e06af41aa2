/* printf's formatting into memory: C11's conversions and flags, and glibc's %m. Output to streams is the executor's
 * own, since it takes symbolic values too. */

/* The arguments still to come, behind one pointer, since `va_list` is an array type here. */
struct format_arguments {
  va_list list;
};

enum format_size { SIZE_CHAR, SIZE_SHORT, SIZE_INT, SIZE_LONG, SIZE_LONG_DOUBLE };

static int64_t format_signed_argument(struct format_arguments *arguments, enum format_size size) {
  switch (size) {
    case SIZE_CHAR: return (signed char)va_arg(arguments->list, int);
    case SIZE_SHORT: return (short)va_arg(arguments->list, int);
    case SIZE_INT: return va_arg(arguments->list, int);
    default: return va_arg(arguments->list, long);
  }
}

static uint64_t format_unsigned_argument(struct format_arguments *arguments, enum format_size size) {
  switch (size) {
    case SIZE_CHAR: return (unsigned char)va_arg(arguments->list, unsigned);
    case SIZE_SHORT: return (unsigned short)va_arg(arguments->list, unsigned);
    case SIZE_INT: return va_arg(arguments->list, unsigned);
    default: return va_arg(arguments->list, unsigned long);
  }
}

/* An integer in a base, with a sign or prefix. */
static void format_integer(struct format_sink *sink, struct format_directive *directive, uint64_t value, unsigned base,
                           const char *prefix, size_t prefix_length) {
  char digits[24]; /* the lowest first */
  size_t start = sink->length;
  int count = 0, lower = directive->conversion != 'X';
  int precision = directive->precision;
  for (; value; value /= base) digits[count++] = format_hexadecimal_digit((unsigned)(value % base), lower);
  long zeros = (precision < 0 ? 1 : precision) - count;
  if (zeros < 0) zeros = 0;
  if (base == 8 && directive->alternate && zeros == 0 && (count == 0 || digits[count - 1] != '0')) zeros = 1;
  /* A precision says how many zeros there are, so the flag for padding with them counts no more. */
  if (precision >= 0) directive->zero = 0;
  format_open(sink, directive, prefix, prefix_length, zeros + count);
  format_repeat(sink, '0', zeros);
  while (count) format_put(sink, digits[--count]);
  format_close(sink, directive, start);
}

static void format_signed(struct format_sink *sink, struct format_directive *directive, int64_t value) {
  char sign = format_sign(directive, value < 0);
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  format_integer(sink, directive, magnitude, 10, &sign, sign != 0);
}

static void format_unsigned(struct format_sink *sink, struct format_directive *directive, uint64_t value) {
  switch (directive->conversion) {
    case 'o': format_integer(sink, directive, value, 8, "", 0); break;
    case 'x': format_integer(sink, directive, value, 16, "0x", directive->alternate && value ? 2 : 0); break;
    case 'X': format_integer(sink, directive, value, 16, "0X", directive->alternate && value ? 2 : 0); break;
    default: format_integer(sink, directive, value, 10, "", 0);
  }
}

static void format_padded(struct format_sink *sink, const struct format_directive *directive, const char *text,
                          size_t length) {
  size_t start = sink->length;
  if (!directive->left) format_repeat(sink, ' ', directive->width - (long)length);
  format_text(sink, text, length);
  format_close(sink, directive, start);
}

static void format_string(struct format_sink *sink, const struct format_directive *directive, const char *text) {
  size_t limit = directive->precision < 0 ? SIZE_MAX : (size_t)directive->precision;
  if (!text) {
    /* As glibc: all of it or nothing. */
    format_padded(sink, directive, "(null)", limit < 6 ? 0 : 6);
    return;
  }
  format_padded(sink, directive, text, string_length_within(text, limit));
}

static void format_pointer(struct format_sink *sink, struct format_directive *directive, const void *pointer) {
  if (!pointer) {
    format_padded(sink, directive, "(nil)", 5);
    return;
  }
  char prefix[3];
  size_t length = 0;
  char sign = format_sign(directive, 0);
  if (sign) prefix[length++] = sign;
  prefix[length++] = '0';
  prefix[length++] = 'x';
  format_integer(sink, directive, (uintptr_t)pointer, 16, prefix, length);
}

/* Wide characters: in the C locale only ASCII has a form in bytes. Answers 0 if one has none. */
static int format_wide_string(struct format_sink *sink, const struct format_directive *directive, const wchar_t *text) {
  if (!text) {
    format_string(sink, directive, NULL);
    return 1;
  }
  size_t limit = directive->precision < 0 ? SIZE_MAX : (size_t)directive->precision, length = 0, start = sink->length;
  for (; length < limit && text[length]; length++)
    if ((unsigned)text[length] > 127) {
      __upshot_errno = UPSHOT_EILSEQ;
      return 0;
    }
  if (!directive->left) format_repeat(sink, ' ', directive->width - (long)length);
  for (size_t i = 0; i < length; i++) format_put(sink, (char)text[i]);
  format_close(sink, directive, start);
  return 1;
}

/* %n: what was written so far, into an integer of the size given. */
static void format_store_count(struct format_arguments *arguments, enum format_size size, size_t count) {
  void *target = va_arg(arguments->list, void *);
  switch (size) {
    case SIZE_CHAR: *(signed char *)target = (signed char)count; break;
    case SIZE_SHORT: *(short *)target = (short)count; break;
    case SIZE_INT: *(int *)target = (int)count; break;
    default: *(long *)target = (long)count;
  }
}

/* What glibc prints for a conversion it does not know: the directive, put together again. */
static void format_unknown(struct format_sink *sink, const struct format_directive *directive) {
  struct format_directive plain = {.precision = -1, .conversion = 'd'};
  format_put(sink, '%');
  if (directive->alternate) format_put(sink, '#');
  if (directive->plus) format_put(sink, '+');
  else if (directive->space) format_put(sink, ' ');
  if (directive->left) format_put(sink, '-');
  else if (directive->zero) format_put(sink, '0');
  if (directive->width) format_signed(sink, &plain, directive->width);
  if (directive->precision >= 0) {
    format_put(sink, '.');
    format_signed(sink, &plain, directive->precision);
  }
  format_put(sink, directive->conversion);
}

/* --- Reading a directive ------------------------------------------------------------------------------------------ */

static const char *format_read_flags(struct format_directive *directive, const char *format) {
  for (;; format++) {
    switch (*format) {
      case '-': directive->left = 1; break;
      case '+': directive->plus = 1; break;
      case ' ': directive->space = 1; break;
      case '#': directive->alternate = 1; break;
      case '0': directive->zero = 1; break;
      case '\'':
      case 'I': break; /* grouping and other digits: nothing in the C locale */
      default: return format;
    }
  }
}

/* A number in the format; -1 if it is more than an int holds. */
static int format_read_number(const char **format) {
  long value = 0;
  for (; ctype_digit((byte)(*format)[0]); (*format)++)
    if (value <= INT_MAX) value = value * 10 + (**format - '0');
  return value > INT_MAX ? -1 : (int)value;
}

/* Answers 0 if a number is too large. */
static int format_read_width(struct format_directive *directive, const char **format,
                             struct format_arguments *arguments) {
  if (**format == '*') {
    (*format)++;
    if (ctype_digit((byte)(*format)[0])) __upshot_unsupported("printf with numbered arguments");
    directive->width = va_arg(arguments->list, int);
    if (directive->width == INT_MIN) return 0;
    if (directive->width < 0) {
      directive->left = 1;
      directive->width = -directive->width;
    }
  } else {
    directive->width = format_read_number(format);
    if (**format == '$') __upshot_unsupported("printf with numbered arguments");
  }
  if (directive->width < 0) return 0;
  if (**format != '.') return 1;
  (*format)++;
  if (**format == '*') {
    (*format)++;
    if (ctype_digit((byte)(*format)[0])) __upshot_unsupported("printf with numbered arguments");
    directive->precision = va_arg(arguments->list, int);
    if (directive->precision < 0) directive->precision = -1;
    return 1;
  }
  directive->precision = format_read_number(format);
  return directive->precision >= 0;
}

static enum format_size format_read_size(const char **format) {
  char first = *(*format)++;
  switch (first) {
    case 'h':
      if (**format != 'h') return SIZE_SHORT;
      (*format)++;
      return SIZE_CHAR;
    case 'l':
      if (**format == 'l') {
        (*format)++;
        return SIZE_LONG_DOUBLE;
      }
      return SIZE_LONG;
    case 'q':
    case 'L': return SIZE_LONG_DOUBLE;
    case 'j':
    case 'z':
    case 'Z':
    case 't': return SIZE_LONG;
    default: (*format)--; return SIZE_INT;
  }
}

static void format_floating(struct format_sink *sink, struct format_directive *directive, enum format_size size,
                            struct format_arguments *arguments) {
  struct format_number number;
  if (size == SIZE_LONG_DOUBLE) format_split_extended(&number, va_arg(arguments->list, long double));
  else format_split_double(&number, va_arg(arguments->list, double));
  format_float(sink, directive, &number);
}

static int format_character(struct format_sink *sink, const struct format_directive *directive, enum format_size size,
                            struct format_arguments *arguments) {
  unsigned code = va_arg(arguments->list, unsigned);
  if (size >= SIZE_LONG && code > 127) {
    __upshot_errno = UPSHOT_EILSEQ;
    return 0;
  }
  char c = (char)code;
  format_padded(sink, directive, &c, 1);
  return 1;
}

/* Carries out one conversion. Answers 0 if that cannot be done. */
static int format_convert(struct format_sink *sink, struct format_directive *directive, enum format_size size,
                          struct format_arguments *arguments) {
  switch (directive->conversion) {
    case 'd':
    case 'i': format_signed(sink, directive, format_signed_argument(arguments, size)); return 1;
    case 'u':
    case 'o':
    case 'x':
    case 'X': format_unsigned(sink, directive, format_unsigned_argument(arguments, size)); return 1;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': format_floating(sink, directive, size, arguments); return 1;
    case 'C': return format_character(sink, directive, SIZE_LONG, arguments);
    case 'c': return format_character(sink, directive, size, arguments);
    case 'S': return format_wide_string(sink, directive, va_arg(arguments->list, const wchar_t *));
    case 's':
      if (size >= SIZE_LONG) return format_wide_string(sink, directive, va_arg(arguments->list, const wchar_t *));
      format_string(sink, directive, va_arg(arguments->list, const char *));
      return 1;
    case 'p': format_pointer(sink, directive, va_arg(arguments->list, const void *)); return 1;
    case 'n': format_store_count(arguments, size, sink->length); return 1;
    case 'm': format_string(sink, directive, error_text(__upshot_errno)); return 1;
    case '%': format_put(sink, '%'); return 1;
    case 0: __upshot_errno = UPSHOT_EINVAL; return 0;
    default: format_unknown(sink, directive); return 1;
  }
}

/* Formats everything. Answers the length of the whole text, or -1. */
static int format_all(char *buffer, size_t size, const char *format, struct format_arguments *arguments) {
  struct format_sink sink = {buffer, size, 0};
  int good = 1;
  while (good && *format) {
    if (*format != '%') {
      format_put(&sink, *format++);
      continue;
    }
    struct format_directive directive = {.precision = -1};
    format = format_read_flags(&directive, format + 1);
    if (!format_read_width(&directive, &format, arguments)) {
      __upshot_errno = UPSHOT_EOVERFLOW;
      good = 0;
      break;
    }
    enum format_size argument_size = format_read_size(&format);
    directive.conversion = *format;
    good = format_convert(&sink, &directive, argument_size, arguments);
    format++;
  }
  if (size) buffer[sink.length < size ? sink.length : size - 1] = 0;
  if (!good) return -1;
  if (sink.length > INT_MAX) {
    __upshot_errno = UPSHOT_EOVERFLOW;
    return -1;
  }
  return (int)sink.length;
}

/* --- The functions ------------------------------------------------------------------------------------------------ */

static int format_list(char *buffer, size_t size, const char *format, va_list list) {
  struct format_arguments arguments;
  va_copy(arguments.list, list);
  int length = format_all(buffer, size, format, &arguments);
  va_end(arguments.list);
  return length;
}

/* vsnprintf with the address of a va_list, for callers that have no va_list type: linked where it is declared. */
int __upshot_format(char *buffer, unsigned long size, const char *format, void *list) {
  return format_list(buffer, size, format, *(va_list *)list);
}

int vsnprintf(char *restrict buffer, size_t size, const char *restrict format, va_list list) {
  return format_list(buffer, size, format, list);
}

int vsprintf(char *restrict buffer, const char *restrict format, va_list list) {
  return format_list(buffer, SIZE_MAX, format, list);
}

int snprintf(char *restrict buffer, size_t size, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int length = format_list(buffer, size, format, list);
  va_end(list);
  return length;
}

int sprintf(char *restrict buffer, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int length = format_list(buffer, SIZE_MAX, format, list);
  va_end(list);
  return length;
}

static int format_allocate(char **result, const char *format, va_list list) {
  int length = format_list(NULL, 0, format, list);
  if (length < 0) return -1;
  char *buffer = malloc((size_t)length + 1);
  if (!buffer) return -1;
  *result = buffer;
  return format_list(buffer, (size_t)length + 1, format, list);
}

int vasprintf(char **restrict result, const char *restrict format, va_list list) {
  return format_allocate(result, format, list);
}

int asprintf(char **restrict result, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int length = format_allocate(result, format, list);
  va_end(list);
  return length;
}
