/* <locale.h>: only the C locale exists, under its two names. */

char *setlocale(int category, const char *name) {
  if ((unsigned)category > 12) return NULL;
  if (!name || !*name || !string_compare(name, "C") || !string_compare(name, "POSIX")) return "C";
  return NULL;
}

/* In glibc's order of members. */
struct lconv {
  char *decimal_point, *thousands_sep, *grouping;
  char *int_curr_symbol, *currency_symbol, *mon_decimal_point, *mon_thousands_sep, *mon_grouping;
  char *positive_sign, *negative_sign;
  char numbers[14];
};

struct lconv *localeconv(void) {
  static struct lconv answer = {
      ".",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      {CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX,
       CHAR_MAX, CHAR_MAX, CHAR_MAX},
  };
  return &answer;
}

/* The size of the longest character in this locale. */
size_t __ctype_get_mb_cur_max(void) { return 1; }
