#include "native.h"

#include <ctype.h>

#define CLASSES(X)                                                                                               \
  X(isupper)                                                                                                     \
  X(islower) X(isalpha) X(isdigit) X(isxdigit) X(isspace) X(isprint) X(isgraph) X(isblank) X(iscntrl) X(ispunct) \
      X(isalnum) X(tolower) X(toupper)
#undef isascii
#undef toascii

#define DECLARE(name) TWIN(name)
CLASSES(DECLARE)
extern const unsigned short **up___ctype_b_loc(void);
extern const int **up___ctype_tolower_loc(void);
extern const int **up___ctype_toupper_loc(void);

void test_ctype(void) {
  for (int c = -1; c < 256; c++) {
#define COMPARE(name) CHECK((name)(c) == up_##name(c), #name "(%d): %d not %d", c, up_##name(c), (name)(c));
    CLASSES(COMPARE)
  }
  for (int c = -128; c < 256; c++) {
    CHECK((*up___ctype_b_loc())[c] == (*__ctype_b_loc())[c], "class of %d", c);
    CHECK((*up___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c], "lower case of %d", c);
    CHECK((*up___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c], "upper case of %d", c);
  }
}
