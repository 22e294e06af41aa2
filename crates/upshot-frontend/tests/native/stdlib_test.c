#include "native.h"

#include <limits.h>
#include <locale.h>
#include <search.h>

TWIN(abs)
TWIN(labs) TWIN(llabs) TWIN(div) TWIN(ldiv) TWIN(lldiv) TWIN(qsort) TWIN(bsearch) TWIN(lfind) TWIN(rand) TWIN(srand)
    TWIN(rand_r) TWIN(random) TWIN(srandom) TWIN(setlocale) TWIN(localeconv) TWIN(getenv)

    /* Elements with a key to sort by and a mark that tells equal ones apart. */
    struct element {
  short key, mark;
  char rest[28];
};

/* The order in which a sort asks is part of what it does. */
static uint64_t asked;
static void ask(unsigned left, unsigned right) { asked = asked * 31 + left * 65537 + right; }

static int by_key(const void *left, const void *right) {
  const struct element *a = left, *b = right;
  ask((unsigned)a->mark, (unsigned)b->mark);
  return a->key - b->key;
}

static int by_value(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  ask((unsigned)a, (unsigned)b);
  return (a > b) - (a < b);
}

static int by_byte(const void *left, const void *right) {
  return *(const unsigned char *)left - *(const unsigned char *)right;
}

static void compare_sorts(unsigned count) {
  static struct element one[300], two[300];
  static int three[300], four[300];
  for (unsigned i = 0; i < count; i++) {
    memset(&one[i], (int)i, sizeof one[i]);
    one[i].key = (short)below(count / 2 + 1);
    one[i].mark = (short)i;
    three[i] = (int)below(1000) - 500;
  }
  memcpy(two, one, sizeof one);
  memcpy(four, three, sizeof three);
  asked = 0;
  qsort(one, count, sizeof *one, by_key);
  uint64_t wanted = asked;
  asked = 0;
  up_qsort(two, count, sizeof *two, by_key);
  CHECK(!memcmp(one, two, sizeof one), "qsort of %u elements", count);
  CHECK(wanted == asked, "qsort of %u elements asks in another order", count);
  asked = 0;
  qsort(three, count, sizeof *three, by_value);
  wanted = asked;
  asked = 0;
  up_qsort(four, count, sizeof *four, by_value);
  CHECK(!memcmp(three, four, sizeof three) && wanted == asked, "qsort of %u integers", count);
  for (int key = -510; key < 510; key += 7)
    CHECK(
        bsearch(&key, three, count, sizeof *three, by_value) == up_bsearch(&key, three, count, sizeof *three, by_value),
        "bsearch");
  unsigned char bytes[300], more[300];
  for (unsigned i = 0; i < 300; i++) bytes[i] = more[i] = (unsigned char)draw();
  qsort(bytes, count, 1, by_byte);
  up_qsort(more, count, 1, by_byte);
  CHECK(!memcmp(bytes, more, 300), "qsort of %u bytes", count);
}

static void compare_random(void) {
  for (int i = 0; i < 1000; i++) {
    int wanted = rand(), got = up_rand();
    CHECK(wanted == got, "rand before srand: %d not %d", got, wanted);
  }
  static const unsigned seeds[] = {0, 1, 2, 42, 2147483647, 2147483648u, 2147483646, 4294967295u, 123456789};
  for (unsigned i = 0; i < 400; i++) {
    unsigned seed = i < 9 ? seeds[i] : (unsigned)draw();
    unsigned one = seed, two = seed;
    srand(seed);
    up_srand(seed);
    for (int j = 0; j < 100; j++) {
      int wanted = rand(), got = up_rand();
      CHECK(wanted == got, "rand after srand(%u): %d not %d", seed, got, wanted);
      CHECK(rand_r(&one) == up_rand_r(&two) && one == two, "rand_r(%u)", seed);
    }
    srandom(seed);
    up_srandom(seed);
    CHECK(random() == up_random(), "random after srandom(%u)", seed);
  }
}

static void compare_locales(void) {
  struct lconv *one = localeconv(), *two = up_localeconv();
  CHECK(!strcmp(one->decimal_point, two->decimal_point) && !strcmp(one->thousands_sep, two->thousands_sep),
        "localeconv");
  CHECK(!strcmp(one->negative_sign, two->negative_sign) && !strcmp(one->grouping, two->grouping), "localeconv");
  CHECK(one->frac_digits == two->frac_digits && one->int_n_sign_posn == two->int_n_sign_posn, "localeconv");
  CHECK(!strcmp(up_setlocale(LC_ALL, NULL), "C") && !strcmp(up_setlocale(LC_ALL, "C"), "C"), "setlocale");
  CHECK(!up_setlocale(LC_ALL, "xx_YY") && !up_setlocale(99, "C"), "setlocale");
}

void test_stdlib(void) {
  for (unsigned count = 0; count < 300; count += 1 + count / 8) compare_sorts(count);
  compare_random();
  compare_locales();
  for (int turn = 0; turn < 10000; turn++) {
    long left = (long)(draw() >> below(64)), right = (long)(draw() >> below(64));
    if (right == 0 || (left == LONG_MIN && right == -1)) continue;
    ldiv_t one = ldiv(left, right), two = up_ldiv(left, right);
    CHECK(one.quot == two.quot && one.rem == two.rem, "ldiv %ld %ld", left, right);
    int small = (int)left, other = (int)right;
    if (other == 0 || (small == INT_MIN && other == -1)) continue;
    div_t three = div(small, other), four = up_div(small, other);
    CHECK(three.quot == four.quot && three.rem == four.rem, "div %d %d", small, other);
    lldiv_t five = up_lldiv(left, right);
    CHECK(five.quot == one.quot && five.rem == one.rem, "lldiv %ld %ld", left, right);
    CHECK(abs(small) == up_abs(small) && labs(left) == up_labs(left) && llabs(left) == up_llabs(left), "abs %ld", left);
  }
  int numbers[] = {3, 1, 4, 1, 5};
  size_t count = 5;
  CHECK(up_lfind(&numbers[4], numbers, &count, sizeof(int), by_value) == &numbers[4], "lfind");
  CHECK(up_getenv("PATH") == NULL, "getenv");
}
