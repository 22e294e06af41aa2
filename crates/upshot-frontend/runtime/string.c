/* <string.h>: copying, comparing, measuring. Where a comparison ends is one branch per byte; which way it ended is
 * arithmetic. memcpy, memmove and memset are the executor's own. */

/* C gives both objects at least `size` bytes, so all are looked at and nothing forks. From the end on, each difference
 * takes the place of the ones after it. The result is 0 just if all bytes are equal, and terms say so in just that
 * form. */
static int string_compare_memory(const void *left, const void *right, size_t size) {
  const byte *a = left, *b = right;
  int result = 0;
  while (size--) result = (a[size] - b[size]) | result * (a[size] == b[size]);
  return result;
}

int memcmp(const void *left, const void *right, size_t size) { return string_compare_memory(left, right, size); }
int bcmp(const void *left, const void *right, size_t size) { return string_compare_memory(left, right, size); }

void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
  __builtin_memcpy(to, from, size);
  return (char *)to + size;
}

void *memccpy(void *restrict to, const void *restrict from, int stop, size_t size) {
  byte *target = to;
  const byte *source = from;
  for (size_t i = 0; i < size; i++) {
    target[i] = source[i];
    if (source[i] == (byte)stop) return target + i + 1;
  }
  return NULL;
}

void bcopy(const void *from, void *to, size_t size) { __builtin_memmove(to, from, size); }
void bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }
void explicit_bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }

static size_t string_length(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

static size_t string_length_within(const char *text, size_t limit) {
  size_t length = 0;
  while (length < limit && text[length]) length++;
  return length;
}

size_t strlen(const char *text) { return string_length(text); }
size_t strnlen(const char *text, size_t limit) { return string_length_within(text, limit); }

/* Copies a string and answers where its NUL went. */
static char *string_copy(char *restrict to, const char *restrict from) {
  size_t i = 0;
  while ((to[i] = from[i])) i++;
  return to + i;
}

/* Copies up to `size` characters, fills the rest with NULs, and answers where the first of them is. */
static char *string_copy_within(char *restrict to, const char *restrict from, size_t size) {
  size_t length = 0;
  for (; length < size && from[length]; length++) to[length] = from[length];
  for (size_t i = length; i < size; i++) to[i] = 0;
  return to + length;
}

static void string_append_within(char *restrict to, const char *restrict from, size_t size) {
  char *end = to + string_length(to);
  size_t length = 0;
  for (; length < size && from[length]; length++) end[length] = from[length];
  end[length] = 0;
}

char *strcpy(char *restrict to, const char *restrict from) {
  string_copy(to, from);
  return to;
}

char *stpcpy(char *restrict to, const char *restrict from) { return string_copy(to, from); }

char *strncpy(char *restrict to, const char *restrict from, size_t size) {
  string_copy_within(to, from, size);
  return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t size) { return string_copy_within(to, from, size); }

char *strcat(char *restrict to, const char *restrict from) {
  string_copy(to + string_length(to), from);
  return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t size) {
  string_append_within(to, from, size);
  return to;
}

static int string_compare(const char *left, const char *right) {
  const byte *a = (const byte *)left, *b = (const byte *)right;
  size_t i = 0;
  while ((a[i] == b[i]) & (a[i] != 0)) i++;
  return a[i] - b[i];
}

int strcmp(const char *left, const char *right) { return string_compare(left, right); }

/* In the C locale the order is that of the bytes. */
int strcoll(const char *left, const char *right) { return string_compare(left, right); }

int strncmp(const char *left, const char *right, size_t size) {
  const byte *a = (const byte *)left, *b = (const byte *)right;
  for (size_t i = 0; i < size; i++)
    if ((a[i] != b[i]) | (a[i] == 0)) return a[i] - b[i];
  return 0;
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t size) {
  size_t length = string_length(from);
  if (length < size) __builtin_memcpy(to, from, length + 1);
  else if (size) __builtin_memcpy(to, from, size);
  return length;
}

int strcasecmp(const char *left, const char *right) {
  for (size_t i = 0;; i++) {
    int a = ctype_to_lower((byte)left[i]), b = ctype_to_lower((byte)right[i]);
    if ((a != b) | (a == 0)) return a - b;
  }
}

int strncasecmp(const char *left, const char *right, size_t size) {
  for (size_t i = 0; i < size; i++) {
    int a = ctype_to_lower((byte)left[i]), b = ctype_to_lower((byte)right[i]);
    if ((a != b) | (a == 0)) return a - b;
  }
  return 0;
}

static char *string_duplicate(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (copy) {
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

char *strdup(const char *text) { return string_duplicate(text, string_length(text)); }
char *__strdup(const char *text) { return string_duplicate(text, string_length(text)); }
char *strndup(const char *text, size_t limit) { return string_duplicate(text, string_length_within(text, limit)); }
char *__strndup(const char *text, size_t limit) { return string_duplicate(text, string_length_within(text, limit)); }
