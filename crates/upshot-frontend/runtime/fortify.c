/* The checked forms that glibc's headers turn calls into with -D_FORTIFY_SOURCE. The executor checks every access
 * itself, and knows more than the size given here; a size that is too small still ends the program as glibc would. */

static void fortify_check(size_t needed, size_t size) {
  if (needed > size) abort();
}

void __chk_fail(void) { abort(); }

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t size) {
  fortify_check(string_length(from) + 1, size);
  string_copy(to, from);
  return to;
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t size) {
  fortify_check(string_length(from) + 1, size);
  return string_copy(to, from);
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t size) {
  fortify_check(count, size);
  string_copy_within(to, from, count);
  return to;
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t size) {
  fortify_check(count, size);
  return string_copy_within(to, from, count);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t size) {
  size_t start = string_length(to);
  fortify_check(start + string_length(from) + 1, size);
  string_copy(to + start, from);
  return to;
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t count, size_t size) {
  fortify_check(string_length(to) + string_length_within(from, count) + 1, size);
  string_append_within(to, from, count);
  return to;
}

int __vsnprintf_chk(char *restrict buffer, size_t count, int flag, size_t size, const char *restrict format,
                    va_list list) {
  (void)flag;
  fortify_check(count, size);
  return format_list(buffer, count, format, list);
}

int __vsprintf_chk(char *restrict buffer, int flag, size_t size, const char *restrict format, va_list list) {
  (void)flag;
  int length = format_list(buffer, size, format, list);
  if (length >= 0) fortify_check((size_t)length + 1, size);
  return length;
}

int __snprintf_chk(char *restrict buffer, size_t count, int flag, size_t size, const char *restrict format, ...) {
  (void)flag;
  fortify_check(count, size);
  va_list list;
  va_start(list, format);
  int length = format_list(buffer, count, format, list);
  va_end(list);
  return length;
}

int __sprintf_chk(char *restrict buffer, int flag, size_t size, const char *restrict format, ...) {
  (void)flag;
  va_list list;
  va_start(list, format);
  int length = format_list(buffer, size, format, list);
  va_end(list);
  if (length >= 0) fortify_check((size_t)length + 1, size);
  return length;
}
