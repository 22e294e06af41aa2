/* <string.h>: finding bytes and strings. */

static void *search_byte(const void *object, int wanted, size_t size) {
  const byte *bytes = object;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] == (byte)wanted) return (void *)(bytes + i);
  return NULL;
}

void *memchr(const void *object, int wanted, size_t size) { return search_byte(object, wanted, size); }

void *rawmemchr(const void *object, int wanted) {
  const byte *bytes = object;
  while (*bytes != (byte)wanted) bytes++;
  return (void *)bytes;
}

void *memrchr(const void *object, int wanted, size_t size) {
  const byte *bytes = object;
  while (size--)
    if (bytes[size] == (byte)wanted) return (void *)(bytes + size);
  return NULL;
}

/* The first place that holds `wanted`, or the end. */
static char *search_char(const char *text, int wanted) {
  while ((*text != (char)wanted) & (*text != 0)) text++;
  return (char *)text;
}

char *strchrnul(const char *text, int wanted) { return search_char(text, wanted); }

char *strchr(const char *text, int wanted) {
  char *place = search_char(text, wanted);
  return *place == (char)wanted ? place : NULL;
}

char *index(const char *text, int wanted) {
  char *place = search_char(text, wanted);
  return *place == (char)wanted ? place : NULL;
}

static char *search_last_char(const char *text, int wanted) {
  const char *last = NULL;
  for (;; text++) {
    if (*text == (char)wanted) last = text;
    if (*text == 0) return (char *)last;
  }
}

char *strrchr(const char *text, int wanted) { return search_last_char(text, wanted); }
char *rindex(const char *text, int wanted) { return search_last_char(text, wanted); }

/* 1 if the character is in the set, 0 if not; without a branch on the character. */
static unsigned search_member(char wanted, const char *set) {
  unsigned found = 0;
  for (; *set; set++) found |= wanted == *set;
  return found;
}

static size_t search_span(const char *text, const char *set) {
  size_t length = 0;
  while ((text[length] != 0) & search_member(text[length], set)) length++;
  return length;
}

static size_t search_gap(const char *text, const char *set) {
  size_t length = 0;
  while ((text[length] != 0) & (search_member(text[length], set) ^ 1)) length++;
  return length;
}

size_t strspn(const char *text, const char *set) { return search_span(text, set); }
size_t strcspn(const char *text, const char *set) { return search_gap(text, set); }

char *strpbrk(const char *text, const char *set) {
  text += search_gap(text, set);
  return *text ? (char *)text : NULL;
}

/* Whether `text` starts with `wanted`. A mismatch ends it, so no byte after the end of `text` is read. */
static int search_starts_with(const char *text, const char *wanted) {
  for (; *wanted; text++, wanted++)
    if (*text != *wanted) return 0;
  return 1;
}

char *strstr(const char *text, const char *wanted) {
  for (;; text++) {
    if (search_starts_with(text, wanted)) return (char *)text;
    if (!*text) return NULL;
  }
}

char *strcasestr(const char *text, const char *wanted) {
  for (;; text++) {
    size_t i = 0;
    while ((wanted[i] != 0) & (ctype_to_lower((byte)text[i]) == ctype_to_lower((byte)wanted[i]))) i++;
    if (!wanted[i]) return (char *)text;
    if (!*text) return NULL;
  }
}

void *memmem(const void *object, size_t size, const void *wanted, size_t wanted_size) {
  const byte *bytes = object;
  for (; size >= wanted_size; size--, bytes++)
    if (string_compare_memory(bytes, wanted, wanted_size) == 0) return (void *)bytes;
  return NULL;
}

/* The next token from `*rest` on; `*rest` moves behind it. */
static char *search_token(char *text, const char *separators, char **rest) {
  if (!text) text = *rest;
  if (!text) return NULL;
  text += search_span(text, separators);
  if (!*text) {
    *rest = text;
    return NULL;
  }
  char *end = text + search_gap(text, separators);
  if (*end) *end++ = 0;
  *rest = end;
  return text;
}

static char *search_token_rest;

char *strtok(char *restrict text, const char *restrict separators) {
  return search_token(text, separators, &search_token_rest);
}

char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest) {
  return search_token(text, separators, rest);
}

char *__strtok_r(char *restrict text, const char *restrict separators, char **restrict rest) {
  return search_token(text, separators, rest);
}

char *strsep(char **restrict rest, const char *restrict separators) {
  char *text = *rest;
  if (!text) return NULL;
  char *end = text + search_gap(text, separators);
  if (*end) {
    *end++ = 0;
    *rest = end;
  } else {
    *rest = NULL;
  }
  return text;
}
