/* <ctype.h> in the C locale. Every class is one or two unsigned comparisons, with no table and no branch, so a symbolic
 * character never forks here. Programs are compiled so that they call these functions; the tables that glibc's macros
 * read are for bitcode from elsewhere. */

#include "ctype_tables.c"

static unsigned ctype_within(int c, int low, int high) {
  return (unsigned)c - (unsigned)low <= (unsigned)high - (unsigned)low;
}

static unsigned ctype_upper(int c) { return ctype_within(c, 'A', 'Z'); }
static unsigned ctype_lower(int c) { return ctype_within(c, 'a', 'z'); }
static unsigned ctype_digit(int c) { return ctype_within(c, '0', '9'); }
static unsigned ctype_alpha(int c) { return ctype_within(c | 32, 'a', 'z'); }
static unsigned ctype_alnum(int c) { return ctype_alpha(c) | ctype_digit(c); }
static unsigned ctype_graph(int c) { return ctype_within(c, '!', '~'); }
static unsigned ctype_space(int c) { return (c == ' ') | ctype_within(c, '\t', '\r'); }
static int ctype_to_lower(int c) { return c + (int)(ctype_upper(c) << 5); }
static int ctype_to_upper(int c) { return c - (int)(ctype_lower(c) << 5); }

/* glibc answers with the bit of the class in its table, and programs may print that. */
enum {
  CTYPE_UPPER = 0x100,
  CTYPE_LOWER = 0x200,
  CTYPE_ALPHA = 0x400,
  CTYPE_DIGIT = 0x800,
  CTYPE_XDIGIT = 0x1000,
  CTYPE_SPACE = 0x2000,
  CTYPE_PRINT = 0x4000,
  CTYPE_GRAPH = 0x8000,
  CTYPE_BLANK = 0x1,
  CTYPE_CNTRL = 0x2,
  CTYPE_PUNCT = 0x4,
  CTYPE_ALNUM = 0x8,
};

/* C allows a byte or EOF here, glibc also negative bytes; what it does with anything else is to read outside of its
 * table. That is a bug of the program, so it is made to show: as an access past the end of ours. */
static int ctype_answer(int c, unsigned within, int bit) {
  const unsigned short *past_the_end = ctype_classes + CTYPE_TABLE;
  if ((unsigned)c + 128 >= CTYPE_TABLE) return *past_the_end;
  return (int)within * bit;
}

int isupper(int c) { return ctype_answer(c, ctype_upper(c), CTYPE_UPPER); }
int islower(int c) { return ctype_answer(c, ctype_lower(c), CTYPE_LOWER); }
int isalpha(int c) { return ctype_answer(c, ctype_alpha(c), CTYPE_ALPHA); }
int isdigit(int c) { return ctype_answer(c, ctype_digit(c), CTYPE_DIGIT); }
int isxdigit(int c) { return ctype_answer(c, ctype_digit(c) | ctype_within(c | 32, 'a', 'f'), CTYPE_XDIGIT); }
int isspace(int c) { return ctype_answer(c, ctype_space(c), CTYPE_SPACE); }
int isprint(int c) { return ctype_answer(c, ctype_within(c, ' ', '~'), CTYPE_PRINT); }
int isgraph(int c) { return ctype_answer(c, ctype_graph(c), CTYPE_GRAPH); }
int isblank(int c) { return ctype_answer(c, (c == ' ') | (c == '\t'), CTYPE_BLANK); }
int iscntrl(int c) { return ctype_answer(c, ctype_within(c, 0, 31) | (c == 127), CTYPE_CNTRL); }
int ispunct(int c) { return ctype_answer(c, ctype_graph(c) & (ctype_alnum(c) ^ 1), CTYPE_PUNCT); }
int isalnum(int c) { return ctype_answer(c, ctype_alnum(c), CTYPE_ALNUM); }
int isascii(int c) { return ((unsigned)c & ~0x7fu) == 0; }
int toascii(int c) { return c & 0x7f; }
int tolower(int c) { return ctype_to_lower(c); }
int toupper(int c) { return ctype_to_upper(c); }

static const unsigned short *const ctype_classes_at_zero = ctype_classes + 128;
static const int *const ctype_lower_case_at_zero = ctype_lower_case + 128;
static const int *const ctype_upper_case_at_zero = ctype_upper_case + 128;

const unsigned short *const *__ctype_b_loc(void) { return &ctype_classes_at_zero; }
const int *const *__ctype_tolower_loc(void) { return &ctype_lower_case_at_zero; }
const int *const *__ctype_toupper_loc(void) { return &ctype_upper_case_at_zero; }
