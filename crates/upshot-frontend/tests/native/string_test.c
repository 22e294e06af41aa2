#include "native.h"

#include <arpa/inet.h>
#include <strings.h>
#include <unistd.h>

extern int __xpg_strerror_r(int, char *, size_t);

TWIN(memcmp)
TWIN(bcmp)
TWIN(memchr) TWIN(memrchr) TWIN(rawmemchr) TWIN(memmem) TWIN(memccpy) TWIN(mempcpy) TWIN(bcopy) TWIN(bzero) TWIN(strlen)
    TWIN(strnlen) TWIN(strcpy) TWIN(stpcpy) TWIN(strncpy) TWIN(stpncpy) TWIN(strcat) TWIN(strncat) TWIN(strcmp)
        TWIN(strcoll) TWIN(strncmp) TWIN(strxfrm) TWIN(strcasecmp) TWIN(strncasecmp) TWIN(strdup) TWIN(strndup)
            TWIN(strchr) TWIN(strchrnul) TWIN(strrchr) TWIN(strspn) TWIN(strcspn) TWIN(strpbrk) TWIN(strstr)
                TWIN(strcasestr) TWIN(strtok) TWIN(strtok_r) TWIN(strsep) TWIN(swab) TWIN(ffs) TWIN(strerror) TWIN(ffsl)
                    TWIN(ffsll) TWIN(index) TWIN(rindex) TWIN(strerror_r) TWIN(__xpg_strerror_r) TWIN(htonl) TWIN(ntohl)
                        TWIN(htons) TWIN(ntohs) extern size_t up_strlcpy(char *, const char *, size_t);
extern size_t up_strlcat(char *, const char *, size_t);

enum { ROOM = 64 };

static int sign(int value) { return (value > 0) - (value < 0); }

/* Runs a call on two copies of a buffer and compares what it answers and leaves. */
#define BOTH(call, twin)                                                                           \
  do {                                                                                             \
    char one[ROOM], two[ROOM];                                                                     \
    memset(one, '#', ROOM);                                                                        \
    memset(two, '#', ROOM);                                                                        \
    strcpy(one, a);                                                                                \
    strcpy(two, a);                                                                                \
    char *to = one;                                                                                \
    char *wanted = (char *)(call);                                                                 \
    long wanted_at = wanted ? wanted - one : -1;                                                   \
    to = two;                                                                                      \
    char *got = (char *)(twin);                                                                    \
    long got_at = got ? got - two : -1;                                                            \
    CHECK(wanted_at == got_at && !memcmp(one, two, ROOM), "%s on '%s', '%s', %u", #twin, a, b, n); \
  } while (0)

static void compare_copies(const char *a, const char *b, unsigned n) {
  BOTH(strcpy(to, b), up_strcpy(to, b));
  BOTH(stpcpy(to, b), up_stpcpy(to, b));
  BOTH(strncpy(to, b, n), up_strncpy(to, b, n));
  BOTH(stpncpy(to, b, n), up_stpncpy(to, b, n));
  BOTH(strcat(to, b), up_strcat(to, b));
  BOTH(strncat(to, b, n), up_strncat(to, b, n));
  BOTH(memccpy(to, b, 'b', strlen(b)), up_memccpy(to, b, 'b', strlen(b)));
  BOTH(mempcpy(to, b, strlen(b)), up_mempcpy(to, b, strlen(b)));
  BOTH((bcopy(to, to + 3, n), to), (up_bcopy(to, to + 3, n), to));
  BOTH((bzero(to, n), to), (up_bzero(to, n), to));
  BOTH((swab(b, to, (ssize_t)strlen(b)), to), (up_swab(b, to, (ssize_t)strlen(b)), to));
  BOTH(to + strxfrm(to, b, n), to + up_strxfrm(to, b, n));
}

static void compare_searches(const char *a, const char *b, unsigned n) {
  size_t la = strlen(a), lb = strlen(b);
  char c = "abAB,\0x"[below(7)];
  CHECK(strlen(a) == up_strlen(a), "strlen '%s'", a);
  CHECK(strnlen(a, n) == up_strnlen(a, n), "strnlen '%s' %u", a, n);
  CHECK(strcmp(a, b) == up_strcmp(a, b), "strcmp '%s' '%s'", a, b);
  CHECK(sign(strcoll(a, b)) == sign(up_strcoll(a, b)), "strcoll '%s' '%s'", a, b);
  CHECK(strncmp(a, b, n) == up_strncmp(a, b, n), "strncmp '%s' '%s' %u", a, b, n);
  CHECK(strcasecmp(a, b) == up_strcasecmp(a, b), "strcasecmp '%s' '%s'", a, b);
  CHECK(strncasecmp(a, b, n) == up_strncasecmp(a, b, n), "strncasecmp '%s' '%s' %u", a, b, n);
  size_t shorter = la < lb ? la : lb;
  CHECK(memcmp(a, b, shorter) == up_memcmp(a, b, shorter), "memcmp '%s' '%s'", a, b);
  CHECK(!bcmp(a, b, shorter) == !up_bcmp(a, b, shorter), "bcmp '%s' '%s'", a, b);
  CHECK(strchr(a, c) == up_strchr(a, c) && index(a, c) == up_index(a, c), "strchr '%s' %d", a, c);
  CHECK(strchrnul(a, c) == up_strchrnul(a, c), "strchrnul '%s' %d", a, c);
  CHECK(strrchr(a, c) == up_strrchr(a, c) && rindex(a, c) == up_rindex(a, c), "strrchr '%s' %d", a, c);
  CHECK(memchr(a, c, la) == up_memchr(a, c, la), "memchr '%s' %d", a, c);
  CHECK(memrchr(a, c, la) == up_memrchr(a, c, la), "memrchr '%s' %d", a, c);
  CHECK(rawmemchr(a, 0) == up_rawmemchr(a, 0), "rawmemchr '%s'", a);
  CHECK(strspn(a, b) == up_strspn(a, b), "strspn '%s' '%s'", a, b);
  CHECK(strcspn(a, b) == up_strcspn(a, b), "strcspn '%s' '%s'", a, b);
  CHECK(strpbrk(a, b) == up_strpbrk(a, b), "strpbrk '%s' '%s'", a, b);
  const char *part = lb > 3 ? b + lb - 3 : b;
  CHECK(strstr(a, part) == up_strstr(a, part), "strstr '%s' '%s'", a, part);
  CHECK(strcasestr(a, part) == up_strcasestr(a, part), "strcasestr '%s' '%s'", a, part);
  CHECK(memmem(a, la, part, strlen(part)) == up_memmem(a, la, part, strlen(part)), "memmem '%s' '%s'", a, part);
}

static void compare_tokens(const char *a, const char *b) {
  char one[ROOM], two[ROOM], *first, *second, *rest_one = one, *rest_two = two;
  strcpy(one, a);
  strcpy(two, a);
  char *from_one = one, *from_two = two;
  do {
    first = strtok(from_one, b);
    second = up_strtok(from_two, b);
    from_one = from_two = NULL;
    CHECK((first ? first - one : -1) == (second ? second - two : -1), "strtok '%s' '%s'", a, b);
  } while (first && second);
  CHECK(!memcmp(one, two, strlen(a) + 1), "strtok leaves '%s' '%s'", a, b);
  strcpy(one, a);
  strcpy(two, a);
  do {
    first = strsep(&rest_one, b);
    second = up_strsep(&rest_two, b);
    CHECK((first ? first - one : -1) == (second ? second - two : -1), "strsep '%s' '%s'", a, b);
  } while (first && second);
}

static void compare_allocations(const char *a, unsigned n) {
  char *one = up_strdup(a), *two = up_strndup(a, n), *wanted = strndup(a, n);
  CHECK(!strcmp(one, a) && !strcmp(two, wanted), "strdup '%s' %u", a, n);
  free(one);
  free(two);
  free(wanted);
}

/* glibc 2.36 has no strlcpy; what OpenBSD's manual says of it is short enough. */
static void compare_limited_copies(const char *a, const char *b, unsigned n) {
  char buffer[ROOM];
  memset(buffer, '#', ROOM);
  CHECK(up_strlcpy(buffer, b, n) == strlen(b), "strlcpy '%s' %u", b, n);
  size_t kept = n ? (strlen(b) < n ? strlen(b) : n - 1) : 0;
  CHECK(!memcmp(buffer, b, kept) && (n == 0 ? buffer[0] == '#' : buffer[kept] == 0), "strlcpy '%s' %u", b, n);
  CHECK(buffer[kept + 1] == '#', "strlcpy '%s' %u writes on", b, n);
  strcpy(buffer, a);
  size_t before = strnlen(a, n);
  CHECK(up_strlcat(buffer, b, n) == before + strlen(b), "strlcat '%s' '%s' %u", a, b, n);
  if (before < n) CHECK(strlen(buffer) == (before + strlen(b) < n ? before + strlen(b) : n - 1), "strlcat cut");
  else CHECK(!strcmp(buffer, a), "strlcat touched '%s'", a);
}

static void compare_errors(void) {
  for (int number = -3; number < 200; number++) {
    char one[40], two[40];
    CHECK(!strcmp(strerror(number), up_strerror(number)), "strerror(%d): '%s'", number, up_strerror(number));
    int wanted = __xpg_strerror_r(number, one, 20), got = up___xpg_strerror_r(number, two, 20);
    CHECK(wanted == got && !strcmp(one, two), "strerror_r(%d): %d '%s' not %d '%s'", number, got, two, wanted, one);
    CHECK(!strcmp(strerror_r(number, one, 18), up_strerror_r(number, two, 18)), "GNU strerror_r(%d)", number);
  }
}

void test_string(void) {
  char a[ROOM], b[ROOM];
  for (int turn = 0; turn < 40000; turn++) {
    const char *alphabet = turn % 3 == 0 ? "ab" : turn % 3 == 1 ? "abAB,; \xe4\xff" : "aA@[`{zZ\x01\x7f\x80";
    draw_string(a, 12, alphabet);
    draw_string(b, 10, alphabet);
    if (below(4) == 0) strcpy(b, a);
    unsigned n = below(14);
    compare_copies(a, b, n);
    compare_searches(a, b, n);
    compare_tokens(a, b);
    compare_allocations(a, n);
    compare_limited_copies(a, b, n);
    long bits = (long)(draw() & draw() & draw() & draw());
    CHECK(ffs((int)bits) == up_ffs((int)bits) && ffsl(bits) == up_ffsl(bits), "ffs %lx", bits);
    uint32_t word = (uint32_t)draw();
    CHECK(htonl(word) == up_htonl(word) && ntohl(word) == up_ntohl(word), "htonl %x", word);
    CHECK(htons((uint16_t)word) == up_htons((uint16_t)word) && ntohs((uint16_t)word) == up_ntohs((uint16_t)word),
          "htons");
  }
  CHECK(up_ffsll(0) == 0 && up_ffsll(1LL << 62) == 63, "ffsll");
  compare_errors();
}
