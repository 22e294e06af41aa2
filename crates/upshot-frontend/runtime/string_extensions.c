/* What the BSDs and newer standards added to <string.h> and <strings.h>, and the order of bytes. */

size_t strlcpy(char *restrict to, const char *restrict from, size_t size) {
  size_t i = 0;
  for (; i + 1 < size && from[i]; i++) to[i] = from[i];
  if (size) to[i] = 0;
  return i + string_length(from + i);
}

size_t strlcat(char *restrict to, const char *restrict from, size_t size) {
  size_t start = string_length_within(to, size);
  size_t i = 0;
  for (; start + i + 1 < size && from[i]; i++) to[start + i] = from[i];
  if (start < size) to[start + i] = 0;
  return start + i + string_length(from + i);
}

/* Swaps each pair of bytes. */
void swab(const void *restrict from, void *restrict to, ptrdiff_t size) {
  const byte *source = from;
  byte *target = to;
  for (ptrdiff_t i = 0; i + 1 < size; i += 2) {
    byte first = source[i];
    target[i] = source[i + 1];
    target[i + 1] = first;
  }
}

int ffs(int value) { return __builtin_ffs(value); }
int ffsl(long value) { return __builtin_ffsl(value); }
int ffsll(long long value) { return __builtin_ffsll(value); }

/* <arpa/inet.h>: the byte order of networks. */
uint32_t htonl(uint32_t value) { return __builtin_bswap32(value); }
uint32_t ntohl(uint32_t value) { return __builtin_bswap32(value); }
uint16_t htons(uint16_t value) { return __builtin_bswap16(value); }
uint16_t ntohs(uint16_t value) { return __builtin_bswap16(value); }
